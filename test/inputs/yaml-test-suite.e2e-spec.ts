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

/** Sends a mapping. Returns the answer and the longest block of the event loop meanwhile. */
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

/** The type of the first problem that does not follow from another. Of two missing keys, either may come first. */
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
    // Each of the 308 well-formed texts is sent twice. Refused as YAML are those with tags, a second document or a list as a key; of aliases and these, the first is told.
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
    // Such texts are made to cost minutes. Reading takes 0.3 to 40 ms on an idle machine (`mapping-cost.spec.ts`); the bound allows
    // for a busy one.
    expect(ms).toBeLessThan(2_000);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  }); // prettier-ignore
});
