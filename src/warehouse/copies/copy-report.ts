import { type Bilingual, joined } from '../../text/bilingual.js';

/** A failure or warning of a run, or of one table of a run, as records and answers show it. */
export interface CopyProblem {
  code: string;
  detail: string;
  context?: Record<string, unknown>;
}

export interface TableReport {
  /**
   * `copied`: the rows have been copied but are not visible yet, since all tables of a copy change at one moment. A failed run changes no
   * table.
   */
  status: 'waiting' | 'copying' | 'copied' | 'succeeded' | 'failed' | 'unchanged';
  /** Whether all rows were read, or only rows whose cursor is at least the last one; null until this is known. */
  reads: 'all' | 'since' | null;
  rows: number;
  bytes: number;
  seconds: number;
  /** The number of rows that were added to the table, and the number of rows that were changed because their key existed. */
  inserted: number;
  updated: number;
  /** The first columns that were not copied, and the number of all columns that were not copied. */
  left_out: { column: string; native_type: string; reason: string }[];
  left_out_count: number;
  warnings: CopyProblem[];
  problem: CopyProblem | null;
}

export interface CopyReport {
  /**
   * Guarantee of the source. `snapshot`: the copied tables are all as of one moment. `statement`: each table is as of a moment of its own.
   * Null until the guarantee is known.
   */
  guarantee: 'snapshot' | 'statement' | null;
  rows: number;
  bytes: number;
  seconds: number;
  /** The tables' reports, in the order of the copy's tables. */
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

/** The report of a run that changed no table: the counts of rows read stay, and the counts of rows written are removed. */
export function withoutWrites(report: CopyReport, problem: CopyProblem | null): CopyReport {
  const failed = report.tables.findIndex(({ status }) => status === 'copying');
  const tables = report.tables.map((table, index): TableReport => {
    const isCause = index === failed && problem !== null;
    return { ...table, inserted: 0, updated: 0, status: isCause ? 'failed' : 'unchanged', problem: isCause ? problem : null };
  });
  return { ...report, tables };
}
