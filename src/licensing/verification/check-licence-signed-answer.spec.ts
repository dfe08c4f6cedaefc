import {
  answer,
  type AnswerOptions,
  checkOnline,
  day,
  fingerprint,
  httpDate,
  iso,
  key,
  minute,
  now,
  type Outcome,
  second,
  server,
  stranger,
  target,
  useDataDirectory,
  useLicenseServer,
} from '../../../test/support/licence-checks.js';
import { type Asked, type Answering } from '../../../test/support/licensor.js';

useDataDirectory();
useLicenseServer();

/** Changes the signature header of a genuine answer. */
function withSignature(change: (header: string) => string | string[]): Answering {
  return (response, asked) => {
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((status: number, headers: Record<string, string>) =>
      writeHead(status, { ...headers, 'Keygen-Signature': change(headers['Keygen-Signature']!) })) as typeof response.writeHead;
    answer()(response, asked);
  };
}

describe('the question', () => {
  it('is one POST with the key and a fresh nonce in the body, asking for an Ed25519 signature', async () => {
    server.answering = answer();
    await checkOnline();
    await checkOnline();
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
    expect((await checkOnline({ licenseFingerprint: fingerprint })).outcome).toBe('valid');
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
    expect((await checkOnline()).outcome).toBe('valid');
  });

  it('shows the name, the time of the answer, the end of the licence, and holds for 7 days', async () => {
    server.answering = answer();
    expect((await checkOnline()).proof).toEqual({
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
    const { outcome, message } = await checkOnline();
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
    expect((await checkOnline({ licenseFingerprint: fingerprint })).outcome).toBe(expected);
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
    expect((await checkOnline()).outcome).toBe(expected);
  });

  it('a genuine answer recorded at an earlier start', async () => {
    let recorded: Asked;
    server.answering = (response, asked) => {
      recorded ??= asked;
      answer()(response, recorded);
    };
    expect((await checkOnline()).outcome).toBe('valid');
    expect((await checkOnline()).outcome).toBe('answer_replayed');
  });
});

it('a fresh answer counts whatever time was seen before: the server has signed the time', async () => {
  server.answering = answer();
  expect((await checkOnline({}, now, new Date(now.getTime() + 365 * day))).outcome).toBe('valid');
});
