import pg from 'pg';
import { cloneDatabase } from '../../../test/support/database.js';
import { Dice } from '../../../test/support/dice.js';
import { nothing } from '../../../test/support/metric-tables.js';
import { dayOf, evaluate, type Expression, type Fact, later, startOf, textOf } from '../../../test/support/naive-metrics.js';
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
import {
  areClose,
  factOf,
  fillSales,
  salesBindings,
  salesBindingsOn,
  type SalesRow,
  withoutZeros,
} from '../../../test/support/sales-tables.js';
import { describeOnEngines, type ForeignEngine, runTranslated, startEngines } from '../../../test/support/translations.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { type WarehouseClient } from '../../warehouse/clients/warehouse.client.js';
import { NotInDialectError } from '../translate/not-in-dialect.error.js';
import { type CompiledMetrics, compileMetrics } from './compile-metric.js';
import { type MetricDefinition, resolveMetric } from './resolve-metric.js';
import { isLong, onEngines } from '../../../test/support/tier.js';

const channels = ['web', 'Web', 'web ', 'shop', null];
const zone = 'Asia/Shanghai';

const seeds = Array.from({ length: Number(process.env.RANDOM_METRICS ?? (isLong ? 300 : 10)) }, (_, seed) => seed);

describe('random metrics', () => {
  let client: pg.Client;
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  const drawn: SalesRow[] = [];
  const facts: Fact[] = [];

  beforeAll(async () => {
    await loadSqlParser();
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    await client.query(`SET timezone = '${zone}'`);
    const dice = new Dice(20_26);
    const [first, last] = [dayOf('2019-11-20'), dayOf('2021-03-05')];
    for (let index = 0; index < 140; index++) {
      const table = dice.chance(0.7) ? 'sales' : 'returned';
      const amount = dice.chance(0.9) ? dice.between(-20, 90) : null;
      const weight = dice.chance(0.9) ? dice.between(0, 8) / 4 : null;
      const key = dice.chance(0.9) ? dice.below(6) : null;
      const flag = dice.chance(0.5);
      const isDated = dice.chance(0.96);
      // Some rows have the same time as another row. Some lie at the end of a month, where the same day a month before may not exist.
      const day = dice.chance(0.3) ? later(startOf(dice.between(first, last), 'month', 'monday'), dice.of([-1, -2, 0]), 'day') : null;
      const hour = (day ?? dice.between(first, last)) * 24 + dice.below(24);
      const moment = dice.chance(0.25) && drawn.length > 0 ? dice.of(drawn).at : new Date(hour * 3_600_000);
      const region = dice.below(3);
      const channel = dice.of(channels);
      drawn.push({ table, id: index, amount, weight, key, flag, at: isDated ? moment : null, region, channel });
    }
    for (const statement of fillSales('postgres', drawn)) await client.query(statement);
    facts.push(...drawn.map(row => factOf(row, 8)));
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  /** Draws formulas and a request from a seed, over `bindings`. The returned `compileIt` compiles them. */
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

  /** Risk: a window, a change or a share has a wrong value only in combination with a grain, a cut range, a fill or NULL keys. */
  it.each(seeds)('have the values that they are defined by (seed %i)', async seed => {
    const { request, all, above, compileIt, context } = ask(seed, salesBindings);
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

  (onEngines ? describeOnEngines : describe.skip)('in another database', () => {
    const engines: { engine: ForeignEngine; client: WarehouseClient; bindings: RandomBindings }[] = [];
    const counts: Record<string, number> = {};

    beforeAll(async () => {
      const started = await startEngines();
      for (const engine of started) {
        await engine.run(...fillSales(engine.dialect, drawn));
        engines.push({ engine, client: await engine.open(), bindings: salesBindingsOn(engine) });
      }
    });
    afterAll(async () => {
      process.stderr.write(`In other databases: ${JSON.stringify(counts)}\n`);
      for (const { engine, client: opened } of engines) {
        await opened.close();
        await engine.close();
      }
    });

    /** Risk: a database computes another last digit, NULL or key than PostgreSQL. */
    it.each(seeds)('are the same to the digit, or refused by name (seed %i)', async seed => {
      const { sql, parameters } = ask(seed, salesBindings).compileIt();
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
    });
  });
});
