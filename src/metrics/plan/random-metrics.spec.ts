import pg from 'pg';
import { cloneDatabase } from '../../../test/support/database.js';
import { Dice } from '../../../test/support/dice.js';
import { describeOnClickHouse } from '../../../test/support/foreign-clickhouse.js';
import { hasMariaDb } from '../../../test/support/mariadb.js';
import { nothing } from '../../../test/support/metric-tables.js';
import { dayOf, evaluate, type Expression, type Fact, textOf } from '../../../test/support/naive-metrics.js';
import {
  comparedWith,
  isComparable,
  needsWeeks,
  type RandomBindings,
  randomComparison,
  randomFilter,
  randomRequest,
  randomRoot,
  readsTime,
  textOfFormula,
  usesSales,
} from '../../../test/support/random-metric.js';
import { type ForeignEngine, runTranslated, startEngines } from '../../../test/support/translations.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { type WarehouseClient } from '../../warehouse/clients/warehouse.client.js';
import { NotInDialectError } from '../translate/not-in-dialect.error.js';
import { type CompiledMetrics, compileMetrics } from './compile-metric.js';
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
      { name: 'weight', type: 'numeric(12,2)' },
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
      { name: 'weight', type: 'numeric(12,2)' },
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

const seeds = Array.from({ length: Number(process.env.RANDOM_METRICS ?? 300) }, (_, seed) => seed);

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
      CREATE TABLE mirror.sales (id int, amount int, weight numeric(12,2), key int, flag boolean, at timestamptz, buyer int, channel text);
      CREATE TABLE mirror.buyers (id int, region text);
      CREATE TABLE mirror.returned (id int, amount int, weight numeric(12,2), key int, flag boolean, day date, region text, channel text);
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

  /** What a seed asks for, compiled for bindings. */
  function ask(seed: number, bindings: RandomBindings) {
    const dice = new Dice(seed + Number(process.env.RANDOM_SEED ?? 0));
    const request = randomRequest(dice);
    const roots = Array.from({ length: dice.chance(0.3) ? 2 : 1 }, () => randomRoot(dice, request));
    const definitions: MetricDefinition[] = [];
    const resolveText = (formula: string) =>
      resolveMetric({ id: 1, name: 'm', formula, binding: bindings.sales }, name => definitions.filter(each => each.name === name));
    const formulas = roots.map(root => textOfFormula(root, definitions, bindings));
    const metrics = formulas.map((formula, index) => ({ name: `m${index}`, metric: resolveText(formula) }));
    const compare = dice.chance(0.3) && roots.every(isComparable) ? randomComparison(dice, request) : null;
    const all: Expression[] = compare ? roots.flatMap(root => [root, ...comparedWith(root, compare)]) : roots;
    const above = dice.chance(0.2) ? randomFilter(dice, request) : undefined;
    const filters = above && [
      { ...above, metric: resolveText(textOfFormula(above.of, definitions, bindings)), op: '>' as const, index: 0 },
    ];
    const { grain, from, to, fill } = request;
    const time = {
      ...(grain !== null && { grain }),
      ...(from !== null && { from: textOf(from) }),
      ...(to !== null && { to: textOf(to) }),
      ...(fill !== 'none' && { fill }),
      ...(roots.some(root => needsWeeks(root, grain)) && { week_start: request.weekStart }),
    };
    const timed = roots.some(readsTime) || compare || grain !== null || from !== null || to !== null;
    const compileIt = (): CompiledMetrics =>
      compileMetrics(metrics, {
        ...nothing,
        dimensions: request.dimensions,
        compare: compare && { shift: compare, modes: ['value', 'diff', 'rate'] },
        filtersByMetric: filters?.map(filter => ({ ...filter, value: String(filter.value) })) ?? [],
        time: timed ? { ...time, ...(roots.some(usesSales) && { timezone: zone }) } : Object.keys(time).length > 0 ? time : null,
        limit: 100_000,
      });
    return { request, all, above, compileIt, context: { formulas, compare, above, request: { ...time, dimensions: request.dimensions } } };
  }

  /** Risk: a window, a change or a share that is wrong only together with a grain, a cut range, a fill or NULL keys. */
  it.each(seeds)('have the values that they are defined by (seed %i)', async seed => {
    const { request, all, above, compileIt, context } = ask(seed, { sales, returned });
    const { sql, parameters } = compileIt();
    const { rows } = await client.query<(string | null)[]>({ text: sql, values: parameters, rowMode: 'array' });
    const width = (request.grain === null ? 0 : 1) + request.dimensions.length;
    const numbersOf = (row: (string | null)[]) =>
      row.slice(width, width + all.length).map(value => (value === null ? null : Number(value)));
    const actual = rows.map(row => [JSON.stringify(row.slice(0, width)), numbersOf(row)] as const);
    const asked = above ? { ...request, above } : request;
    const expected = evaluate(all, facts, asked).map(({ key, values }) => [JSON.stringify(key), values] as const);
    const sorted = <T extends readonly [string, unknown]>(list: T[]): T[] => list.sort(([a], [b]) => (a < b ? -1 : 1));
    expect({ ...context, keys: sorted([...actual]).map(([key]) => key) }).toEqual({
      ...context,
      keys: sorted([...expected]).map(([key]) => key),
    });
    const known = new Map(expected);
    const wrong = actual
      .filter(([key, values]) => values.some((value, index) => !areClose(value, known.get(key)?.[index] ?? null)))
      .map(([key, values]) => ({ key, values, expected: known.get(key) }));
    expect({ ...context, wrong }).toEqual({ ...context, wrong: [] });
  });

  describeOnClickHouse('in another database', () => {
    const engines: { engine: ForeignEngine; client: WarehouseClient; bindings: RandomBindings }[] = [];
    const counts: Record<string, number> = {};

    beforeAll(async () => {
      if (!hasMariaDb() && process.env.CI) throw new Error('MariaDB is missing');
      const started = await startEngines();
      for (const engine of started) {
        await engine.run(...createTables[engine.dialect]);
        for (const table of ['sales', 'buyers', 'returned']) {
          const { rows, fields } = await client.query<Record<string, unknown>>(`SELECT * FROM mirror.${table}`);
          const list = rows.map(row => `(${fields.map(({ name }) => literal(row[name])).join(', ')})`);
          await engine.run(`INSERT INTO ${table} VALUES ${list.join(', ')}`);
        }
        engines.push({ engine, client: await engine.open(), bindings: bindingsOn(engine) });
      }
    }, 120_000);
    afterAll(async () => {
      process.stderr.write(`In other databases: ${JSON.stringify(counts)}\n`);
      for (const { engine, client: opened } of engines) {
        await opened.close();
        await engine.close();
      }
    });

    /** Risk: the last digit, a NULL or a key that one database sees in another way. */
    it.each(process.env.LONG_TESTS === '1' ? seeds : seeds.filter(seed => seed % 15 === 0))(
      'are the same to the digit, or refused by name (seed %i)',
      async seed => {
        const { sql, parameters } = ask(seed, { sales, returned }).compileIt();
        const { rows } = await client.query<(string | null)[]>({ text: sql, values: parameters, rowMode: 'array' });
        for (const { engine, client: opened, bindings } of engines) {
          const { compileIt, context } = ask(seed, bindings);
          let compiled;
          try {
            compiled = compileIt();
          } catch (error) {
            if (!(error instanceof NotInDialectError)) throw error;
            const name = `${engine.dialect}: ${String(error.context?.construct)}`;
            counts[name] = (counts[name] ?? 0) + 1;
            continue;
          }
          const result = await runTranslated(compiled, engine.dialect, opened, client);
          const trimmed = (all: typeof rows) => all.map(row => row.map(value => withoutZeros(value)));
          expect({ ...context, dialect: engine.dialect, rows: trimmed(result) }).toEqual({
            ...context,
            dialect: engine.dialect,
            rows: trimmed(rows),
          });
          counts[engine.dialect] = (counts[engine.dialect] ?? 0) + 1;
        }
      },
    );
  });
});

const createTables: Record<ForeignEngine['dialect'], string[]> = {
  duckdb: [
    'CREATE TABLE sales (id int, amount int, weight decimal(12,2), "key" int, flag boolean, "at" timestamptz, buyer int, channel text)',
    'CREATE TABLE buyers (id int, region text)',
    'CREATE TABLE returned (id int, amount int, weight decimal(12,2), key int, flag boolean, day date, region text, channel text)',
  ],
  mysql: [
    'CREATE TABLE sales (id int, amount int, weight decimal(12,2), `key` int, flag tinyint, at timestamp NULL, buyer int, channel text)',
    'CREATE TABLE buyers (id int, region text)',
    'CREATE TABLE returned (id int, amount int, weight decimal(12,2), `key` int, flag tinyint, day date, region text, channel text)',
  ],
  clickhouse: [
    `CREATE TABLE sales (id Int32, amount Nullable(Int32), weight Nullable(Decimal(12,2)), key Nullable(Int32), flag Bool, at Nullable(DateTime('UTC')),
       buyer Int32, channel Nullable(String)) ENGINE = MergeTree ORDER BY id`,
    'CREATE TABLE buyers (id Int32, region Nullable(String)) ENGINE = MergeTree ORDER BY id',
    `CREATE TABLE returned (id Int32, amount Nullable(Int32), weight Nullable(Decimal(12,2)), key Nullable(Int32), flag Bool, day Nullable(Date),
       region Nullable(String), channel Nullable(String)) ENGINE = MergeTree ORDER BY id`,
  ],
};

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (!(value instanceof Date)) return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  // A date is read as midnight of the local zone.
  const local =
    value.getUTCHours() === 0 || value.getTimezoneOffset() === 0
      ? value.toISOString()
      : new Date(value.getTime() - value.getTimezoneOffset() * 60_000).toISOString();
  return `'${local.slice(0, 19).replace('T', ' ')}'`;
}

function bindingsOn({ dialect, schema }: ForeignEngine): RandomBindings {
  const on = (binding: MetricBinding): MetricBinding => ({
    ...binding,
    dialect,
    fact: {
      ...binding.fact,
      source: { schema, table: 'table' in binding.fact.source ? binding.fact.source.table : '' },
      columns: typed(binding.fact.columns),
    },
    joins: binding.joins.map(join => ({ ...join, source: { schema, table: 'buyers' } })),
    columns: binding.columns.map(column =>
      column.name === 'flag' && dialect === 'mysql' ? { ...column, expression: `${column.expression} = 1` } : column,
    ),
  });
  const typed = (columns: { name: string; type: string }[]) =>
    columns.map(column => (column.name === 'flag' && dialect === 'mysql' ? { ...column, type: 'smallint' } : column));
  return { sales: on(sales), returned: on(returned) };
}

function withoutZeros(value: string | null): string | null {
  return typeof value === 'string' && /^-?\d+\.\d+$/.test(value) ? value.replace(/\.?0+$/, '') : value;
}

function areClose(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}
