import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isLong } from '../../test/support/tier.js';
import { sharedFloat64, sharedUint32, sharedUint8 } from './shared-arrays.js';
import { readSnapshot, writeSnapshot } from './snapshot-file.js';

describe('a snapshot file', () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'snapshot-'));
    file = path.join(directory, 'part');
  });
  afterEach(() => rm(directory, { recursive: true }));

  const record = () => {
    const [bytes, numbers, floats] = [sharedUint8(5), sharedUint32(3), sharedFloat64(2)];
    bytes.set([1, 2, 3, 4, 255]);
    numbers.set([0, 7, 2 ** 32 - 1]);
    floats.set([0.5, NaN]);
    return { bytes, labels: [['客户', 'Vip'], []], numbers, empty: sharedUint32(0), floats, count: 3 };
  };

  it('gives back what was written, in shared memory', async () => {
    await writeSnapshot(file, 'v1', record());
    const read = (await readSnapshot(file, 'v1')) as ReturnType<typeof record>;
    expect(read).toEqual(record());
    expect(read.numbers.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(await readdir(directory)).toEqual(['part']);
  });

  it('is none for another stamp, and where it is missing', async () => {
    await writeSnapshot(file, 'v1', record());
    expect(await readSnapshot(file, 'v2')).toBeNull();
    expect(await readSnapshot(`${file}-`, 'v1')).toBeNull();
  });

  it('is none where the system cannot read it', async () => {
    await mkdir(file);
    expect(await readSnapshot(file, 'v1')).toBeNull();
  });

  it('is none where any of its bytes has changed, or its end is missing', async () => {
    await writeSnapshot(file, 'v1', record());
    const whole = await readFile(file);
    let [refused, tried] = [0, 0];
    const step = isLong ? 1 : 13;
    for (let at = 0; at < whole.length; at += step) {
      tried++;
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 1;
      await writeFile(file, damaged);
      const read = await readSnapshot(file, 'v1');
      // A change in the padding between two arrays is not detected, since no array contains these bytes.
      if (read === null) refused++;
      else expect(read).toEqual(record());
      await writeFile(file, whole.subarray(0, at));
      expect(await readSnapshot(file, 'v1')).toBeNull();
    }
    expect(refused).toBeGreaterThanOrEqual(tried - Math.ceil(20 / step));
  });
});
