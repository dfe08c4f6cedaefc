import { type PoolClient } from 'pg';
import { quoteIdentifier } from '../sql/quote-identifier.js';

const apart = '_apart';

/** The schema-qualified, quoted table names of one graph, for SQL texts. */
export interface GraphTables {
  nodes: string;
  edges: string;
}

/**
 * Names the two tables of a graph. They have no common parent: each graph has its own statistics, is dropped in one step, and its
 * rows need no `graph_id`.
 * @throws Error for an id that is not a positive 32-bit integer, before it becomes part of an SQL text.
 */
export function graphTables(graphId: number): GraphTables {
  return { nodes: tableName('nodes', graphId), edges: tableName('edges', graphId) };
}

/**
 * SQL of the bytes that a graph's two tables take on disk, with their indexes and long values, including what the transaction itself has
 * written so far.
 */
export function bytesOf({ nodes, edges }: GraphTables): string {
  return `(pg_total_relation_size('${nodes}'::regclass) + pg_total_relation_size('${edges}'::regclass))::float8`;
}

export async function measureTables(client: PoolClient, tables: GraphTables): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(`SELECT ${bytesOf(tables)} AS bytes`);
  return rows[0]!.bytes;
}

/**
 * DDL for the tables of a new graph. `owners` names the jobs that yield the row. NULL stands for the one job whose row in `graph_elements`
 * has `owns_rest`, so that the rows of a label with one job need no list. A node with an empty list is a stub, made for the end of an edge.
 * `label` is the label of a node's key, and `labels` holds its further labels, in the order of their bytes. The DDL locks nothing of other
 * graphs. Run it in the transaction that creates the graph's row.
 */
export function createGraphTables(graphId: number): string {
  const { nodes, edges } = graphTables(graphId);
  return `
    CREATE TABLE ${nodes} (
      id         bigint NOT NULL DEFAULT nextval('graph_data.node_ids'),
      label      text NOT NULL,
      key        text NOT NULL,
      display    text NOT NULL,
      properties jsonb NOT NULL DEFAULT '{}',
      run_id     int NOT NULL,
      owners     int[],
      labels     text[] NOT NULL DEFAULT '{}',
      PRIMARY KEY (id),
      UNIQUE (label, key)
    );
    ${createStubIndex(graphId)};
    CREATE TABLE ${edges} (
      id         bigint NOT NULL DEFAULT nextval('graph_data.edge_ids'),
      type       text NOT NULL,
      source_id  bigint NOT NULL,
      target_id  bigint NOT NULL,
      key        text NOT NULL,
      properties jsonb NOT NULL DEFAULT '{}',
      run_id     int NOT NULL,
      owners     int[]
    );
    ${indexEdges(graphId, '')}`;
}

/**
 * DDL for an empty table that takes rows as fast as possible, is indexed afterwards, and then takes the place of the graph's edge table.
 * `graphIdOf` reads no graph from its name, so the sweep of orphaned tables would never drop it: it must not outlive the transaction.
 */
export function createEdgesApart(graphId: number): string {
  return `CREATE TABLE ${edgesApart(graphId)} (LIKE ${graphTables(graphId).edges} INCLUDING DEFAULTS); ${indexEdges(graphId, apart)}`;
}

export function edgesApart(graphId: number): string {
  return tableName('edges', graphId, apart);
}

export function indexEdgesApart(graphId: number): string {
  return indexEdges(graphId, apart);
}

function indexEdges(graphId: number, suffix: string): string {
  const { table, key, target } = edgeNames(graphId, suffix);
  return `ALTER TABLE ${table} ADD CONSTRAINT ${key} UNIQUE (source_id, type, target_id, key); CREATE INDEX ${target} ON ${table} (target_id, type);`;
}

export function dropIndexesApart(graphId: number): string {
  const { table, key, target } = edgeNames(graphId, apart);
  return `ALTER TABLE ${table} DROP CONSTRAINT ${key}; DROP INDEX graph_data.${target};`;
}

/**
 * SQL that replaces the graph's edge table by the table of `createEdgesApart`. It waits for transactions that read the edge table, and
 * later readers wait behind it.
 */
export function takeEdgesApart(graphId: number): string {
  const [from, to] = [edgeNames(graphId, apart), edgeNames(graphId, '')];
  return `
    DROP TABLE ${to.table};
    ALTER TABLE ${from.table} RENAME CONSTRAINT ${from.key} TO ${to.key};
    ALTER INDEX graph_data.${from.target} RENAME TO ${to.target};
    ALTER TABLE ${from.table} RENAME TO ${quoteIdentifier(`edges_${graphId}`)};`;
}

/** DDL for the index that finds the stubs of a label. Most graphs have no stubs. */
function createStubIndex(graphId: number): string {
  return `CREATE INDEX ${quoteIdentifier(`nodes_${graphId}_stubs`)} ON ${graphTables(graphId).nodes} (label) WHERE owners = '{}'`;
}

/** SQL that is true for a node `row` that is a stub, and false or NULL for others. */
export function isStub(row: string): string {
  return `${row}.owners = '{}'`;
}

export function dropGraphTables(graphId: number): string {
  const { nodes, edges } = graphTables(graphId);
  return `DROP TABLE IF EXISTS ${nodes}, ${edges}`;
}

/**
 * SQL that finds the names, without schema, of tables whose graph's row is gone. It takes one pass over the catalogue and one over
 * `graphs`.
 */
export const findOrphanedTables = `
  SELECT relname::text AS name FROM pg_catalog.pg_class WHERE relnamespace = 'graph_data'::regnamespace AND relkind = 'r'
  EXCEPT (SELECT 'nodes_' || id FROM graphs UNION ALL SELECT 'edges_' || id FROM graphs)`;

/** The id of the graph to which a table belongs, read from the table's name. Null for a table that the service did not make. */
export function graphIdOf(table: string): number | null {
  const id = /^(?:nodes|edges)_([1-9]\d{0,9})$/.exec(table)?.[1];
  return id === undefined ? null : Number(id);
}

/** The names of an edge table, its unique constraint and its second index, as PostgreSQL itself would choose them. */
function edgeNames(graphId: number, suffix: string): { table: string; key: string; target: string } {
  const name = (part: string): string => quoteIdentifier(`edges_${graphId}${suffix}_${part}`);
  return { table: tableName('edges', graphId, suffix), key: name('source_id_type_target_id_key_key'), target: name('target_id_type_idx') };
}

function tableName(kind: 'nodes' | 'edges', graphId: number, suffix = ''): string {
  if (!Number.isInteger(graphId) || graphId < 1 || graphId >= 2 ** 31) throw new Error(`${graphId} is not the id of a graph`);
  return `graph_data.${quoteIdentifier(`${kind}_${graphId}${suffix}`)}`;
}
