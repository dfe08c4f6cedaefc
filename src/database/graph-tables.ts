import { quoteIdentifier } from '../sql/quote-identifier.js';

/** Where the rows of one graph are: schema-qualified, quoted names for SQL texts. */
export interface GraphTables {
  nodes: string;
  edges: string;
}

/**
 * Each graph has two tables of its own and no common parent: its statistics are its own, it is dropped in one step, and its rows need no
 * `graph_id`. @throws Error for an id that is no positive 32-bit integer, before it becomes part of an SQL text.
 */
export function graphTables(graphId: number): GraphTables {
  return { nodes: tableName('nodes', graphId), edges: tableName('edges', graphId) };
}

/** DDL for a new graph: locks nothing of any other graph. Run it in the transaction that creates the graph's row. */
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
      UNIQUE (source_id, type, target_id, key)
    );
    CREATE INDEX ON ${edges} (target_id, type);`;
}

export function dropGraphTables(graphId: number): string {
  const { nodes, edges } = graphTables(graphId);
  return `DROP TABLE IF EXISTS ${nodes}, ${edges}`;
}

/** Names of the tables that outlived their graph's row, without their schema: one pass over the catalogue and one over `graphs`. */
export const findOrphanedTables = `
  SELECT relname::text AS name FROM pg_catalog.pg_class WHERE relnamespace = 'graph_data'::regnamespace AND relkind = 'r'
  EXCEPT (SELECT 'nodes_' || id FROM graphs UNION ALL SELECT 'edges_' || id FROM graphs)`;

/** The graph that a table of the schema belongs to by its name; null for one that the service did not make. */
export function graphIdOf(table: string): number | null {
  const id = /^(?:nodes|edges)_([1-9]\d{0,9})$/.exec(table)?.[1];
  return id === undefined ? null : Number(id);
}

function tableName(kind: 'nodes' | 'edges', graphId: number): string {
  if (!Number.isInteger(graphId) || graphId < 1 || graphId >= 2 ** 31) throw new Error(`${graphId} is no id of a graph`);
  return `graph_data.${quoteIdentifier(`${kind}_${graphId}`)}`;
}
