import { type Client, startTestApp, type TestApp } from './support/app.js';
import { upload } from './support/ingestion.js';
import { aMetricEditor, type MetricEditor } from './support/metric-editor.js';

let test: TestApp;
let graphId: number;
let editor: Client;
let aMetric: MetricEditor['aMetric'];
let execute: MetricEditor['execute'];

beforeAll(async () => {
  test = await startTestApp();
  ({ editor, graphId, aMetric, execute } = await aMetricEditor(test));
});
afterAll(() => test?.close());

describe('execution of metrics over REST', () => {
  beforeAll(async () => {
    await upload(
      test,
      'sales',
      '编号,地区,金额,状态,created_at\n1,华东,10.5,已支付,2024-01-31T16:30:00Z\n2,华东,20,已支付,2024-01-02T00:00:00Z\n3,,5,退款,2024-03-01T00:00:00Z\n',
      '编号:bigint,地区:text,金额:numeric,状态:text,created_at:timestamptz',
    );
  });
  const binding = { relation: { table: 'sales' }, time: { column: 'created_at', timezone: 'Asia/Shanghai' } };

  it('keeps the order of errors: formula, binding, clause, execution', async () => {
    const clause = { filter_clause: 'pg_sleep(1) IS NULL' };
    const broken = (await editor.post('/api/metrics?draft=true').send({ graph_id: graphId, name: '未完', formula: 'SUM(金额' }).expect(201))
      .body.id;
    const unbound = await aMetric({ formula: 'SUM(金额)' });
    const bound = await aMetric({ formula: 'SUM(1 / (金额 - 5))', binding });
    expect((await execute(broken, clause).expect(400)).body.code).toBe('formula_parse_error');
    expect((await execute(unbound, clause).expect(400)).body.code).toBe('missing_binding');
    const { body } = await execute(bound, clause).expect(400);
    expect(body).toMatchObject({ code: 'unsafe_filter_clause', context: { reason: 'function', token: 'pg_sleep', position: 1 } });
    expect(body.detail).toMatch(/^UnsafeFilterClauseError: /);
    expect((await execute(bound).expect(400)).body.code).toBe('warehouse_query_failed');
  });

  it('reads Chinese metric, columns and literals, full-width punctuation, and an order at 16:30Z as February in Shanghai', async () => {
    const id = await aMetric({ name: '支付额', formula: "求和（金额 条件 状态 ＝ '已支付'）", binding });
    const { body } = await execute(id, { time: { grain: 'month' }, dimensions: ['地区'], order: [{ by: 'period' }] }).expect(200);
    expect(body.rows).toEqual([
      ['2024-01-01', '华东', '20'],
      ['2024-02-01', '华东', '10.5'],
      ['2024-03-01', null, null],
    ]);
    const { body: utc } = await execute(id, { time: { grain: 'month', timezone: 'UTC', to: '2024-02-01' } }).expect(200);
    expect(utc.rows).toEqual([['2024-01-01', '30.5']]);
    expect(utc.params).toContain('UTC');
  });

  it('lists the known names when a name is wrong, and refuses options that do not exist', async () => {
    const id = await aMetric({ formula: 'COUNT(*)', binding });
    const { body } = await execute(id, { dimensions: ['region'], filters: [{ field: 'nope', op: '=', value: 1 }] }).expect(422);
    expect(body.success).toBe(false);
    expect(body.detail.errors).toEqual([
      expect.objectContaining({ loc: ['body', 'dimensions', 0], type: 'unknown_dimension', known: expect.arrayContaining(['地区']) }),
      expect.objectContaining({ loc: ['body', 'filters', 0, 'field'], type: 'unknown_field' }),
    ]);
    const { body: more } = await execute(id, { compare: { offset: 'a year' }, cache: { mode: 'default' }, limit: 0 }).expect(422);
    expect(more.detail.errors.map((error: { loc: string[] }) => error.loc.slice(1).join('.')).sort()).toEqual([
      'cache.max_age_s',
      'cache.mode',
      'compare.offset',
      'limit',
    ]);
    for (const part of [{ having: [[]] }, { order: [[]] }, { filters: [[]] }, { time: [] }, { dimensions: [{}] }])
      await execute(id, part).expect(422);
    await execute(id, { time: null, dimensions: null, filters: null, having: null, order: null, limit: null, filter_clause: null }).expect(
      200,
    );
    const { body: blank } = await execute(id, { filter_clause: ' ' }).expect(422);
    expect(blank.detail.errors).toMatchObject([{ loc: ['body', 'filter_clause'], type: 'no_effect' }]);
    const { body: twice } = await editor
      .post('/api/metrics/query')
      .send({ graph_id: graphId, metrics: [id, id] })
      .expect(422);
    expect(twice.detail.errors).toMatchObject([
      { loc: ['body', 'metrics'], type: 'duplicate', msg: '元素重复 / an element of metrics is there twice' },
    ]);
  });

  it('shows the circle when metrics refer to each other', async () => {
    const a = await aMetric({ name: '甲', formula: '[乙] + 1' });
    await aMetric({ name: '乙', formula: '[甲] * 2' });
    const { body } = await execute(a).expect(400);
    expect(body.code).toBe('formula_parse_error');
    expect(body.context.hint).toContain('甲 → 乙 → 甲');
  });

  it('reads from a guarded SELECT in place of a table', async () => {
    const id = await aMetric({
      formula: 'SUM(t)',
      binding: { relation: { sql: 'SELECT 地区, sum(金额) AS t FROM sales GROUP BY 1' }, row_filter: 't > 5' },
    });
    const { body } = await execute(id, { dimensions: ['地区'] }).expect(200);
    expect(body.rows).toEqual([['华东', '30.5']]);
  });

  it('compiles without executing on a dry run', async () => {
    const id = await aMetric({ formula: 'COUNT(*)', binding });
    const { body } = await execute(id, { dry_run: true }).expect(200);
    expect(body).toMatchObject({ rows: [], as_of: null });
    expect(body.sql).toContain('COUNT(*)');
  });

  it('gives the estimate of the database without executing', async () => {
    const id = await aMetric({ formula: 'COUNT(*)', binding });
    const { body } = await execute(id, {
      explain: true,
      totals: true,
      dimensions: ['地区'],
      filters: [{ field: '金额', op: '>', value: 0 }],
    });
    const tableOf = ({ table, inputs = [] }: { table?: string; inputs?: object[] }): string | undefined =>
      table ?? inputs.map(each => tableOf(each)).find(each => each !== undefined);
    expect(body).toMatchObject({ rows: [], as_of: null, totals: null });
    expect(body.estimate).toMatchObject({ rows: expect.any(Number), cost: expect.any(Number) });
    expect(body.estimate.plans.map(tableOf)).toEqual(['sales', 'sales']);
    const { body: refused } = await execute(id, { explain: true, dry_run: true }).expect(422);
    expect(refused.detail.errors).toMatchObject([{ loc: ['body', 'dry_run'], type: 'no_effect' }]);
    expect((await execute(id).expect(200)).body.estimate).toBeNull();
  });

  it.each([
    ['名称 = 5', { reason: 'type_mismatch', token: '=', position: 4 }],
    ["n > 0 AND n = 'abc'", { reason: 'type_mismatch', token: "'abc'", position: 15 }],
    ['upper(n) IS NULL', { reason: 'type_mismatch', token: 'upper', position: 1 }],
    ['n + 1', { reason: 'type_mismatch', position: 1 }],
  ])('names the place in the clause %s where types do not fit', async (filter_clause, facts) => {
    await upload(test, 'typed', '名称,n\nx,1\n');
    const id = await aMetric({ formula: 'SUM(n)', binding: { relation: { table: 'typed' } } });
    const { body } = await execute(id, { filter_clause }).expect(400);
    expect(body).toMatchObject({ code: 'unsafe_filter_clause', context: facts });
    expect(body.detail).toMatch(/位于 filter_clause.* in filter_clause/);
  });

  it('names the place in the formula where types do not fit, and the nearest columns for an unknown one', async () => {
    await upload(test, 'typed', '名称,n,unit_price\nx,1,2\n');
    const binding = { relation: { table: 'typed' } };
    const { body: mismatch } = await execute(await aMetric({ formula: 'SUM(名称 * 2)', binding })).expect(400);
    expect(mismatch.context).toMatchObject({ reason: 'type_mismatch', token: '*', position: 8 });
    const { body: value } = await execute(await aMetric({ formula: 'SUM(名称::numeric)', name: '转换', binding })).expect(400);
    expect(value).toMatchObject({
      code: 'warehouse_query_failed',
      detail: expect.stringMatching(/公式与绑定.+：转换 .+ bindings of: 转换$/),
    });
    const { body: unknown } = await execute(await aMetric({ formula: 'SUM(unitprice)', binding })).expect(400);
    expect(unknown).toMatchObject({
      code: 'formula_parse_error',
      context: { position: 5, found: 'unitprice', hint: 'known columns: unit_price, 名称, n' },
    });
  });

  it('names the table that is gone', async () => {
    await upload(test, 'gone_soon', 'n\n1\n');
    const id = await aMetric({ formula: 'SUM(n)', binding: { relation: { table: 'gone_soon' } } });
    await test.admin.delete('/api/warehouse/connections/1/tables/gone_soon?force=true').expect(204);
    const { body } = await execute(id).expect(400);
    expect(body).toMatchObject({ code: 'metric_table_missing', context: { tables: ['gone_soon'] } });
    expect(body.detail).toContain('gone_soon');
  });

  it('says how to bind a time column when there is none', async () => {
    await upload(test, 'typed', 'n\n1\n');
    const id = await aMetric({ formula: 'SUM(n)', binding: { relation: { table: 'typed' } } });
    const { body } = await execute(id, { time: { grain: 'month' } }).expect(422);
    const msg = expect.stringMatching(
      new RegExp(`加上 time.* / the binding of metric '.+' has no time column; add time.*/metrics/${id}/binding`),
    );
    expect(body.detail.errors[0]).toMatchObject({ type: 'no_time_column', msg });
  });
});

describe('errors of a metric', () => {
  const hidden = /pay_grade|wages|staff_no/;
  let viewer: Client;
  let metric: number;
  let broken: number;
  let conversion: number;
  const load = (type: string) => {
    const csv = 'staff_no,dept,pay_grade,amount,day\n1,A,7,10,2024-01-01\n';
    return upload(test, 'wages', csv, `staff_no:text,dept:text,pay_grade:bigint,amount:${type},day:date`);
  };

  beforeAll(async () => {
    await load('numeric');
    const binding = {
      relation: { table: 'wages' }, time: { column: 'day' }, dimensions: [{ name: '部门', column: 'dept' }], entities: [{ name: 'person', column: 'staff_no' }],
    }; // prettier-ignore
    metric = await aMetric({ name: '工资', formula: 'SUM(amount)', binding });
    broken = await aMetric({ formula: 'SUM(wage)', binding });
    await aMetric({ name: '人次', formula: 'COUNT(*)', binding });
    conversion = await aMetric({ formula: 'CONVERSION([人次] -> [人次] BY somebody, RATE)' });
    viewer = await test.asUser('only-views');
    await editor.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'only-views', role: 'viewer' }).expect(201);
  });

  /** Sends a request as the viewer and as the editor. Returns both answers as texts. */
  async function bodies(id: number, request: object = {}): Promise<{ status: number[]; seen: string; edited: string }> {
    const [seen, edited] = [await viewer.post(`/api/metrics/${id}/execute`).send(request), await execute(id, request)];
    return { status: [seen.status, edited.status], seen: seen.text, edited: edited.text };
  }

  it.each<[string, () => Promise<{ status: number[]; seen: string; edited: string }>]>([
    ['a clause', () => bodies(metric, { filter_clause: 'nothing = 1' })],
    ['a quoted clause', () => bodies(metric, { filter_clause: '"pay" = 1' })],
    ['a filter', () => bodies(metric, { filters: [{ field: 'nothing', op: '=', value: 1 }] })],
    ['a filter by a metric', () => bodies(metric, { filters: [{ metric, by: 'nothing', op: '>', value: 1 }] })],
    ['a formula', () => bodies(broken)],
    ['a metric that warns', async () => {
      const [seen, edited] = [await viewer.get(`/api/metrics/${broken}`), await editor.get(`/api/metrics/${broken}`)];
      return { status: [seen.status, edited.status], seen: seen.text, edited: JSON.stringify(edited.body.warnings) };
    }],
    ['a conversion', () => bodies(conversion)],
  ])('that lists the columns of its binding for %s to editors lists dimensions to viewers', async (_what, ask) => {
    const { status, seen, edited } = await ask();
    expect(status[0]).toBe(status[1]);
    expect(edited).toMatch(hidden);
    expect(seen).not.toMatch(hidden);
    expect(seen).toContain('部门');
  }); // prettier-ignore

  it('lets viewers filter by any column of the binding, as the specification has it', async () => {
    const { body } = await viewer.post(`/api/metrics/${metric}/execute`).send({ filter_clause: 'pay_grade = 7' }).expect(200);
    expect(body.rows).toEqual([['10']]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['binding_outdated', () => load('text')],
    ['metric_table_missing', async () => test.admin.delete('/api/warehouse/connections/1/tables/wages?force=true').expect(204)],
  ])('that is %s names tables and columns to editors alone', async (code, fail) => {
    await fail();
    const { status, seen, edited } = await bodies(metric);
    expect(status[0]).toBe(status[1]);
    expect([JSON.parse(seen).code, JSON.parse(edited).code]).toEqual([code, code]);
    expect(edited).toMatch(/wages|amount/);
    expect(seen).not.toMatch(/wages|amount/);
    expect(JSON.parse(seen).context).toBeUndefined();
  }); // prettier-ignore
});
