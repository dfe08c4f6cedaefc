import { type Request } from 'express';
import { type GraphRole } from './access.decorator.js';

/** Relation of a user to a graph: owner, member or neither. One statement reads it together with the account. */
export interface GraphStanding {
  graphId: number;
  /** Null when the graph does not exist. */
  ownerId: number | null;
  /** The role of a member; null for others, and for the owner. */
  role: GraphRole | null;
}

type ReadRequest = Request & { standing?: GraphStanding & { readAtMs: number } };

/** A body may take half a minute to arrive, and who loses a role meanwhile must not pass. */
const keptMs = 1_000;

export function rememberStanding(request: Request, standing: GraphStanding): void {
  (request as ReadRequest).standing = { ...standing, readAtMs: performance.now() };
}

/** The standing that was read for this request and this graph within the last second; null otherwise. */
export function recentStanding(request: Request, graphId: number): GraphStanding | null {
  const { standing } = request as ReadRequest;
  return standing?.graphId === graphId && performance.now() - standing.readAtMs < keptMs ? standing : null;
}
