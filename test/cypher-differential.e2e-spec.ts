import { localParts } from './support/local-parts.js';
import { createLog } from '../src/common/logging/log.js';
import { ApiError } from '../src/common/errors/api-error.js';
import { CypherValueError } from '../src/cypher/syntax/cypher.errors.js';
import { languageOf } from '../src/text/language.js';
import { type RetrievalAnswer } from '../src/retrieval/protocol.js';
import { NotInSqlError } from '../src/cypher/semantics/not-in-sql.error.js';
import { LoadedGraphs } from '../src/retrieval/process/loaded-graphs.js';
import { RetrievalDatabase } from '../src/retrieval/process/retrieval-database.js';
import { type ForcedExecutor, runCypher } from '../src/retrieval/process/run-cypher.js';
import { LanguageError } from '../src/text/language-error.js';
import { Dice } from './support/dice.js';
import { startTestApp, type TestApp } from './support/app.js';
import { cypherRequest } from './support/cypher-request.js';
import { type Element, keyOf, NaiveError, type Value } from './differential/naive-values.js';
import { randomGraph, type RandomGraph } from './differential/random-graph.js';
import { type Expected, QueryMaker, type RandomQuery } from './differential/random-query.js';
import { isLong } from './support/tier.js';

/** Each seed makes a graph and queries on it. `CYPHER_SEEDS=5,6` repeats seeds 5 and 6, `CYPHER_SEED_COUNT=50` tries 50 seeds. */
const seeds =
  process.env.CYPHER_SEEDS?.split(',').map(Number) ??
  Array.from({ length: Number(process.env.CYPHER_SEED_COUNT ?? (isLong ? 4 : 1)) }, (_, i) => i + 1);
const queriesOfSeed = isLong ? 250 : 40;

type Outcome = { rows: unknown[][]; types: string[]; cited: Set<string>; isCitedWhole: boolean } | { error: string; place: unknown };

describe('the two executors of Cypher', () => {
  let test: TestApp;
  let database: RetrievalDatabase;
  let graphs: LoadedGraphs;
  beforeAll(async () => {
    test = await startTestApp();
    database = RetrievalDatabase.open({ databaseUrl: test.databaseUrl }, 4, 16_000_000, createLog('error'));
    graphs = new LoadedGraphs(database, 256_000_000, localParts(256_000_000), null, () => undefined);
  });
  afterAll(async () => {
    await database.close();
    await test.close();
  });

  const ask = (graphId: number, text: string, parameters: string, forced: ForcedExecutor): Promise<RetrievalAnswer> =>
    runCypher(
      database,
      graphs,
      cypherRequest(graphId, text, { parameters, limit: 10_000, language: languageOf(text) }),
      new AbortController().signal,
      forced,
    );

  /** Runs a query with one executor. Null if SQL cannot run the query. */
  async function outcomeOf(graph: RandomGraph, { text, parameters }: RandomQuery, forced: ForcedExecutor): Promise<Outcome | null> {
    try {
      const answer = await ask(graph.graphId, text, jsonOf(new Map(Object.entries(parameters))), forced);
      return {
        rows: (JSON.parse(JSON.stringify(answer.rows)) as unknown[][]).map(row => row.map(named)),
        types: answer.columns.map(({ type }) => type),
        cited: new Set(answer.citations.map(({ label, key }) => citedOf(graph, String(label), key.id))),
        isCitedWhole: !answer.warnings.some(warning => /[Cc]itation|引用/.test(warning) && !/EXISTS/.test(warning)),
      };
    } catch (error) {
      if (error instanceof NotInSqlError && forced === 'sql') return null;
      if (!(error instanceof LanguageError || error instanceof ApiError)) throw error;
      const context = error instanceof LanguageError ? error.facts : {};
      return { error: error instanceof CypherValueError ? error.type : error.code, place: context };
    }
  }

  it.each(seeds)('agree with a naive evaluator on random queries (seed %i)', async seed => {
    const dice = new Dice(seed);
    const graph = await randomGraph(test, dice, `seed${seed}_`);
    const maker = new QueryMaker(dice);
    const counts = { sql: 0, errors: 0, cited: 0, rows: 0, left: 0 };
    const differences: string[] = [];
    for (let i = 0; i < queriesOfSeed; i++) {
      const query = maker.make();
      const expected = expectedOf(query, graph);
      if (expected === null) {
        counts.left += 1;
        continue;
      }
      const inMemory = (await outcomeOf(graph, query, 'memory'))!;
      const inSql = await outcomeOf(graph, query, 'sql');
      const note = (executor: string, difference: string) =>
        differences.push(`query ${i}, ${executor}: ${difference}\n${query.text} ${jsonOf(new Map(Object.entries(query.parameters)))}`);
      for (const [executor, found] of Object.entries({ memory: inMemory, sql: inSql })) {
        if (found === null) continue;
        const difference = differenceOf(expected, found);
        if (difference !== null) note(executor, difference);
        else if ('error' in found) counts.errors += 1;
        else {
          counts.rows += found.rows.length;
          if (found.isCitedWhole && found.cited.size > 0) counts.cited += 1;
        }
      }
      if (!inSql) continue;
      counts.sql += 1;
      const types = [inMemory, inSql].map(found => ('error' in found ? null : found.types.join()));
      if (types[0] !== null && types[0] !== types[1]) note('both', `columns of ${types.join(' and ')}`);
    }
    if (process.env.CYPHER_SEED_COUNT) console.log(seed, JSON.stringify(counts));
    if (differences.length > 0)
      throw new Error(`${differences.length} differences of seed ${seed}\n\n${differences.slice(0, 20).join('\n\n')}`);
    // These bounds make sure that enough queries and rows were compared.
    expect(counts.sql).toBeGreaterThan(queriesOfSeed / 8);
    expect(counts.cited).toBeGreaterThan(queriesOfSeed / 5);
    expect(counts.rows).toBeGreaterThan(queriesOfSeed);
    expect(counts.left).toBeLessThan(queriesOfSeed / 10);
  });
});

/** The naive evaluator's result; null for a query that would take it too long. */
function expectedOf(query: RandomQuery, graph: RandomGraph): Expected | NaiveError | null {
  try {
    return query.evaluate(graph);
  } catch (error) {
    if (error instanceof NaiveError) return error;
    throw new Error(`The naive evaluator fails at ${query.text}`, { cause: error });
  }
}

/** Returns the first difference between an answer and the expected one, in words; null if they agree. */
function differenceOf(expected: Expected | NaiveError, found: Outcome): string | null {
  if ('error' in found) {
    if (expected instanceof NaiveError && found.error === expected.type) return null;
    return `refused with ${JSON.stringify(found)} instead of ${expected instanceof NaiveError ? expected.type : text(expected.rows)}`;
  }
  if (expected instanceof NaiveError) return `rows ${text(found.rows)} instead of ${expected.type}`;
  if (found.rows.length !== expected.rows.length) return `${found.rows.length} rows instead of ${expected.rows.length}`;
  if (expected.isAnyOfMany) return null;
  const [rows, due] = [found.rows, expected.rows].map(each => (expected.isOrdered ? each.map(text) : each.map(text).sort()));
  const wrong = due!.findIndex((row, i) => row !== rows![i]);
  if (wrong !== -1) return `${rows![wrong]} instead of ${due![wrong]}`;
  if (expected.citesAnyOfMany) return null;
  const idle = [...found.cited].filter(cited => !expected.cited.has(cited));
  if (idle.length > 0) return `cites ${idle.join(', ')}`;
  const missing = found.isCitedWhole ? [...expected.needed].filter(needed => !found.cited.has(needed)) : [];
  return missing.length > 0 ? `does not cite ${missing.join(', ')}, and does not say so` : null;
}

/** Shows a node or edge of a row as its label or type and its key. */
function named(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(named);
  if (typeof value !== 'object' || value === null) return value;
  const { label, type, key, properties } = value as { label?: string; type?: string; key?: string; properties?: object };
  return properties !== undefined && key !== undefined ? `${label ?? type} ${key}` : value;
}

function citedOf({ nodes, edges }: RandomGraph, name: string, key: string | undefined): string {
  const found: Element | undefined = [...nodes, ...edges].find(element => element.name === name && element.key === key);
  return found ? keyOf(found) : `${name} ${key}`;
}

/** Sorts the names in maps, because their order has no meaning. */
function text(row: unknown): string {
  return JSON.stringify(row, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Writes parameters as JSON, in which every float has a point or exponent: 1.0 stays a float. */
function jsonOf(value: Value): string {
  if (typeof value === 'bigint' || typeof value === 'number') {
    const written = String(value);
    return typeof value === 'bigint' || /[.e]/.test(written) ? written : `${written}.0`;
  }
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (value instanceof Map) return `{${[...value].map(([name, inner]) => `${JSON.stringify(name)}:${jsonOf(inner)}`).join(',')}}`;
  return JSON.stringify(value);
}
