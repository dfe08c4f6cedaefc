import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';

let test: TestApp;
let graphId: number;
let editor: Client;

/** One visit every half hour on two local days in Paris, of which the second has 25 hours. */
const visits = [
  'at,user_id',
  ...Array.from({ length: 98 }, (_, i) => `${new Date(Date.parse('2024-10-25T22:00Z') + i * 1_800_000).toISOString()},u${i % 5}`),
];

beforeAll(async () => {
  test = await startTestApp();
  editor = await test.asUser('lin');
  await grantConnection(test, 'lin');
  graphId = (await editor.post('/api/graphs').send({ name: '小时' }).expect(201)).body.id;
  const uploads: [string, string, string][] = [
    ['visits', 'at:timestamptz', visits.join('\n')],
    ['days', 'day:date', 'day,amount\n2024-10-27,5'],
    ['buys', 'at:timestamptz', 'at,user_id\n2024-10-27T01:10:00Z,u9'],
    ['looks', 'at:timestamptz', 'at,user_id\n2024-10-26T23:50:00Z,u9'],
    ['clicks', 'at:timestamptz', 'at,user_id\n2024-10-27T00:30:00Z,u1\n2024-10-27T01:20:00Z,u2'],
    ['orders', 'at:timestamptz', 'at,user_id\n2024-10-27T01:15:00Z,u1\n2024-10-27T00:40:00Z,u2'],
  ];
  for (const [table, types, csv] of uploads) {
    const { status, body } = await test.admin
      .put(`/api/warehouse/connections/1/tables/${table}?types=${encodeURIComponent(types)}`)
      .set('Content-Type', 'text/csv')
      .send(csv);
    if (status >= 300) throw new Error(JSON.stringify(body));
  }
});
afterAll(() => test?.close());

const timed = (table: string, time: object = {}) => ({ relation: { table }, time: { column: 'at', timezone: 'Europe/Paris', ...time } });
async function aMetric(formula: string, binding: object | null = timed('visits'), name = `m${Math.random()}`): Promise<number> {
  const { body, status } = await editor.post('/api/metrics').send({ graph_id: graphId, name, formula, ...(binding && { binding }) });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}
const execute = (id: number, time: object, more: object = {}) =>
  editor.post(`/api/metrics/${id}/execute`).send({ time: { grain: 'hour', ...time }, ...more });
async function rows(formula: string, time: object, more: object = {}, binding: object | null = timed('visits')): Promise<unknown[][]> {
  const { body, status } = await execute(await aMetric(formula, binding), time, more);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.rows.map((row: unknown[]) => row.map((value, index) => (index === 0 || value === null ? value : Number(value))));
}
async function problems(formula: string, time: object, more: object = {}, binding: object | null = timed('visits')): Promise<string[]> {
  const { body } = await execute(await aMetric(formula, binding), time, more).expect(422);
  return body.detail.errors.map((each: { loc: string[]; type: string }) => `${each.loc.join('.')} ${each.type}`);
}
const night = { from: '2024-10-27T01:00', to: '2024-10-27T04:00' };

describe('hours', () => {
  it('give the hour that comes twice two groups, told apart by their offsets, in the order in which they pass', async () => {
    expect(await rows('COUNT(*)', night)).toEqual([
      ['2024-10-27T01:00+02:00', 2],
      ['2024-10-27T02:00+02:00', 2],
      ['2024-10-27T02:00+01:00', 2],
      ['2024-10-27T03:00+01:00', 2],
    ]);
    expect((await rows('COUNT(*)', night, { order: [{ by: 'period', dir: 'desc' }], limit: 2 })).map(([hour]) => hour)).toEqual([
      '2024-10-27T03:00+01:00',
      '2024-10-27T02:00+01:00',
    ]);
    const all = await rows('COUNT(*)', { from: '2024-10-26', to: '2024-10-28', fill: 'zero' });
    expect(all.length).toBe(49);
    expect(all.every(([, count]) => count === 2)).toBe(true);
  });

  it('are of the zone of the request, and leave out the one that the clock skips', async () => {
    const spring = { from: '2024-03-31', to: '2024-04-01', fill: 'zero' };
    const hours = (await rows('COUNT(*)', spring)).map(([hour]) => String(hour));
    expect(hours.length).toBe(23);
    expect(hours.slice(1, 3)).toEqual(['2024-03-31T01:00+01:00', '2024-03-31T03:00+02:00']);
    const inKathmandu = { from: '2024-10-26T12:00', to: '2024-10-26T13:00', timezone: 'Asia/Kathmandu' };
    expect(await rows('COUNT(*)', inKathmandu)).toEqual([['2024-10-26T12:00+05:45', 2]]);
  });

  it('are counted as they pass in windows and offsets of hours, and by the clock in those of days', async () => {
    const last = { from: '2024-10-27T03:00', to: '2024-10-27T04:00' };
    expect(await rows('ROLLING(COUNT(*), 24 HOURS)', last)).toEqual([['2024-10-27T03:00+01:00', 48]]);
    expect(await rows('滚动(COUNT(*), 24 小时)', last)).toEqual([['2024-10-27T03:00+01:00', 48]]);
    expect(await rows('ROLLING(COUNT(*), 1 DAY)', last)).toEqual([['2024-10-27T03:00+01:00', 50]]);
    expect(await rows('TO_DATE(COUNT(*), DAY)', last)).toEqual([['2024-10-27T03:00+01:00', 10]]);
    expect(await rows('GROWTH(COUNT(DISTINCT user_id), 1 时, DIFF)', last)).toEqual([['2024-10-27T03:00+01:00', 0]]);
    const compared = { compare: { offset: '2 hours', modes: ['value'] } };
    expect(await rows('COUNT(*)', { from: '2024-10-26T00:00', to: '2024-10-26T03:00' }, compared)).toEqual([
      ['2024-10-26T00:00+02:00', 2, null],
      ['2024-10-26T01:00+02:00', 2, null],
      ['2024-10-26T02:00+02:00', 2, 2],
    ]);
  });

  it('bound conversions by the time that passes (risk: an hour less on the night of the change)', async () => {
    await aMetric('COUNT(*)', timed('looks'), 'looks');
    await aMetric('COUNT(*)', timed('buys'), 'buys');
    // From 01:50+02:00 to 02:10+01:00 it is 80 minutes, but only 20 by the clock.
    const credited = (hours: number) => rows(`CONVERSION_COUNT([looks] -> [buys] BY user_id WITHIN ${hours} HOURS)`, {}, {}, null);
    expect(await credited(1)).toEqual([['2024-10-27T01:00+02:00', 0]]);
    expect(await credited(2)).toEqual([['2024-10-27T01:00+02:00', 1]]);
    await aMetric('COUNT(*)', timed('buys', { min_grain: 'day' }), 'buys by day');
    const daily = '转化数([looks] -> [buys by day] BY user_id WITHIN 2 HOURS)';
    expect(await problems(daily, { grain: 'day' }, {}, null)).toEqual(['body grain_too_fine']);
  });

  it('warn where several days are compared with the last one of a shorter month', async () => {
    const id = await aMetric('COUNT(*)');
    const warned = async (from: string, to: string) => {
      const { body } = await execute(id, { from, to, fill: 'null' }, { compare: { offset: '1 month', modes: ['value'] } }).expect(200);
      return body.warnings.map(({ code }: { code: string }) => code);
    };
    expect(await warned('2024-12-30', '2024-12-31')).toEqual([]);
    expect(await warned('2024-12-31', '2025-01-01')).toEqual(['CLAMPED_BASE']);
  });

  it('leave conversions in the order in which events passed (risk: 02:30 before 02:15 an hour later taken for the second)', async () => {
    await aMetric('COUNT(*)', timed('clicks'), 'clicks');
    await aMetric('COUNT(*)', timed('orders'), 'orders');
    const credited = (within: string, time: object) => rows(`CONVERSION_COUNT([clicks] -> [orders] BY user_id${within})`, time, {}, null);
    expect(await credited('', { grain: 'day' })).toEqual([['2024-10-27', 1]]);
    expect(await credited(' WITHIN 1 DAY', { grain: 'day' })).toEqual([['2024-10-27', 1]]);
    expect(await credited('', { grain: 'hour' })).toEqual([
      ['2024-10-27T02:00+02:00', 1],
      ['2024-10-27T02:00+01:00', 0],
    ]);
  });

  it('stand in CSV, NDJSON and charts as in JSON', async () => {
    const id = await aMetric('COUNT(*)');
    const body = { time: { grain: 'hour', ...night } };
    const csv = await editor.post(`/api/metrics/${id}/execute`).set('Accept', 'text/csv').send(body).expect(200);
    expect(csv.text).toContain('2024-10-27T02:00+01:00,2');
    const ndjson = await editor.post(`/api/metrics/${id}/execute`).set('Accept', 'application/x-ndjson').send(body).expect(200);
    expect(String(ndjson.text ?? ndjson.body)).toContain('2024-10-27T02:00+01:00');
    const svg = await editor.post(`/api/metrics/${id}/execute`).set('Accept', 'image/svg+xml').send(body).expect(200);
    expect(String(svg.text ?? svg.body)).toContain('2024-10-27T02:00+01:00');
    const { columns } = (await execute(id, night).expect(200)).body;
    expect(columns[0]).toEqual({ name: 'period', role: 'time', type: 'datetime', grain: 'hour', timezone: 'Europe/Paris' });
  });

  it('are refused where a binding has days only, and where they could not be exact', async () => {
    const days = { relation: { table: 'days' }, time: { column: 'day' } };
    expect(await problems('COUNT(*)', {}, {}, days)).toEqual(['body.time.grain grain_too_fine']);
    expect(await problems('COUNT(*)', {}, {}, timed('visits', { min_grain: 'day' }))).toEqual(['body.time.grain grain_too_fine']);
    const hourly = { graph_id: graphId, name: 'd', formula: 'COUNT(*)', binding: { ...days, time: { ...days.time, min_grain: 'hour' } } };
    const { body } = await editor.post('/api/metrics').send(hourly).expect(422);
    expect(body.detail.errors[0]).toMatchObject({ loc: ['body', 'binding', 'time', 'min_grain'], type: 'grain_too_fine' });
    expect(await problems('ROLLING(COUNT(*), 3 HOURS)', { ...night, grain: 'day', from: '2024-10-27', to: '2024-10-28' })).toEqual([
      'body.time.grain needs_hours',
    ]);
    const byDay = { grain: 'day', from: '2024-10-27', to: '2024-10-28' };
    expect(await problems('COUNT(*)', byDay, { compare: { offset: '3 hours' } })).toEqual(['body.time.grain offset_not_whole']);
    expect(await problems('ROLLING(COUNT(*), 3 HOURS, AVERAGE)', night)).toEqual(['body.time.grain means_of_days']);
    expect(await problems('ROLLING(COUNT(*), 3 HOURS)', night, { totals: true })).toEqual(['body.totals no_total']);
    expect(await problems('POP(COUNT(*))', { ...night, from: '2024-10-27T01:30' })).toEqual(['body.time.from whole_hours']);
    expect(await problems('POP(COUNT(*))', { ...night, timezone: 'Australia/Lord_Howe', from: '2024-10-05' })).toEqual([
      'body.time.timezone parts_of_hours',
    ]);
    expect(await problems('COUNT(*)', { from: '2020-01-01', to: '2024-01-01', fill: 'zero' })).toEqual(['body.time.fill too_many_periods']);
  });
});
