import { type Target } from '../staging/target.js';
import { type StepTime } from './progress-report.js';
import { type RunInputs } from './run-inputs.js';

/**
 * The counts of a run for one target. Every row read is counted once: in `inserted`, `updated`, `unchanged`, `rejected` or `skipped`, or in
 * `marked_deleted` if the row marks its element as deleted. The other counts are numbers of elements of the graph. `deleted` counts removed
 * elements. `lost_properties` counts elements that stay and that no row changed, but that lost properties which only this job mapped.
 * `edges_removed` counts edges that went with deleted nodes. `shared` counts elements of other jobs that this job yields from now on too.
 * `stubs_created` counts the nodes that edges made for their ends.
 */
export interface TargetReport {
  target: string;
  kind: 'node' | 'edge';
  state: 'waiting' | 'staging' | 'staged' | 'writing' | 'done';
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  deleted: number;
  rejected: number;
  skipped: number;
  marked_deleted: number;
  lost_properties: number;
  edges_removed: number;
  shared: number;
  stubs_created: number;
}

/** The number of rows read that are to be written. */
export function goodCount({ read, rejected, skipped, marked_deleted: gone }: TargetReport): number {
  return read - rejected - skipped - gone;
}

export interface RunWarning {
  code: string;
  target: string;
  count: number;
  message: string;
  [more: string]: unknown;
}

export interface RejectedSample {
  target: string;
  row_no: number;
  source_key: string | null;
  reasons: Reason[];
  sample: Record<string, unknown>;
}

/** One reason why a row was rejected, in both languages. */
export interface Reason {
  rule: string;
  column: string | null;
  property: string | null;
  en: string;
  zh: string;
}

/** The tables, rows and bytes that were copied from a source in another database. */
export interface CopiedCounts {
  tables: number;
  rows: number;
  bytes: number;
}

export interface SourceReport {
  connection: string;
  /** `snapshot`: all tables are read as of one moment. `statement`: each table is read as of one moment, but these moments may differ. */
  guarantee: 'snapshot' | 'statement';
  /** The tables, rows and bytes that were copied. Null for the mirror, whose rows are staged without a copy. */
  copied: CopiedCounts | null;
}

export interface RunReport {
  /** The source of the run; null until it has been described. */
  source: SourceReport | null;
  targets: TargetReport[];
  totals: Omit<TargetReport, 'target' | 'kind' | 'state'>;
  /** The number of stubs that were removed because they lost their last edge. Stubs belong to no target. */
  stubs_removed: number;
  /**
   * The inputs of the run. Null until they have been read. Also null if the outcome of the run depends on anything that they do not
   * contain.
   */
  inputs: RunInputs | null;
  /**
   * The last success, if this run would only repeat it. Then nothing was read, and the counts are those of the last success. Absent if the
   * run did its work.
   */
  unchanged_source?: { run_id: number; data_versions: Record<string, number>; message: string };
  /** Rows read per second over the whole run. Null until the run has ended, and for a run that only repeats the last success. */
  rows_per_s: number | null;
  duration_ms: number | null;
  /** The steps that have ended, in their order. */
  steps: StepTime[];
  graph_version: number | null;
  cursors: Record<string, { from: string | null; to: string | null }>;
  warnings: RunWarning[];
  rejected_sample: RejectedSample[];
  /**
   * The tables of the graph that got upkeep after the run: `analyzed` have new statistics, `vacuumed` have their space freed. Absent if
   * nothing was done.
   */
  upkeep?: { analyzed: ('nodes' | 'edges')[]; vacuumed: ('nodes' | 'edges')[] };
}

const mostSampled = { rows: 100, characters: 256 * 1024 };

const noCounts: RunReport['totals'] = {
  read: 0,
  inserted: 0,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  rejected: 0,
  skipped: 0,
  marked_deleted: 0,
  lost_properties: 0,
  edges_removed: 0,
  shared: 0,
  stubs_created: 0,
};
const countNames = Object.keys(noCounts) as (keyof RunReport['totals'])[];

export function emptyTarget({ name, kind }: Pick<Target, 'name' | 'kind'>): TargetReport {
  return { target: name, kind, state: 'waiting', ...noCounts };
}

export function emptyReport(targets: Target[]): RunReport {
  return {
    source: null,
    inputs: null,
    targets: targets.map(emptyTarget),
    totals: { ...noCounts },
    stubs_removed: 0,
    rows_per_s: null,
    duration_ms: null,
    steps: [],
    graph_version: null,
    cursors: {},
    warnings: [],
    rejected_sample: [],
  };
}

export function addTotals(report: RunReport): void {
  for (const count of countNames) report.totals[count] = report.targets.reduce((sum, target) => sum + target[count], 0);
}

/** Sets all counts of written rows to 0, because a run that did not commit has written nothing. */
export function withoutWrites(report: RunReport): RunReport {
  const { read: _read, rejected: _rejected, skipped: _skipped, marked_deleted: _marked, ...none } = noCounts;
  const targets = (report.targets ?? []).map(target => ({ ...target, ...none }));
  return { ...report, targets, totals: { ...report.totals, ...none }, stubs_removed: 0 };
}

/** Adds the first rejected rows of a run to its report: at most 100 rows, and at most 256 Ki characters of JSON. */
export function addSamples({ rejected_sample: shown }: RunReport, rows: RejectedSample[]): void {
  let left = mostSampled.characters - JSON.stringify(shown).length;
  for (const row of rows) {
    left -= JSON.stringify(row).length;
    if (shown.length >= mostSampled.rows || left < 0) return;
    shown.push(row);
  }
}

/** Bytes of the rejected rows that a report shows; 0 if it shows none. */
export function sampleBytes({ rejected_sample: shown }: RunReport): number {
  return shown.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(shown));
}
