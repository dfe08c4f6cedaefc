import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type Request } from 'express';
import { startTestApp, type TestApp } from '../support/app.js';
import { probe, asPerson } from '../support/probe.js';
import { describeWithShared, sharedFolder } from '../support/shared-data.js';
import { JwtStrategy } from '../../src/auth/jwt.strategy.js';
import { TokenPrincipals } from '../../src/auth/token-principals.js';
import { type UsersService } from '../../src/users/users.service.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const folder = 'suites/JSONTestSuite/test_parsing';

/**
 * The expected answers by file name; the first match counts. They settle the cases that RFC 8259 leaves open (`i_`), and the few answers
 * that differ from others of their kind.
 */
const settled: [file: RegExp, answer: string][] = [
  // RFC 8259 allows it, but PostgreSQL cannot store NUL.
  [/^y_(object_escaped_null_in_key|string_null_escape)\.json$/, '422 nul_character'],
  [/^(i_structure_500_nested_arrays|n_structure_100000_opening_arrays|n_structure_open_array_object)\.json$/, '400 body_too_deep'],
  // A number that is too small for a double is read as zero. An integer from 1e21 on is read as a double, without exact digits.
  [/^i_number_(double_huge_neg_exp|real_underflow|too_big_neg_int|very_big_negative_int)\.json$/, '401 wrong_login'],
  [/^i_number_/, '422 number_out_of_range'],
  // Bytes that are not UTF-8 (UTF-16, Latin-1, overlong or incomplete sequences, encoded surrogates), or a byte order mark inside the text.
  [/^i_(string_.*(utf-?8|utf-?16|latin|overlong|unicode_range)|structure_UTF-8_BOM)/i, '400 malformed_json'],
  // An escaped half of a surrogate pair is legal JSON, but not valid text.
  [/^i_/, '422 lone_surrogate'],
  [/^n_/, '400 malformed_json'],
  [/^y_/, '401 wrong_login'],
];

describeWithShared('the files of JSONTestSuite', folder, () => {
  const directory = path.join(sharedFolder, folder);
  const files = readdirSync(directory).sort();

  async function login(body: Buffer): Promise<string> {
    // With this header, unknown fields of a login are ignored instead of refused.
    const headers = { 'content-type': 'application/json', prefer: 'handling=lenient' };
    const answer = await probe(test, { method: 'POST', path: '/auth/login', headers, body });
    if (answer.problems.length > 0) return answer.problems.join('; ');
    const { code, detail } = JSON.parse(answer.body) as { code?: string; detail: { errors?: { type: string }[] } };
    return `${answer.status} ${code ?? detail.errors?.map(({ type }) => type).join(', ')}`;
  }

  // The value of the file is put into a field that the route ignores. If an invalid value were accepted, the login would be refused only
  // because of its password.
  it.each(files)('%s is answered inside an object as its name and our decisions say', async file => {
    const body = Buffer.concat([Buffer.from('{"username":"a","password":"b","more":'), readFileSync(path.join(directory, file)), Buffer.from('}')]);
    expect(await login(body)).toBe(settled.find(([name]) => name.test(file))?.[1]);
  }); // prettier-ignore

  it('are bodies by themselves only if they are one object', async () => {
    expect([files.length, ...['i_', 'n_', 'y_'].map(kind => files.filter(file => file.startsWith(kind)).length)]).toEqual([318, 35, 188, 95]);
    const readable: string[] = [];
    for (const file of files) {
      const answer = await login(readFileSync(path.join(directory, file)));
      if (/^400 (malformed_json|body_too_deep)$/.test(answer)) continue;
      expect([file, answer]).toEqual([file, expect.stringMatching(/^(400 missing_field|422 nul_character|422 lone_surrogate)$/)]);
      readable.push(file);
    }
    // A leading byte order mark is removed. An empty body counts as an object without fields.
    const others = ['i_object_key_lone_2nd_surrogate.json', 'i_structure_UTF-8_BOM_empty_object.json', 'n_structure_no_data.json'];
    expect(readable).toEqual([...others, ...files.filter(file => file.startsWith('y_object'))]);
  }); // prettier-ignore
});

const file = 'suites/yaml-test-suite/cases.json';

interface Case {
  id: string;
  in_yaml: string;
  error: boolean;
}
let graphId: number;
beforeAll(async () => {
  graphId = (await test.admin.post('/api/graphs').send({ name: '图' }).expect(201)).body.id;
});

/** Sends a mapping. Returns the answer and the time that it took in milliseconds. */
async function send(route: string, mapping: string) {
  const startedAt = performance.now();
  const answer = await probe(test, {
    method: 'POST',
    path: route,
    headers: { ...asPerson(test.admin.token), 'content-type': 'application/json' },
    body: JSON.stringify({ ...(route.endsWith('validate') ? {} : { graph_id: graphId }), mapping_yaml: mapping }),
  });
  return { ...answer, ms: performance.now() - startedAt };
}

/**
 * The type of the problem that the text is not YAML or not a map, if there is such a problem: all others follow from it. Otherwise all
 * types of problems, without duplicates and sorted, because either of two missing keys may come first.
 */
function typeOf(body: string): string {
  const types = (JSON.parse(body) as { detail: { errors: { type: string }[] } }).detail.errors.map(({ type }) => type);
  return types.find(type => /^(yaml_|not_a_map)/.test(type)) ?? [...new Set(types)].sort().join(' and ');
}

describeWithShared('the cases of yaml-test-suite as a mapping', file, () => {
  it('are all refused with 422: the broken ones as YAML, the others as no mapping', async () => {
    const cases = JSON.parse(readFileSync(path.join(sharedFolder, file), 'utf8')) as Case[];
    expect([cases.length, cases.filter(({ error }) => error).length]).toEqual([402, 94]);
    const wrong: string[] = [];
    const answers: Record<string, number> = {};
    for (const { id, in_yaml, error } of cases) {
      for (const route of ['/api/ingestion/jobs', '/api/ingestion/mappings/validate']) {
        const { status, problems, body } = await send(route, in_yaml);
        wrong.push(...problems.map(problem => `${id}: ${problem}`));
        if (status !== 422 || !body.includes('"mapping_yaml"')) wrong.push(`${id}: ${status} ${body.slice(0, 200)}`);
        else {
          const type = typeOf(body);
          if (error && type !== 'yaml_syntax') wrong.push(`${id}: broken YAML, and ${type}`);
          if (!error) answers[type] = (answers[type] ?? 0) + 1;
        }
      }
    }
    expect(wrong).toEqual([]);
    // Each of the 308 well-formed texts is sent twice. Texts with tags, a second document or a list as a key are refused as YAML.
    // If a text has aliases too, only the first of these problems is listed.
    expect(answers).toEqual({ not_a_map: 260, 'missing_key and unknown_key': 200, missing_key: 2, yaml_alias_limit: 20, yaml_syntax: 134 });
  });
});

describe('YAML that is made to hurt', () => {
  const anchors = (levels: number, width: number) =>
    Array.from({ length: levels }, (_, level) => `a${level}: &a${level} [${Array(width).fill(level === 0 ? 'x' : `*a${level - 1}`).join(', ')}]`).join('\n'); // prettier-ignore

  it.each([
    ['a billion laughs', anchors(10, 9)],
    ['a cycle', '&a [*a]'],
    ['a cycle through a map', 'version: 1\nnodes: &n\n  - *n\n'],
    ['a merge of itself', '&a {<<: *a}'],
    ['many empty merges', `a: &a {}\nb: {<<: [${Array(20_000).fill('*a').join(', ')}]}`],
    ['an ordered map', '!!omap [{a: 1}, {a: 2}]'],
    ['a function', '!!js/function "function () { return 1 }"'],
    ['a regular expression', '!!js/regexp /(a+)+$/'],
    ['another tag', '!<tag:yaml.org,2002:python/object/apply:os.system> [id]'],
    ['200 levels of flow', `${'['.repeat(200)}${']'.repeat(200)}`],
    ['100,000 levels of flow', `${'['.repeat(100_000)}`],
    ['400 levels of blocks', Array.from({ length: 400 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
    ['a mapping of 256 KiB', `a: ${'x'.repeat(256 * 1024)}`],
    ['a long line of anchors', '&a '.repeat(50_000)],
    ['a long line of question marks', '? '.repeat(50_000)],
    ['a long line of dashes', '- '.repeat(50_000)],
    ['a long line of colons', 'a: '.repeat(50_000)],
    ['a long plain scalar', 'a '.repeat(100_000)],
    ['a prototype', 'version: 1\n__proto__: {polluted: true}\nnodes: []'],
    ['a prototype as a column', 'version: 1\nnodes: [{id: a, label: A, table: t, key: [__proto__], columns: [{column: __proto__, property: constructor}]}]'],
    ['a document of nothing', ''],
    ['a document of a comment', '# nothing'],
    ['an empty document', '---'],
    ['two documents', 'a: 1\n---\nb: 2\n'],
    ['tabs', 'a:\n\tb: 1'],
    ['a byte order mark', '\ufeffversion: 1'],
    ['a key that is a list', '? [a]\n: b'],
    ['the same key twice', 'version: 1\nversion: 1'],
    ['a control character', 'version: "\u0001"'],
    ['a line separator', 'version: 1\u2028nodes: []'],
  ])('is refused with 422: %s', async (_what, mapping) => {
    const { status, problems, ms, body } = await send('/api/ingestion/mappings/validate', mapping);
    expect(problems).toEqual([]);
    expect([status, body.includes('mapping_yaml')]).toEqual([422, true]);
    // Such texts are made to take minutes. Parsing them takes 0.3 to 40 ms on an idle machine (`mapping-cost.spec.ts`). The bound is meant
    // for a busy one.
    expect(ms).toBeLessThan(10_000);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  }); // prettier-ignore
});

const vectorFile = 'suites/wycheproof-jws/json_web_signature_test.json';

interface Vector {
  tcId: number;
  comment: string;
  jws: string;
  result: 'valid' | 'invalid';
}

interface Group {
  private?: JsonWebKey & { alg?: string };
  public?: JsonWebKey;
  tests: Vector[];
}

/**
 * How the strategy judges a token under this key. The payloads of the vectors lack our claims, so the best possible result is a refusal
 * because of the audience, which is checked after the signature.
 */
async function verdict(key: KeyObject, token: string): Promise<'accepted' | 'good signature' | 'refused'> {
  const principals = new TokenPrincipals({ findAccountState: () => Promise.reject(new Error('asked for an account')) } as unknown as UsersService);
  const strategy = new JwtStrategy({ object: key }, principals);
  return new Promise((resolve, reject) => {
    Object.assign(strategy, {
      success: () => resolve('accepted'),
      fail: (reason: Error | string) => resolve(/audience/.test(String(reason)) ? 'good signature' : 'refused'),
      error: reject,
    });
    void strategy.authenticate({ headers: { authorization: `Bearer ${token}` } } as Request, {});
  });
} // prettier-ignore

/**
 * The keys for testing a vector: a symmetric one is tested with its own key. Otherwise the public key is used as a symmetric secret, which
 * is the classic confusion of algorithms.
 */
function keysFor({ private: own, public: published }: Group): KeyObject[] {
  if (own?.kty === 'oct') return [createSecretKey(Buffer.from(own.k!, 'base64url'))];
  const asymmetric = createPublicKey({ key: (published ?? own)!, format: 'jwk' });
  return [
    createSecretKey(Buffer.from(asymmetric.export({ type: 'spki', format: 'pem' }))),
    createSecretKey(asymmetric.export({ type: 'spki', format: 'der' })),
  ];
}

// This block comes last, because each strategy that it makes replaces the application's.
describeWithShared('the JWS vectors of Wycheproof', vectorFile, () => {
  const { testGroups } = JSON.parse(readFileSync(path.join(sharedFolder, vectorFile), 'utf8')) as { testGroups: Group[] };
  const vectors = testGroups.flatMap(group => group.tests.map(test => ({ group, ...test })));
  /** Two vectors named "invalid padding" have no padding: they equal the valid vector 357 byte for byte. */
  const mislabelled = new Set([367, 370]);

  it('has no token that gets in, and no invalid one whose signature passes', async () => {
    const invalid = vectors.filter(({ result }) => result === 'invalid');
    expect(invalid).toHaveLength(355);
    const valid = new Set(vectors.filter(({ tcId }) => tcId === 357).map(({ jws }) => jws));
    expect(invalid.filter(({ jws }) => valid.has(jws)).map(({ tcId }) => tcId)).toEqual([...mislabelled]);
    const passed: string[] = [];
    for (const { group, tcId, comment, jws } of invalid) {
      for (const key of keysFor(group)) {
        const said = await verdict(key, jws);
        if (said !== 'refused' && !mislabelled.has(tcId)) passed.push(`${tcId} ${comment}: ${said}`);
      }
    }
    expect(passed).toEqual([]);
  });

  it('accepts the signatures of exactly the valid HS256 ones', async () => {
    const symmetric = vectors.filter(({ group }) => group.private?.kty === 'oct');
    expect(symmetric).toHaveLength(40);
    const verdicts = await Promise.all(
      symmetric.map(async ({ group, tcId, comment, jws, result }) => {
        const said = await verdict(keysFor(group)[0]!, jws);
        return { tcId, comment, result, said, jws };
      }),
    );
    // A vector with a character outside the base64url alphabet is valid only for decoders that skip the character. RFC 7515, section 2,
    // allows no such character.
    const isRight = (tcId: number, result: string, jws: string) => mislabelled.has(tcId) || (result === 'valid' && /^[\w.-]+$/.test(jws));
    const wrong = verdicts.filter(({ tcId, result, said, jws }) => isRight(tcId, result, jws) !== (said === 'good signature'));
    expect(wrong).toEqual([]);
    expect(verdicts.filter(({ said }) => said === 'good signature').length).toBeGreaterThan(5);
  });

  it('refuses every valid one of another algorithm', async () => {
    const others = vectors.filter(({ group, result }) => group.private?.kty !== 'oct' && result === 'valid');
    expect(others.length).toBeGreaterThan(20);
    for (const { group, jws } of others) {
      for (const key of keysFor(group)) expect(await verdict(key, jws)).toBe('refused');
    }
  });
});
