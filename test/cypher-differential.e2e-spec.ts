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
import { type Element, keyOf, NaiveError, type Value } from './differential/naive-values.js';
import { randomGraph, type RandomGraph } from './differential/random-graph.js';
import { QueryMaker, type RandomQuery } from './differential/random-query.js';

/** Each seed is a graph and its queries. `CYPHER_SEEDS=5,6` repeats some, `CYPHER_SEED_COUNT=50` tries more. */
const seeds =
  process.env.CYPHER_SEEDS?.split(',').map(Number) ?? Array.from({ length: Number(process.env.CYPHER_SEED_COUNT ?? 4) }, (_, i) => i + 1);
const queriesOfSeed = 250;

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
      { graphId, text, parameters, limit: 10_000, timeoutMs: 30_000, language: languageOf(text), timeZone: 'UTC', profile: false },
      new AbortController().signal,
      forced,
    );

  /** Null where SQL leaves the query to memory. */
  async function outcomeOf(graph: RandomGraph, { text, parameters }: RandomQuery, forced: ForcedExecutor): Promise<Outcome | null> {
    try {
      const answer = await ask(graph.graphId, text, jsonOf(new Map(Object.entries(parameters))), forced);
      return {
        rows: (JSON.parse(JSON.stringify(answer.rows)) as unknown[][]).map(row => row.map(named)),
        types: answer.columns.map(({ type }) => type),
        cited: new Set(answer.citations.map(({ label, key }) => citedOf(graph, String(label), key.id))),
        isCitedWhole: !answer.warnings.some(warning => /[Cc]itation|引用/.test(warning)),
      };
    } catch (error) {
      if (error instanceof NotInSqlError && forced === 'sql') return null;
      if (!(error instanceof LanguageError || error instanceof ApiError)) throw error;
      const context = error instanceof LanguageError ? error.facts : {};
      return { error: error instanceof CypherValueError ? error.type : error.code, place: context };
    }
  }

  it.each(seeds)(
    'and a naive evaluator agree on random queries (seed %i)',
    async seed => {
      const dice = new Dice(seed);
      const graph = await randomGraph(test, dice, `seed${seed}_`);
      const maker = new QueryMaker(dice);
      const counts = { sql: 0, errors: 0, cited: 0, rows: 0 };
      for (let i = 0; i < queriesOfSeed; i++) {
        const query = maker.make();
        const context = `seed ${seed}, query ${i}: ${query.text} ${jsonOf(new Map(Object.entries(query.parameters)))}`;
        const inMemory = (await outcomeOf(graph, query, 'memory'))!;
        const inSql = await outcomeOf(graph, query, 'sql');
        let expected: ReturnType<RandomQuery['evaluate']> | NaiveError;
        try {
          expected = query.evaluate(graph);
        } catch (error) {
          if (!(error instanceof NaiveError)) throw error;
          expected = error;
        }
        for (const [executor, found] of Object.entries({ memory: inMemory, sql: inSql })) {
          if (found === null) continue;
          if (expected instanceof NaiveError) {
            expect([context, executor, 'error' in found ? found.error : found.rows]).toEqual([context, executor, expected.type]);
            counts.errors += 1;
            continue;
          }
          if ('error' in found) throw new Error(`${context}\n${executor} refuses it: ${JSON.stringify(found)}`);
          const order = (rows: unknown[][]) => ((expected as { isOrdered: boolean }).isOrdered ? rows.map(text) : rows.map(text).sort());
          expect([context, executor, ...order(found.rows)]).toEqual([context, executor, ...order(expected.rows)]);
          if (inSql && !('error' in inMemory)) expect([context, executor, found.types]).toEqual([context, executor, inMemory.types]);
          counts.rows += found.rows.length;
          for (const cited of found.cited) if (!expected.cited.has(cited)) throw new Error(`${context}\n${executor} cites ${cited}`);
          const isCut = /SKIP|LIMIT/.test(query.text);
          if (expected.isGrouped || isCut || !found.isCitedWhole) continue;
          expect([context, executor, [...found.cited].sort()]).toEqual([context, executor, [...expected.cited].sort()]);
          counts.cited += found.cited.size > 0 ? 1 : 0;
        }
        if (inSql) counts.sql += 1;
      }
      // The comparison would be empty without these.
      expect(counts.sql).toBeGreaterThan(queriesOfSeed / 5);
      expect(counts.cited).toBeGreaterThan(queriesOfSeed / 10);
      expect(counts.rows).toBeGreaterThan(queriesOfSeed);
    },
    120_000,
  );
});

/** An element of a row as its label or type and its key. */
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

function text(row: unknown[]): string {
  return JSON.stringify(row);
}

/** The JSON of parameters, in which a float is never the text of an integer. */
function jsonOf(value: Value): string {
  if (typeof value === 'bigint' || typeof value === 'number') {
    const written = String(value);
    return typeof value === 'bigint' || /[.e]/.test(written) ? written : `${written}.0`;
  }
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (value instanceof Map) return `{${[...value].map(([name, inner]) => `${JSON.stringify(name)}:${jsonOf(inner)}`).join(',')}}`;
  return JSON.stringify(value);
}
