import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { sharedUint8 } from '../../../graph-index/shared-arrays.js';
import { LoadOutgrownError, smallRoom } from './load-room.js';
import { SnapshotFiles } from './snapshot-files.js';

const mib = 1_048_576;
const key = (graphId: number, version = 1, name = 'topology') => ({ graphId, version, name });
const room = smallRoom(mib);
const record = (bytes = mib) => ({ data: sharedUint8(bytes) });

describe('SnapshotFiles', () => {
  let directory: string;
  let files: SnapshotFiles;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'snapshots-'));
    files = new SnapshotFiles(directory, 3.5 * mib);
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('gives back a part of the same version and content only', async () => {
    await files.write(key(1), 'monday', record());
    const read = (await files.read(key(1), 'monday', room)) as ReturnType<typeof record>;
    // Jest compares a megabyte byte by byte, for seconds.
    expect(Buffer.from(read.data).equals(Buffer.from(record().data))).toBe(true);
    expect(await files.read(key(1), 'tuesday', room)).toBeNull();
    expect(await files.read(key(1, 2), 'monday', room)).toBeNull();
    expect(await files.read(key(1, 1, 'nodes:.age'), 'monday', room)).toBeNull();
  });

  it('reads no part that has outgrown its room', async () => {
    await files.write(key(1), 'monday', record(mib + 1));
    await expect(files.read(key(1), 'monday', room)).rejects.toThrow(LoadOutgrownError);
  });

  it('keeps one version of a graph, and no small parts', async () => {
    await files.write(key(1, 1), 'a', record());
    await files.write(key(1, 2), 'b', record());
    await files.write(key(1, 2, 'small'), 'b', record(mib - 1));
    expect(await readdir(path.join(directory, '1'))).toEqual([expect.stringMatching(/^2-/)]);
  });

  it('removes the graph that was written longest ago beyond its bytes, but never the one just written', async () => {
    for (const graphId of [1, 2, 3]) {
      await files.write(key(graphId), 'a', record());
      const [file] = await readdir(path.join(directory, String(graphId)));
      await utimes(path.join(directory, String(graphId), file!), graphId, graphId);
    }
    await files.write(key(1, 1, 'other'), 'a', record());
    expect((await readdir(directory)).sort()).toEqual(['1', '3']);
  });

  it('removes graphs that are gone', async () => {
    for (const graphId of [1, 2]) await files.write(key(graphId), 'a', record());
    await files.removeGone(graphId => Promise.resolve(graphId === 2));
    expect(await readdir(directory)).toEqual(['1']);
    await new SnapshotFiles(path.join(directory, 'none'), mib).removeGone(() => Promise.resolve(true));
  });
});
