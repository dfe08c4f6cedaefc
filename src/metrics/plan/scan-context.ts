import { type FieldProblem } from '../../common/errors/api-error.js';
import { type FilterChecks } from './filter-checks.js';
import { type TimePlan } from './compile-time.js';
import { type MetricRequest } from './metric-request.js';
import { type Scan } from './plan-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

export interface ScanContext {
  /** All scans of the statement, in the order of their parts. */
  scans: readonly Scan[];
  request: MetricRequest;
  time: TimePlan;
  /** Whether any scan of the statement has totals, so that all tell the level of a row. */
  isLevelled: boolean;
  assembly: SqlAssembly;
  problems: FieldProblem[];
  /** The filters of the request, as checked so far. */
  checks: FilterChecks;
}

/** A FROM item that lists the starts of periods. */
export interface PeriodSource {
  from: string;
  start: string;
  /** The parts of the WITH list that it reads. */
  parts: readonly string[];
}

/** A scan in the WITH list of the statement. */
export interface CompiledScan {
  /** The parts that read rows. */
  reading: string[];
  /** A SELECT of local times between which the rows lie. */
  days: string;
  /** The parts that join the periods of the statement, which are known only when all scans have been read. Null if there are none. */
  joining: ((periods: PeriodSource) => string[]) | null;
}
