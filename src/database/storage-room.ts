import { ApiError } from '../common/errors/api-error.js';
import { RunFailure } from '../common/errors/run-failure.js';
import { type Bilingual } from '../text/bilingual.js';

/** A file may have up to this many times the bytes of its table, because PostgreSQL compresses long texts. */
const packed = 2;
export const mebibyte = 1_048_576;

/** A limit on stored bytes. */
export interface StorageBound {
  setting: string;
  /** The name of the data that counts towards the limit, as the subject of a sentence. */
  counted: Bilingual;
  /** The action that frees room, as an imperative. */
  remedy: Bilingual;
  maxBytes: number;
  /** The bytes that already count towards the limit, without the data that is being written. */
  otherBytes: number;
}

/** 409: the rows do not fit into the room that a limit leaves. */
export class StorageFullError extends ApiError {
  constructor({ setting, counted, remedy, maxBytes, otherBytes }: StorageBound, neededBytes: number) {
    const leftBytes = Math.max(0, maxBytes - otherBytes);
    const [needed, left, most] = [neededBytes, leftBytes, maxBytes].map(bytes => (bytes / mebibyte).toFixed(1));
    super(
      409,
      'quota_reached',
      {
        zh: `这些行至少需要 ${needed} MiB，而${counted.zh}在 ${most} MiB（${setting}）中只剩 ${left} MiB，什么都没有改变；请${remedy.zh}，减少行，或请管理员调高 ${setting}`,
        en: `The rows need ${needed} MiB or more, and ${counted.en} have ${left} MiB left of ${most} MiB (${setting}); nothing was changed. ${remedy.en}, load fewer rows, or ask an administrator to raise ${setting}`,
      },
      { context: { most: maxBytes, left: leftBytes, needed: neededBytes } },
    );
  }

  /** This error as the failure of a run, for the record of a copy's run. */
  toFailure(): RunFailure {
    return new RunFailure(this.code, this.text, this.context);
  }
}

/** The room that several limits leave for the data that is being written. */
export class StorageRoom {
  constructor(private readonly bounds: StorageBound[]) {}

  /** The bytes that may still be written; null if no limit applies. */
  get leftBytes(): number | null {
    return this.bounds.length === 0 ? null : Math.min(...this.bounds.map(({ maxBytes, otherBytes }) => maxBytes - otherBytes));
  }

  /** The room that is left after `bytes` more are counted. */
  beside(bytes: number): StorageRoom {
    return new StorageRoom(this.bounds.map(bound => ({ ...bound, otherBytes: bound.otherBytes + bytes })));
  }

  /** Refuses data that does not fit. @throws StorageFullError */
  require(neededBytes: number): void {
    for (const bound of this.bounds) if (neededBytes > bound.maxBytes - bound.otherBytes) throw new StorageFullError(bound, neededBytes);
  }

  /**
   * Refuses a text whose table will not fit even if PostgreSQL compresses it to half. The table itself is measured after it is written.
   * @throws StorageFullError
   */
  requireForText(textBytes: number): void {
    this.require(textBytes / packed);
  }
}
