import pg from 'pg';
import { cloneDatabase } from '../../../test/support/database.js';
import { Dice } from '../../../test/support/dice.js';
import {
  dayOf,
  evaluate,
  type Expression,
  type Fact,
  type Grain,
  type Leaf,
  type LeafFunction,
  type NaiveRequest,
  textOf,
} from '../../../test/support/naive-metrics.js';
import { nothing } from '../../../test/support/metric-tables.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { compileMetrics } from './compile-metric.js';
import { type MetricBinding } from './metric-binding.js';
import { type MetricDefinition, resolveMetric } from './resolve-metric.js';

const sales: MetricBinding = {
  connection_id: 1,
  fact: {
    alias: 's',
    source: { schema: 'mirror', table: 'sales' },
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'amount', type: 'integer' },
      { name: 'weight', type: 'numeric' },
      { name: 'key', type: 'integer' },
      { name: 'flag', type: 'boolean' },
      { name: 'at', type: 'timestamptz' },
      { name: 'buyer', type: 'integer' },
      { name: 'channel', type: 'text' },
    ],
  },
  grain: ['s.id'],
  time: { expression: 's.at', type: 'timestamptz', timezone: 'Europe/Paris', min_grain: 'day', week_start: 'monday' },
  columns: ['amount', 'weight', 'key', 'flag'].map(name => ({
    name,
    expression: `s.${name}`,
    type: name === 'flag' ? 'boolean' : 'numeric',
  })),
  dimensions: [
    { name: '地区', aliases: [], expression: 'b.region', type: 'text' },
    { name: 'channel', aliases: [], expression: 's.channel', type: 'text' },
  ],
  joins: [
    {
      alias: 'b',
      source: { schema: 'mirror', table: 'buyers' },
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'region', type: 'text' },
      ],
      kind: 'left',
      relationship: 'many_to_one',
      on: [['s.buyer', 'b.id']],
    },
  ],
  row_filter: null,
  verified_at: '2026-01-01T00:00:00Z',
};
const returned: MetricBinding = {
  ...sales,
  fact: {
    alias: 'r',
    source: { schema: 'mirror', table: 'returned' },
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'amount', type: 'integer' },
      { name: 'weight', type: 'numeric' },
      { name: 'key', type: 'integer' },
      { name: 'flag', type: 'boolean' },
      { name: 'day', type: 'date' },
      { name: 'region', type: 'text' },
      { name: 'channel', type: 'text' },
    ],
  },
  grain: ['r.id'],
  time: { expression: 'r.day', type: 'date', timezone: 'Europe/Paris', min_grain: 'day', week_start: 'monday' },
  columns: sales.columns.map(column => ({ ...column, expression: `r.${column.name}` })),
  dimensions: [
    { name: '地区', aliases: [], expression: 'r.region', type: 'text' },
    { name: 'channel', aliases: [], expression: 'r.channel', type: 'text' },
  ],
  joins: [],
};

const regions = ['华东', '华南', null];
const channels = ['web', 'shop', null];
const zone = 'Asia/Shanghai';
const grains: Grain[] = ['day', 'week', 'month', 'quarter', 'year'];

describe('random metrics', () => {
  let client: pg.Client;
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  const facts: Fact[] = [];

  beforeAll(async () => {
    await loadSqlParser();
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    await client.query(`
      CREATE TABLE mirror.sales (id int, amount int, weight numeric, key int, flag boolean, at timestamptz, buyer int, channel text);
      CREATE TABLE mirror.buyers (id int, region text);
      CREATE TABLE mirror.returned (id int, amount int, weight numeric, key int, flag boolean, day date, region text, channel text);
      INSERT INTO mirror.buyers VALUES (0, '华东'), (1, '华南'), (2, NULL);
      SET timezone = '${zone}'`);
    const dice = new Dice(20_26);
    const [first, last] = [dayOf('2019-11-20'), dayOf('2021-03-05')];
    const local = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
    for (let index = 0; index < 140; index++) {
      const table = dice.chance(0.7) ? 'sales' : 'returned';
      const amount = dice.chance(0.9) ? dice.between(-20, 90) : null;
      const weight = dice.chance(0.9) ? dice.between(0, 8) / 4 : null;
      const key = dice.chance(0.9) ? dice.below(6) : null;
      const flag = dice.chance(0.5);
      const isDated = dice.chance(0.96);
      const moment = new Date((dice.between(first, last) * 24 + dice.below(24)) * 3_600_000);
      const region = dice.below(3);
      const channel = dice.of(channels);
      if (table === 'sales')
        await client.query('INSERT INTO mirror.sales VALUES ($1, $2, $3, $4, $5, $6, $7, $8)', [
          index,
          amount,
          weight,
          key,
          flag,
          isDated ? moment : null,
          region,
          channel,
        ]);
      else
        await client.query('INSERT INTO mirror.returned VALUES ($1, $2, $3, $4, $5, $6::text::date, $7, $8)', [
          index,
          amount,
          weight,
          key,
          flag,
          isDated ? moment.toISOString().slice(0, 10) : null,
          regions[region],
          channel,
        ]);
      const day = !isDated ? null : dayOf(table === 'sales' ? local.format(moment) : moment.toISOString().slice(0, 10));
      const time = day === null ? null : table === 'sales' ? moment.getTime() / 86_400_000 + 8 / 24 : day;
      facts.push({
        table,
        id: index,
        day,
        moment: time,
        dimensions: { 地区: regions[region]!, channel },
        numbers: { amount, weight, key },
        flag,
      });
    }
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  /** Risk: a window, a change or a share that is wrong only together with a grain, a cut range, a fill or NULL keys. */
  it.each(Array.from({ length: Number(process.env.RANDOM_METRICS ?? 300) }, (_, seed) => seed))(
    'have the values that they are defined by (seed %i)',
    async seed => {
      const dice = new Dice(seed + Number(process.env.RANDOM_SEED ?? 0));
      const request = randomRequest(dice);
      const roots = Array.from({ length: dice.chance(0.3) ? 2 : 1 }, () => randomRoot(dice, request));
      const definitions: MetricDefinition[] = [];
      const resolveText = (formula: string) =>
        resolveMetric({ id: 1, name: 'm', formula, binding: sales }, name => definitions.filter(each => each.name === name));
      const formulas = roots.map(root => textOfFormula(root, definitions));
      const metrics = formulas.map((formula, index) => ({ name: `m${index}`, metric: resolveText(formula) }));
      const compare = dice.chance(0.3) && roots.every(isComparable) ? randomComparison(dice, request) : null;
      const all = compare ? roots.flatMap(root => [root, ...comparedWith(root, compare)]) : roots;
      const above = dice.chance(0.2) ? randomFilter(dice, request) : undefined;
      const filters = above && [{ ...above, metric: resolveText(textOfFormula(above.of, definitions)), op: '>' as const, index: 0 }];
      const { grain, from, to, fill } = request;
      const time = {
        ...(grain !== null && { grain }),
        ...(from !== null && { from: textOf(from) }),
        ...(to !== null && { to: textOf(to) }),
        ...(fill !== 'none' && { fill }),
        ...(roots.some(root => needsWeeks(root, grain)) && { week_start: request.weekStart }),
      };
      const timed = roots.some(readsTime) || compare || grain !== null || from !== null || to !== null;
      const { sql, parameters } = compileMetrics(metrics, {
        ...nothing,
        dimensions: request.dimensions,
        compare: compare && { shift: compare, modes: ['value', 'diff', 'rate'] },
        filtersByMetric: filters?.map(filter => ({ ...filter, value: String(filter.value) })) ?? [],
        time: timed ? { ...time, ...(roots.some(usesSales) && { timezone: zone }) } : Object.keys(time).length > 0 ? time : null,
        limit: 100_000,
      });
      const { rows } = await client.query<(string | null)[]>({ text: sql, values: parameters, rowMode: 'array' });
      const width = (grain === null ? 0 : 1) + request.dimensions.length;
      const numbersOf = (row: (string | null)[]) =>
        row.slice(width, width + all.length).map(value => (value === null ? null : Number(value)));
      const actual = rows.map(row => [JSON.stringify(row.slice(0, width)), numbersOf(row)] as const);
      const asked = above ? { ...request, above } : request;
      const expected = evaluate(all, facts, asked).map(({ key, values }) => [JSON.stringify(key), values] as const);
      const sorted = <T extends readonly [string, unknown]>(list: T[]): T[] => list.sort(([a], [b]) => (a < b ? -1 : 1));
      const context = { formulas, compare, above, request: { ...time, dimensions: request.dimensions } };
      expect({ ...context, keys: sorted([...actual]).map(([key]) => key) }).toEqual({
        ...context,
        keys: sorted([...expected]).map(([key]) => key),
      });
      const known = new Map(expected);
      const wrong = actual
        .filter(([key, values]) => values.some((value, index) => !areClose(value, known.get(key)?.[index] ?? null)))
        .map(([key, values]) => ({ key, values, expected: known.get(key) }));
      expect({ ...context, wrong }).toEqual({ ...context, wrong: [] });
    },
  );
});

function areClose(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}

function randomRequest(dice: Dice): NaiveRequest {
  const grain = dice.chance(0.85) ? dice.of(grains) : null;
  const from = dice.between(dayOf('2019-10-01'), dayOf('2021-01-31'));
  const to = from + dice.between(1, grain === 'day' ? 60 : 500);
  const isBounded = grain === null ? dice.chance(0.7) : dice.chance(0.75);
  const range = isBounded
    ? { from, to }
    : dice.of([
        { from: null, to: null },
        { from, to: null },
        { from: null, to },
      ]);
  const fill = isBounded && grain !== null ? dice.of(['none', 'none', 'null', 'zero'] as const) : 'none';
  const dimensions = dice.of([[], ['地区'], ['channel'], ['地区', 'channel'], ['channel', '地区']]);
  return { dimensions, grain, ...range, weekStart: dice.of(['monday', 'sunday']), fill };
}

function isComparable(root: Expression): boolean {
  return !some(root, node => node.kind === 'change' || node.kind === 'share' || node.kind === 'conversion');
}

function randomComparison(dice: Dice, { grain, from, to }: NaiveRequest): { count: number; unit: Grain; whole?: boolean } | null {
  if (grain === null && (from === null || to === null)) return null;
  const unit = grain === null || grain === 'day' ? dice.of(grains) : dice.of(grains.slice(grains.indexOf(grain)));
  const isWhole = grain !== 'week' || unit === 'week' || unit === 'year';
  return { count: dice.between(1, 3), unit: isWhole ? unit : 'week', ...(grain !== null && dice.chance(0.4) && { whole: true }) };
}

function comparedWith(of: Expression, { count, unit, whole }: { count: number; unit: Grain; whole?: boolean }): Expression[] {
  return (['VALUE', 'DIFF', 'RATE'] as const).map(mode => ({ kind: 'change', count, grain: unit, mode, ...(whole && { whole }), of }));
}

function randomFilter(dice: Dice, { from, to }: NaiveRequest): NonNullable<NaiveRequest['above']> {
  const leaf = (): Expression => ({
    kind: 'leaf',
    table: dice.chance(0.6) ? 'sales' : 'returned',
    fn: dice.of(['SUM', 'COUNT', 'DISTINCT', 'AVG'] as const),
    flagged: dice.chance(0.3),
  });
  const of: Expression = dice.chance(0.7) ? leaf() : { kind: 'binary', op: '-', left: leaf(), right: leaf() };
  const inRange = (from !== null || to !== null) && dice.chance(0.5);
  return { by: dice.of(['地区', 'channel']), of, value: dice.between(-5, 40), inRange };
}

function randomRoot(dice: Dice, request: NaiveRequest): Expression {
  const canFrame = request.grain !== null || (request.from !== null && request.to !== null);
  const leaf = (): Expression => {
    const fns: LeafFunction[] = [
      'SUM',
      'COUNT',
      'DISTINCT',
      ...(request.fill === 'zero' ? [] : (['AVG', 'MIN', 'MAX', 'MEDIAN', 'WAVG', 'FIRST', 'LAST'] as const)),
    ];
    return {
      kind: 'leaf',
      table: dice.chance(0.75) ? 'sales' : 'returned',
      fn: dice.of(fns),
      flagged: dice.chance(0.3),
      byKey: dice.chance(0.6),
    };
  };
  const single = (): Expression => {
    const drawn = leaf();
    return drawn.kind === 'leaf' && drawn.fn === 'WAVG' ? { ...drawn, fn: 'AVG' } : drawn;
  };
  const simple = (): Expression => {
    if (dice.chance(0.65)) return leaf();
    return { kind: 'binary', op: dice.of(['+', '-', '/']), left: leaf(), right: leaf() };
  };
  const window = (): Expression => {
    const from = dice.of(['start' as const, { startOf: dice.of(grains.slice(1)) }, { count: dice.between(1, 9), grain: dice.of(grains) }]);
    const hasMeans = request.from !== null && request.to !== null;
    if (hasMeans && dice.chance(0.25)) return { kind: 'window', from, day: 'AVERAGE', of: single() };
    return { kind: 'window', from, day: dice.chance(0.8) ? 'LAST' : 'FIRST', of: simple() };
  };
  const inner = (): Expression => (dice.chance(0.4) && canFrame ? window() : simple());
  const change = (): Expression => {
    const offsets: [number, Grain | 'period'][] = {
      none: [
        [1, 'year'],
        [1, 'month'],
        [3, 'day'],
      ] as [number, Grain][],
      day: [
        [1, 'period'],
        [1, 'month'],
        [1, 'year'],
        [14, 'day'],
        [1, 'quarter'],
      ] as [number, Grain | 'period'][],
      week: [
        [1, 'period'],
        [1, 'year'],
        [2, 'week'],
        [14, 'day'],
      ] as [number, Grain | 'period'][],
      month: [
        [1, 'period'],
        [1, 'year'],
        [5, 'month'],
        [1, 'quarter'],
      ] as [number, Grain | 'period'][],
      quarter: [
        [1, 'period'],
        [1, 'year'],
        [6, 'month'],
        [1, 'quarter'],
      ] as [number, Grain | 'period'][],
      year: [
        [1, 'period'],
        [1, 'year'],
        [12, 'month'],
      ] as [number, Grain | 'period'][],
    }[request.grain ?? 'none'];
    const [count, grain] = dice.of(offsets);
    return { kind: 'change', count, grain, mode: dice.of(['RATE', 'DIFF', 'VALUE']), of: inner() };
  };
  const share = (): Expression => ({ kind: 'share', within: request.dimensions.filter(() => dice.chance(0.3)), of: inner() });
  const counted = (): Leaf => ({ kind: 'leaf', table: dice.of(['sales', 'returned']), fn: 'COUNT', flagged: dice.chance(0.3) });
  const conversion = (): Expression => {
    const within = dice.chance(0.6) ? { count: dice.between(1, 40), grain: dice.of(grains.slice(0, 3)) } : null;
    const base = counted();
    const event = { ...counted(), ...(base.table === 'returned' && { table: 'sales' }) };
    return { kind: 'conversion', base, event, within, mode: dice.of(['RATE', 'COUNT']) };
  };
  const one = (): Expression => {
    const kinds = canFrame ? [simple, window, change, share, conversion] : [simple, share, conversion];
    return dice.of(kinds)();
  };
  return dice.chance(0.75) ? one() : { kind: 'binary', op: dice.of(['+', '-', '*', '/']), left: one(), right: one() };
}

const leafTexts: Record<LeafFunction, string> = {
  SUM: 'SUM(amount',
  COUNT: 'COUNT(*',
  AVG: 'AVG(amount',
  MIN: 'MIN(amount',
  MAX: 'MAX(amount',
  DISTINCT: 'COUNT(DISTINCT key',
  MEDIAN: 'MEDIAN(amount',
  WAVG: 'WAVG(amount, weight',
  FIRST: 'FIRST(amount',
  LAST: 'LAST(amount',
};

/** The formula. Leaves of the other table are metrics of their own. */
function textOfFormula(node: Expression, definitions: MetricDefinition[]): string {
  const text = (each: Expression): string => textOfFormula(each, definitions);
  switch (node.kind) {
    case 'leaf': {
      const by = node.byKey && (node.fn === 'FIRST' || node.fn === 'LAST') ? ' BY key' : '';
      const formula = `${leafTexts[node.fn]}${by}${node.flagged ? ' WHERE flag' : ''})`;
      if (node.table === 'sales') return formula;
      const name = `r${definitions.length}`;
      definitions.push({ id: 10 + definitions.length, name, formula, binding: returned });
      return `[${name}]`;
    }
    case 'number':
      return String(node.value);
    case 'binary':
      return `(${text(node.left)} ${node.op} ${text(node.right)})`;
    case 'window': {
      const at = node.day === 'LAST' ? '' : `, ${node.day}`;
      if (node.from === 'start') return `CUMULATIVE(${text(node.of)}${at})`;
      if ('startOf' in node.from) return `TO_DATE(${text(node.of)}, ${node.from.startOf.toUpperCase()}${at})`;
      return `ROLLING(${text(node.of)}, ${node.from.count} ${node.from.grain.toUpperCase()}${at})`;
    }
    case 'change':
      if (node.grain === 'period') return `POP(${text(node.of)}, ${node.mode})`;
      return `GROWTH(${text(node.of)}, ${node.count} ${node.grain.toUpperCase()}, ${node.mode})`;
    case 'share':
      return `SHARE(${text(node.of)}${node.within.length > 0 ? ` WITHIN ${node.within.join(', ')}` : ''})`;
    case 'conversion': {
      const [base, event] = [node.base, node.event].map(leaf => {
        const name = `c${definitions.length}`;
        const formula = `COUNT(*${leaf.flagged ? ' WHERE flag' : ''})`;
        definitions.push({ id: 10 + definitions.length, name, formula, binding: leaf.table === 'sales' ? sales : returned });
        return name;
      });
      const within = node.within ? ` WITHIN ${node.within.count} ${node.within.grain.toUpperCase()}` : '';
      return `CONVERSION([${base}] -> [${event}] BY key${within}, ${node.mode})`;
    }
    default:
      return node satisfies never;
  }
}

function some(node: Expression, test: (node: Expression) => boolean): boolean {
  if (test(node)) return true;
  if (node.kind === 'binary') return some(node.left, test) || some(node.right, test);
  if (node.kind === 'conversion') return some(node.base, test) || some(node.event, test);
  return 'of' in node && typeof node.of === 'object' && some(node.of, test);
}

function usesSales(root: Expression): boolean {
  return some(root, node => node.kind === 'leaf' && node.table === 'sales');
}

function readsTime(root: Expression): boolean {
  return some(root, node => node.kind === 'window' || node.kind === 'change' || node.kind === 'conversion');
}

function needsWeeks(root: Expression, grain: Grain | null): boolean {
  return (
    grain === 'week' ||
    some(root, node => node.kind === 'window' && typeof node.from === 'object' && 'startOf' in node.from && node.from.startOf === 'week')
  );
}
