import { todayIn } from '../src/text/calendar.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createSoldMetrics, problems, type SoldMetrics } from './support/sold-metrics.js';

let test: TestApp;
let editor: Client;
let graphId: number;
let ids: SoldMetrics['ids'];
let query: SoldMetrics['query'];
let execute: SoldMetrics['execute'];

beforeAll(async () => {
  test = await startTestApp();
  ({ editor, graphId, ids, query, execute } = await createSoldMetrics(test));
});
afterAll(() => test?.close());

describe('several metrics at once', () => {
  it('are columns of one result, with one scan for each binding', async () => {
    const time = { grain: 'month', from: '2024-01-01', to: '2024-03-01' };
    const { body } = await query(['销售额', '订单数', '退货数'], { dimensions: ['地区'], time }).expect(200);
    expect(body.rows).toEqual([
      ['2024-01-01', 'east', '100.00', '1', '0'],
      ['2024-01-01', 'west', '50.00', '1', '1'],
      ['2024-02-01', 'east', '30.00', '1', '1'],
      ['2024-02-01', null, '20.00', '1', '0'],
    ]);
    expect(body.sql.match(/"mirror"\."sold"/g)).toHaveLength(1);
    expect(body.metrics).toEqual([
      { id: ids['销售额'], name: '销售额', pattern: 'aggregate' },
      { id: ids['订单数'], name: '订单数', pattern: 'aggregate' },
      { id: ids['退货数'], name: '退货数', pattern: 'aggregate' },
    ]);
    expect(body.columns.slice(2)).toEqual([
      { name: '销售额', role: 'value', type: 'decimal', metric_id: ids['销售额'], unit: 'CNY', format: '0.00' },
      { name: '订单数', role: 'value', type: 'bigint', metric_id: ids['订单数'], unit: null, format: null },
      { name: '退货数', role: 'value', type: 'bigint', metric_id: ids['退货数'], unit: null, format: null },
    ]);
    expect(body.time).toEqual({ from: '2024-01-01', to: '2024-03-01', grain: 'month', timezone: 'Asia/Shanghai' });
    expect(body.chart).toEqual({ kind: 'line', x: 'period', series: ['地区'], y: ['销售额', '订单数', '退货数'] });
  });

  it('are ordered and filtered by their names, with a total each', async () => {
    const request = {
      dimensions: ['产品'],
      having: [{ by: '订单数', op: '>', value: 2 }],
      order: [{ by: '销售额', dir: 'desc' }],
      totals: true,
    };
    const { body } = await query(['订单数', '销售额'], request).expect(200);
    expect(body.rows).toEqual([['tea', '4', '220.26']]);
    expect(body.totals).toEqual({ 订单数: '6', 销售额: '300.26' });
    expect(await problems(query(['订单数', '销售额'], { having: [{ op: '>', value: 2 }] }))).toEqual(['body.having.0.by missing']);
    expect(await problems(query(['订单数', '销售额'], { order: [{ by: 'value' }] }))).toEqual(['body.order.0.by unknown_column']);
  });

  it('are those of one graph that the caller may read', async () => {
    expect(await problems(query(['销售额'], { metrics: [ids['销售额'], 999_999] }))).toEqual(['body.metrics.1 unknown_metric']);
    const stranger = await test.asUser('stranger');
    await stranger
      .post('/api/metrics/query')
      .send({ graph_id: graphId, metrics: [ids['销售额']] })
      .expect(403);
  });
});

describe('compare', () => {
  it('adds the values of an earlier period', async () => {
    const time = { grain: 'month', from: '2024-01-01', to: '2024-03-01' };
    const { body } = await execute('销售额', { time, compare: { offset: '1 year' } }).expect(200);
    expect(body.columns.map((column: { name: string; compare?: string }) => [column.name, column.compare])).toEqual([
      ['period', undefined],
      ['value', undefined],
      ['previous', 'value'],
      ['diff', 'diff'],
      ['rate', 'rate'],
    ]);
    expect(body.rows.map((row: string[]) => [...row.slice(0, 4), Number(row[4])])).toEqual([
      ['2024-01-01', '150.00', '80.00', '70.00', 0.875],
      ['2024-02-01', '50.00', '20.26', '29.75', 29.745 / 20.255],
    ]);
  });

  it('takes as many days of a cut period, or the whole (risk: a part compared with a whole)', async () => {
    const time = { grain: 'month', from: '2024-02-01', to: '2024-02-02' };
    const asked = async (align?: string) =>
      (await execute('销售额', { time, compare: { offset: '1 year', modes: ['value'], ...(align && { align }) } }).expect(200)).body.rows;
    expect(await asked()).toEqual([['2024-02-01', '30.00', null]]);
    expect(await asked('full_period')).toEqual([['2024-02-01', '30.00', '20.26']]);
  });

  it('is refused where it has no meaning', async () => {
    const time = { grain: 'year' };
    expect(await problems(execute('同比', { time, compare: { offset: '1 year' } }))).toEqual(['body.compare not_comparable']);
    expect(await problems(execute('占比', { time, compare: { offset: '1 year' } }))).toEqual(['body.compare not_comparable']);
    expect(await problems(execute('销售额', { time, compare: { offset: '1 month' } }))).toEqual(['body.time.grain offset_not_whole']);
    expect(await problems(execute('销售额', { compare: { offset: '1 year' } }))).toEqual(['body.time needs_periods']);
    const { body } = await execute('销售额', { time, compare: { offset: 'a year', modes: [] } }).expect(422);
    expect(body.detail.errors.map((each: { loc: string[] }) => each.loc.join('.')).sort()).toEqual([
      'body.compare.modes',
      'body.compare.offset',
    ]);
  });
});

describe('a metric as a filter', () => {
  const by = (metric: string, more: object) => ({ filters: [{ metric: ids[metric], by: '用户', op: '>=', ...more }] });

  it('keeps what it fits for, over all time or that of the request', async () => {
    const time = { from: '2024-01-01', to: '2025-01-01' };
    const asked = async (more: object) => (await execute('销售额', { time, ...by('订单数', more) }).expect(200)).body.rows[0][0];
    // The three users have 3, 2 and 1 orders in total, and 2, 1 and 1 in 2024.
    expect(await asked({ value: 2 })).toBe('170.00');
    expect(await asked({ value: 2, range: 'request' })).toBe('120.00');
    expect(await asked({ value: '3.5' })).toBeNull();
    expect(await asked({ value: 2, by: 'user_id' })).toBe('170.00');
  });

  it('may be of another binding', async () => {
    const { body } = await query(['销售额', '订单数'], by('退货数', { value: 1 })).expect(200);
    expect(body.rows).toEqual([['70.26', '2']]);
  });

  it('is refused where it cannot be computed', async () => {
    const problem = (filter: object, request = {}) => problems(execute('销售额', { ...request, filters: [filter] }));
    const good = { metric: ids['订单数'], by: '用户', op: '>', value: 1 };
    expect(await problem({ ...good, by: 'nobody' })).toEqual(['body.filters.0.by unknown_dimension']);
    expect(await problem({ ...good, metric: ids['退货数'], by: '产品' })).toEqual(['body.filters.0.by unknown_dimension']);
    expect(await problem({ ...good, metric: 999_999 })).toEqual(['body.filters.0.metric unknown_metric']);
    expect(await problem({ ...good, metric: ids['同比'] })).toEqual(['body.filters.0.metric needs_periods']);
    expect(await problem({ ...good, range: 'request' })).toEqual(['body.filters.0.range no_effect']);
    expect(await problem({ ...good, op: 'contains' })).toEqual(['body.filters.0.op operator']);
    expect(await problem({ ...good, value: 'many' })).toEqual(['body.filters.0.value value_type']);
    expect(await problem({ ...good, field: 'region' })).toEqual(['body.filters.0.field no_effect']);
    expect(await problem({ op: '=', value: 1 })).toEqual(['body.filters.0.field missing']);
    expect(await problem({ field: 'region', by: '用户', op: '=', value: 'east' })).toEqual(['body.filters.0.by no_effect']);
    const fifty = (metric: string) => ({ filters: Array.from({ length: 50 }, (_, value) => ({ ...good, metric: ids[metric], value })) });
    expect(await problems(execute('销售额', fifty('十三倍')))).toEqual(['body.filters too_many_parts']);
    await execute('销售额', { ...fifty('订单数'), dry_run: true }).expect(200);
  });
});

it('filters look for 1,000 characters in texts in all', async () => {
  const contained = (length: number) => ({
    filters: Array.from({ length: 10 }, (_, index) => ({ field: 'region', op: 'contains', value: `${index}${'x'.repeat(length - 1)}` })),
    dry_run: true,
  });
  await execute('销售额', contained(100)).expect(200);
  expect(await problems(execute('销售额', contained(101)))).toEqual(['body.filters too_long']);
});

describe('a relative range', () => {
  it('is resolved in the zone, and the answer says what it came to', async () => {
    const today = todayIn('Asia/Shanghai');
    const { body } = await execute('订单数', { time: { range: 'today' } }).expect(200);
    expect(body.time).toEqual({ from: today, to: expect.any(String), grain: null, timezone: 'Asia/Shanghai' });
    expect(body.params).toEqual(expect.arrayContaining([today, body.time.to]));
    const { body: kiritimati } = await execute('订单数', { time: { range: 'today', timezone: 'Pacific/Kiritimati' } }).expect(200);
    expect(kiritimati.time.from).toBe(todayIn('Pacific/Kiritimati'));
  });

  it('stands alone', async () => {
    expect(await problems(execute('订单数', { time: { range: 'last_month', from: '2024-01-01' } }))).toEqual(['body.time.range conflict']);
    const { body } = await execute('订单数', { time: { range: 'next_month' } }).expect(422);
    expect(body.detail.errors[0].loc).toEqual(['body', 'time', 'range']);
  });
});

it('shows the SQL, its plan and the binding only to those who may change the metric', async () => {
  const viewer = await test.asUser('wei');
  const members = `/api/permissions/graphs/${graphId}/members`;
  const { body: member } = await editor.post(members).send({ username: 'wei', role: 'viewer' }).expect(201);
  const definitions = async (client: Client) => {
    const { body } = await client.get(`/api/metrics/${ids['销售额']}`).expect(200);
    const { body: all } = await client.get(`/api/metrics?graph_id=${graphId}`).expect(200);
    expect(all.items[0]).toEqual(body);
    return body;
  };
  const definition = await definitions(editor);
  expect(definition.binding.relation).toEqual({ table: 'sold' });
  expect(await definitions(viewer)).toEqual({ ...definition, binding: null });
  const many = { graph_id: graphId, metrics: [ids['销售额'], ids['退货数']] };
  const secret = /SELECT|Scan/;
  for (const request of [{}, { dry_run: true }, { explain: true }, { filters: [{ field: 'region', op: '=', value: 'east' }] }])
    for (const [path, body] of [
      [`${ids['销售额']}/execute`, request],
      ['query', { ...many, ...request, ...('filters' in request && { metrics: [ids['销售额']] }) }],
    ] as const) {
      const { body: seen } = await editor.post(`/api/metrics/${path}`).send(body).expect(200);
      expect(seen.sql).toMatch(secret);
      expect(seen.params).toEqual(expect.any(Array));
      const { body: hidden } = await viewer.post(`/api/metrics/${path}`).send(body).expect(200);
      expect(hidden).toMatchObject({ sql: null, params: null, rows: seen.rows, sources: seen.sources });
      expect(JSON.stringify(hidden)).not.toMatch(secret);
      if (seen.estimate) expect(hidden.estimate).toEqual({ ...seen.estimate, plans: null });
    }
  for (const clause of ['amount / (amount - amount) > 1', "region = 1 + 'x'"]) {
    const { text } = await viewer
      .post(`/api/metrics/${ids['销售额']}/execute`)
      .send({ filter_clause: clause })
      .expect(({ status }) => expect([400, 422]).toContain(status));
    expect(text).not.toMatch(secret);
  }
  await editor.patch(`${members}/${member.user_id}`).send({ role: 'editor' }).expect(200);
  expect((await viewer.post(`/api/metrics/${ids['销售额']}/execute`).send({}).expect(200)).body.sql).toMatch(secret);
});

it('rounds values to the format of the metric', async () => {
  expect((await execute('销售额').expect(200)).body.rows).toEqual([['300.26']]);
  await editor.patch(`/api/metrics/${ids['销售额']}`).send({ format: '#,##0' }).expect(422);
  expect((await editor.get(`/api/metrics/${ids['销售额']}`).expect(200)).body.format).toBe('0.00');
});
