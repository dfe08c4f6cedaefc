import { type GraphTables, graphTables } from '../../database/graph-tables.js';
import { GraphChanges } from './graph-changes.js';

/** The tables that a run writes to. The caller holds the lock that makes the run the only writer of the graph. */
export interface WriteScope extends GraphTables {
  graphId: number;
  jobId: number;
  runId: number;
  /** True if `edges` is a separate new table, which replaces the graph's edge table at the end of the run. */
  isApart: boolean;
  /** Every change of the graph's nodes and edges goes through this object. */
  changes: GraphChanges;
}

export function writeScope(graphId: number, jobId: number, runId: number): WriteScope {
  return { graphId, jobId, runId, isApart: false, changes: new GraphChanges(), ...graphTables(graphId) };
}
