import { type Client, startTestApp, type TestApp } from './support/app.js';
import { connectionUsers, postJob, run } from './support/connection-users.js';
import { uploadRequest } from './support/ingestion.js';

describe('source rows whose keys the mapping cleans', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const { someone } = connectionUsers(() => test);

  /** Loads the keys into a table, with the number of each row, and a graph that makes nodes of them. */
  async function aGraph(owner: Client, graphId: number, table: string, keys: string[], column: string): Promise<void> {
    const csv = `k,row\n${keys.map((key, index) => `"${key}",${index}\n`).join('')}`;
    await uploadRequest(test.admin, table, csv, { types: 'k:text' }).expect(201);
    const yaml = `version: 1
defaults: {on_error: quarantine}
nodes:
  - {id: n, label: 物, table: ${table}, key: [k], columns: [{column: k, property: k, ${column}}, {column: row, property: row, type: int}]}
`;
    const { body: job } = await postJob(owner, graphId, yaml).expect(201);
    expect(await run(owner, job.id)).toMatchObject({ status: 'succeeded' });
  }

  async function rowsOf(as: Client, graphId: number): Promise<{ nodes: unknown[]; rows: any[]; warnings: string }> {
    const query = { cypher: 'MATCH (n:物) RETURN n.row AS row, n ORDER BY row', include: ['source_rows'] };
    const { body } = await as.post(`/api/graphs/${graphId}/query`).send(query).expect(200);
    return {
      nodes: body.rows.map(([row]: [number]) => row),
      rows: body.source_rows.map((each: any) => each.row),
      warnings: body.warnings.join(),
    };
  }

  it.each([
    ['blanks', 'type: string', [' a', 'b ', '　c', 'd']],
    ['numerals', 'type: int', ['007', '+8', ' 9', '10', '-0011']],
    ['decimals', 'type: "decimal(10,2)"', ['1.50', '2', '03.1', '-0.10']],
    ['dates', 'type: date', ['2024-03-05', '2024-3-6', '20240307']],
    ['written_dates', 'type: date, transform: [{date_format: dd/MM/yyyy}]', ['05/03/2024', '06/03/2024']],
    ['letters', 'type: string, transform: [upper]', ['de', 'Fr', 'IT']],
    ['mapped', 'type: string, transform: [{map: {A: B, B: C}}]', ['A', 'B', 'x']],
    ['parts', 'type: string, transform: [{substring: [1, 2]}]', ['ab-1', 'cd-2', 'ef']],
    ['grouped', 'type: int, transform: [number_cn]', ['1,234', '１２', '56']],
    ['flags', 'type: boolean', ['yes', 'false']],
    ['defaults', 'type: string, transform: [lower], default: NONE', ['a', '', 'none']],
    ['letterlike', 'type: string, transform: [lower, nfkc]', ['℃', '°C']],
  ])('are found for %s', async (table, column, keys) => {
    const { user: owner, graphId } = await someone(`owner-of-${table}`.replace('_', '-'), 'read');
    await aGraph(owner, graphId, table, keys, column);
    const { nodes, rows, warnings } = await rowsOf(owner, graphId);
    expect(nodes).toEqual(keys.map((_, index) => index));
    expect(rows).toEqual(keys.map((k, row) => ({ k, row })));
    expect(warnings).not.toMatch(/not found/);
  });

  it('are those of the nodes among many rows with the same keys', async () => {
    const { user: owner, graphId } = await someone('repeater', 'read');
    const keys = ['b', 'a', 'c'].flatMap(key => Array.from({ length: 60 }, () => ` ${key}`));
    await aGraph(owner, graphId, 'repeated_keys', keys, 'type: string');
    const { rows, warnings } = await rowsOf(owner, graphId);
    expect(rows).toEqual([{ k: ' b', row: 0 }, { k: ' a', row: 60 }, { k: ' c', row: 120 }]); // prettier-ignore
    expect(warnings).not.toMatch(/not found|找不到/);
  });

  it('are found beside columns of any name', async () => {
    const { user: owner, graphId } = await someone('namer', 'read');
    await uploadRequest(test.admin, 'odd_names', '#key0,1,k,row\n5,6,07,0\n', { types: 'k:text' }).expect(201);
    const yaml = `version: 1
nodes:
  - {id: n, label: 物, table: odd_names, key: [k], where: '"1" > 0', columns: [{column: k, property: k, type: int}, {column: row, property: row, type: int}]}
`;
    const { body: job } = await postJob(owner, graphId, yaml).expect(201);
    expect(await run(owner, job.id)).toMatchObject({ status: 'succeeded' });
    expect((await rowsOf(owner, graphId)).rows).toEqual([{ '#key0': 5, 1: 6, k: '07', row: 0 }]);
  });

  it('are not shown to a viewer if the mapping hides a part of the key, since other rows may have the same', async () => {
    const { user: owner, graphId } = await someone('hider', 'read');
    const { user: viewer } = await someone('seeker');
    await owner.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'seeker', role: 'viewer' }).expect(201);
    await aGraph(owner, graphId, 'hidden_keys', ['13800001111', '13900002222'], 'type: string, transform: [{substring: [1, 3]}]');
    const seen = await rowsOf(viewer, graphId);
    expect([seen.rows, seen.warnings]).toEqual([[], expect.stringContaining('映射隐去了键的一部分')]);
    expect((await rowsOf(owner, graphId)).rows).toEqual([
      { k: '13800001111', row: 0 },
      { k: '13900002222', row: 1 },
    ]);
  });

  it('are named as not found after they were changed', async () => {
    const { user: owner, graphId } = await someone('changer', 'read');
    await aGraph(owner, graphId, 'changed_keys', ['01', '02', '03'], 'type: int');
    await uploadRequest(test.admin, 'changed_keys', 'k,row\n01,0\n02,7\n05,8\n', { types: 'k:text' }).expect(200);
    const { rows, warnings } = await rowsOf(owner, graphId);
    expect(rows).toEqual([{ k: '01', row: 0 }]);
    expect(warnings).toContain('表 changed_keys 中找不到 2 条引用的源行');
  });
});
