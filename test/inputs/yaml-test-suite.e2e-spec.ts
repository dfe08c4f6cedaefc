import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startTestApp, type TestApp } from '../support/app.js';
import { asPerson, probe } from '../support/probe.js';
import { describeWithShared, sharedFolder } from '../support/shared-data.js';

const file = 'suites/yaml-test-suite/cases.json';

interface Case {
  id: string;
  in_yaml: string;
  error: boolean;
}

let test: TestApp;
let graphId: number;
beforeAll(async () => {
  test = await startTestApp();
  graphId = (await test.admin.post('/api/graphs').send({ name: '图' }).expect(201)).body.id;
});
afterAll(() => test.close());

/** The answer to a mapping, with what took the process longest while it was made. */
async function send(route: string, mapping: string) {
  const startedAt = performance.now();
  const answer = await probe(test, {
    method: 'POST',
    path: route,
    headers: { ...asPerson(test.admin.token), 'content-type': 'application/json' },
    body: JSON.stringify({ graph_id: graphId, mapping_yaml: mapping }),
  });
  return { ...answer, ms: performance.now() - startedAt };
}

describeWithShared('the cases of yaml-test-suite as a mapping', file, () => {
  it('are all refused with 422: the broken ones as YAML, the others as no mapping', async () => {
    const cases = JSON.parse(readFileSync(path.join(sharedFolder, file), 'utf8')) as Case[];
    expect([cases.length, cases.filter(({ error }) => error).length]).toEqual([402, 94]);
    const wrong: string[] = [];
    for (const { id, in_yaml } of cases) {
      for (const route of ['/api/ingestion/jobs', '/api/ingestion/mappings/validate']) {
        const { status, problems, body } = await send(route, in_yaml);
        wrong.push(...problems.map(problem => `${id}: ${problem}`));
        if (status !== 422) wrong.push(`${id}: ${status} ${body.slice(0, 200)}`);
        else if (!body.includes('"mapping_yaml"')) wrong.push(`${id}: ${body.slice(0, 200)}`);
      }
    }
    expect(wrong).toEqual([]);
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
    ['numbers that are none', 'version: .nan\nsource: .inf\ndefaults: 1e400\nnodes: 99999999999999999999\nedges: 0o17'],
    ['the same key twice', 'version: 1\nversion: 1'],
    ['a control character', 'version: "\u0001"'],
    ['a line separator', 'version: 1\u2028nodes: []'],
  ])('is refused with 422: %s', async (_what, mapping) => {
    const { status, problems, ms, body } = await send('/api/ingestion/mappings/validate', mapping);
    expect(problems).toEqual([]);
    expect([status, body.includes('mapping_yaml')]).toEqual([422, true]);
    // Minutes are what such texts are made to cost; a busy test machine is allowed for.
    expect(ms).toBeLessThan(2_000);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  }); // prettier-ignore
});
