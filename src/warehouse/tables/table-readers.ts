import { Injectable } from '@nestjs/common';
import { type Principal } from '../../access/principal.js';
import { TimeLeft } from '../../common/turns/time-left.js';
import { TableInUseError } from '../warehouse.errors.js';

/** The most records of one kind that are looked through for a table. */
export const mostPossible = 1_000;
const mostShown = 100;
/** The longest time in milliseconds for looking through records. Those that are left then count as readers. */
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

/** Finds the records that may read a table, at most `mostPossible`. */
export type FindReaders = (principal: Principal, table: string) => Promise<PossibleReader[]>;

/** Knows which saved records read a table of the mirror. The feature that owns a kind of records registers how to find them. */
@Injectable()
export class TableReaders {
  private readonly finders = new Map<ReaderKind, FindReaders>();

  /** Call this method before the application has started. */
  register(kind: ReaderKind, find: FindReaders): void {
    this.finders.set(kind, find);
  }

  /** @throws TableInUseError with the ids that the caller may see, at most 100 of each kind, and the number of the other readers */
  async requireNone(principal: Principal, table: string): Promise<void> {
    const time = new TimeLeft(longestMs);
    const shown = { jobs: [] as number[], metrics: [] as number[], mirror_copies: [] as number[] };
    let others = 0;
    for (const [kind, find] of this.finders) {
      for (const { id, isVisible, reads } of await find(principal, table)) {
        if (!time.isOver && !(await reads())) continue;
        if (isVisible && shown[kind].length < mostShown) shown[kind].push(id);
        else others++;
      }
    }
    if (others > 0 || Object.values(shown).some(ids => ids.length > 0)) throw new TableInUseError(table, { ...shown, others });
  }
}

/**
 * The longest run of letters and digits of a table's name, in lower case. A text that names the table has it, however the name is quoted
 * there.
 */
export function soughtIn(table: string): string {
  const runs = table.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [table.toLowerCase()];
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
}
