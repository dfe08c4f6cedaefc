import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createGraphTables, graphTables } from '../../src/database/graph-tables.js';
import { compilePlan } from '../../src/cypher/executors/sql/compile-plan.js';
import { CypherError, CypherNotSupportedError, CypherReadOnlyError } from '../../src/cypher/syntax/cypher.errors.js';
import { decodeRows } from '../../src/cypher/executors/sql/decode-rows.js';
import { type GraphSchema } from '../../src/cypher/semantics/graph-schema.js';
import { parseSimpleQuery } from '../../src/cypher/plan/simple-query.js';
import { planCypher } from '../../src/cypher/plan/plan-cypher.js';
import { cloneDatabase } from '../support/database.js';
import { CreatedGraph } from './created-graph.js';
import { sqlDifferences } from './known-differences.js';
import { readFeature, type Scenario } from './read-feature.js';
import { canonical, fromResult, readJsonValue } from './json-value.js';

const features = join(process.cwd(), '..', 'shared', 'suites', 'tck', 'features');
const folders = [
  'clauses/match',
  'clauses/match-where',
  'clauses/return',
  'clauses/return-orderby',
  'clauses/return-skip-limit',
  'expressions',
];

/** Fails when a scenario changes from passed to refused unnoticed. */
const leastPassed = 484;

/** `rejected`: the TCK expects an error, and there is one. */
type Outcome = 'passed' | 'rejected' | 'refused' | 'skipped' | 'failed';

// The suite is not part of the repository. CI puts it beside it.
(existsSync(features) ? describe : describe.skip)('the openCypher TCK in SQL', () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let client: pg.Client;

  beforeAll(async () => {
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    await client.query(createGraphTables(1));
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('answers every scenario of the supported subset as the TCK has it, without a schema and with one', async () => {
    const scenarios = folders
      .flatMap(folder => filesUnder(join(features, folder)))
      .flatMap(file => readFeature(readFileSync(file, 'utf8')));
    const counts: Record<Outcome, number> = { passed: 0, rejected: 0, refused: 0, skipped: 0, failed: 0 };
    const reasons = new Map<string, number>();
    const failures: string[] = [];
    for (const scenario of scenarios) {
      const { outcome, reason } = await run(scenario);
      counts[outcome] += 1;
      if (outcome === 'refused' || outcome === 'skipped')
        reasons.set(`${outcome}: ${reason}`, (reasons.get(`${outcome}: ${reason}`) ?? 0) + 1);
      if (outcome === 'failed') failures.push(`${scenario.name} — ${reason}`);
    }
    const list = [...reasons].sort((a, b) => b[1] - a[1]).map(([reason, count]) => `${String(count).padStart(5)} ${reason}`);
    process.stdout.write(`openCypher TCK in SQL: ${JSON.stringify(counts)} of ${scenarios.length}\n${list.join('\n')}\n`);

    const unexpected = failures.filter(failure => !sqlDifferences.some(({ scenario }) => failure.startsWith(scenario)));
    expect(unexpected).toEqual([]);
    const gone = sqlDifferences.filter(({ scenario }) => !failures.some(failure => failure.startsWith(scenario)));
    expect(gone).toEqual([]);
    expect(counts.passed).toBeGreaterThanOrEqual(leastPassed);
  }, 300_000);

  async function run(scenario: Scenario): Promise<{ outcome: Outcome; reason: string }> {
    const graph = new CreatedGraph();
    try {
      if (scenario.namedGraph !== null) throw new Error(`setup: the ${scenario.namedGraph} graph`);
      if (scenario.procedures.length > 0 || scenario.controls.length > 0) throw new Error('a procedure or a control query');
      for (const statement of scenario.setup) graph.run(statement);
    } catch (error) {
      return { outcome: 'skipped', reason: error instanceof CypherError ? 'setup is beyond the CREATE reader' : (error as Error).message };
    }
    for (const schema of [{ labels: [], edges: [] }, graph.schema()]) {
      const result = await runOn(graph, scenario, schema);
      if (result.outcome !== 'passed') return result;
    }
    return { outcome: 'passed', reason: '' };
  }

  async function runOn(graph: CreatedGraph, scenario: Scenario, schema: GraphSchema): Promise<{ outcome: Outcome; reason: string }> {
    const { expected } = scenario;
    let actual: { columns: string[]; rows: unknown[][] };
    try {
      const parameters = Object.fromEntries(scenario.parameters.map(([name, value]) => [name, readJsonValue(value)]));
      const compiled = compilePlan(planCypher(parseSimpleQuery(scenario.query), schema, parameters), { graphId: 1, limit: 10_000 });
      await client.query('BEGIN');
      await load(graph);
      const { rows } = await client.query<(string | null)[]>({ text: compiled.sql, values: compiled.parameters, rowMode: 'array' });
      actual = { columns: compiled.columns.map(column => column.name), rows: (await decodeRows(compiled, rows)).rows };
    } catch (error) {
      if (error instanceof CypherNotSupportedError || error instanceof CypherReadOnlyError)
        return { outcome: 'refused', reason: String(error.facts.feature) };
      if (error instanceof CypherError && expected.kind === 'error') return { outcome: 'rejected', reason: '' };
      return { outcome: 'failed', reason: (error as Error).message.slice(0, 200) };
    } finally {
      await client.query('ROLLBACK');
    }
    if (expected.kind === 'error') return { outcome: 'failed', reason: `expected ${expected.type} ${expected.detail}, got rows` };
    try {
      return compare(expected, actual);
    } catch (error) {
      return { outcome: 'skipped', reason: (error as Error).message };
    }
  }

  async function load(graph: CreatedGraph): Promise<void> {
    const { nodes, edges } = graphTables(1);
    for (const { id, label, properties } of graph.nodes) {
      await client.query(`INSERT INTO ${nodes} (id, label, key, display, properties, run_id) VALUES ($1, $2, $3, $3, $4, 1)`, [
        id,
        label,
        String(id),
        toJson(properties),
      ]);
    }
    for (const { id, type, source, target, properties } of graph.edges) {
      await client.query(
        `INSERT INTO ${edges} (id, type, source_id, target_id, key, properties, run_id) VALUES ($1, $2, $3, $4, $5, $6, 1)`,
        [id, type, source, target, String(id), toJson(properties)],
      );
    }
  }
});

function compare(
  expected: Scenario['expected'] & { kind: 'rows' },
  actual: { columns: string[]; rows: unknown[][] },
): { outcome: Outcome; reason: string } {
  const { columns, ordered, anyListOrder } = expected;
  const text = (row: unknown[]) => row.map(cell => canonical(cell, anyListOrder)).join(' | ');
  const want = expected.rows.map(row => text(row.map(readJsonValue)));
  // RETURN * gives its columns in any order.
  const order = columns.map(column => actual.columns.indexOf(column));
  if (columns.length > 0 && (order.includes(-1) || columns.length !== actual.columns.length))
    return { outcome: 'failed', reason: `columns ${actual.columns.join(', ')} instead of ${columns.join(', ')}` };
  const got = actual.rows.map(row => text(order.map(i => fromResult(row[i]))));
  const same = ordered ? JSON.stringify(got) === JSON.stringify(want) : JSON.stringify(got.sort()) === JSON.stringify(want.sort());
  return same
    ? { outcome: 'passed', reason: '' }
    : { outcome: 'failed', reason: `got ${got.slice(0, 4).join(' ; ')} instead of ${want.slice(0, 4).join(' ; ')}` };
}

function toJson(properties: Record<string, string>): string {
  return `{${Object.entries(properties)
    .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    .join(',')}}`;
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.feature'))
    .map(file => join(folder, file));
}
