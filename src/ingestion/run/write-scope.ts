import { type GraphTables, graphTables } from '../../database/graph-tables.js';
import { GraphChanges } from './graph-changes.js';

/** The tables that a run writes to. The caller holds the lock that makes it the graph's only writer. */
export interface WriteScope extends GraphTables {
  graphId: number;
  jobId: number;
  runId: number;
  /** `edges` is a new table of this run, which takes the place of the graph's at its end. */
  isApart: boolean;
  /** Makes every change of the graph's nodes and edges. */
  changes: GraphChanges;
}

export function writeScope(graphId: number, jobId: number, runId: number): WriteScope {
  return { graphId, jobId, runId, isApart: false, changes: new GraphChanges(), ...graphTables(graphId) };
}
