import { type Settings } from '../config/settings.js';
import { mebibyte, StorageRoom } from '../database/storage-room.js';

/** The bytes of the tables of graphs, with their indexes, as measured at the end of each graph's last run. */
export interface GraphUse {
  graphBytes: number;
  /** The bytes of all other graphs of the same owner. */
  otherBytes: number;
  ownerIsAdmin: boolean;
}

/**
 * The bytes that a graph may take: `GRAPHS_MAX_MB_PER_USER` without the other graphs of its owner, but never less than the graph takes now.
 * The graphs of admins have no bound, because admins set the bound.
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
