import { ApiError } from '../common/errors/api-error.js';
import { RunFailure } from '../common/errors/run-failure.js';
import { type Bilingual } from '../text/bilingual.js';

/** A file's text may take this many times the room that its table has: PostgreSQL packs long texts. */
const packed = 2;
export const mebibyte = 1_048_576;

/** A bound of stored bytes. */
export interface StorageBound {
  setting: string;
  /** Name of the data that is counted together, as the subject of a sentence. */
  counted: Bilingual;
  /** Action that frees room, as an imperative. */
  remedy: Bilingual;
  maxBytes: number;
  /** All that is counted, except what is written now. */
  otherBytes: number;
}

/** 409: the rows do not fit into the room that is left. */
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

  /** The same for the record of a copy. */
  toFailure(): RunFailure {
    return new RunFailure(this.code, this.text, this.context);
  }
}

/** The room for what is written, beside all else that its bounds count. */
export class StorageRoom {
  constructor(private readonly bounds: StorageBound[]) {}

  /** Null where nothing bounds it. */
  get leftBytes(): number | null {
    return this.bounds.length === 0 ? null : Math.min(...this.bounds.map(({ maxBytes, otherBytes }) => maxBytes - otherBytes));
  }

  /** The room that is left once so many further bytes are counted. */
  beside(bytes: number): StorageRoom {
    return new StorageRoom(this.bounds.map(bound => ({ ...bound, otherBytes: bound.otherBytes + bytes })));
  }

  /** @throws StorageFullError */
  require(neededBytes: number): void {
    for (const bound of this.bounds) if (neededBytes > bound.maxBytes - bound.otherBytes) throw new StorageFullError(bound, neededBytes);
  }

  /** @throws StorageFullError for rows whose text shows that their table will not fit. The table itself is measured at the end. */
  requireForText(textBytes: number): void {
    this.require(textBytes / packed);
  }
}
