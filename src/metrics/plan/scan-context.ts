import { type FieldProblem } from '../../common/errors/api-error.js';
import { type FilterChecks } from './filter-checks.js';
import { type TimePlan } from './compile-time.js';
import { type MetricRequest } from './metric-request.js';
import { type Scan } from './plan-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

export interface ScanContext {
  /** All scans of the statement, in the order of their parts `f0`, `f1` and so on. */
  scans: readonly Scan[];
  request: MetricRequest;
  time: TimePlan;
  /** Whether any scan of the statement has totals. Then the rows of all scans have a `level`. */
  isLevelled: boolean;
  assembly: SqlAssembly;
  problems: FieldProblem[];
  /** The checks of the request's filters, which keep their results. */
  checks: FilterChecks;
}

/** A FROM item that lists periods. `start` is the SQL of a period's start. */
export interface PeriodSource {
  from: string;
  start: string;
  /** The parts of the WITH list that `from` reads. */
  parts: readonly string[];
}

/** A scan as parts of the WITH list. */
export interface CompiledScan {
  /** The parts that read rows of tables. */
  reading: string[];
  /**
   * A SELECT of times. The rows of the scan lie between the earliest and the latest of them. Empty if no periods are derived from this
   * scan.
   */
  days: string;
  /**
   * Returns the parts that join with the periods of the statement. The periods are known only after the parts in `reading` of all scans.
   * Null if the scan does not join periods.
   */
  joining: ((periods: PeriodSource) => string[]) | null;
}
