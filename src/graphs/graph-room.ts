import { type Settings } from '../config/settings.js';
import { mebibyte, StorageRoom } from '../database/storage-room.js';

/** Bytes of the tables of graphs, with their indexes. */
export interface GraphUse {
  /** Of the graph that is written. */
  this: number;
  /** Of all other graphs of its owner. */
  others: number;
  ownerIsAdmin: boolean;
}

/** The room that a graph has, beside all others of its owner. Admins set the bound, so their graphs have none. */
export function graphRoom({ others, ownerIsAdmin }: GraphUse, { graphsMaxMbPerUser }: Pick<Settings, 'graphsMaxMbPerUser'>): StorageRoom {
  if (ownerIsAdmin) return new StorageRoom([]);
  return new StorageRoom([
    {
      setting: 'GRAPHS_MAX_MB_PER_USER',
      counted: { zh: '该图所有者的全部图', en: 'all graphs of the owner of this one together' },
      remedy: { zh: '删除不再使用的图（DELETE /api/graphs/{id}）', en: 'Delete graphs that are no longer used (DELETE /api/graphs/{id})' },
      maxBytes: graphsMaxMbPerUser * mebibyte,
      otherBytes: others,
    },
  ]);
}
