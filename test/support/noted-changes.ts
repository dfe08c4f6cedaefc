import { graphTables } from '../../src/database/graph-tables.js';
import { type TestApp } from './app.js';

interface Seen {
  version: number;
  updatedAt: string;
  nodes: Map<string, string>;
  edges: Map<string, string>;
}

/** Compares the nodes and edges that each run changed with those that the run recorded in `graph_changes`. */
export class NotedChanges {
  private seen: Seen;

  private constructor(
    private readonly app: TestApp,
    private readonly graphId: number,
    first: Seen,
  ) {
    this.seen = first;
  }

  static async of(app: TestApp, graphId: number): Promise<NotedChanges> {
    return new NotedChanges(app, graphId, await see(app, graphId));
  }

  /** The number of nodes and edges that changed since the last call. @throws an assertion error if a change was not recorded */
  async check(): Promise<number> {
    const [before, after] = [this.seen, await see(this.app, this.graphId)];
    this.seen = after;
    const changed = (kind: 'nodes' | 'edges') =>
      [...new Set([...before[kind].keys(), ...after[kind].keys()])].filter(id => before[kind].get(id) !== after[kind].get(id));
    const [nodes, edges] = [changed('nodes'), changed('edges')];
    if (after.version === before.version) {
      expect([nodes, edges]).toEqual([[], []]);
      return 0;
    }
    const { rows } = await this.app.pool.query(
      `SELECT version, follows::text, nodes::text[] AS nodes, edges::text[] AS edges, edge_sources::text[] AS sources
       FROM graph_changes WHERE graph_id = $1 AND version > $2`,
      [this.graphId, before.version],
    );
    expect(rows).toHaveLength(1);
    const noted = rows[0] as { version: number; follows: string; nodes: string[]; edges: string[]; sources: string[] };
    expect([noted.version, noted.follows]).toEqual([after.version, before.updatedAt]);
    expect(nodes.filter(id => !noted.nodes.includes(id))).toEqual([]);
    expect(edges.filter(id => !noted.edges.includes(id))).toEqual([]);
    expect(noted.sources).toHaveLength(noted.edges.length);
    noted.edges.forEach((id, i) => {
      const row = after.edges.get(id);
      if (row) expect((JSON.parse(row) as { source_id: number }).source_id).toBe(Number(noted.sources[i]));
    });
    return nodes.length + edges.length;
  }
}

async function see(app: TestApp, graphId: number): Promise<Seen> {
  const tables = graphTables(graphId);
  const rowsOf = async (kind: 'nodes' | 'edges') => {
    const { rows } = await app.pool.query(`SELECT id, to_jsonb(t) - 'run_id' AS row FROM ${tables[kind]} t`);
    return new Map(rows.map(({ id, row }) => [String(id), JSON.stringify(row)]));
  };
  const { rows } = await app.pool.query('SELECT version, updated_at::text AS at FROM graphs WHERE id = $1', [graphId]);
  return { version: rows[0].version, updatedAt: rows[0].at, nodes: await rowsOf('nodes'), edges: await rowsOf('edges') };
}
