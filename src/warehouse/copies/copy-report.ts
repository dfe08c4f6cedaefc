import { type Bilingual, joined } from '../../text/bilingual.js';

/** The outcome of a run, or of its part for one table, as records and answers show it. */
export interface CopyProblem {
  code: string;
  detail: string;
  context?: Record<string, unknown>;
}

export interface TableReport {
  /** `copied` is not visible yet: all tables of a copy change at one moment. A failed run changes none. */
  status: 'waiting' | 'copying' | 'copied' | 'succeeded' | 'failed' | 'unchanged';
  /** Whether all rows were read, or only those from the last cursor on. */
  reads: 'all' | 'since' | null;
  rows: number;
  bytes: number;
  seconds: number;
  /** Rows that are new in the table, and those that an update by the key changed. */
  inserted: number;
  updated: number;
  /** The first of the columns that were not copied, and the number of all of them. */
  left_out: { column: string; native_type: string; reason: string }[];
  left_out_count: number;
  warnings: CopyProblem[];
  problem: CopyProblem | null;
}

export interface CopyReport {
  /**
   * Promise of the source: `snapshot` for all tables of one moment, `statement` for each table of a moment of its own; null until it is
   * known.
   */
  guarantee: 'snapshot' | 'statement' | null;
  rows: number;
  bytes: number;
  seconds: number;
  /** In the order of the tables of the copy. */
  tables: TableReport[];
}

export function emptyCopyReport(tables: number): CopyReport {
  const waiting = (): TableReport => ({
    status: 'waiting',
    reads: null,
    rows: 0,
    bytes: 0,
    seconds: 0,
    inserted: 0,
    updated: 0,
    left_out: [],
    left_out_count: 0,
    warnings: [],
    problem: null,
  });
  return { guarantee: null, rows: 0, bytes: 0, seconds: 0, tables: Array.from({ length: tables }, waiting) };
}

export function warn(report: TableReport, code: string, text: Bilingual): void {
  report.warnings.push({ code, detail: joined(text) });
}

/** The report of a run that changed nothing: counts of what was read stay, counts of what was written go. */
export function withoutWrites(report: CopyReport, problem: CopyProblem | null): CopyReport {
  const failed = report.tables.findIndex(({ status }) => status === 'copying');
  const tables = report.tables.map((table, index): TableReport => {
    const isCause = index === failed && problem !== null;
    return { ...table, inserted: 0, updated: 0, status: isCause ? 'failed' : 'unchanged', problem: isCause ? problem : null };
  });
  return { ...report, tables };
}
