import { graphTables } from '../../src/database/graph-tables.js';
import { type TestApp } from '../support/app.js';
import { Dice } from '../support/dice.js';
import { aGraph, aJob, rejectedRows, runToEnd } from '../support/ingestion.js';
import { canonical, type Column, type Written } from './values.js';

/** A server on which a test can create tables. */
export interface Source {
  connection: string;
  /** Runs statements one after the other. */
  run: (...statements: string[]) => Promise<unknown>;
  /** SQL of a new table with the columns `id` and `v`. */
  create: (table: string, native: string) => string;
}

interface Difference {
  column: string;
  sql: string;
  expected: unknown;
  found: unknown;
}

export const tableOf = (index: number): string => `t${index}`;

export function mappingOf(connection: string, columns: readonly Column[]): string {
  const node = (_: Column, index: number): string =>
    `  - {id: n${index}, label: N${index}, table: ${tableOf(index)}, key: [id], columns: [{column: id}, {column: v}]}`;
  return `version: 1\nsource: {connection: ${connection}}\ndefaults: {on_error: quarantine, max_error_rate: 1, trim: false, empty_as_null: false}\nnodes:\n${columns.map(node).join('\n')}\n`;
}

/**
 * Writes random rows into one table for each column, loads all of them into a graph by one job, and compares each value of the graph
 * with what was written.
 */
export async function differencesOf(
  app: TestApp,
  source: Source,
  columns: readonly Column[],
  { rows, seed }: { rows: number; seed: number },
): Promise<{ differences: Difference[]; compared: number }> {
  const written = new Map<string, Written>();
  const statements: string[] = [];
  for (const [index, { native, before = [], make }] of columns.entries()) {
    const dice = new Dice(seed + index);
    const values = Array.from({ length: rows }, () => make(dice));
    values.forEach((value, row) => written.set(`N${index}/${row}`, value));
    statements.push(...before, source.create(tableOf(index), native), ...insertions(tableOf(index), values));
  }
  await source.run(...statements);
  const graphId = await aGraph(app);
  const run = await runToEnd(app, await aJob(app, graphId, mappingOf(source.connection, columns)));
  if (run.error !== null) throw new Error(JSON.stringify(run.error));
  const found = await app.pool.query<{ id: string; json: string | null }>(
    `SELECT label || '/' || key AS id, (properties->'v')::text AS json FROM ${graphTables(graphId).nodes}`,
  );
  const values = new Map(found.rows.map(({ id, json }) => [id, json]));
  const refused = new Map((await rejectedRows(app, run.id)).map(row => [`${row.target}/${row.sample.id}`, row.reasons]));
  const differences: Difference[] = [];
  for (const [id, { sql, json, rejected, isDouble = false }] of written) {
    const place = { column: columns[Number(/\d+/.exec(id)![0])]!.native, sql };
    if (rejected !== undefined) {
      const [reason] = refused.get(id) ?? [];
      const isNamed = reason?.column === 'v' && reason.en.includes(`column 'v'`) && reason.en.includes(`'${rejected}'`);
      if (!isNamed) differences.push({ ...place, expected: `rejected: ${rejected}`, found: reason ?? values.get(id) });
    } else if (!values.has(id)) differences.push({ ...place, expected: json, found: refused.get(id) ?? 'no node' });
    else if (!isSame(json, values.get(id)!, isDouble)) differences.push({ ...place, expected: json, found: values.get(id) });
  }
  if (values.size + refused.size !== written.size)
    throw new Error(`${values.size} nodes, ${refused.size} rejected, ${written.size} written`);
  await readBack(app, graphId, columns.length);
  return { differences, compared: written.size };
}

function isSame(expected: string | null, found: string | null, isDouble: boolean): boolean {
  if (isDouble) return found !== null && Number(found) === Number(expected);
  return expected === null || found === null ? expected === found : canonical(expected) === canonical(found);
}

/** Sorts and groups the values of each label through the API, which must not fail. */
async function readBack({ admin }: TestApp, graphId: number, labels: number): Promise<void> {
  for (let index = 0; index < labels; index++) {
    for (const cypher of [`MATCH (n:N${index}) RETURN n.id, n.v ORDER BY n.v LIMIT 500`, `MATCH (n:N${index}) RETURN n.v, count(*)`]) {
      const { status, body } = await admin.post(`/api/graphs/${graphId}/query`).send({ cypher });
      if (status !== 200) throw new Error(`${cypher}: ${status} ${JSON.stringify(body)}`);
    }
  }
}

function insertions(table: string, values: Written[]): string[] {
  return Array.from({ length: Math.ceil(values.length / 100) }, (_, part) => {
    const rows = values.slice(part * 100, (part + 1) * 100).map(({ sql }, index) => `(${part * 100 + index}, ${sql})`);
    return `INSERT INTO ${table} VALUES ${rows.join(', ')}`;
  });
}
