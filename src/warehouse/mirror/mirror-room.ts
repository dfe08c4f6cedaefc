import { type Settings } from '../../config/settings.js';
import { mebibyte, type StorageBound, StorageRoom } from '../../database/storage-room.js';

const remedy = { zh: '删除不再使用的表（DELETE …/tables/{table}）', en: 'Drop tables that are no longer used (DELETE …/tables/{table})' };

/** The bytes that tables of the mirror take, as seen by one load. */
export interface MirrorUse {
  /** Bytes of the tables that this load replaces or extends. */
  these: number;
  /** Bytes of all other tables whose last load was by the same user. */
  own: number;
  /** Bytes of all tables of the mirror except those that this load replaces or extends. */
  all: number;
  isAdmin: boolean;
}

/**
 * The room that a load has in the mirror, when the bytes of all other tables are subtracted. The limit per user does not apply to admins,
 * who set the limits.
 */
export function mirrorRoom(
  { own, all, isAdmin }: MirrorUse,
  { mirrorMaxMb, mirrorMaxMbPerUser }: Pick<Settings, 'mirrorMaxMb' | 'mirrorMaxMbPerUser'>,
): StorageRoom {
  const ofUser: StorageBound = {
    setting: 'MIRROR_MAX_MB_PER_USER',
    counted: { zh: '最后由您导入的各表', en: 'the tables that you were the last to load' },
    remedy,
    maxBytes: mirrorMaxMbPerUser * mebibyte,
    otherBytes: own,
  };
  const ofAll: StorageBound = {
    setting: 'MIRROR_MAX_MB',
    counted: { zh: '镜像的全部表', en: 'all tables of the mirror together' },
    remedy,
    maxBytes: mirrorMaxMb * mebibyte,
    otherBytes: all,
  };
  return new StorageRoom(isAdmin ? [ofAll] : [ofUser, ofAll]);
}
