import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { reserveOf, roomOf } from '../../../database/disk-room.js';
import { bytesOf } from '../../../graph-index/shared-arrays.js';
import { readSnapshot, writeSnapshot } from '../../../graph-index/snapshot-file.js';
import { type PartKey } from '../threads/shared-parts.js';
import { type LoadRoom } from './load-room.js';
import { version as release } from '../../../config/version.js';

/** Version of the record format. Raise it when a record gets other arrays, or when texts are folded (normalised) in another way. */
const recordForm = 2;

/**
 * Only parts of at least this many bytes are kept as files: reading a smaller part from PostgreSQL takes no longer than reading its file.
 */
const leastBytes = 1_048_576;

/**
 * The loaded parts of graphs as files, so that a process that starts again need not read rows. Each graph has a directory, which holds one
 * version of the graph.
 */
export class SnapshotFiles {
  constructor(
    private readonly directory: string,
    /** Maximum bytes of all files. Beyond it, the files of the graphs that were written least recently are removed. */
    private readonly mostBytes: number,
  ) {}

  /**
   * Reads a part from its file; null if there is no usable file.
   * @param stamp distinguishes two contents under the same version number, such as those before and after a backup was restored
   * @throws the error of `room` if the room is too small
   */
  async read(key: PartKey, stamp: string, room: LoadRoom): Promise<object | null> {
    return readSnapshot(this.fileOf(key), this.stampOf(key, stamp), bytes => room.took(bytes));
  }

  async write(key: PartKey, stamp: string, record: object): Promise<void> {
    if (bytesOf(record) < leastBytes) return;
    const directory = this.directoryOf(key.graphId);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // Leave the reserve of free disk space to the database.
    const room = await roomOf(directory);
    if (room && room.freeBytes - bytesOf(record) < reserveOf(room, undefined)) return;
    for (const file of await readdir(directory))
      if (!file.startsWith(`${key.version}-`)) await rm(path.join(directory, file), { force: true });
    await writeSnapshot(this.fileOf(key), this.stampOf(key, stamp), record);
    await this.trim(key.graphId);
  }

  /** Removes the files of graphs that no longer exist. */
  async removeGone(isGone: (graphId: number) => Promise<boolean>): Promise<void> {
    for (const name of await readdir(this.directory).catch(() => []))
      if (await isGone(Number(name))) await rm(path.join(this.directory, name), { recursive: true, force: true });
  }

  private async trim(keep: number): Promise<void> {
    const graphs = await Promise.all(
      (await readdir(this.directory)).map(async name => {
        const directory = path.join(this.directory, name);
        const files = await readdir(directory).catch(() => []);
        const stats = await Promise.all(files.map(file => stat(path.join(directory, file)).catch(() => null)));
        const bytes = stats.reduce((sum, found) => sum + (found?.size ?? 0), 0);
        return { directory, bytes, writtenAt: Math.max(0, ...stats.map(found => found?.mtimeMs ?? 0)) };
      }),
    );
    let total = graphs.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { directory, bytes } of graphs.sort((a, b) => a.writtenAt - b.writtenAt)) {
      if (total <= this.mostBytes) return;
      if (directory === this.directoryOf(keep)) continue;
      await rm(directory, { recursive: true, force: true });
      total -= bytes;
    }
  }

  private directoryOf(graphId: number): string {
    return path.join(this.directory, String(graphId));
  }

  private fileOf(key: PartKey): string {
    const name = createHash('sha256').update(key.name).digest('hex').slice(0, 32);
    return path.join(this.directoryOf(key.graphId), `${key.version}-${name}`);
  }

  private stampOf({ graphId, version, name }: PartKey, stamp: string): string {
    return JSON.stringify([recordForm, release, graphId, version, name, stamp]);
  }
}
