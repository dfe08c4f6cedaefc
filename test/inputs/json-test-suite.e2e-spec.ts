import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { startTestApp, type TestApp } from '../support/app.js';
import { probe } from '../support/probe.js';
import { describeWithShared, sharedFolder } from '../support/shared-data.js';

const folder = 'suites/JSONTestSuite/test_parsing';

/** The cases that RFC 8259 leaves open (`i_`), and the few answers that differ from those of their kind. The first match counts. */
const settled: [file: RegExp, answer: string][] = [
  // RFC 8259 allows it, but PostgreSQL stores no NUL.
  [/^y_(object_escaped_null_in_key|string_null_escape)\.json$/, '422 nul_character'],
  [/^(i_structure_500_nested_arrays|n_structure_100000_opening_arrays|n_structure_open_array_object)\.json$/, '400 body_too_deep'],
  // A number too small to matter is zero. From 1e21 on a number is a magnitude, and its digits have no meaning.
  [/^i_number_(double_huge_neg_exp|real_underflow|too_big_neg_int|very_big_negative_int)\.json$/, '401 wrong_login'],
  [/^i_number_/, '422 number_out_of_range'],
  // Not UTF-8 (UTF-16, Latin-1, overlong and cut sequences, encoded surrogates), or a byte order mark in the middle.
  [/^i_(string_.*(utf-?8|utf-?16|latin|overlong|unicode_range)|structure_UTF-8_BOM)/i, '400 malformed_json'],
  // Escaped halves of a surrogate pair are legal JSON, but no text.
  [/^i_/, '422 lone_surrogate'],
  [/^n_/, '400 malformed_json'],
  [/^y_/, '401 wrong_login'],
];

describeWithShared('the files of JSONTestSuite', folder, () => {
  const directory = path.join(sharedFolder, folder);
  const files = readdirSync(directory).sort();
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  async function login(body: Buffer): Promise<string> {
    // With this header, unknown fields of a login are read all the same.
    const headers = { 'content-type': 'application/json', prefer: 'handling=lenient' };
    const answer = await probe(test, { method: 'POST', path: '/auth/login', headers, body });
    if (answer.problems.length > 0) return answer.problems.join('; ');
    const { code, detail } = JSON.parse(answer.body) as { code?: string; detail: { errors?: { type: string }[] } };
    return `${answer.status} ${code ?? detail.errors?.map(({ type }) => type).join(', ')}`;
  }

  // The value stands in a field that the route ignores. If a wrong value were read, the login would be refused for its password
  // only.
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
    // A leading byte order mark is dropped. Nothing at all is a missing body, which lacks its fields.
    const others = ['i_object_key_lone_2nd_surrogate.json', 'i_structure_UTF-8_BOM_empty_object.json', 'n_structure_no_data.json'];
    expect(readable).toEqual([...others, ...files.filter(file => file.startsWith('y_object'))]);
  }); // prettier-ignore
});
