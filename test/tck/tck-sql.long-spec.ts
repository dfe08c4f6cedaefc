import pg from 'pg';
import { Pace } from '../../src/common/turns/pace.js';
import { compilePlan } from '../../src/cypher/executors/sql/compile-plan.js';
import { prepareCypher } from '../../src/cypher/prepare-cypher.js';
import { type CypherValue } from '../../src/cypher/values/cypher-value.js';
import { readJsonParameters } from '../../src/cypher/values/read-json-value.js';
import { createGraphTables, graphTables } from '../../src/database/graph-tables.js';
import { decodeRows } from '../../src/retrieval/process/decode-rows.js';
import { cloneDatabase } from '../support/database.js';
import { describeWithShared } from '../support/shared-data.js';
import { CreatedGraph } from './created-graph.js';
import { type Answer, judge } from './judge.js';
import { type Scenario } from './read-feature.js';
import { readSuite } from './read-suite.js';

/** The least number of scenarios that SQL must run. Fewer would hide differences between SQL and the TCK. */
const leastPassed = 150;

// The TCK is not part of the repository. CI puts it beside the repository.
describeWithShared('the openCypher TCK in SQL', 'suites/tck', () => {
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

  it('passes every scenario that SQL takes', async () => {
    let passed = 0;
    const failures: string[] = [];
    for (const scenario of readSuite()) {
      const answer = await run(scenario);
      if (answer === null) continue;
      const { verdict, reason } = judge(scenario.expected, answer);
      if (verdict === 'passed') passed += 1;
      else failures.push(`${scenario.name}: ${verdict}, ${reason}`);
    }
    process.stdout.write(`openCypher TCK in SQL: ${passed} passed\n`);
    expect(failures).toEqual([]);
    expect(passed).toBeGreaterThanOrEqual(leastPassed);
  }, 300_000);

  /** Runs a scenario in SQL. Returns null if only memory can run it, or if its set-up is more than plain CREATE. */
  async function run(scenario: Scenario): Promise<Answer | null> {
    if (scenario.namedGraph !== null || scenario.procedures.length > 0 || scenario.controls.length > 0) return null;
    const graph = new CreatedGraph();
    let prepared: ReturnType<typeof prepareCypher>;
    try {
      for (const statement of scenario.setup) graph.run(statement);
      prepared = prepareCypher(
        scenario.query,
        graph.schema(),
        `{${scenario.parameters.map(([name, value]) => `"${name}": ${value}`).join()}}`,
      );
    } catch {
      return null;
    }
    if (prepared.plan === null) return null;
    try {
      await client.query('BEGIN');
      await load(graph);
      const compiled = compilePlan(prepared.plan, { graphId: 1, limit: 10_000 });
      const { rows } = await client.query<(string | null)[]>({ text: compiled.sql, values: compiled.parameters, rowMode: 'array' });
      const decoded = await decodeRows(compiled, rows, Infinity, new Pace());
      return { kind: 'rows', columns: prepared.plan.columns, rows: decoded.map(({ values }) => values.map(value => whole(value, graph))) };
    } catch (error) {
      if (String((error as { code?: unknown }).code).startsWith('22')) return null;
      throw error;
    } finally {
      await client.query('ROLLBACK');
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

/** Adds labels and properties to a node or edge, because SQL returns only its id. */
function whole(value: CypherValue, { nodes, edges }: CreatedGraph): CypherValue {
  if (value === null || typeof value !== 'object' || !('kind' in value)) return value;
  if (value.kind === 'node') {
    const { label, properties } = nodes[value.id - 1]!;
    return { ...value, labels: label === '' ? [] : [label], properties: readJsonParameters(toJson(properties)) };
  }
  return value.kind === 'edge' ? { ...value, properties: readJsonParameters(toJson(edges[value.id - 1]!.properties)) } : value;
}

function toJson(properties: Record<string, string>): string {
  return `{${Object.entries(properties)
    .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    .join(',')}}`;
}
