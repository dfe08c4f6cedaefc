import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../../test/support/free-port.js';
import {
  answer,
  type AnswerOptions,
  checkOnline,
  dataPath,
  day,
  fingerprint,
  html,
  iso,
  key,
  minute,
  now,
  type Outcome,
  second,
  server,
  type Settings,
  silence,
  stranger,
  target,
  useDataDirectory,
  useLicenseServer,
} from '../../../test/support/licence-checks.js';
import { type Answering } from '../../../test/support/licensor.js';

useDataDirectory();
useLicenseServer();

describe('a server that cannot be reached', () => {
  /** The URL of a port on which nothing listens. */
  const deadUrl = async () => `http://127.0.0.1:${await freePort()}${target}`;

  /** Makes one successful check. Returns the URL of a server that is gone, for the next check. */
  async function goodAnswerOnce(options: AnswerOptions = {}): Promise<string> {
    const url = await deadUrl();
    // The signed host must be that of the URL which the next check asks.
    server.answering = answer({ host: '127.0.0.1', ...options });
    expect((await checkOnline({}, options.at)).outcome).toBe('valid');
    return url;
  }

  const storedFile = () => dataPath('license-answer');

  it.each([
    ['nobody listens', deadUrl],
    ['the name does not exist', () => 'https://license.invalid/validate-key'],
  ])('%s, and nothing is stored: refused', async (_title, url) => {
    const { outcome, message } = await checkOnline({ licenseUrl: await url() });
    expect(outcome).toBe('server_unreachable');
    expect(message).toMatch(/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT/);
  });

  const ages: [string, number, Outcome][] = [
    ['of a second ago', second, 'grace'],
    ['of 7 days ago', 7 * day, 'grace'],
    ['of 7 days and a second ago', 7 * day + second, 'server_unreachable'],
    ['of a month ago', 30 * day, 'server_unreachable'],
    ['of an hour ahead, the clock set back', -60 * minute, 'server_unreachable'],
  ];
  it.each(ages)('the last good answer is %s', async (_title, ageMs, expected) => {
    const url = await goodAnswerOnce();
    expect((await checkOnline({ licenseUrl: url }, new Date(now.getTime() + ageMs))).outcome).toBe(expected);
  });

  const clocks: [string, number, number, Outcome][] = [
    ['right, of a second ago', 3 * day, 3 * day - second, 'grace'],
    ['a day behind the latest time seen', 3 * day, 4 * day, 'grace'],
    ['a day and a second behind', 3 * day, 4 * day + second, 'server_unreachable'],
    ['set back into the seven days, half a day after they ended', 7 * day - 12 * 60 * minute, 7 * day + second, 'server_unreachable'],
    ['set back into the seven days, a year later', 3 * day, 365 * day, 'server_unreachable'],
  ];
  it.each(clocks)('the clock is %s', async (_title, clockMs, seenMs, expected) => {
    const url = await goodAnswerOnce();
    const after = (ms: number) => new Date(now.getTime() + ms);
    expect((await checkOnline({ licenseUrl: url }, after(clockMs), after(seenMs))).outcome).toBe(expected);
  });

  it('says in the grace period what is wrong and until when the service runs', async () => {
    const url = await goodAnswerOnce();
    const { proof } = await checkOnline({ licenseUrl: url }, new Date(now.getTime() + day));
    expect(proof).toMatchObject({ mode: 'online', name: '企业版', issued: now, holdsUntil: new Date(iso(7 * day)) });
    expect(proof!.warnings).toEqual([expect.stringMatching(/无法连接.* \/ .*ECONNREFUSED.*2026-11-27T12:00:00.000Z/)]);
  });

  it('the grace period does not renew itself', async () => {
    const url = await goodAnswerOnce();
    for (const days of [2, 4, 6])
      expect((await checkOnline({ licenseUrl: url }, new Date(now.getTime() + days * day))).outcome).toBe('grace');
    expect((await checkOnline({ licenseUrl: url }, new Date(now.getTime() + 8 * day))).outcome).toBe('server_unreachable');
  });

  const spoilt: [string, (url: string) => Settings | Promise<Settings>][] = [
    ['was given to another key', () => ({ licenseKey: 'OTHER-KEY' })],
    ['was signed by another licensor', () => ({ licensePublicKey: stranger.publicKeyHex })],
    ['came from another account', url => ({ licenseUrl: url.replace('/graph/', '/other/') })],
    ['came from another server', url => ({ licenseUrl: url.replace('127.0.0.1', 'localhost') })],
    ['does not name this machine', () => ({ licenseFingerprint: fingerprint })],
    [
      'has a byte changed',
      async () => {
        const bytes = await readFile(storedFile());
        bytes[40]! ^= 1;
        await writeFile(storedFile(), bytes);
        return {};
      },
    ],
    ['is cut', async () => writeFile(storedFile(), (await readFile(storedFile())).subarray(0, 20)).then(() => ({}))],
    ['is empty', async () => writeFile(storedFile(), '').then(() => ({}))],
    [
      'is a directory',
      async () =>
        rm(storedFile())
          .then(() => mkdir(storedFile()))
          .then(() => ({})),
    ],
  ];
  it.each(spoilt)('refuses when the stored answer %s', async (_title, spoil) => {
    const url = await goodAnswerOnce();
    expect((await checkOnline({ licenseUrl: url, ...(await spoil(url)) })).outcome).toBe('server_unreachable');
  });

  it('refuses when the licence of the stored answer has ended meanwhile', async () => {
    const url = await goodAnswerOnce({ attributes: { expiry: iso(day) } });
    expect((await checkOnline({ licenseUrl: url }, new Date(now.getTime() + day))).outcome).toBe('grace');
    expect((await checkOnline({ licenseUrl: url }, new Date(now.getTime() + day + 1))).outcome).toBe('server_unreachable');
  });

  it('refuses a stored answer that a stranger signed and sealed with the right key', async () => {
    const url = await goodAnswerOnce();
    server.answering = answer({ signer: stranger });
    expect((await checkOnline({ licensePublicKey: stranger.publicKeyHex })).outcome).toBe('valid');
    expect((await checkOnline({ licenseUrl: url })).outcome).toBe('server_unreachable');
  });

  it('a signed refusal withdraws the stored answer, even if it is put back while the server is unplugged', async () => {
    const url = await goodAnswerOnce();
    server.answering = answer({ meta: { valid: false, code: 'SUSPENDED' } });
    expect((await checkOnline()).outcome).toBe('not_valid');
    expect((await checkOnline({ licenseUrl: url })).outcome).toBe('server_unreachable');
  });

  const answersThatAreNone: [string, Answering, Outcome][] = [
    ['a status of 503', answer({ status: 503 }), 'server_status'],
    ['silence', silence, 'server_timeout'],
    ['HTML with status 200', html, 'answer_not_json'],
    ['a redirect', answer({ status: 302 }), 'server_redirect'],
    [
      'an unsigned refusal',
      answer({ meta: { valid: false, code: 'SUSPENDED' }, headers: { 'Keygen-Signature': undefined } }),
      'answer_unsigned',
    ],
    ['a cut connection', response => void response.destroy(), 'answer_broken'],
  ];
  it.each(answersThatAreNone)(
    'a stored answer does not help against a server that answers with %s, and is kept',
    async (_title, answering, expected) => {
      const url = await goodAnswerOnce();
      server.answering = answering;
      expect((await checkOnline()).outcome).toBe(expected);
      expect((await checkOnline({ licenseUrl: url })).outcome).toBe('grace');
    },
  );

  it('keeps the answer sealed and for the owner only', async () => {
    await goodAnswerOnce();
    const bytes = await readFile(storedFile());
    expect(bytes.includes(key)).toBe(false);
    expect(bytes.includes(Buffer.from(key).toString('base64').slice(0, 20))).toBe(false);
    expect((await stat(storedFile())).mode & 0o777).toBe(0o600);
    expect(await readdir(dataPath())).toEqual(['license-answer']);
  });

  it('a stored answer works in another installation with the same key, and no longer than here', async () => {
    const url = await goodAnswerOnce();
    const elsewhere = await mkdtemp(path.join(os.tmpdir(), 'licence-'));
    await copyFile(storedFile(), path.join(elsewhere, 'license-answer'));
    expect((await checkOnline({ licenseUrl: url, dataDirectory: elsewhere }, new Date(now.getTime() + 8 * day))).outcome).toBe(
      'server_unreachable',
    );
    await rm(elsewhere, { recursive: true });
  });

  it('starts with a warning when the answer cannot be stored', async () => {
    server.answering = answer();
    await writeFile(dataPath('file'), '');
    const { outcome, proof } = await checkOnline({ dataDirectory: dataPath('file') });
    expect(outcome).toBe('valid');
    expect(proof!.warnings).toEqual([expect.stringContaining('cannot be stored in DATA_DIR')]);
  });
});
