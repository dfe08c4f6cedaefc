import { Injectable } from '@nestjs/common';
import { type Principal } from '../../access/principal.js';
import { TimeLeft } from '../../common/turns/time-left.js';
import { TurnTooLongError } from '../../common/errors/common-errors.js';
import { BusyError } from '../../common/errors/api-error.js';
import { isDatabaseAway } from '../../common/errors/run-failure.js';
import { TableInUseError } from '../warehouse.errors.js';

/** Maximum number of records of one kind that are checked for a table. */
export const mostPossible = 1_000;
const mostShown = 100;
/** Maximum time in milliseconds for checking records. The remaining records then count as unchecked. */
const longestMs = 5_000;

export const readerKinds = ['jobs', 'metrics', 'mirror_copies'] as const;
export type ReaderKind = (typeof readerKinds)[number];

/** A saved record that names a table of the mirror, and perhaps reads it. */
export interface PossibleReader {
  id: number;
  /** Whether the caller may see the record. */
  isVisible: boolean;
  reads: () => Promise<boolean>;
}

/** Finds the records that may read a table: at most `mostPossible`, and one more if there are more. */
export type FindReaders = (principal: Principal, table: string) => Promise<PossibleReader[]>;

/** Finds the saved records that read a table of the mirror. Each feature registers how to find the records of its kind. */
@Injectable()
export class TableReaders {
  private readonly finders = new Map<ReaderKind, FindReaders>();

  /** Call this method before the application has started. */
  register(kind: ReaderKind, find: FindReaders): void {
    this.finders.set(kind, find);
  }

  /**
   * @throws TableInUseError with the ids that the caller may see (at most 100 of each kind), the number of other readers, and the number of
   *   unchecked records. All records beyond `mostPossible` count as one.
   */
  async requireNone(principal: Principal, table: string): Promise<void> {
    const time = new TimeLeft(longestMs);
    const shown = { jobs: [] as number[], metrics: [] as number[], mirror_copies: [] as number[] };
    let others = 0;
    let unchecked = 0;
    for (const [kind, find] of this.finders) {
      for (const [index, { id, isVisible, reads }] of (await find(principal, table)).entries()) {
        const isReader = index < mostPossible && !time.isOver ? await inTime(reads) : null;
        if (isReader === null) unchecked++;
        if (!isReader) continue;
        if (isVisible && shown[kind].length < mostShown) shown[kind].push(id);
        else others++;
      }
    }
    const isInUse = others > 0 || unchecked > 0 || Object.values(shown).some(ids => ids.length > 0);
    if (isInUse) throw new TableInUseError(table, { ...shown, others, unchecked });
  }
}

/** Returns whether a record reads the table; null if the check takes too long. The record may be another user's. */
async function inTime(reads: () => Promise<boolean>): Promise<boolean | null> {
  try {
    return await reads();
  } catch (error) {
    if (error instanceof TurnTooLongError || (error instanceof BusyError && !isDatabaseAway(error))) return null;
    throw error;
  }
}

/**
 * The longest run of letters and digits in a table's name. However a text quotes the name, it contains this run, perhaps in another case.
 * The database folds the case of both, because JavaScript folds some letters differently.
 */
export function soughtIn(table: string): string {
  const runs = table.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [table];
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
}
