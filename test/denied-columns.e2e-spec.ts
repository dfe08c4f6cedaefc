import { startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignSchema } from './support/foreign-tables.js';
import { aGraph } from './support/ingestion.js';
import { copyToEnd } from './support/mirror-copies.js';
import { readDraft, suggest } from './support/suggestions.js';

let test: TestApp;
let foreign: ForeignPostgres;

beforeAll(async () => {
  [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  await aForeignSchema(
    test,
    foreign,
    'hr',
    `CREATE TYPE pair AS (a int, b int);
     CREATE TABLE staff (id int PRIMARY KEY, name text, salary numeric, odd pair, boss int);
     INSERT INTO staff VALUES (1, 'Ada', 100, (1, 2), NULL), (2, 'Bo', 50, NULL, 1);
     REVOKE ALL ON staff FROM reader; GRANT SELECT (id, name, odd, boss) ON staff TO reader`,
  );
});
afterAll(() => Promise.all([test.close(), foreign.remove()]));

/** The places of a mapping where the column `C` can be named, and the path in the error for each. */
const places: [place: string, element: string, path: string][] = [
  ['a column', 'columns: [{column: id}, {column: C}]', 'nodes[0].columns[1].column'],
  ['a key', 'key: [id, C], columns: [{column: id}, {column: C}]', 'nodes[0].key[1]'],
  ['a where', 'columns: [{column: id}], where: C IS NOT NULL', 'nodes[0].where'],
  ['an expression', 'columns: [{column: id}, {expression: C IS NULL, property: x}]', 'nodes[0].columns[1].expression'],
  ['a further label', 'columns: [{column: id}], labels: [{name: M, when: C IS NOT NULL}]', 'nodes[0].labels[0].when'],
  ['a rule', 'columns: [{column: id, rules: [{expression: C IS NOT NULL}]}]', 'nodes[0].columns[0].rules[0].expression'],
  ['a cursor', 'columns: [{column: id}], incremental: {cursor: C, type: bigint}', 'nodes[0].incremental.cursor'],
  ['a column of deletions', 'columns: [{column: id}], incremental: {cursor: id, type: bigint}, deletes: {mode: column, column: C, equals: left}', 'nodes[0].deletes.column'],
]; // prettier-ignore

const mappingOf = (element: string, column: string): string => {
  const key = element.includes('key:') ? '' : 'key: [id], ';
  return `version: 1\nsource: {connection: hr}\nnodes:\n  - {id: p, label: P, table: staff, ${key}${element.replace(/\bC\b/g, column)}}\n`;
};

describe('a column that cannot be read', () => {
  describe.each([
    ['salary', /'salary'.*no right to read/],
    ['odd', /'odd'.*no counterpart/],
  ])('%s', (column, reason) => {
    it.each(places)('is named in %s, when a job is saved, checked and tried', async (_, element, path) => {
      const body = { mapping_yaml: mappingOf(element, column) };
      const graph_id = await aGraph(test);
      for (const request of [
        test.admin.post('/api/ingestion/mappings/validate').send(body),
        test.admin.post('/api/ingestion/jobs').send({ graph_id, ...body }),
      ]) {
        const { body: refused } = await request.expect(422);
        const { errors } = refused.detail;
        expect(errors).toContainEqual(expect.objectContaining({ path, msg: expect.stringMatching(reason) }));
        expect(errors.filter(({ type }: any) => type !== 'unreadable_column')).toEqual([]);
      }
      const readable = { graph_id, mapping_yaml: mappingOf('columns: [{column: id}]', column) };
      const { body: job } = await test.admin.post('/api/ingestion/jobs').send(readable).expect(201);
      await test.admin.post(`/api/ingestion/jobs/${job.id}/revisions?dry_run=true`).send(body).expect(422);
    });

    it('is named in a match and in a query', async () => {
      const edge = `{type: E, table: staff, from: {node: p, match: {id: id}}, to: {node: p, match: {${column}: id}}}`;
      const node = '{id: p, label: P, table: staff, key: [id], columns: [{column: id}]}';
      const head = 'version: 1\nsource: {connection: hr}\n';
      const query = `{id: p, label: P, query: 'SELECT id, ${column} FROM staff', key: [id], columns: [{column: id}]}`;
      for (const [mapping, path] of [
        [`${head}nodes: [${node}]\nedges: [${edge}]`, `edges[0].to.match.${column}`],
        [`${head}nodes: [${query}]`, 'nodes[0].query'],
      ]) {
        const { body } = await test.admin.post('/api/ingestion/mappings/validate').send({ mapping_yaml: mapping }).expect(422);
        expect(body.detail.errors).toEqual([
          expect.objectContaining({ type: 'unreadable_column', path, msg: expect.stringMatching(reason) }),
        ]);
      }
    });
  });

  it('is left out of drafts, copies and samples, with its reason', async () => {
    const draft = await suggest(test, { connection: 'hr' });
    expect(readDraft(draft).nodes[0].columns.map(({ column }: any) => column)).toEqual(['id', 'name', 'boss']);
    expect(draft.left_out.map(({ columns, reason }: any) => [columns, reason.en])).toEqual([
      [['salary'], expect.stringContaining('no right to read')],
      [['odd'], expect.stringContaining('no counterpart')],
    ]);
    const { body } = await test.admin.get('/api/warehouse/connections').expect(200);
    const { id } = body.items.find(({ name }: any) => name === 'hr');
    const copy = await copyToEnd(test, id, [{ table: 'staff', as: 'staff_copy' }]);
    expect(copy).toMatchObject({ status: 'succeeded', rows: 2 });
    expect(copy.tables[0].left_out.map(({ column }: any) => column)).toEqual(['salary', 'odd']);
    const { body: table } = await test.admin.get(`/api/warehouse/connections/${id}/tables/staff`).expect(200);
    expect(table.sample).toEqual([
      { id: 1, name: 'Ada', salary: null, odd: '(1,2)', boss: null },
      { id: 2, name: 'Bo', salary: null, odd: null, boss: 1 },
    ]);
  });
});
