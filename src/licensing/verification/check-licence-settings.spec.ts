import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import {
  check,
  content,
  dataPath,
  day,
  fileWith,
  fingerprint,
  iso,
  key,
  licensor,
  type Outcome,
  payload,
  type PayloadOptions,
  plain,
  type Settings,
  useDataDirectory,
} from '../../../test/support/licence-checks.js';
import { encrypt, type FileOptions } from '../../../test/support/licensor.js';

useDataDirectory();

function machinePayload({ meta, attributes, more }: PayloadOptions = {}): object {
  return {
    ...payload({ meta }),
    data: { type: 'machines', id: '3', attributes: { fingerprint, ...attributes } },
    included: [{ type: 'licenses', id: '1', attributes: { name: '企业版', key, expiry: null, suspended: false } }],
    ...more,
  };
}

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
    expect((await check(settings)).outcome).toBe(expected);
  });
});

describe('the outcome of LICENSE_FILE', () => {
  const cases: [string, () => string | Promise<string>, Outcome][] = [
    ['a regular file', () => fileWith(plain()), 'valid'],
    ['nothing', () => dataPath('absent.lic'), 'file_missing'],
    ['a path through a file', async () => `${await fileWith(plain())}/license.lic`, 'file_missing'],
    ['a directory', () => dataPath(), 'file_not_regular'],
    [
      'a FIFO that nobody writes to',
      () => {
        execFileSync('mkfifo', [dataPath('fifo')]);
        return dataPath('fifo');
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
        await symlink(await fileWith(plain()), dataPath('link.lic'));
        return dataPath('link.lic');
      },
      'valid',
    ],
    [
      'a symbolic link to nothing',
      async () => {
        await symlink(dataPath('absent.lic'), dataPath('dangling.lic'));
        return dataPath('dangling.lic');
      },
      'file_missing',
    ],
    [
      'a symbolic link to a directory',
      async () => {
        await symlink(dataPath(), dataPath('directory.lic'));
        return dataPath('directory.lic');
      },
      'file_not_regular',
    ],
    [
      'a symbolic link to itself',
      async () => {
        await symlink(dataPath('loop.lic'), dataPath('loop.lic'));
        return dataPath('loop.lic');
      },
      'file_unreadable',
    ],
    ['a path with a NUL', () => 'license\0.lic', 'file_unreadable'],
  ];
  it.each(cases)('%s', async (_title, prepare, expected) => {
    expect((await check({ licenseFile: await prepare() })).outcome).toBe(expected);
  });

  it('a file that this user may not read', async () => {
    const file = dataPath('private/license.lic');
    await mkdir(dataPath('private'));
    await writeFile(file, plain());
    await chmod(dataPath('private'), 0);
    // root can read every file, so this check runs as nobody.
    const root = process.getuid?.() === 0;
    if (root) process.seteuid!(65534);
    try {
      expect((await check({ licenseFile: file })).outcome).toBe('file_unreadable');
    } finally {
      if (root) process.seteuid!(0);
      await chmod(dataPath('private'), 0o700);
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
        payload: machinePayload({ more: { included: [{ type: 'licenses', attributes: { expiry: iso(-60 * day) } }] } }),
      },
      { licenseFingerprint: fingerprint },
      'expired',
    ],
  ];
  it.each(cases)('%s', async (_title, file, settings, expected) => {
    const written = typeof file === 'string' ? file : licensor.file(file);
    expect((await check({ licenseFile: await fileWith(written), ...settings })).outcome).toBe(expected);
  });
});
