import { ApiError } from '../../common/errors/api-error.js';
import { RunFailure } from '../../common/errors/run-failure.js';
import { type Settings } from '../../config/settings.js';
import { type Bilingual } from '../../text/bilingual.js';

/** A file's text may take this many times the room that its table has: PostgreSQL packs long texts. */
const packed = 2;
const mebibyte = 1_048_576;

/** The bounds of the mirror, and who they are for. */
const bounds = {
  user: {
    setting: 'MIRROR_MAX_MB_PER_USER',
    whose: { zh: '最后由您导入的各表', en: 'the tables that you were the last to load' },
  },
  all: { setting: 'MIRROR_MAX_MB', whose: { zh: '镜像的全部表', en: 'all tables of the mirror together' } },
} satisfies Record<string, { setting: string; whose: Bilingual }>;

/** 409: the mirror has no room for the rows. */
export class MirrorFullError extends ApiError {
  constructor(bound: keyof typeof bounds, { needed, left, most }: { needed: number; left: number; most: number }) {
    const { setting, whose } = bounds[bound];
    const [needs, has, allowed] = [needed, Math.max(0, left), most].map(bytes => (bytes / mebibyte).toFixed(1));
    super(
      409,
      'quota_reached',
      {
        zh: `这些行至少需要 ${needs} MiB，而${whose.zh}在 ${allowed} MiB（${setting}）中只剩 ${has} MiB，什么都没有改变；请删除不再使用的表（DELETE …/tables/{table}），减少行，或请管理员调高 ${setting}`,
        en: `The rows need ${needs} MiB or more, and ${whose.en} have ${has} MiB left of ${allowed} MiB (${setting}); nothing was changed. Drop tables that are no longer used (DELETE …/tables/{table}), load fewer rows, or ask an administrator to raise ${setting}`,
      },
      { context: { most, left: Math.max(0, left), needed } },
    );
  }

  /** The same for the record of a copy. */
  toFailure(): RunFailure {
    return new RunFailure(this.code, this.text, this.context);
  }
}

/** Bytes of tables in the mirror. */
export interface MirrorUse {
  /** Of the tables that are loaded. */
  these: number;
  /** Of all other tables that the user was the last to load. */
  own: number;
  /** Of all other tables. */
  all: number;
  isAdmin: boolean;
}

/** The room that a load has, beside all tables but its own. */
export class MirrorRoom {
  private readonly left: [bound: keyof typeof bounds, left: number, most: number][];

  constructor({ own, all, isAdmin }: MirrorUse, settings: Pick<Settings, 'mirrorMaxMb' | 'mirrorMaxMbPerUser'>) {
    const [ofUser, ofAll] = [settings.mirrorMaxMbPerUser * mebibyte, settings.mirrorMaxMb * mebibyte];
    this.left = [['all', ofAll - all, ofAll]];
    // Admins set the bounds, as they set the other quotas.
    if (!isAdmin) this.left.unshift(['user', ofUser - own, ofUser]);
  }

  /** @throws MirrorFullError for tables of so many bytes */
  require(needed: number): void {
    for (const [bound, left, most] of this.left) if (needed > left) throw new MirrorFullError(bound, { needed, left, most });
  }

  /** @throws MirrorFullError for rows whose text shows that their table will not fit. The table itself is measured at the end. */
  requireForText(bytes: number): void {
    this.require(bytes / packed);
  }
}
