import { type Request } from 'express';
import { type GraphRole } from './access.decorator.js';

/** The relation of a user to a graph: owner, member or neither. One statement reads it together with the user's account. */
export interface GraphStanding {
  graphId: number;
  /** The id of the graph's owner; null when the graph does not exist. */
  ownerId: number | null;
  /** The role of a member. Null for the owner and for users who are not members. */
  role: GraphRole | null;
}

type ReadRequest = Request & { standing?: GraphStanding & { readAtMs: number } };

/**
 * Milliseconds for which a standing that was read may be used. A body may take half a minute to arrive, and a user who loses the role in
 * that time must be refused.
 */
const keptMs = 1_000;

export function rememberStanding(request: Request, standing: GraphStanding): void {
  (request as ReadRequest).standing = { ...standing, readAtMs: performance.now() };
}

/** The standing that was read for this request and this graph within the last second; otherwise null. */
export function recentStanding(request: Request, graphId: number): GraphStanding | null {
  const { standing } = request as ReadRequest;
  return standing?.graphId === graphId && performance.now() - standing.readAtMs < keptMs ? standing : null;
}
