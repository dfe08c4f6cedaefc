import { Injectable } from '@nestjs/common';
import { type GraphRole } from '../access/access.decorator.js';
import { type GraphStanding } from '../access/graph-standing.js';
import { type Principal } from '../access/principal.js';
import { ServicePool } from '../database/service-pool.js';
import { GraphAccessError, GraphNotFoundError, GraphNotInKeyError, RecordNotFoundError } from './graphs.errors.js';

const rank = { viewer: 1, editor: 2, manager: 3, owner: 4 };

/** The role of a caller in a graph. Admins count as owners. */
export type HeldRole = GraphRole | 'owner';

export function includesRole(held: HeldRole, role: HeldRole): boolean {
  return rank[held] >= rank[role];
}

const roleSql = (graph: string): string =>
  `SELECT g.id, g.owner_id, m.role FROM graphs g LEFT JOIN graph_members m ON m.graph_id = g.id AND m.user_id = $2 WHERE g.id = ${graph}`;

interface RoleRow {
  id: number;
  owner_id: number;
  role: GraphRole | null;
}

const graphOf = {
  job: 'SELECT graph_id FROM ingestion_jobs WHERE id = $1',
  run: 'SELECT j.graph_id FROM ingestion_runs r JOIN ingestion_jobs j ON j.id = r.job_id WHERE r.id = $1',
  metric: 'SELECT graph_id FROM metrics WHERE id = $1',
};

/** Decides what a caller may do with a graph. */
@Injectable()
export class GraphAccessService {
  constructor(private readonly pool: ServicePool) {}

  /** The graph to which a record belongs. @throws RecordNotFoundError */
  async findGraphOf(kind: keyof typeof graphOf, id: number): Promise<number> {
    const { rows } = await this.pool.query<{ graph_id: number }>({ name: `graph-of-${kind}`, text: graphOf[kind], values: [id] });
    if (!rows[0]) throw new RecordNotFoundError(kind);
    return rows[0].graph_id;
  }

  /**
   * @throws GraphNotFoundError; GraphAccessError when the caller's role is too low; GraphNotInKeyError when the API key lacks the
   * graph.
   * @returns the caller's role
   */
  async require(principal: Principal, graphId: number, role: HeldRole): Promise<HeldRole> {
    const { rows } = await this.pool.query<RoleRow>({ name: 'graph-role', text: roleSql('$1'), values: [graphId, principal.userId] });
    if (!rows[0]) throw new GraphNotFoundError();
    return requireRole(principal, rows[0], role);
  }

  /**
   * Decides as `require` does, but from the caller's standing in the graph that was already read together with the account.
   * @returns the caller's role
   * @throws GraphNotFoundError, GraphAccessError, GraphNotInKeyError
   */
  judge(principal: Principal, { graphId: id, ownerId, role: held }: GraphStanding, role: HeldRole): HeldRole {
    if (ownerId === null) throw new GraphNotFoundError();
    return requireRole(principal, { id, owner_id: ownerId, role: held }, role);
  }

  /** Decides as `require` does, for the graph to which a record belongs. @throws RecordNotFoundError and the errors of `require` */
  async requireOf(
    principal: Principal,
    kind: keyof typeof graphOf,
    id: number,
    role: HeldRole,
  ): Promise<{ graphId: number; role: HeldRole }> {
    const text = roleSql(`(${graphOf[kind]})`);
    const { rows } = await this.pool.query<RoleRow>({ name: `graph-role-${kind}`, text, values: [id, principal.userId] });
    if (!rows[0]) throw new RecordNotFoundError(kind);
    return { graphId: rows[0].id, role: requireRole(principal, rows[0], role) };
  }

  /**
   * Whether a user still has a role in a graph, for work that was requested earlier. A user who is deleted or disabled, or who must change
   * the password, has no role.
   */
  async mayStill(userId: number, graphId: number, role: GraphRole): Promise<boolean> {
    const { rows } = await this.pool.query<{ role: HeldRole | null }>(
      `SELECT CASE WHEN u.is_admin OR g.owner_id = u.id THEN 'owner' ELSE m.role END AS role
       FROM users u JOIN graphs g ON g.id = $2 LEFT JOIN graph_members m ON m.graph_id = g.id AND m.user_id = u.id
       WHERE u.id = $1 AND u.disabled_at IS NULL AND NOT u.must_change_password`,
      [userId, graphId],
    );
    const held = rows[0]?.role ?? null;
    return held !== null && includesRole(held, role);
  }

  async isOwner(userId: number, graphId: number): Promise<boolean> {
    const { rowCount } = await this.pool.query('SELECT FROM graphs WHERE id = $1 AND owner_id = $2', [graphId, userId]);
    return rowCount === 1;
  }

  /** The ids of the graphs that the caller may see. Null means all graphs. */
  async listVisible({ userId, isAdmin, apiKey }: Principal): Promise<number[] | null> {
    if (isAdmin) return apiKey?.graphIds ?? null;
    const { rows } = await this.pool.query<{ id: number }>({
      name: 'visible-graphs',
      text: `SELECT id FROM graphs WHERE (owner_id = $1 OR id IN (SELECT graph_id FROM graph_members WHERE user_id = $1))
             AND ($2::int[] IS NULL OR id = ANY ($2))`,
      values: [userId, apiKey?.graphIds ?? null],
    });
    return rows.map(graph => graph.id);
  }

  /** Returns a function that checks by a graph's id whether the caller may see the graph. */
  async visibility(principal: Principal): Promise<(graphId: number) => boolean> {
    const visible = await this.listVisible(principal);
    const ids = new Set(visible);
    return graphId => visible === null || ids.has(graphId);
  }
}

/** The caller's role, if it includes the wanted role. Admins count as owners. @throws GraphNotInKeyError, GraphAccessError */
function requireRole({ isAdmin, userId, apiKey }: Principal, graph: RoleRow, role: HeldRole): HeldRole {
  if (apiKey && !apiKey.graphIds.includes(graph.id)) throw new GraphNotInKeyError();
  const held = isAdmin || graph.owner_id === userId ? 'owner' : graph.role;
  if (held === null || !includesRole(held, role)) throw new GraphAccessError(role);
  return held;
}
