import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type Asked, type Answering, LicenseServer, Licensor } from '../../../test/support/licensor.js';
import { LicenceRefusedError, type RefusalReason } from '../licensing.errors.js';
import { checkLicence } from './check-licence.js';
import { type LicenceSettings } from './choose-source.js';
import { type LicenceProof } from './licence.js';

const now = new Date('2026-11-20T12:00:00Z');
const key = 'C0FFEE-5EC2E7-CANARY-V3';
const fingerprint = 'a3:f9:e1:b8';
const target = '/v1/accounts/graph/licenses/actions/validate-key?include=none';
const limits = { timeoutMs: 1_000, maxBytes: 64 * 1024 };
const [second, minute, day] = [1000, 60_000, 86_400_000];

const licensor = new Licensor();
const stranger = new Licensor();
const server = new LicenseServer();

type Outcome = 'valid' | 'grace' | RefusalReason;

let directory: string;
beforeAll(() => server.listen());
afterAll(() => server.close());
beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'licence-'));
  server.asked.length = 0;
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Runs the check, and expects that no outcome holds the key. */
async function check(
  settings: Partial<LicenceSettings> = {},
  at = now,
  latestSeen: Date | null = null,
): Promise<{ outcome: Outcome; proof?: LicenceProof; message?: string }> {
  const licenseUrl = `http://127.0.0.1:${server.port}${target}`;
  const all = { dataDirectory: directory, licenseKey: key, licenseUrl, licensePublicKey: licensor.publicKeyHex, ...settings };
  try {
    const proof = await checkLicence(all, at, { limits, latestSeen });
    expect(JSON.stringify(proof)).not.toContain(key);
    return { outcome: proof.status, proof };
  } catch (error) {
    if (!(error instanceof LicenceRefusedError)) throw error;
    expect(`${error.message}${error.stack}${String(error.cause)}`).not.toContain(key);
    expect(error.message).not.toContain('\n');
    return { outcome: error.reason, message: error.message };
  }
}

interface AnswerOptions {
  meta?: Record<string, unknown>;
  attributes?: Record<string, unknown>;
  /** Replaces the whole document. */
  document?: unknown;
  /** Replaces the body that is sent and signed. */
  body?: string | Buffer;
  /** The body that is sent when it differs from the signed one. */
  sent?: string | Buffer;
  status?: number;
  type?: string;
  signer?: Licensor;
  date?: string;
  host?: string;
  signedTarget?: string;
  headers?: Record<string, string | string[] | undefined>;
  at?: Date;
}

const httpDate = (ms: number, from = now) => new Date(from.getTime() + ms).toUTCString();
const iso = (ms: number, from = now) => new Date(from.getTime() + ms).toISOString();

/** Makes a genuine answer of the licence server, with the changes that a test asks for. */
function answer(options: AnswerOptions = {}): Answering {
  const { meta, attributes, status = 200, type = 'application/vnd.api+json; charset=utf-8', signer = licensor, at = now } = options;
  return (response, asked) => {
    const document = options.document ?? {
      data: { type: 'licenses', id: '1', attributes: { name: '企业版', key: asked.body.meta.key, expiry: iso(30 * day), ...attributes } },
      meta: {
        ts: iso(0, at),
        valid: true,
        detail: `is valid ${asked.body.meta.key}`,
        code: 'VALID',
        nonce: asked.body.meta.nonce,
        ...(asked.body.meta.scope && { scope: asked.body.meta.scope }),
        ...meta,
      },
    };
    const body = options.body ?? JSON.stringify(document);
    const signed = signer.signAnswer(body, {
      target: options.signedTarget ?? `post ${asked.path}`,
      host: options.host ?? '127.0.0.1',
      date: options.date ?? httpDate(0, at),
    });
    response.sendDate = false;
    const headers = Object.entries({ 'Content-Type': type, ...signed, ...options.headers }).filter(([, value]) => value !== undefined);
    response.writeHead(status, Object.fromEntries(headers) as Record<string, string>).end(options.sent ?? body);
  };
}

/** Changes the signature header of a genuine answer. */
function withSignature(change: (header: string) => string | string[]): Answering {
  return (response, asked) => {
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((status: number, headers: Record<string, string>) =>
      writeHead(status, { ...headers, 'Keygen-Signature': change(headers['Keygen-Signature']!) })) as typeof response.writeHead;
    answer()(response, asked);
  };
}

const html: Answering = response => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome to the hotel Wi-Fi</h1>');
const silence: Answering = () => {};

describe('the question', () => {
  it('is one POST with the key and a fresh nonce in the body, asking for an Ed25519 signature', async () => {
    server.answering = answer();
    await check();
    await check();
    const [first, then] = server.asked as [Asked, Asked];
    expect(first.method).toBe('POST');
    expect(first.path).toBe(target);
    expect(first.headers).toMatchObject({ 'content-type': 'application/vnd.api+json', 'keygen-accept-signature': 'algorithm="ed25519"' });
    expect(JSON.stringify(first.headers) + first.path).not.toContain(key);
    expect(first.body).toEqual({ meta: { key, nonce: expect.any(Number) as number } });
    expect(Number.isSafeInteger(first.body.meta.nonce)).toBe(true);
    expect(then.body.meta.nonce).not.toBe(first.body.meta.nonce);
  });

  it('names this machine when LICENSE_FINGERPRINT is set', async () => {
    server.answering = answer();
    expect((await check({ licenseFingerprint: fingerprint })).outcome).toBe('valid');
    expect(server.asked[0]!.body.meta.scope).toEqual({ fingerprint });
  });
});

describe('an answer that lets the service start', () => {
  const cases: [string, AnswerOptions][] = [
    ['VALID, signed, now', {}],
    ['as application/json', { type: 'application/json' }],
    ['signed for the host with its port, as the published clients expect', { host: 'with-port' }],
    ['signed 5 minutes ago', { date: httpDate(-5 * minute) }],
    ['signed 5 minutes from now', { date: httpDate(5 * minute) }],
    ['made 5 minutes ago', { meta: { ts: iso(-5 * minute) } }],
    ['of a licence without an end', { attributes: { expiry: null } }],
    ['of a licence that ends now', { attributes: { expiry: iso(0) } }],
    ['whose Date a proxy replaced, but not Keygen-Date', { headers: { Date: httpDate(second), 'Keygen-Date': httpDate(0) } }],
  ];
  it.each(cases)('%s', async (_title, options) => {
    server.answering = answer({ ...options, ...(options.host && { host: `127.0.0.1:${server.port}` }) });
    expect((await check()).outcome).toBe('valid');
  });

  it('shows the name, the time of the answer, the end of the licence, and holds for 7 days', async () => {
    server.answering = answer();
    expect((await check()).proof).toEqual({
      mode: 'online',
      status: 'valid',
      name: '企业版',
      licensee: null,
      issued: now,
      expiry: new Date(iso(30 * day)),
      holdsUntil: new Date(iso(7 * day)),
      warnings: [],
    });
  });
});

describe('a signed answer with status 200 that says no', () => {
  // Codes of Keygen's validation, with `valid: false`.
  const codes = `BANNED SUSPENDED EXPIRED OVERDUE NOT_FOUND NO_MACHINE NO_MACHINES TOO_MANY_MACHINES TOO_MANY_CORES TOO_MANY_PROCESSES
    TOO_MANY_USERS FINGERPRINT_SCOPE_REQUIRED FINGERPRINT_SCOPE_MISMATCH PRODUCT_SCOPE_REQUIRED HEARTBEAT_NOT_STARTED HEARTBEAT_DEAD`;
  it.each(codes.split(/\s+/))('%s', async code => {
    server.answering = answer({ meta: { valid: false, code } });
    const { outcome, message } = await check();
    expect(outcome).toBe('not_valid');
    expect(message).toContain(`(${code})`);
  });

  const cases: [string, AnswerOptions, Outcome][] = [
    ['valid but EXPIRED, as lenient policies have it', { meta: { code: 'EXPIRED' } }, 'not_valid'],
    ['not valid but VALID', { meta: { valid: false } }, 'not_valid'],
    ['a code that quotes the key is not shown', { meta: { valid: false, code: key } }, 'not_valid'],
    ['"true" as text', { meta: { valid: 'true' } }, 'answer_malformed'],
    ['1 for true', { meta: { valid: 1 } }, 'answer_malformed'],
    ['no valid', { meta: { valid: undefined } }, 'answer_malformed'],
    ['no code', { meta: { code: undefined } }, 'answer_malformed'],
    ['valid beside meta', { document: { valid: true, code: 'VALID' } }, 'answer_malformed'],
    ['a licence that ended a millisecond ago', { attributes: { expiry: iso(-1) } }, 'expired'],
    ['a suspended licence', { attributes: { suspended: true } }, 'suspended'],
    ['a licence whose end is unreadable', { attributes: { expiry: 'soon' } }, 'answer_malformed'],
    ['another key, asked for by someone in between', { attributes: { key: 'OTHER-KEY' } }, 'answer_for_other_key'],
    ['no key', { attributes: { key: undefined } }, 'answer_for_other_key'],
    ['another machine', { meta: { scope: { fingerprint: 'b4' } } }, 'fingerprint_mismatch'],
    ['no machine', { meta: { scope: undefined } }, 'fingerprint_mismatch'],
  ];
  it.each(cases)('%s', async (_title, options, expected) => {
    server.answering = answer(options);
    expect((await check({ licenseFingerprint: fingerprint })).outcome).toBe(expected);
  });
});

describe('an answer that is old, replayed or forged', () => {
  const cases: [string, Answering, Outcome][] = [
    ['the nonce of another request', answer({ meta: { nonce: 1 } }), 'answer_replayed'],
    ['no nonce', answer({ meta: { nonce: undefined } }), 'answer_replayed'],
    [
      'the nonce as text',
      (response, asked) => answer({ meta: { nonce: String(asked.body.meta.nonce) } })(response, asked),
      'answer_replayed',
    ],
    ['signed 5 minutes and a second ago', answer({ date: httpDate(-5 * minute - second) }), 'answer_not_fresh'],
    ['signed 5 minutes and a second ahead', answer({ date: httpDate(5 * minute + second) }), 'answer_not_fresh'],
    ['made 6 minutes ago', answer({ meta: { ts: iso(-6 * minute) } }), 'answer_not_fresh'],
    ['made in an hour', answer({ meta: { ts: iso(60 * minute) } }), 'answer_not_fresh'],
    ['made at an unreadable time', answer({ meta: { ts: '2026-11-20T12:00:00' } }), 'answer_malformed'],
    ['without the signature', answer({ headers: { 'Keygen-Signature': undefined } }), 'answer_unsigned'],
    ['with an empty signature header', answer({ headers: { 'Keygen-Signature': '' } }), 'answer_unsigned'],
    ['without a date', answer({ headers: { Date: undefined } }), 'answer_unsigned'],
    ['without a digest', answer({ headers: { Digest: undefined } }), 'answer_unsigned'],
    ['with another date than the signed one', answer({ headers: { Date: httpDate(second) } }), 'signature_invalid'],
    ['with a date in another form', answer({ date: now.toISOString() }), 'answer_malformed'],
    ['with another body than the signed one', answer({ sent: '{"meta":{"valid":true}}' }), 'answer_digest_mismatch'],
    [
      'with a body cut after it was signed',
      answer({ body: '{"meta":{"valid":true}}', sent: '{"meta":{"valid":true' }),
      'answer_digest_mismatch',
    ],
    ['with the digest of another algorithm', answer({ headers: { Digest: 'md5=1B2M2Y8AsgTpgAmY7PhCfg==' } }), 'answer_digest_mismatch'],
    ['signed by a stranger', answer({ signer: stranger }), 'signature_invalid'],
    ['signed for another path', answer({ signedTarget: 'post /v1/accounts/other/licenses/actions/validate-key' }), 'signature_invalid'],
    ['signed for another method', answer({ signedTarget: `get ${target}` }), 'signature_invalid'],
    ['signed for another host', answer({ host: 'license.example.com' }), 'signature_invalid'],
    [
      'signed with zeros',
      withSignature(
        () => `algorithm="ed25519", signature="${Buffer.alloc(64).toString('base64')}", headers="(request-target) host date digest"`,
      ),
      'signature_invalid',
    ],
    ['whose signature names RSA', withSignature(text => text.replace('ed25519', 'rsa-sha256')), 'answer_malformed'],
    ['whose signature covers no digest', withSignature(text => text.replace(' digest"', '"')), 'answer_malformed'],
    ['whose signature says nothing of what it covers', withSignature(text => text.replace(/, headers=.*/, '')), 'answer_malformed'],
    ['whose signature is not base64', withSignature(text => text.replace(/signature="./, 'signature="*')), 'answer_malformed'],
    ['with two signatures in one header', withSignature(text => `${text}, ${text}`), 'answer_malformed'],
    ['with two signature headers', withSignature(text => [text, text]), 'answer_malformed'],
    ['with junk after the signature', withSignature(text => `${text}; x`), 'answer_malformed'],
    ['with junk after the last comma', withSignature(text => `${text}, x`), 'answer_malformed'],
    ['with a signature header of 5,000 characters', withSignature(text => `${text}, keyid2="${'x'.repeat(5000)}"`), 'answer_malformed'],
  ];
  it.each(cases)('%s', async (_title, answering, expected) => {
    server.answering = answering;
    expect((await check()).outcome).toBe(expected);
  });

  it('a genuine answer recorded at an earlier start', async () => {
    let recorded: Asked;
    server.answering = (response, asked) => {
      recorded ??= asked;
      answer()(response, recorded);
    };
    expect((await check()).outcome).toBe('valid');
    expect((await check()).outcome).toBe('answer_replayed');
  });
});

it('a fresh answer counts whatever time was seen before: the server has signed the time', async () => {
  server.answering = answer();
  expect((await check({}, now, new Date(now.getTime() + 365 * day))).outcome).toBe('valid');
});

describe('an answer that is not a licence answer', () => {
  const status = (code: number, headers = {}) => answer({ status: code, headers });
  const cases: [string, Answering, Outcome][] = [
    ...[201, 202, 204, 400, 401, 402, 403, 404, 422, 429, 500, 502, 503, 504].map(
      code => [`status ${code}, signed and VALID`, status(code), 'server_status'] as [string, Answering, Outcome],
    ),
    ...[301, 302, 303, 307, 308].map((code): [string, Answering, Outcome] => [
      `status ${code} to a place that would answer well`,
      (response, asked) =>
        asked.path === '/elsewhere'
          ? answer()(response, asked)
          : answer({ status: code, headers: { Location: `http://${asked.headers.host}/elsewhere` } })(response, asked),
      'server_redirect',
    ]),
    ['a page in HTML with status 200', html, 'answer_not_json'],
    [
      'a page in HTML that says it is JSON',
      response => response.writeHead(200, { 'Content-Type': 'application/json' }).end('<h1>'),
      'answer_unsigned',
    ],
    ['signed and VALID, but as text/html', answer({ type: 'text/html' }), 'answer_not_json'],
    ['signed and VALID, without a content type', answer({ headers: { 'Content-Type': undefined } }), 'answer_not_json'],
    ['signed and VALID, as jsonp', answer({ type: 'application/jsonp' }), 'answer_not_json'],
    ['signed, but cut JSON', answer({ body: '{"meta":{"valid":true,"code":"VALID"' }), 'answer_malformed'],
    ['signed, but empty', answer({ body: '' }), 'answer_malformed'],
    ['signed, but null', answer({ body: 'null' }), 'answer_malformed'],
    ['signed, but a list', answer({ body: '[]' }), 'answer_malformed'],
    ['signed, but broken UTF-8', answer({ body: Buffer.from([0x7b, 0xff, 0x7d]) }), 'answer_malformed'],
    ['signed, but of 64 KiB and a byte', answer({ body: ' '.repeat(65_537) }), 'answer_too_large'],
    ['a body without end', response => void response.writeHead(200).write('x'.repeat(200_000)), 'answer_too_large'],
    ['silence', silence, 'server_timeout'],
    ['a head and then silence', response => response.writeHead(200, { 'Content-Length': 100 }).flushHeaders(), 'server_timeout'],
    [
      'a byte now and then',
      response => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(drip));
      },
      'server_timeout',
    ],
    ['a connection cut before the head', response => void response.destroy(), 'answer_broken'],
    [
      'a connection cut in the body',
      response => {
        response.writeHead(200, { 'Content-Length': 100 }).write('{');
        setTimeout(() => response.destroy(), 50);
      },
      'answer_broken',
    ],
    ['no HTTP', response => void response.socket!.end('220 smtp.example.com ESMTP\r\n'), 'answer_broken'],
  ];
  it.each(cases)('%s', async (_title, answering, expected) => {
    server.answering = answering;
    expect((await check()).outcome).toBe(expected);
    expect(server.asked).toHaveLength(1);
    expect(await readdir(directory)).toEqual([]);
  });

  const openssl = spawnSync('openssl', ['version']).status === 0;
  (openssl ? it : it.skip)('a server with a certificate of its own making (skipped without openssl on the path)', async () => {
    const [keyFile, certFile] = [path.join(directory, 'tls.key'), path.join(directory, 'tls.crt')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-out', certFile, '-days', '1', ...subject]);
    const reached: string[] = [];
    const secure = https.createServer({ key: await readFile(keyFile), cert: await readFile(certFile) }, (request, response) => {
      reached.push(request.url!);
      response.end();
    });
    await new Promise<void>(resolve => secure.listen(0, '127.0.0.1', resolve));
    const { port } = secure.address() as net.AddressInfo;
    const { outcome, message } = await check({ licenseUrl: `https://localhost:${port}${target}` });
    expect(outcome).toBe('answer_broken');
    expect(message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(reached).toEqual([]);
    await new Promise(resolve => secure.close(resolve));
  });

  it('a server behind https that does not speak it', async () => {
    expect((await check({ licenseUrl: `https://127.0.0.1:${server.port}${target}` })).outcome).toBe('answer_broken');
  });
});

describe('a server that cannot be reached', () => {
  /** The URL of a port on which nothing listens. */
  async function deadUrl(): Promise<string> {
    const probe = net.createServer();
    await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as net.AddressInfo;
    await new Promise(resolve => probe.close(resolve));
    return `http://127.0.0.1:${port}${target}`;
  }

  /** Gives one good answer; after it the server is gone. */
  async function goodAnswerOnce(options: AnswerOptions = {}): Promise<string> {
    const url = await deadUrl();
    // The signature names the place that will be asked later.
    server.answering = answer({ host: '127.0.0.1', ...options });
    expect((await check({}, options.at)).outcome).toBe('valid');
    return url;
  }

  const storedFile = () => path.join(directory, 'license-answer');

  it.each([
    ['nobody listens', deadUrl],
    ['the name does not exist', () => 'https://license.invalid/validate-key'],
  ])('%s, and nothing is stored: refused', async (_title, url) => {
    const { outcome, message } = await check({ licenseUrl: await url() });
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
    expect((await check({ licenseUrl: url }, new Date(now.getTime() + ageMs))).outcome).toBe(expected);
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
    const at = (ms: number) => new Date(now.getTime() + ms);
    expect((await check({ licenseUrl: url }, at(clockMs), at(seenMs))).outcome).toBe(expected);
  });

  it('says in the grace period what is wrong and until when the service runs', async () => {
    const url = await goodAnswerOnce();
    const { proof } = await check({ licenseUrl: url }, new Date(now.getTime() + day));
    expect(proof).toMatchObject({ mode: 'online', name: '企业版', issued: now, holdsUntil: new Date(iso(7 * day)) });
    expect(proof!.warnings).toEqual([expect.stringMatching(/无法连接.* \/ .*ECONNREFUSED.*2026-11-27T12:00:00.000Z/)]);
  });

  it('the grace period does not renew itself', async () => {
    const url = await goodAnswerOnce();
    for (const days of [2, 4, 6]) expect((await check({ licenseUrl: url }, new Date(now.getTime() + days * day))).outcome).toBe('grace');
    expect((await check({ licenseUrl: url }, new Date(now.getTime() + 8 * day))).outcome).toBe('server_unreachable');
  });

  const spoilt: [string, (url: string) => Partial<LicenceSettings> | Promise<Partial<LicenceSettings>>][] = [
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
    expect((await check({ licenseUrl: url, ...(await spoil(url)) })).outcome).toBe('server_unreachable');
  });

  it('refuses when the licence of the stored answer has ended meanwhile', async () => {
    const url = await goodAnswerOnce({ attributes: { expiry: iso(day) } });
    expect((await check({ licenseUrl: url }, new Date(now.getTime() + day))).outcome).toBe('grace');
    expect((await check({ licenseUrl: url }, new Date(now.getTime() + day + 1))).outcome).toBe('server_unreachable');
  });

  it('refuses a stored answer that a stranger signed and sealed with the right key', async () => {
    const url = await goodAnswerOnce();
    server.answering = answer({ signer: stranger });
    expect((await check({ licensePublicKey: stranger.publicKeyHex })).outcome).toBe('valid');
    expect((await check({ licenseUrl: url })).outcome).toBe('server_unreachable');
  });

  it('a signed refusal withdraws the stored answer, even if it is put back while the server is unplugged', async () => {
    const url = await goodAnswerOnce();
    server.answering = answer({ meta: { valid: false, code: 'SUSPENDED' } });
    expect((await check()).outcome).toBe('not_valid');
    expect((await check({ licenseUrl: url })).outcome).toBe('server_unreachable');
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
      expect((await check()).outcome).toBe(expected);
      expect((await check({ licenseUrl: url })).outcome).toBe('grace');
    },
  );

  it('keeps the answer sealed and for the owner only', async () => {
    await goodAnswerOnce();
    const bytes = await readFile(storedFile());
    expect(bytes.includes(key)).toBe(false);
    expect(bytes.includes(Buffer.from(key).toString('base64').slice(0, 20))).toBe(false);
    expect((await stat(storedFile())).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(['license-answer']);
  });

  it('a stored answer works in another installation with the same key, and no longer than here', async () => {
    const url = await goodAnswerOnce();
    const elsewhere = await mkdtemp(path.join(os.tmpdir(), 'licence-'));
    await copyFile(storedFile(), path.join(elsewhere, 'license-answer'));
    expect((await check({ licenseUrl: url, dataDirectory: elsewhere }, new Date(now.getTime() + 8 * day))).outcome).toBe(
      'server_unreachable',
    );
    await rm(elsewhere, { recursive: true });
  });

  it('starts with a warning when the answer cannot be stored', async () => {
    server.answering = answer();
    await writeFile(path.join(directory, 'file'), '');
    const { outcome, proof } = await check({ dataDirectory: path.join(directory, 'file') });
    expect(outcome).toBe('valid');
    expect(proof!.warnings).toEqual([expect.stringContaining('cannot be stored in DATA_DIR')]);
  });
});
