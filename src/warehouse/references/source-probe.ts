import { ApiError } from '../../common/errors/api-error.js';
import { type TimeLeft } from '../../common/turns/time-left.js';
import { type TableColumn } from '../clients/warehouse.client.js';
import { type UsableConnection } from '../warehouse.service.js';
import { countKeySql, overlapSql } from './probe-sql.js';
import { type SourceTable } from './source-table.js';

const statementMs = 3_000;
const sampledRows = 10_000;

export interface KeyCount {
  rows: number;
  /** Rows that have a value in each of the columns. */
  filled: number;
  distinct: number;
  /** True if only some rows of the table were read. */
  isSample: boolean;
}

/** The number of distinct values that were looked up, and how many of them are keys of the other table. */
export type Overlap = Record<'sampled' | 'found', number>;

/**
 * Counts rows and values in a source, with one short statement after the other, until its time is over. A count is null if the source did
 * not return it in time.
 */
export class SourceProbe {
  /** True if a count failed or was left out for lack of time. */
  isIncomplete = false;

  constructor(
    private readonly connection: UsableConnection,
    private readonly time: TimeLeft,
  ) {}

  /** Whether the time is over. If so, reading this property also sets `isIncomplete`. */
  get isOver(): boolean {
    this.isIncomplete ||= this.time.isOver;
    return this.time.isOver;
  }

  async countKey(table: SourceTable, columns: string[], { mayBeSample = false } = {}): Promise<KeyCount | null> {
    const of = columns.map(column => columnOf(table, column));
    const { client } = this.connection;
    const whole = await this.read(countKeySql(client, table.name, of, null), !mayBeSample);
    if (whole) return { rows: whole[0]!, filled: whole[1]!, distinct: whole[2]!, isSample: false };
    const some = mayBeSample ? await this.read(countKeySql(client, table.name, of, sampledRows), true) : null;
    return some && { rows: some[0]!, filled: some[1]!, distinct: some[2]!, isSample: true };
  }

  async overlap(from: { table: SourceTable; column: string }, to: { table: SourceTable; column: string }): Promise<Overlap | null> {
    const ends = [from, to].map(({ table, column }) => ({ table: table.name, column: columnOf(table, column) }));
    const counts = await this.read(overlapSql(this.connection.client, ends[0]!, ends[1]!), true);
    return counts && { sampled: counts[0]!, found: counts[1]! };
  }

  /**
   * Reads counts from the source; null if the source takes too long, is busy, or refuses the statement. `isLast`: no smaller count follows.
   */
  private async read(sql: string, isLast: boolean): Promise<number[] | null> {
    const counts = this.time.isOver ? null : await this.readNow(sql);
    if (counts === null && isLast) this.isIncomplete = true;
    return counts;
  }

  private async readNow(sql: string): Promise<number[] | null> {
    const { client, claim } = this.connection;
    const timeoutMs = Math.min(statementMs, this.time.ms);
    try {
      const { rows } = await client.query({ claim, isShort: true, sql, parameters: [], timeoutMs, maxRows: 1 });
      return rows[0]!.map(Number);
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  }
}

function columnOf({ columns }: SourceTable, name: string): TableColumn {
  return columns.find(column => column.name === name)!;
}
