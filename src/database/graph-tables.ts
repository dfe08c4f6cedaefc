import { quoteIdentifier } from '../sql/quote-identifier.js';

/** The schema-qualified, quoted table names of one graph, for SQL texts. */
export interface GraphTables {
  nodes: string;
  edges: string;
}

/**
 * Names the two tables of a graph. They have no common parent: each graph has its own statistics, is dropped in one step, and its
 * rows need no `graph_id`.
 * @throws Error for an id that is no positive 32-bit integer, before it becomes part of an SQL text.
 */
export function graphTables(graphId: number): GraphTables {
  return { nodes: tableName('nodes', graphId), edges: tableName('edges', graphId) };
}

/**
 * DDL for a new graph. `owners` names the jobs that yield the row; NULL stands for the one job whose row in `graph_elements` says
 * `owns_rest`, so that the rows of a label with one job need none. It locks nothing of other graphs. Run it in the transaction
 * that creates the graph's row.
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
      PRIMARY KEY (id),
      UNIQUE (label, key)
    );
    CREATE TABLE ${edges} (
      id         bigint NOT NULL DEFAULT nextval('graph_data.edge_ids'),
      type       text NOT NULL,
      source_id  bigint NOT NULL,
      target_id  bigint NOT NULL,
      key        text NOT NULL,
      properties jsonb NOT NULL DEFAULT '{}',
      run_id     int NOT NULL,
      owners     int[],
      UNIQUE (source_id, type, target_id, key)
    );
    CREATE INDEX ON ${edges} (target_id, type);`;
}

export function dropGraphTables(graphId: number): string {
  const { nodes, edges } = graphTables(graphId);
  return `DROP TABLE IF EXISTS ${nodes}, ${edges}`;
}

/** Finds the names, without schema, of tables whose graph's row is gone. It takes one pass over the catalogue and one over `graphs`. */
export const findOrphanedTables = `
  SELECT relname::text AS name FROM pg_catalog.pg_class WHERE relnamespace = 'graph_data'::regnamespace AND relkind = 'r'
  EXCEPT (SELECT 'nodes_' || id FROM graphs UNION ALL SELECT 'edges_' || id FROM graphs)`;

/** Reads the graph's id from a table name. Null for a table that the service did not make. */
export function graphIdOf(table: string): number | null {
  const id = /^(?:nodes|edges)_([1-9]\d{0,9})$/.exec(table)?.[1];
  return id === undefined ? null : Number(id);
}

function tableName(kind: 'nodes' | 'edges', graphId: number): string {
  if (!Number.isInteger(graphId) || graphId < 1 || graphId >= 2 ** 31) throw new Error(`${graphId} is no id of a graph`);
  return `graph_data.${quoteIdentifier(`${kind}_${graphId}`)}`;
}
