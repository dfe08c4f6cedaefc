import { type Settings } from '../config/settings.js';
import { mebibyte, StorageRoom } from '../database/storage-room.js';

/** Bytes of the tables of graphs, with their indexes, as runs have left them. */
export interface GraphUse {
  graphBytes: number;
  /** Bytes of all other graphs of the owner. */
  otherBytes: number;
  ownerIsAdmin: boolean;
}

/**
 * The room that a graph has, beside all others of its owner, and never less than it takes already. Admins set the bound, so their
 * graphs have none.
 */
export function graphRoom(
  { graphBytes, otherBytes, ownerIsAdmin }: GraphUse,
  { graphsMaxMbPerUser }: Pick<Settings, 'graphsMaxMbPerUser'>,
): StorageRoom {
  if (ownerIsAdmin) return new StorageRoom([]);
  const maxBytes = graphsMaxMbPerUser * mebibyte;
  return new StorageRoom([
    {
      setting: 'GRAPHS_MAX_MB_PER_USER',
      counted: { zh: '该图所有者的全部图', en: 'all graphs of the owner of this one together' },
      remedy: { zh: '删除不再使用的图（DELETE /api/graphs/{id}）', en: 'Delete graphs that are no longer used (DELETE /api/graphs/{id})' },
      maxBytes,
      otherBytes: Math.min(otherBytes, maxBytes - graphBytes),
    },
  ]);
}
