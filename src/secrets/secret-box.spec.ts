import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readSettings } from '../config/settings.js';
import { SecretBox } from './secret-box.js';

describe('the box of secrets', () => {
  let DATA_DIR: string;
  beforeEach(async () => (DATA_DIR = await mkdtemp(path.join(os.tmpdir(), 'secrets-'))));
  afterEach(() => rm(DATA_DIR, { recursive: true }));

  const [one, two] = ['first key '.repeat(4), 'second key '.repeat(4)].map(key => key.trim());
  const box = (SECRET_ENCRYPTION_KEY = '') => new SecretBox(readSettings({ DATA_DIR, SECRET_ENCRYPTION_KEY }));

  it('keeps a key of its own, for its owner only, unless it is given one', async () => {
    const sealed = await box().seal('secret', 'connection 1');
    expect(await box().open(sealed, 'connection 1')).toBe('secret');
    const file = path.join(DATA_DIR, 'secret-encryption.key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toMatch(/^[0-9a-f]{64}$/);
    await rm(file);
    await expect(box().open(sealed, 'connection 1')).rejects.toMatchObject({ code: 'secret_unreadable', status: 500 });
  });

  it('makes no key before there is a secret', async () => {
    box();
    await expect(stat(path.join(DATA_DIR, 'secret-encryption.key'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('seals with the first key and opens with each of them', async () => {
    const old = await box(one).seal('secret', 'connection 1');
    const both = box(`${two}, ${one}`);
    expect(await both.open(old, 'connection 1')).toBe('secret');
    const fresh = await both.seal('secret', 'connection 1');
    expect([await both.isOld(old), await both.isOld(fresh)]).toEqual([true, false]);
    expect(await box(two).open(fresh, 'connection 1')).toBe('secret');
    await expect(box(two).open(old, 'connection 1')).rejects.toMatchObject({ code: 'secret_unreadable' });
    await expect(both.open(fresh, 'connection 2')).rejects.toMatchObject({ code: 'secret_unreadable' });
  });

  it.each(['short', `${one},short`, `${one},${one}`])('takes no weak and no repeated key: %s', keys => {
    expect(() => box(keys)).toThrow(/SECRET_ENCRYPTION_KEY: .* at least 32 bytes/);
  });
});
