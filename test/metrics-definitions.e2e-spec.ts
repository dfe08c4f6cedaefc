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

describe('definitions of metrics over REST', () => {
  beforeAll(async () => {
    await upload(
      test,
      'sales',
      '编号,地区,金额,状态,created_at\n1,华东,10.5,已支付,2024-01-31T16:30:00Z\n2,华东,20,已支付,2024-01-02T00:00:00Z\n3,,5,退款,2024-03-01T00:00:00Z\n',
      '编号:bigint,地区:text,金额:numeric,状态:text,created_at:timestamptz',
    );
  });
  const binding = { relation: { table: 'sales' }, time: { column: 'created_at', timezone: 'Asia/Shanghai' } };

  it('refuses a formula that matches no pattern', async () => {
    const id = await aMetric({ formula: 'SUM(金额)', binding });
    const formula = 'SUM(金额)\n／ 2 OVER ()';
    const create = editor.post('/api/metrics').send({ graph_id: graphId, name: '坏的', formula });
    for (const refused of [create, editor.patch(`/api/metrics/${id}`).send({ formula, name: '坏的' })]) {
      const { body } = await refused.expect(400);
      expect(body).toMatchObject({ success: false, code: 'formula_parse_error', context: { line: 2, column: 5, found: 'OVER' } });
      expect(body.detail).toMatch(/^FormulaParseError: /);
    }
    expect((await editor.get(`/api/metrics/${id}`).expect(200)).body).toMatchObject({ formula: 'SUM(金额)', pattern: 'aggregate' });
    await editor.post('/api/metrics?draft=yes').send({ graph_id: graphId, name: '坏的', formula }).expect(422);
    await editor.post('/api/metrics').send({ graph_id: graphId, name: '坏的', formula: 'COUNT(*)' }).expect(201);
  });

  it('saves a draft, says what is wrong with it, and fails when it is executed', async () => {
    const { body } = await editor
      .post('/api/metrics?draft=true')
      .send({ graph_id: graphId, name: '坏', formula: 'SUM(金额) OVER ()', binding })
      .expect(201);
    expect(body).toMatchObject({ pattern: null, warnings: [{ code: 'formula_parse_error' }] });
    // A change of another field than the formula is accepted without `draft`.
    const { body: described } = await editor.patch(`/api/metrics/${body.id}`).send({ description: '草稿' }).expect(200);
    expect(described).toMatchObject({ formula: 'SUM(金额) OVER ()', description: '草稿', pattern: null });
    const still = await editor.patch(`/api/metrics/${body.id}?draft=true`).send({ formula: 'SUM(金额) OVER () ' }).expect(200);
    expect(still.body.warnings).toMatchObject([{ code: 'formula_parse_error' }]);
    const { body: error } = await execute(body.id).expect(400);
    expect(error).toMatchObject({
      success: false,
      code: 'formula_parse_error',
      context: { position: 9, found: 'OVER', nearest_pattern: 'aggregate' },
    });
    expect(error.detail).toMatch(/^FormulaParseError: /);
    expect(error.message).toBe(error.detail);
  });

  it('saves a metric without a binding, and says so only when it is executed', async () => {
    const { body } = await editor.post('/api/metrics').send({ graph_id: graphId, name: '未绑定', formula: 'SUM(金额)' }).expect(201);
    expect(body).toMatchObject({ pattern: null, binding: null, warnings: [{ code: 'missing_binding' }] });
    const user = await aMetric({ name: '引用', formula: '[未绑定] / 2' });
    const { body: error } = await execute(user).expect(400);
    expect(error.detail).toMatch(/^MissingBindingError: /);
    expect(error.context).toEqual({ metric_id: user, missing: [{ metric_id: body.id, name: '未绑定', path: '引用 → 未绑定' }] });
    const { body: bound } = await editor.put(`/api/metrics/${body.id}/binding`).send(binding).expect(200);
    expect(bound).toMatchObject({ pattern: 'aggregate', has_time: true, warnings: [] });
    expect((await execute(user).expect(200)).body.rows).toEqual([['17.7500000000000000']]);
  });

  it('says in words what a formula means', async () => {
    const { body: parsed } = await editor.post('/api/metrics/parse').send({ formula: '滚动([支付额], 7 天)' }).expect(200);
    expect(parsed).toMatchObject({
      pattern: 'accumulate',
      metrics: ['支付额'],
      executable: true,
      reading: { zh: '「支付额」在截至每期最后一天的 7 天内的值', en: '"支付额" over the 7 days up to the end of each period' },
    });
  });

  it('checks a binding against the real tables', async () => {
    const id = await aMetric({ formula: 'COUNT(*)' });
    const bind = (body: object) => editor.put(`/api/metrics/${id}/binding`).send(body);
    const problems = async (body: object) => (await bind(body).expect(422)).body.detail.errors;
    const asColumn = (column: string) => ({ relation: { table: 'sales' }, alias: 's', dimensions: [{ name: '状态', column }] });
    await bind(asColumn('s.状态')).expect(200);
    await bind(asColumn('状态')).expect(200);
    expect(await problems(asColumn('s.地区'))).toEqual([expect.objectContaining({ type: 'duplicate_name' })]);
    const noTable = (msg: RegExp) => [
      expect.objectContaining({ loc: ['body', 'relation', 'table'], type: 'unknown_table', msg: expect.stringMatching(msg) }),
    ];
    expect(await problems({ relation: { table: 'Sales' } })).toEqual(noTable(/there is no table 'Sales'; did you mean 'sales'\?$/));
    expect(await problems({ relation: { table: 'nothing_like_it' } })).toEqual(noTable(/; known: .*\bsales\b/));
    const elsewhere = { table: 'sales', schema: 'public' };
    const misplaced = (...loc: (string | number)[]) => expect.objectContaining({ loc: ['body', ...loc, 'schema'], type: 'not_one_of' });
    expect(await problems({ relation: elsewhere })).toEqual([misplaced('relation')]);
    expect(await problems({ relation: { sql: 'SELECT 1 AS a', schema: 'public' } })).toEqual([misplaced('relation')]);
    expect(
      await problems({
        relation: { table: 'sales', schema: 'mirror' },
        joins: [{ ...elsewhere, alias: 's', on: [['sales.状态', 's.状态']] }],
      }),
    ).toEqual([misplaced('joins', 0)]);
    expect(await problems({ relation: { table: 'sales' }, columns: { a: 'sales.b' }, time: { column: 'c' } })).toEqual([
      expect.objectContaining({ loc: ['body', 'time', 'column'], type: 'unknown_column' }),
      expect.objectContaining({ loc: ['body', 'columns', 'a'], type: 'unknown_column' }),
    ]);
    expect(await problems({ relation: { table: 'sales' }, time: { column: '金额' } })).toEqual([
      expect.objectContaining({ type: 'time_type' }),
    ]);
    expect(await problems({ relation: { table: 'sales' }, columns: { a: '金额 + 状态' } })).toEqual([
      expect.objectContaining({ type: 'binding_not_executable' }),
    ]);
    expect(await problems({ relation: { sql: 'SELECT 金额 AS v, 金额 AS v FROM sales' } })).toEqual([
      expect.objectContaining({ loc: ['body', 'relation', 'sql'], type: 'duplicate_name' }),
    ]);
    const joinedBy = (outer: string) => ({
      relation: { table: 'sales' },
      joins: [{ table: 'sales', alias: 's', on: [[outer, 's.状态']] }],
    });
    expect(await problems(joinedBy('sales.金额'))).toEqual([
      expect.objectContaining({
        loc: ['body', 'joins', 0, 'on', 0],
        type: 'join_types',
        msg: expect.stringContaining('numeric and text; write the number as (…)::text'),
      }),
    ]);
    expect((await bind(joinedBy('(sales.金额)::text'))).body.code).toBe('fan_out_join');
    expect((await bind({ relation: { sql: 'SELECT * FROM public.users' } }).expect(400)).body.code).toBe('unsafe_filter_clause');
    expect((await bind({ relation: { table: 'sales' }, row_filter: 'pg_sleep(1) IS NULL' }).expect(400)).body.code).toBe(
      'unsafe_filter_clause',
    );
    expect((await bind({})).status).toBe(400);
    for (const part of [
      { relation: [] },
      { joins: [[]] },
      { dimensions: [[]] },
      { columns: { a: 5 } },
      { time: [] },
      { connection_id: 'x' },
    ]) {
      await bind({ relation: { table: 'sales' }, ...part }).expect(422);
    }
    expect(await problems({ relation: { table: 'sales' }, entities: [{ name: 'u', column: 'nope' }] })).toEqual([
      expect.objectContaining({ loc: ['body', 'entities', 0, 'column'], type: 'unknown_column' }),
    ]);
    await bind({
      relation: { table: 'sales', sql: null },
      joins: null,
      dimensions: null,
      columns: null,
      row_filter: null,
      time: null,
    }).expect(200);
  });

  it.each([
    'SUM(unit_price; drop table x)',
    'SUM(pg_sleep(1))',
    'ROUND(SUM(a) / COUNT(b WHERE (SELECT 1) = 1), 2)',
    'COUNT_DISTINCT(lo_import(a))',
  ])('does not call %s executable when it is parsed', async formula => {
    const { body } = await editor.post('/api/metrics/parse').send({ formula }).expect(400);
    expect(body.code).toBe('unsafe_filter_clause');
  });

  it('warns of a name or an alias that another metric of the graph has', async () => {
    const one = await aMetric({ name: '毛利', aliases: ['gross profit'], formula: '1 * [净利]' });
    const fields = { graph_id: graphId, name: '净利', aliases: ['Gross Profit'], formula: 'COUNT(*)' };
    const { body } = await editor.post('/api/metrics').send(fields).expect(201);
    const ambiguous = (warnings: any[]) => warnings.filter(({ code }) => code === 'ambiguous_name');
    expect(ambiguous(body.warnings)).toEqual([{ code: 'ambiguous_name', message: expect.stringContaining(`'毛利' (id ${one})`) }]);
    const { body: changed } = await editor
      .patch(`/api/metrics/${body.id}`)
      .send({ aliases: ['net'] })
      .expect(200);
    expect(ambiguous(changed.warnings)).toEqual([]);
  });

  it('warns of formulas that a new name leaves behind', async () => {
    const id = await aMetric({ name: '旧[名]', aliases: ['old'], formula: 'COUNT(*)' });
    const caller = await aMetric({ name: '引用者', formula: '[旧[名]]] * 2' });
    await aMetric({ name: '另一个', formula: '[old] * 2' });
    const rename = async (change: object) => {
      const { body } = await editor.patch(`/api/metrics/${id}`).send(change).expect(200);
      return body.warnings.filter(({ code }: { code: string }) => code === 'former_name_in_use');
    };
    expect(await rename({ name: '改过的名称' })).toEqual([
      { code: 'former_name_in_use', message: expect.stringMatching(`: 引用者 \\(id ${caller}\\); keep it as an alias`) },
    ]);
    expect(await rename({ aliases: ['old', '旧[名]'] })).toEqual([]);
  });

  it('lets a viewer execute and an editor change, and hides metrics of other graphs', async () => {
    const id = await aMetric({ name: '访问', formula: 'COUNT(*)', binding });
    const stranger = await test.asUser('guo');
    await stranger.post(`/api/metrics/${id}/execute`).send({}).expect(403);
    await stranger.get(`/api/metrics/${id}`).expect(403);
    await stranger.get('/api/metrics/999999').expect(404);
    expect((await stranger.get('/api/metrics').expect(200)).body.items).toEqual([]);
    const { body: all } = await editor.get(`/api/metrics?graph_id=${graphId}&limit=2`).expect(200);
    expect(all.items).toHaveLength(2);
    expect(all.next_cursor).not.toBeNull();
  });

  it('changes and deletes a metric, and keeps names unique in a graph', async () => {
    const id = await aMetric({ name: '原名', formula: 'COUNT(*)', binding });
    const { body } = await editor
      .patch(`/api/metrics/${id}`)
      .send({ name: '新名', formula: '去重计数(地区)', unit: null, aliases: null })
      .expect(200);
    expect(body).toMatchObject({ name: '新名', pattern: 'count_distinct', aliases: [] });
    await editor.post('/api/metrics').send({ graph_id: graphId, name: '新名', formula: 'COUNT(*)' }).expect(400);
    await editor.delete(`/api/metrics/${id}`).expect(204);
    await editor.get(`/api/metrics/${id}`).expect(404);
    await execute(id).expect(404);
  });
});
