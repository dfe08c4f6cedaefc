import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  check,
  content,
  day,
  fileWith,
  iso,
  licensor,
  payload,
  plain,
  type Settings,
  type Outcome,
  stranger,
  useDataDirectory,
} from '../../../test/support/licence-checks.js';
import { frame } from '../../../test/support/licensor.js';
import { describeWithShared, sharedFolder } from '../../../test/support/shared-data.js';

useDataDirectory();

/** Sets unused bits at the end of a base64 text, which a lenient decoder ignores: it reads the same bytes. */
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
    expect((await check({ licenseFile: await fileWith(written) })).outcome).toBe(expected);
  });
});

describe('the algorithm that a licence file names', () => {
  const refused = ['rsa-sha256', 'rsa-pss-sha256', 'ecdsa-p256'].flatMap(weaker => [`base64+${weaker}`, `aes-256-gcm+${weaker}`]);
  const odd = ['none', '', 'ed25519', 'aes-128-gcm+ed25519', 'AES-256-GCM+ED25519', 'base64+ed25519 ', 'base64+ed25519+none'];
  it.each([...refused, ...odd])('refuses "%s" although the signature is good', async alg => {
    const { outcome } = await check({ licenseFile: await fileWith(licensor.file({ payload: payload(), alg })) });
    expect(outcome).toBe('algorithm_refused');
  });
});

describe('the signature of a licence file', () => {
  const good = licensor.envelope({ payload: payload() });
  const enc = String(good.enc);
  const other = content(payload({ meta: { expiry: iso(3000 * day) } })).toString('base64');
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
    expect((await check({ licenseFile: await fileWith(written) })).outcome).toBe('signature_invalid');
  });

  it('refuses a signature with any single byte changed', async () => {
    for (let index = 0; index < 64; index++) {
      const sig = Buffer.from(String(good.sig), 'base64');
      sig[index]! ^= 1;
      const written = frame(JSON.stringify({ ...good, sig: sig.toString('base64') }));
      expect((await check({ licenseFile: await fileWith(written) })).outcome).toBe('signature_invalid');
    }
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
    expect((await check(settingsOf(vectors, vector), new Date(at))).outcome).toBe(expected);
  });

  it('name their licence and its user', async () => {
    const vectors = await readVectors();
    const { proof } = await check(settingsOf(vectors, vectors.cases[0]!), new Date('2025-04-01T00:00:00Z'));
    expect(proof).toMatchObject({ name: 'Node Example', licensee: 'Test User', issued: new Date('2024-04-10T14:57:45.517Z') });
  });

  it.each(['node-license.lic', 'python-machine.lic'])('%s is refused with another key, another public key and other marks', async file => {
    const vectors = await readVectors();
    const vector = vectors.cases.find(candidate => candidate.file === file)!;
    const settings = settingsOf(vectors, vector);
    const at = new Date(vector.kind === 'machine' ? '2022-08-01T00:00:00Z' : '2025-04-01T00:00:00Z');
    expect((await check({ ...settings, licenseKey: 'other' }, at)).outcome).toBe('decryption_failed');
    expect((await check({ ...settings, licensePublicKey: licensor.publicKeyHex }, at)).outcome).toBe('signature_invalid');
    const text = await readFile(settings.licenseFile!, 'utf8');
    const swapped = text.replaceAll(/LICENSE|MACHINE/g, word => (word === 'LICENSE' ? 'MACHINE' : 'LICENSE'));
    expect((await check({ ...settings, licenseFile: await fileWith(swapped) }, at)).outcome).toBe('signature_invalid');
  });
});
