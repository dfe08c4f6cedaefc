import { openMetricTables, orders, refunds, type MetricTables } from '../../../test/support/metric-tables.js';
import { type MetricBinding } from './metric-binding.js';

let tables: MetricTables;
const run: MetricTables['run'] = (...metric) => tables.run(...metric);

beforeAll(async () => {
  tables = await openMetricTables();
});
afterAll(() => tables?.close());

describe('time', () => {
  it('puts an order at 16:30Z on 31 January into February in Shanghai and January in UTC', async () => {
    const byMonth = (timezone?: string) =>
      run('COUNT(*)', { time: { grain: 'month', from: '2024-01-01', to: '2024-03-01', ...(timezone && { timezone }) } });
    expect(await byMonth()).toEqual([
      ['2024-01-01', '1'],
      ['2024-02-01', '2'],
    ]);
    expect(await byMonth('UTC')).toEqual([
      ['2024-01-01', '2'],
      ['2024-02-01', '1'],
    ]);
  });

  it('cuts days of 23 and 25 hours at local midnight (Europe/Paris)', async () => {
    await tables.client.query(`
      CREATE TABLE mirror.ticks (at timestamptz);
      INSERT INTO mirror.ticks SELECT generate_series('2024-03-30T00:00Z'::timestamptz, '2024-04-01T23:30Z', '30 min');
      INSERT INTO mirror.ticks SELECT generate_series('2024-10-26T00:00Z'::timestamptz, '2024-10-28T23:30Z', '30 min');`);
    const ticks: MetricBinding = {
      ...refunds,
      fact: { alias: 't', source: { schema: 'mirror', table: 'ticks' }, columns: [{ name: 'at', type: 'timestamptz' }] },
      time: { expression: 't.at', type: 'timestamptz', timezone: 'Europe/Paris', min_grain: 'day', week_start: 'monday' },
      columns: [],
      dimensions: [],
    };
    const day = async (from: string, to: string) => (await run('COUNT(*)', { time: { from, to, grain: 'day' } }, ticks))[0];
    expect(await day('2024-03-31', '2024-04-01')).toEqual(['2024-03-31', '46']);
    expect(await day('2024-10-27', '2024-10-28')).toEqual(['2024-10-27', '50']);
  });

  it('reads naive timestamps in the zone of the binding', async () => {
    const naive: MetricBinding = { ...orders, time: { ...orders.time!, expression: 'o.naive', type: 'timestamp', timezone: 'UTC' } };
    const time = { grain: 'month', from: '2024-02-01', to: '2024-03-01' } as const;
    expect(await run('COUNT(*)', { time }, naive)).toEqual([['2024-02-01', '1']]);
    expect(await run('COUNT(*)', { time: { ...time, timezone: 'Asia/Shanghai' } }, naive)).toEqual([['2024-02-01', '2']]);
  });

  it.each([
    ['monday', '2024-01-29'],
    ['sunday', '2024-01-28'],
  ] as const)('starts weeks on %s', async (week_start, first) => {
    const dated: MetricBinding = { ...orders, time: { ...orders.time!, expression: 'o.day', type: 'date', week_start } };
    expect(await run('COUNT(*)', { time: { grain: 'week', from: '2024-01-28', to: '2024-02-04' } }, dated)).toEqual([[first, '1']]);
  });

  it('fills empty periods with null or zero, before the arithmetic', async () => {
    const time = { grain: 'month', from: '2024-02-01', to: '2024-05-01' } as const;
    expect(await run('SUM(金额) + 1', { time: { ...time, fill: 'null' } })).toEqual([
      ['2024-02-01', '131'],
      ['2024-03-01', null],
      ['2024-04-01', '28'],
    ]);
    expect((await run('SUM(金额) + 1', { time: { ...time, fill: 'zero' } }))[1]).toEqual(['2024-03-01', '1']);
    expect((await run('COUNT(*)', { time: { ...time, fill: 'null' } }))[1]).toEqual(['2024-03-01', null]);
    expect(
      await run('[退款额] - SUM(金额)', {
        dimensions: ['地区'],
        time: { ...time, grain: 'quarter', from: '2024-01-01', to: '2024-07-01', fill: 'zero' },
      }),
    ).toHaveLength(8);
  });
});
