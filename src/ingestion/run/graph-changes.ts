import { type PoolClient } from 'pg';

/** The most changes of a run that are collected. After a larger run, readers load the new version of the graph in full. */
const mostNoted = 100_000;
/**
 * If the changes are more than this number and more than an eighth of the graph, they are not stored either, because they are then not
 * worth their space.
 */
const fewChanges = 1_000;
/** The number of graph versions whose changes are kept. Processes and files rarely still have a version older than these. */
const versionsKept = 8;

/** The columns that a statement returns for each changed row: the id and, for an edge, the id of its source node. */
const returned = { nodes: ['n.id'], edges: ['e.id', 'e.source_id'] } as const;

interface Noted {
  ids: string[];
  sources: string[];
}

/** Collects the nodes and edges that a run has inserted, changed or removed, as long as there are few of them. */
export class GraphChanges {
  private noted: Record<'nodes' | 'edges', Noted> | null = { nodes: { ids: [], sources: [] }, edges: { ids: [], sources: [] } };

  /** Announces that a statement will change this number of rows. If there are too many, `make` and `note` no longer collect changes. */
  expect(rows: number): void {
    if (rows > mostNoted) this.noted = null;
  }

  /**
   * Runs an INSERT, UPDATE or DELETE on the graph's nodes `n` or edges `e`, and notes the changed rows.
   * @returns the number of changed rows
   */
  async make(client: PoolClient, kind: 'nodes' | 'edges', sql: string, values: unknown[] = []): Promise<number> {
    if (!this.noted) return (await client.query(sql, values)).rowCount ?? 0;
    const [id, source] = returned[kind];
    const { rows } = await client.query<{ rows: number } & Noted>(
      `WITH changed AS (${sql} RETURNING ${id} AS id, ${source ?? 'NULL::bigint'} AS source)
       SELECT (SELECT count(*) FROM changed)::int AS rows, ARRAY(SELECT id FROM changed LIMIT ${mostNoted + 1})::text[] AS ids,
              ARRAY(SELECT source FROM changed WHERE source IS NOT NULL LIMIT ${mostNoted + 1})::text[] AS sources`,
      values,
    );
    const { rows: count, ...changed } = rows[0]!;
    this.note(kind, changed);
    return count;
  }

  /** Notes rows that were changed by a statement outside of `make`. */
  note(kind: 'nodes' | 'edges', { ids, sources }: Noted): void {
    if (!this.noted) return;
    const noted = this.noted[kind];
    noted.ids = noted.ids.concat(ids);
    noted.sources = noted.sources.concat(sources);
    this.expect(this.noted.nodes.ids.length + this.noted.edges.ids.length);
  }

  /**
   * Stores the noted changes for the graph version that the run creates. Call it in the run's transaction, before the version is raised.
   */
  async write(client: PoolClient, graphId: number): Promise<void> {
    await client.query(
      `DELETE FROM graph_changes WHERE graph_id = $1 AND ($2 OR version <= (SELECT version FROM graphs WHERE id = $1) - $3)`,
      [graphId, this.noted === null, versionsKept - 1],
    );
    if (!this.noted) return;
    const { nodes, edges } = this.noted;
    // The row lock keeps `version_at` unchanged until the version is raised.
    await client.query(
      `INSERT INTO graph_changes (graph_id, version, follows, nodes, edges, edge_sources)
       SELECT g.id, g.version + 1, g.version_at, $2, $3, $4 FROM graphs g
       WHERE g.id = $1 AND $5 <= greatest($6, (SELECT sum(row_count) FROM graph_elements WHERE graph_id = $1) / 8)
       FOR NO KEY UPDATE OF g`,
      [graphId, nodes.ids, edges.ids, edges.sources, nodes.ids.length + edges.ids.length, fewChanges],
    );
  }
}
