import pg from 'pg';
import { cloneDatabase } from '../../../test/support/database.js';
import { Dice } from '../../../test/support/dice.js';
import { nothing, refunds } from '../../../test/support/metric-tables.js';
import { aggregateHours, type HourAxis, type HourFact, type HourFunction, NaiveHours } from '../../../test/support/naive-hours.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { compileMetrics } from './compile-metric.js';
import { type MetricBinding } from './metric-binding.js';
import { resolveMetric } from './resolve-metric.js';
import { isLong } from '../../../test/support/tier.js';

/**
 * Time zones with the first day of the test's range. They cover days of 23, 25, 23½ and 24½ hours, zones whose hours do not begin with an
 * hour of UTC (Kolkata, Kathmandu), and a clock that is moved at 00:01 (St. John's).
 */
const places = [
  { zone: 'Europe/Paris', first: '2024-03-30' },
  { zone: 'Europe/Paris', first: '2024-10-26' },
  { zone: 'America/New_York', first: '2024-11-02' },
  { zone: 'Atlantic/Azores', first: '2024-10-26' },
  { zone: 'Australia/Lord_Howe', first: '2024-04-06' },
  { zone: 'Australia/Lord_Howe', first: '2024-10-05' },
  { zone: 'America/St_Johns', first: '2010-11-06' },
  { zone: 'America/St_Johns', first: '2010-03-13' },
  { zone: 'Asia/Kolkata', first: '2024-03-30' },
  { zone: 'Asia/Kathmandu', first: '2024-03-30' },
  { zone: 'UTC', first: '2024-03-30' },
];
const formulas: Record<HourFunction, string> = {
  SUM: 'SUM(amount)',
  COUNT: 'COUNT(*)',
  DISTINCT: 'COUNT(DISTINCT key)',
  MAX: 'MAX(amount)',
};
const seeds = Array.from({ length: Number(process.env.RANDOM_HOURS ?? (isLong ? 120 : 10)) }, (_, seed) => seed);
const dayMs = 86_400_000;
const clocks = new Map<string, NaiveHours>();

const ticks: MetricBinding = {
  ...refunds,
  fact: {
    alias: 't',
    source: { schema: 'mirror', table: 'ticks' },
    columns: [
      { name: 'at', type: 'timestamptz' },
      { name: 'utc', type: 'timestamp' },
      { name: 'amount', type: 'integer' },
      { name: 'key', type: 'integer' },
      { name: 'kind', type: 'text' },
    ],
  },
  time: { expression: 't.at', type: 'timestamptz', timezone: 'UTC', min_grain: 'hour', week_start: 'monday' },
  columns: ['amount', 'key'].map(name => ({ name, expression: `t.${name}`, type: 'integer' })),
  dimensions: [{ name: 'kind', aliases: [], expression: 't.kind', type: 'text' }],
};
/** The same table, but with the column `utc`, a local time of UTC, as its time. */
const ticksInUtc: MetricBinding = { ...ticks, time: { ...ticks.time!, expression: 't.utc', type: 'timestamp' } };

describe('random hours', () => {
  let client: pg.Client;
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  const factsOf = new Map<string, HourFact[]>();

  beforeAll(async () => {
    await loadSqlParser();
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    await client.query('CREATE TABLE mirror.ticks (at timestamptz, utc timestamp, amount int, key int, kind text, place int)');
    for (const [place, { first }] of places.entries()) {
      const dice = new Dice(26 + place);
      const facts = Array.from({ length: 120 }, () => ({
        ms: Date.parse(`${first}T00:00Z`) + dice.between(0, (2.5 * dayMs) / 60_000) * 60_000 + dice.below(60_000),
        amount: dice.between(-20, 90),
        key: dice.below(6),
        kind: dice.of(['a', 'b']),
      }));
      factsOf.set(String(place), facts);
      for (const { ms, amount, key, kind } of facts) {
        const at = new Date(ms).toISOString();
        await client.query(`INSERT INTO mirror.ticks VALUES ($1::text::timestamptz, $2::text::timestamp, $3, $4, $5, $6)`, [
          at,
          at.slice(0, -1),
          amount,
          key,
          kind,
          place,
        ]);
      }
    }
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  it.each(seeds)('evaluates formula %i as its hours say', async seed => {
    const dice = new Dice(seed + Number(process.env.RANDOM_SEED ?? 0));
    const place = dice.below(places.length);
    const { zone, first } = places[place]!;
    const hours = clocks.get(zone) ?? new NaiveHours(zone);
    clocks.set(zone, hours);
    const facts = factsOf.get(String(place))!;
    const fn = dice.of(['SUM', 'COUNT', 'DISTINCT', 'MAX'] as const);
    const axis: HourAxis = {
      ...(dice.chance(0.5) && {
        window: dice.of([
          'start' as const,
          { startOf: 'day' as const },
          { startOf: 'hour' as const },
          { count: dice.between(1, 30), unit: 'hour' as const },
          { count: 1, unit: 'day' as const },
        ]),
      }),
      // A comparison with an earlier hour is refused for a zone whose clock was once moved by a part of an hour, as in these two zones.
      ...(!['Australia/Lord_Howe', 'Asia/Kathmandu'].includes(zone) &&
        dice.chance(0.5) && { shift: { count: dice.between(1, 3), unit: dice.of(['hour', 'hour', 'day', 'month'] as const) } }),
    };
    const dimensions = dice.chance(0.3) ? ['kind'] : [];
    const range = dice.chance(0.7) ? { from: first, to: `${next(first)}T${String(dice.between(1, 23)).padStart(2, '0')}:00` } : null;
    const fill = range && dimensions.length === 0 && dice.chance(0.4) ? ('null' as const) : ('none' as const);

    const metric = resolveMetric(
      { id: 1, name: 'm', formula: textOf(formulas[fn], axis), binding: dice.of([ticks, ticksInUtc]) },
      () => [],
    );
    const compiled = compileMetrics([{ name: 'value', metric }], {
      ...nothing,
      dimensions,
      time: { ...range, grain: 'hour', timezone: zone, ...(fill !== 'none' && { fill }) },
      filter_clause: null,
      limit: 100_000,
    });
    await client.query(`SET timezone = '${zone}'`);
    const sql = compiled.sql.replaceAll('"mirror"."ticks"', `(SELECT * FROM mirror.ticks WHERE place = ${place})`);
    const { rows } = await client.query<unknown[]>({ text: sql, values: compiled.parameters, rowMode: 'array' });

    const [from, to] = range ? [hours.firstOf(`${range.from}T00:00`), hours.firstOf(range.to)] : [-Infinity, Infinity];
    const kinds = dimensions.length > 0 ? ['a', 'b'] : [null];
    const moments = facts.map(({ ms }) => ms);
    const isPlain = !axis.window && !axis.shift;
    const inRange = isPlain ? facts.filter(({ ms }) => ms >= from && ms < to) : facts;
    const periods = range ? hours.hoursBetween(from, to) : hours.hoursBetween(Math.min(...moments), Math.max(...moments) + 1);
    const expected = periods.flatMap(period =>
      kinds.flatMap(kind => {
        const counted = inRange.filter(hours.counts(period, axis)).filter(fact => kind === null || fact.kind === kind);
        const key = kind === null ? [period] : [period, kind];
        if (counted.length === 0) return fill === 'none' ? [] : [[...key, null]];
        return [[...key, aggregateHours(fn, counted)]];
      }),
    );
    const found = rows.map(row => [
      ...row.slice(0, 1 + dimensions.length),
      row[1 + dimensions.length] === null ? null : Number(row[1 + dimensions.length]),
    ]);
    const context = { formula: metric.root.node, axis, zone, range, fill };
    expect({ context, rows: sorted(found) }).toEqual({ context, rows: sorted(expected) });
    const order = found.map(([period]) => Date.parse(period as string));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });
});

function next(date: string): string {
  return new Date(Date.parse(`${date}T00:00Z`) + dayMs).toISOString().slice(0, 10);
}

function sorted(rows: unknown[][]): string[] {
  return rows.map(row => JSON.stringify(row)).sort();
}

function textOf(leaf: string, { window, shift }: HourAxis): string {
  const inner =
    window === undefined
      ? leaf
      : window === 'start'
        ? `CUMULATIVE(${leaf})`
        : 'startOf' in window
          ? `TO_DATE(${leaf}, ${window.startOf.toUpperCase()})`
          : `ROLLING(${leaf}, ${window.count} ${window.unit.toUpperCase()}S)`;
  return shift ? `GROWTH(${inner}, ${shift.count} ${shift.unit.toUpperCase()}, VALUE)` : inner;
}
