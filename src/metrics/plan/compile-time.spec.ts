import { type SchemaError } from '../../common/errors/api-error.js';
import { nothing, openMetricTables, orders, refunds, type MetricTables } from '../../../test/support/metric-tables.js';
import { compileMetrics } from './compile-metric.js';
import { type MetricBinding } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';
import { resolveMetric } from './resolve-metric.js';

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

  it('begins a day whose midnight comes twice with the first (risk: an hour of 27 October counted as the 26th)', async () => {
    await tables.client.query(`
      CREATE TABLE mirror.twice (at timestamptz, amount int);
      INSERT INTO mirror.twice SELECT at, 1 FROM generate_series('2024-10-26T00:00Z'::timestamptz, '2024-10-28T23:30Z', '30 min') AS at;`);
    const twice: MetricBinding = {
      ...refunds,
      fact: { alias: 't', source: { schema: 'mirror', table: 'twice' }, columns: [{ name: 'at', type: 'timestamptz' }] },
      time: { expression: 't.at', type: 'timestamptz', timezone: 'Atlantic/Azores', min_grain: 'day', week_start: 'monday' },
      columns: [{ name: 'at', expression: 't.at', type: 'timestamptz' }],
      dimensions: [],
    };
    const days = { time: { from: '2024-10-26', to: '2024-10-28', grain: 'day' } } as const;
    // Local time equals UTC until the clock change, and is an hour behind UTC after it.
    expect(await run('COUNT(*)', days, twice)).toEqual([
      ['2024-10-26', '48'],
      ['2024-10-27', '50'],
    ]);
    expect(await run('ROLLING(COUNT(*), 1 DAY)', days, twice)).toEqual(await run('COUNT(*)', days, twice));
    expect(await run('ROLLING(COUNT(DISTINCT at), 1 DAY)', days, twice)).toEqual(await run('COUNT(*)', days, twice));
    expect(await run('DOD(COUNT(*), VALUE)', { time: { from: '2024-10-28', to: '2024-10-29', grain: 'day' } }, twice)).toEqual([
      ['2024-10-28', '50'],
    ]);
    const on = async (op: '=' | '<' | '<=' | '>' | '>=', value: string) =>
      (await run('COUNT(*)', { filters: [{ field: 'at', op, value }] }, twice))[0];
    expect([await on('=', '2024-10-27'), await on('<', '2024-10-27'), await on('>=', '2024-10-27')]).toEqual([['50'], ['48'], ['96']]);
    const local = '2024-10-27T00:30';
    expect([await on('=', local), await on('<', local), await on('<=', local), await on('>', local), await on('>=', local)]).toEqual([
      ['1'], ['49'], ['50'], ['94'], ['95'],
    ]); // prettier-ignore
    const filter = { field: 'at', op: 'in' as const, values: [local, '2024-10-26 12:00'] };
    expect(await run('COUNT(*)', { filters: [filter] }, twice)).toEqual([['2']]);
  });

  describe('before the year 1', () => {
    const early: MetricBinding = {
      ...refunds,
      fact: { alias: 't', source: { schema: 'mirror', table: 'early' }, columns: [{ name: 'at', type: 'timestamp' }] },
      time: { expression: 't.at', type: 'timestamp', timezone: 'UTC', min_grain: 'hour', week_start: 'monday' },
      columns: [],
      dimensions: [],
    };
    beforeAll(() =>
      tables.client.query(`
        CREATE TABLE mirror.early (at timestamp);
        INSERT INTO mirror.early VALUES ('0001-12-31 12:10 BC'), ('0001-01-01 12:20'), ('0001-01-06 12:00'), ('0001-01-07 12:00');`),
    );

    it('tells the era of a week that begins before the range (risk: a week of 1 BC shown as one of the year 1)', async () => {
      const weeks = (from: string, week_start: 'monday' | 'sunday') =>
        run('COUNT(*)', { time: { grain: 'week', week_start, from } }, early).then(rows => rows.map(([week]) => week).toSorted());
      expect(await weeks('0001-01-01', 'sunday')).toEqual(['0001-01-07', '0001-12-31 BC']);
      expect(await weeks('0001-01-06', 'sunday')).toEqual(['0001-01-07', '0001-12-31 BC']);
      expect(await weeks('0001-01-07', 'sunday')).toEqual(['0001-01-07']);
      expect(await weeks('0001-01-01', 'monday')).toEqual(['0001-01-01']);
    });

    it('reads the local time of an hour with its era', async () => {
      const open = await run('ROLLING(COUNT(*), 1 DAY)', { time: { grain: 'hour', to: '0001-01-01' } }, early);
      expect(open.map(([hour, count]) => [hour, count])).toContainEqual(['0001-12-31T13:00+00:00 BC', '1']);
      const range = { grain: 'hour', from: '0001-01-01T12:00', to: '0001-01-01T13:00' } as const;
      expect(await run('DOD(COUNT(*), VALUE)', { time: range }, early)).toEqual([['0001-01-01T12:00+00:00', '1']]);
    });
  });

  it('reads a local time of a filter in the zone of the request', async () => {
    const count = (value: string, zone: string) =>
      run('COUNT(*)', { time: { from: '2024-01-01', to: '2025-01-01', timezone: zone }, filters: [{ field: '时', op: '>=', value }] });
    const [local, moment] = ['2024-02-10T00:00', (offset: string) => `2024-02-10T00:00${offset}`];
    expect(await count(local, 'Asia/Shanghai')).toEqual(await count(moment('+08:00'), 'Asia/Shanghai'));
    expect(await count(local, 'UTC')).toEqual(await count(moment('Z'), 'UTC'));
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

  it('reads all of a statement in one zone (risk: a filter in UTC beside periods in Shanghai)', async () => {
    const counted = async (timezone?: string) =>
      (
        await run('COUNT(* WHERE EXTRACT(month FROM 时) = 2)', {
          filter_clause: "时 >= '2024-02-01'",
          ...(timezone && { time: { timezone } }),
        })
      )[0]![0];
    expect([await counted(), await counted('UTC')]).toEqual(['2', '1']);
    const february = { filters: [{ field: '时', op: '<', value: '2024-02-01' } as const] };
    expect([await run('COUNT(*)', february), await run('COUNT(*)', { ...february, time: { timezone: 'UTC' } })]).toEqual([
      [['1']],
      [['2']],
    ]);
  });

  it.each<[string, string[], string]>([
    ['=', ['2024-02-01'], '1'],
    ['!=', ['2024-02-01'], '4'],
    ['<=', ['2024-02-01'], '2'],
    ['>', ['2024-02-01'], '3'],
    ['>=', ['2024-02-01'], '4'],
    ['between', ['2024-01-10', '2024-02-01'], '2'],
    ['between', ['2024-01-10', '2024-02-10T00:00Z'], '3'],
    ['in', ['2024-02-01', '2024-02-10T00:00Z', '9999-12-31'], '2'],
    ['not_in', ['2024-02-01', '2024-02-10'], '3'],
  ])('takes a date for the whole day in its zone: %s %j (risk: only its midnight)', async (op, values, count) => {
    const filter = { field: '时', op, ...(values.length > 1 ? { values } : { value: values[0]! }) } as MetricRequest['filters'][number];
    expect(await run('COUNT(*)', { filters: [filter] })).toEqual([[count]]);
  });

  describe('over bindings that differ', () => {
    const other: MetricBinding = { ...orders, time: { ...orders.time!, timezone: 'UTC', week_start: 'sunday' } };
    const ask = (time: MetricRequest['time']) => () => compileMetrics([{ name: 'value', metric: resolveMetric({ id: 1, name: 'a', formula: 'SUM(金额) - [b]', binding: orders }, () => [{ id: 2, name: 'b', formula: 'COUNT(*)', binding: other }]) }], { ...nothing, time }); // prettier-ignore
    const refusal = (time: MetricRequest['time']): string[] => {
      try {
        ask(time)();
      } catch (error) {
        return (error as SchemaError).problems.map(({ loc, type }) => `${loc.join('.')} ${type}`);
      }
      return [];
    };

    it('asks which zone is meant, where it matters', () => {
      expect(refusal({ grain: 'month' })).toEqual(['body.time.timezone ambiguous_timezone']);
      expect([refusal({ grain: 'month', timezone: 'UTC' }), refusal(null)]).toEqual([[], []]);
    });

    it('asks which day begins the week, where it matters', () => {
      const time = { grain: 'week', timezone: 'UTC' } as const;
      expect(refusal(time)).toEqual(['body.time.week_start ambiguous_week_start']);
      expect([refusal({ ...time, week_start: 'monday' }), refusal({ ...time, grain: 'month' })]).toEqual([[], []]);
    });
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

it.each(['-271821-05', '+275760-09', '2024-13-01', '-100000-01'])('refuses %s as a time, and asks no time zone about it', async from => {
  const time = { from, to: '2024-02-01', grain: 'hour', timezone: 'Europe/Paris' } as const;
  await expect(run('COUNT(*)', { time, compare: { shift: { count: 1, unit: 'hour' }, modes: ['value'] } })).rejects.toMatchObject({
    problems: expect.arrayContaining([expect.objectContaining({ loc: ['body', 'time', 'from'] })]),
  });
});
