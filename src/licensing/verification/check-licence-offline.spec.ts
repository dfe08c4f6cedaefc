import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { encrypt, type FileOptions, frame, Licensor } from '../../../test/support/licensor.js';
import { describeWithShared, sharedFolder } from '../../../test/support/shared-data.js';
import { LicenceRefusedError, type RefusalReason } from '../licensing.errors.js';
import { checkLicence } from './check-licence.js';
import { type LicenceSettings } from './choose-source.js';
import { type LicenceProof } from './licence.js';

const now = new Date('2026-11-20T12:00:00Z');
const key = 'C0FFEE-5EC2E7-CANARY-V3';
const fingerprint = 'a3:f9:e1:b8';
const licensor = new Licensor();
const stranger = new Licensor();

type Outcome = 'valid' | 'grace' | RefusalReason;
type Settings = Omit<LicenceSettings, 'dataDirectory'>;

let directory: string;
beforeAll(async () => (directory = await mkdtemp(path.join(os.tmpdir(), 'licence-'))));
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs the check, and expects that no outcome holds the key. */
async function outcomeOf(
  settings: Settings,
  at = now,
  latestSeen: Date | null = null,
): Promise<{ outcome: Outcome; proof: LicenceProof | null }> {
  try {
    const all = { dataDirectory: directory, licensePublicKey: licensor.publicKeyHex, ...settings };
    const proof = await checkLicence(all, at, { latestSeen });
    expect(JSON.stringify(proof)).not.toContain(key);
    return { outcome: proof.status, proof };
  } catch (error) {
    if (!(error instanceof LicenceRefusedError)) throw error;
    expect(error.exitCode).toBe(78);
    expect(error.message).toMatch(/^许可证未通过：[^\n]+ \/ Licence refused \[[a-z_]+\]: [^\n]+$/);
    expect(`${error.message}${error.stack}`).not.toContain(key);
    return { outcome: error.reason, proof: null };
  }
}

async function fileWith(content: string | Buffer): Promise<string> {
  const file = path.join(directory, 'license.lic');
  await rm(file, { recursive: true, force: true });
  await writeFile(file, content);
  return file;
}

const shift = (ms: number) => new Date(now.getTime() + ms).toISOString();
const [second, minute, day] = [1000, 60_000, 86_400_000];

interface PayloadOptions {
  meta?: Record<string, unknown>;
  attributes?: Record<string, unknown>;
  more?: Record<string, unknown>;
}

function payload({ meta, attributes, more }: PayloadOptions = {}): object {
  return {
    data: {
      type: 'licenses',
      id: '1',
      attributes: { name: '企业版', key, expiry: null, status: 'ACTIVE', suspended: false, ...attributes },
    },
    included: [{ type: 'users', id: '2', attributes: { fullName: '王芳', email: 'wang@example.com' } }],
    meta: { issued: shift(-10 * day), expiry: shift(20 * day), ttl: 2_592_000, ...meta },
    ...more,
  };
}

function machinePayload({ meta, attributes, more }: PayloadOptions = {}): object {
  return {
    ...payload({ meta }),
    data: { type: 'machines', id: '3', attributes: { fingerprint, ...attributes } },
    included: [{ type: 'licenses', id: '1', attributes: { name: '企业版', key, expiry: null, suspended: false } }],
    ...more,
  };
}

const plain = (options: PayloadOptions = {}) => licensor.file({ payload: payload(options) });
const content = (text: object) => Buffer.from(JSON.stringify(text));

describe('which settings choose the offline or the online check', () => {
  const url = 'https://license.example.com/v1/accounts/a/licenses/actions/validate-key';
  const file = '/nowhere/license.lic';
  const cases: [string, Settings, Outcome][] = [
    ['nothing', {}, 'nothing_configured'],
    ['nothing but a fingerprint', { licenseFingerprint: fingerprint }, 'nothing_configured'],
    ['a file and a URL', { licenseFile: file, licenseUrl: url }, 'mode_ambiguous'],
    ['a file, a URL and a key', { licenseFile: file, licenseUrl: url, licenseKey: key }, 'mode_ambiguous'],
    ['a key alone', { licenseKey: key }, 'url_missing'],
    ['a URL alone', { licenseUrl: url }, 'key_missing'],
    ['a file without a public key', { licenseFile: file, licensePublicKey: undefined }, 'public_key_missing'],
    ['a key and URL without a public key', { licenseKey: key, licenseUrl: url, licensePublicKey: undefined }, 'public_key_missing'],
    ['a public key of 63 digits', { licenseFile: file, licensePublicKey: licensor.publicKeyHex.slice(1) }, 'public_key_invalid'],
    ['a public key in base64', { licenseFile: file, licensePublicKey: Buffer.alloc(32, 1).toString('base64') }, 'public_key_invalid'],
    ['a public key in PEM', { licenseFile: file, licensePublicKey: '-----BEGIN PUBLIC KEY-----' }, 'public_key_invalid'],
    ['a public key with a newline', { licenseFile: file, licensePublicKey: `${licensor.publicKeyHex}\n` }, 'public_key_invalid'],
    ['a URL that is none', { licenseKey: key, licenseUrl: 'license.example.com' }, 'url_invalid'],
    ['http to another machine', { licenseKey: key, licenseUrl: 'http://license.example.com/' }, 'url_invalid'],
    ['http to a name that begins like this machine', { licenseKey: key, licenseUrl: 'http://127.0.0.1.example.com/' }, 'url_invalid'],
    ['http to a name that begins with localhost', { licenseKey: key, licenseUrl: 'http://localhost.example.com/' }, 'url_invalid'],
    ['a URL with a password', { licenseKey: key, licenseUrl: 'https://me:secret@license.example.com/' }, 'url_invalid'],
    ['a URL with a fragment', { licenseKey: key, licenseUrl: `${url}#x` }, 'url_invalid'],
    ['a file: URL', { licenseKey: key, licenseUrl: 'file:///etc/hostname' }, 'url_invalid'],
  ];
  it.each(cases)('%s', async (_title, settings, expected) => {
    expect((await outcomeOf(settings)).outcome).toBe(expected);
  });
});

describe('what LICENSE_FILE leads to', () => {
  const at = (name: string) => path.join(directory, name);
  const cases: [string, () => string | Promise<string>, Outcome][] = [
    ['a regular file', () => fileWith(plain()), 'valid'],
    ['nothing', () => at('absent.lic'), 'file_missing'],
    ['a path through a file', async () => `${await fileWith(plain())}/license.lic`, 'file_missing'],
    ['a directory', () => directory, 'file_not_regular'],
    [
      'a FIFO that nobody writes to',
      () => {
        execFileSync('mkfifo', [at('fifo')]);
        return at('fifo');
      },
      'file_not_regular',
    ],
    ['/dev/null', () => '/dev/null', 'file_not_regular'],
    ['/dev/zero', () => '/dev/zero', 'file_not_regular'],
    ['an empty file', () => fileWith(''), 'file_empty'],
    [
      'a file of 1 GB',
      async () => {
        const file = await fileWith(plain());
        await truncate(file, 2 ** 30);
        return file;
      },
      'file_too_large',
    ],
    ['a file of 64 KiB and a byte', () => fileWith(plain().padEnd(65_537, '\n')), 'file_too_large'],
    ['a file of just 64 KiB', () => fileWith(plain().padEnd(65_536, '\n')), 'valid'],
    [
      'a symbolic link to a file, as secrets are mounted',
      async () => {
        await symlink(await fileWith(plain()), at('link.lic'));
        return at('link.lic');
      },
      'valid',
    ],
    [
      'a symbolic link to nothing',
      async () => {
        await symlink(at('absent.lic'), at('dangling.lic'));
        return at('dangling.lic');
      },
      'file_missing',
    ],
    [
      'a symbolic link to a directory',
      async () => {
        await symlink(directory, at('directory.lic'));
        return at('directory.lic');
      },
      'file_not_regular',
    ],
    [
      'a symbolic link to itself',
      async () => {
        await symlink(at('loop.lic'), at('loop.lic'));
        return at('loop.lic');
      },
      'file_unreadable',
    ],
    ['a path with a NUL', () => 'license\0.lic', 'file_unreadable'],
  ];
  it.each(cases)('%s', async (_title, prepare, expected) => {
    expect((await outcomeOf({ licenseFile: await prepare() })).outcome).toBe(expected);
  });

  it('a file that this user may not read', async () => {
    const file = at('private/license.lic');
    await mkdir(at('private'));
    await writeFile(file, plain());
    await chmod(at('private'), 0);
    // root can read every file, so this check runs as nobody.
    const root = process.getuid?.() === 0;
    if (root) process.seteuid!(65534);
    try {
      expect((await outcomeOf({ licenseFile: file })).outcome).toBe('file_unreadable');
    } finally {
      if (root) process.seteuid!(0);
      await chmod(at('private'), 0o700);
    }
  });
});

/** Changes the text into one that a lenient decoder reads as the same bytes. */
const setUnusedBits = (sig: string) => sig.replace(/[AQgw]==$/, last => `${String.fromCharCode(last.charCodeAt(0) + 1)}==`);

describe('the text of a licence file', () => {
  const text = plain();
  const envelope = licensor.envelope({ payload: payload() });
  const body = (change: (lines: string) => string) =>
    text.replace(/(?<=FILE-----\n)[^-]+(?=-----END)/, lines => `${change(lines.trimEnd())}\n`);
  const cases: [string, string | Buffer, Outcome][] = [
    ['as Keygen writes it', text, 'valid'],
    ['in one line', body(lines => lines.replaceAll('\n', '')), 'valid'],
    ['with the line ends of Windows', text.replaceAll('\n', '\r\n'), 'valid'],
    ['without the last newline', text.trimEnd(), 'valid'],
    ['with empty lines at the end', `${text}\n\n`, 'valid'],
    ['with a comment before', `# our licence\n${text}`, 'file_malformed'],
    ['with a comment after', `${text}# our licence\n`, 'file_malformed'],
    ['twice', text + text, 'file_malformed'],
    ['with a byte order mark', `\uFEFF${text}`, 'file_malformed'],
    ['in UTF-16', Buffer.from(text, 'utf16le'), 'file_malformed'],
    ['with other marks at both ends', text.replaceAll('LICENSE FILE', 'CERTIFICATE'), 'file_malformed'],
    ['that begins as a licence and ends as a machine', text.replace('END LICENSE', 'END MACHINE'), 'file_malformed'],
    ['without the first mark', text.slice(text.indexOf('\n') + 1), 'file_malformed'],
    ['cut in the middle', text.slice(0, text.length / 2), 'file_malformed'],
    ['with a space in the base64', body(lines => `${lines.slice(0, 8)} ${lines.slice(8)}`), 'file_malformed'],
    ['with an empty line in the base64', body(lines => lines.replace('\n', '\n\n')), 'file_malformed'],
    ['with junk in the base64', body(lines => `${lines.slice(0, 8)}*${lines.slice(8)}`), 'file_malformed'],
    ['in the URL alphabet', body(() => Buffer.from('{"a":"???~~~"}').toString('base64url')), 'file_malformed'],
    [
      'without its padding',
      frame(`${JSON.stringify(envelope)}${' '.repeat(4 - (JSON.stringify(envelope).length % 3))}`).replace(/=+/g, ''),
      'file_malformed',
    ],
    ['with padding in the middle', body(lines => `${lines.slice(0, 8)}====${lines.slice(8)}`), 'file_malformed'],
    ['whose base64 holds no JSON', frame('licence'), 'file_malformed'],
    ['whose base64 holds a list', frame('[]'), 'file_malformed'],
    ['whose base64 holds broken UTF-8', frame(Buffer.from([0x7b, 0xff, 0x7d])), 'file_malformed'],
    ['without enc', frame(JSON.stringify({ ...envelope, enc: undefined })), 'file_malformed'],
    ['without sig', frame(JSON.stringify({ ...envelope, sig: undefined })), 'file_malformed'],
    ['without alg', frame(JSON.stringify({ ...envelope, alg: undefined })), 'file_malformed'],
    ['with a list as alg', frame(JSON.stringify({ ...envelope, alg: ['base64+ed25519'] })), 'file_malformed'],
    ['with a signature with a newline', frame(JSON.stringify({ ...envelope, sig: `${String(envelope.sig)}\n` })), 'file_malformed'],
    ['with a signature of 63 bytes', frame(JSON.stringify({ ...envelope, sig: Buffer.alloc(63).toString('base64') })), 'file_malformed'],
    [
      'with a signature whose unused bits are set',
      frame(JSON.stringify({ ...envelope, sig: setUnusedBits(String(envelope.sig)) })),
      'file_malformed',
    ],
    ['with an empty signature', frame(JSON.stringify({ ...envelope, sig: '' })), 'file_malformed'],
  ];
  it.each(cases)('%s', async (_title, written, expected) => {
    expect((await outcomeOf({ licenseFile: await fileWith(written) })).outcome).toBe(expected);
  });
});

describe('the algorithm that a licence file names', () => {
  const refused = ['rsa-sha256', 'rsa-pss-sha256', 'ecdsa-p256'].flatMap(weaker => [`base64+${weaker}`, `aes-256-gcm+${weaker}`]);
  const odd = ['none', '', 'ed25519', 'aes-128-gcm+ed25519', 'AES-256-GCM+ED25519', 'base64+ed25519 ', 'base64+ed25519+none'];
  it.each([...refused, ...odd])('refuses "%s" although the signature is good', async alg => {
    const { outcome } = await outcomeOf({ licenseFile: await fileWith(licensor.file({ payload: payload(), alg })) });
    expect(outcome).toBe('algorithm_refused');
  });
});

describe('the signature of a licence file', () => {
  const good = licensor.envelope({ payload: payload() });
  const enc = String(good.enc);
  const other = content(payload({ meta: { expiry: shift(3000 * day) } })).toString('base64');
  const cases: [string, string][] = [
    ['by another key', stranger.file({ payload: payload() })],
    ['of another content', frame(JSON.stringify({ ...good, enc: other }))],
    ['of the content before encoding', licensor.file({ payload: payload(), signed: `license/${content(payload()).toString()}` })],
    ['without the prefix', licensor.file({ payload: payload(), prefix: '' })],
    ['with the prefix of a machine file', licensor.file({ payload: payload(), prefix: 'machine/' })],
    ['of a licence file whose marks say machine', frame(JSON.stringify(good), 'machine')],
    ['of zeros', frame(JSON.stringify({ ...good, sig: Buffer.alloc(64).toString('base64') }))],
    ['of the same content with a space', frame(JSON.stringify({ ...good, enc: ` ${enc}` }))],
    ['of the same content with the padding changed', frame(JSON.stringify({ ...good, enc: `${enc}=` }))],
    ['of a licence with a letter changed in it', frame(JSON.stringify({ ...good, enc: enc.replace(/[a-y]/, 'z') }))],
  ];
  it.each(cases)('refuses one %s', async (_title, written) => {
    expect((await outcomeOf({ licenseFile: await fileWith(written) })).outcome).toBe('signature_invalid');
  });

  it('refuses a signature with any single byte changed', async () => {
    for (let index = 0; index < 64; index++) {
      const sig = Buffer.from(String(good.sig), 'base64');
      sig[index]! ^= 1;
      const written = frame(JSON.stringify({ ...good, sig: sig.toString('base64') }));
      expect((await outcomeOf({ licenseFile: await fileWith(written) })).outcome).toBe('signature_invalid');
    }
  });
});

describe('LICENSE_KEY and LICENSE_FINGERPRINT beside a file', () => {
  const sealed = (enc: string, alg = 'aes-256-gcm+ed25519') => licensor.file({ enc, alg });
  const clear = content(payload());
  const cases: [string, FileOptions | string, Settings, Outcome][] = [
    ['a plain file without a key', { payload: payload() }, {}, 'valid'],
    ['a plain file with a key, which could mean the online check', { payload: payload() }, { licenseKey: key }, 'key_unexpected'],
    [
      'a plain file whose signed content has junk in its base64',
      sealed(`${clear.toString('base64')}\n`, 'base64+ed25519'),
      {},
      'payload_malformed',
    ],
    ['an encrypted file with its key', { payload: payload(), secret: key }, { licenseKey: key }, 'valid'],
    ['an encrypted file without a key', { payload: payload(), secret: key }, {}, 'key_needed'],
    ['an encrypted file with another key', { payload: payload(), secret: 'other' }, { licenseKey: key }, 'decryption_failed'],
    ['an encrypted file with an IV of 8 bytes', sealed(encrypt(clear, key, { ivBytes: 8 })), { licenseKey: key }, 'payload_malformed'],
    ['an encrypted file with a tag of 4 bytes', sealed(encrypt(clear, key, { tagBytes: 4 })), { licenseKey: key }, 'payload_malformed'],
    ['an encrypted file of two parts', sealed(encrypt(clear, key).split('.').slice(1).join('.')), { licenseKey: key }, 'payload_malformed'],
    ['an encrypted file of four parts', sealed(`${encrypt(clear, key)}.AAAA`), { licenseKey: key }, 'payload_malformed'],
    ['an encrypted file that says it is plain', sealed(encrypt(clear, key), 'base64+ed25519'), {}, 'payload_malformed'],
    ['a plain file that says it is encrypted', sealed(clear.toString('base64')), { licenseKey: key }, 'payload_malformed'],
    ['an encrypted file that holds no JSON', sealed(encrypt(Buffer.from('x'), key)), { licenseKey: key }, 'payload_malformed'],
    ['a licence file with a fingerprint', { payload: payload() }, { licenseFingerprint: fingerprint }, 'fingerprint_unexpected'],
    ['a plain machine file', { kind: 'machine', payload: machinePayload() }, { licenseFingerprint: fingerprint }, 'valid'],
    [
      'an encrypted machine file',
      { kind: 'machine', payload: machinePayload(), secret: key + fingerprint },
      { licenseKey: key, licenseFingerprint: fingerprint },
      'valid',
    ],
    ['a machine file without a fingerprint', { kind: 'machine', payload: machinePayload() }, {}, 'fingerprint_missing'],
    [
      'a machine file of another machine',
      { kind: 'machine', payload: machinePayload() },
      { licenseFingerprint: 'b4' },
      'fingerprint_mismatch',
    ],
    [
      'an encrypted machine file of another machine',
      { kind: 'machine', payload: machinePayload(), secret: key + fingerprint },
      { licenseKey: key, licenseFingerprint: 'b4' },
      'decryption_failed',
    ],
    [
      'a machine file that holds a licence',
      { kind: 'machine', payload: payload() },
      { licenseFingerprint: fingerprint },
      'payload_malformed',
    ],
    ['a licence file that holds a machine', { payload: machinePayload() }, {}, 'payload_malformed'],
    [
      'a machine file whose licence is suspended',
      {
        kind: 'machine',
        payload: machinePayload({ more: { included: [{ type: 'licenses', attributes: { expiry: null, suspended: true } }] } }),
      },
      { licenseFingerprint: fingerprint },
      'suspended',
    ],
    [
      'a machine file whose licence ended two months ago',
      {
        kind: 'machine',
        payload: machinePayload({ more: { included: [{ type: 'licenses', attributes: { expiry: shift(-60 * day) } }] } }),
      },
      { licenseFingerprint: fingerprint },
      'expired',
    ],
  ];
  it.each(cases)('%s', async (_title, file, settings, expected) => {
    const written = typeof file === 'string' ? file : licensor.file(file);
    expect((await outcomeOf({ licenseFile: await fileWith(written), ...settings })).outcome).toBe(expected);
  });
});

describe('the terms in a licence file', () => {
  const cases: [string, PayloadOptions, Outcome][] = [
    ['no end at all', { meta: { expiry: null, ttl: null } }, 'valid'],
    ['an end in a second', { meta: { expiry: shift(second) } }, 'valid'],
    ['an end now', { meta: { expiry: shift(0) } }, 'valid'],
    ['an end a millisecond ago', { meta: { expiry: shift(-1) } }, 'grace'],
    ['an end 30 days ago less a second', { meta: { issued: shift(-60 * day), expiry: shift(-30 * day + second) } }, 'grace'],
    ['an end 30 days ago', { meta: { issued: shift(-60 * day), expiry: shift(-30 * day) } }, 'expired'],
    ['an end a year ago', { meta: { issued: shift(-400 * day), expiry: shift(-365 * day) } }, 'expired'],
    ['a licence that ends before its file', { attributes: { expiry: shift(-40 * day) } }, 'expired'],
    ['a licence in its grace, in a file in force', { attributes: { expiry: shift(-day) } }, 'grace'],
    ['a licence in force, in a file in its grace', { attributes: { expiry: shift(day) }, meta: { expiry: shift(-day) } }, 'grace'],
    ['issued 5 minutes ahead of this clock', { meta: { issued: shift(5 * minute) } }, 'valid'],
    ['issued 5 minutes and a second ahead', { meta: { issued: shift(5 * minute + second) } }, 'clock_set_back'],
    ['issued next year', { meta: { issued: shift(365 * day), expiry: shift(400 * day) } }, 'clock_set_back'],
    ['an end without a zone', { meta: { expiry: '2027-01-01T00:00:00' } }, 'payload_malformed'],
    ['an end with an offset', { meta: { expiry: '2027-01-01T00:00:00+08:00' } }, 'payload_malformed'],
    ['an end that is only a day', { meta: { expiry: '2027-01-01' } }, 'payload_malformed'],
    ['an end on the 30th of February', { meta: { expiry: '2027-02-30T00:00:00Z' } }, 'payload_malformed'],
    ['an end in words', { meta: { expiry: 'never' } }, 'payload_malformed'],
    ['an end as a number', { meta: { expiry: 1_893_456_000 } }, 'payload_malformed'],
    ['an end left out', { meta: { expiry: undefined } }, 'payload_malformed'],
    ['an end before the issue', { meta: { expiry: shift(-11 * day) } }, 'payload_malformed'],
    ['no time of issue', { meta: { issued: undefined } }, 'payload_malformed'],
    ['a time of issue without a zone', { meta: { issued: '2026-11-01T00:00:00' } }, 'payload_malformed'],
    ['only a time to live, still running', { meta: { expiry: null, ttl: 864_001 } }, 'valid'],
    ['only a time to live, run out', { meta: { expiry: null, ttl: 3600 } }, 'grace'],
    ['a time to live beyond all dates', { meta: { expiry: null, ttl: Number.MAX_SAFE_INTEGER } }, 'payload_malformed'],
    ['a time to live left out', { meta: { ttl: undefined } }, 'payload_malformed'],
    ['a time to live as text', { meta: { ttl: '3600' } }, 'payload_malformed'],
    ['a time to live below zero', { meta: { ttl: -1 } }, 'payload_malformed'],
    ['a suspended licence', { attributes: { suspended: true } }, 'suspended'],
    ['a licence with the status SUSPENDED', { attributes: { status: 'SUSPENDED' } }, 'suspended'],
    ['a banned licence', { attributes: { status: 'BANNED' } }, 'suspended'],
    ['a licence whose end is unreadable', { attributes: { expiry: 'soon' } }, 'payload_malformed'],
    ['no meta', { more: { meta: null } }, 'payload_malformed'],
    ['no data', { more: { data: null } }, 'payload_malformed'],
    ['a list of data', { more: { data: [] } }, 'payload_malformed'],
    ['a licence without attributes', { more: { data: { type: 'licenses' } } }, 'payload_malformed'],
  ];
  it.each(cases)('%s', async (_title, options, expected) => {
    expect((await outcomeOf({ licenseFile: await fileWith(plain(options)) })).outcome).toBe(expected);
  });

  it('show the names, the dates and, during the grace period, a warning in both languages', async () => {
    const { proof } = await outcomeOf({ licenseFile: await fileWith(plain({ meta: { expiry: shift(-day) } })) });
    expect(proof).toMatchObject({
      mode: 'offline',
      name: '企业版',
      licensee: '王芳',
      issued: new Date(shift(-10 * day)),
      expiry: new Date(shift(-day)),
      holdsUntil: new Date(shift(29 * day)),
    });
    expect(proof!.warnings).toEqual([expect.stringMatching(/过期.* \/ The licence expired at 2026-11-19T12:00:00.000Z/)]);
  });

  it('do not show a name that quotes the key', async () => {
    const { proof } = await outcomeOf({ licenseFile: await fileWith(plain({ attributes: { name: `Licence ${key}` } })) });
    expect(proof!.name).toBeNull();
  });
});

describe('a clock that is set back, under a file that was issued 10 days ago and ends in 20', () => {
  const cases: [string, number, number | null, Outcome][] = [
    ['right, and nothing seen before', 0, null, 'valid'],
    ['right, a minute after the latest time seen', 0, -minute, 'valid'],
    ['five minutes behind', 0, 5 * minute, 'valid'],
    ['a day behind', 0, day, 'valid'],
    ['a day and a second behind', 0, day + second, 'clock_behind'],
    ['set back to just after the issue, a year after the end', -10 * day + second, 365 * day, 'clock_behind'],
    ['set back into the term, 31 days after its end', 19 * day, 51 * day, 'clock_behind'],
    ['set back into the grace, two days after that ended', 49 * day, 52 * day, 'clock_behind'],
    ['a little behind, where the end was seen', 19.5 * day, 20 * day + second, 'grace'],
    ['a little behind, where the end of the grace was seen', 49.5 * day, 50 * day, 'expired'],
    ['set back to before the issue', -11 * day, 0, 'clock_set_back'],
  ];
  it.each(cases)('%s', async (_title, clockMs, seenMs, expected) => {
    const at = (ms: number) => new Date(now.getTime() + ms);
    const seen = seenMs === null ? null : at(seenMs);
    expect((await outcomeOf({ licenseFile: await fileWith(plain()) }, at(clockMs), seen)).outcome).toBe(expected);
  });
});

describeWithShared('files that Keygen itself published', 'suites/keygen/vectors.json', () => {
  const folder = path.join(sharedFolder, 'suites', 'keygen');
  interface Vectors {
    publicKeyHex: string;
    cases: { file: string; kind: string; licenseKey: string; fingerprint?: string }[];
  }
  const readVectors = async () => JSON.parse(await readFile(path.join(folder, 'vectors.json'), 'utf8')) as Vectors;
  const settingsOf = ({ publicKeyHex }: Vectors, { file, licenseKey, fingerprint: machine }: Vectors['cases'][number]): Settings => ({
    licenseFile: path.join(folder, file),
    licenseKey,
    licensePublicKey: publicKeyHex,
    licenseFingerprint: machine,
  });

  it.each([
    ['node-license.lic', '2025-04-01T00:00:00Z', 'valid'],
    ['node-license.lic', '2025-04-09T19:37:39.518Z', 'grace'],
    ['node-license.lic', '2025-05-10T00:00:00Z', 'expired'],
    ['node-license.lic', '2024-04-10T14:00:00Z', 'clock_set_back'],
    ['python-machine.lic', '2022-08-01T00:00:00Z', 'valid'],
    ['python-machine.lic', '2022-09-01T00:00:00Z', 'grace'],
    ['python-machine.lic', '2026-11-20T12:00:00Z', 'expired'],
  ])('%s at %s: %s', async (file, at, expected) => {
    const vectors = await readVectors();
    const vector = vectors.cases.find(candidate => candidate.file === file)!;
    expect((await outcomeOf(settingsOf(vectors, vector), new Date(at))).outcome).toBe(expected);
  });

  it('name their licence and its user', async () => {
    const vectors = await readVectors();
    const { proof } = await outcomeOf(settingsOf(vectors, vectors.cases[0]!), new Date('2025-04-01T00:00:00Z'));
    expect(proof).toMatchObject({ name: 'Node Example', licensee: 'Test User', issued: new Date('2024-04-10T14:57:45.517Z') });
  });

  it.each(['node-license.lic', 'python-machine.lic'])('%s is refused with another key, another public key and other marks', async file => {
    const vectors = await readVectors();
    const vector = vectors.cases.find(candidate => candidate.file === file)!;
    const settings = settingsOf(vectors, vector);
    const at = new Date(vector.kind === 'machine' ? '2022-08-01T00:00:00Z' : '2025-04-01T00:00:00Z');
    expect((await outcomeOf({ ...settings, licenseKey: 'other' }, at)).outcome).toBe('decryption_failed');
    expect((await outcomeOf({ ...settings, licensePublicKey: licensor.publicKeyHex }, at)).outcome).toBe('signature_invalid');
    const text = await readFile(settings.licenseFile!, 'utf8');
    const swapped = text.replaceAll(/LICENSE|MACHINE/g, word => (word === 'LICENSE' ? 'MACHINE' : 'LICENSE'));
    expect((await outcomeOf({ ...settings, licenseFile: await fileWith(swapped) }, at)).outcome).toBe('signature_invalid');
  });
});
