import { type Client, startTestApp, type TestApp } from './support/app.js';
import { connectionUsers, postJob, run } from './support/connection-users.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { uploadRequest } from './support/ingestion.js';
import { until } from './support/slow-queries.js';

describe('a source row is the row of which the mapping made the node or edge', () => {
  let test: TestApp;
  let foreign: ForeignPostgres;
  beforeAll(async () => {
    [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
    await aForeignConnection(test, foreign);
  });
  afterAll(async () => {
    await Promise.all([test.close(), foreign.remove()]);
  });

  const { someone } = connectionUsers(() => test);

  /** Loads a table and a graph of it. `as` is a viewer of the graph without a right on the connection. */
  async function aGraph(name: string, csv: string, types: string, mapping: string) {
    await uploadRequest(test.admin, name, csv, { types }).expect(201);
    return aLoaded(name, mapping);
  }

  async function aLoaded(name: string, mapping: string) {
    const user = name.replaceAll('_', '-');
    const { user: owner, graphId } = await someone(`owner-${user}`, 'read');
    const { user: viewer } = await someone(`viewer-${user}`);
    await owner
      .post(`/api/permissions/graphs/${graphId}/members`)
      .send({ username: `viewer-${user}`, role: 'viewer' })
      .expect(201);
    const { body: job } = await postJob(test.admin, graphId, mapping).expect(201);
    const { status, error } = await run(test.admin, job.id);
    expect([status, error]).toEqual(['succeeded', null]);
    return { owner, viewer, graphId, jobId: job.id as number };
  }

  async function ask(as: Client, graphId: number, cypher = 'MATCH (n:N) RETURN n ORDER BY n.v') {
    const { body } = await as
      .post(`/api/graphs/${graphId}/query`)
      .send({ cypher, include: ['source_rows'] })
      .expect(200);
    return { rows: body.source_rows.map((each: any) => each.row) as any[], warnings: body.warnings.join() as string, body };
  }

  const quarantine = 'defaults: {on_error: quarantine, max_error_rate: 1}';
  const node = (table: string, more: string, top = '') => `version: 1\n${top}\nnodes:\n  - {id: n, label: N, table: ${table}, ${more}}\n`;

  it.each([
    ['key: [k], columns: [{column: k, type: date}, {column: v}]', ['A', 'B', 'C']],
    [`key: [v], where: "k::date = '2024-01-06'", columns: [{column: v}]`, ['A']],
    ['key: [k], columns: [{column: k, type: localdatetime}, {column: v}]', ['A', 'B', 'C']],
  ])('in the time zone of the mapping: %s', async (more, expected) => {
    const name = `zoned_${more.length}`;
    const csv = 'k,v\n2024-01-05T20:00:00Z,A\n2024-01-06T20:00:00Z,B\n2024-01-07T20:00:00Z,C\n';
    const top = 'source: {timezone: Asia/Shanghai}';
    const { viewer, graphId } = await aGraph(name, csv, 'k:timestamptz', node(name, more, top));
    const { rows, warnings } = await ask(viewer, graphId);
    expect([rows.map(({ v }) => v), warnings]).toEqual([expected, '']);
  });

  it('and not a rejected row with the same key', async () => {
    const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
    const csv = `id,name,qty\n${numbers.map(i => `0${i},rejected,bad\n`).join('')}${numbers.map(i => `${i},good,${i}\n`).join('')}`;
    const columns = 'columns: [{column: id, type: int}, {column: name}, {column: qty, property: v, type: bigint}]';
    const { owner, viewer, graphId } = await aGraph('twins', csv, 'id:text,qty:text', node('twins', `key: [id], ${columns}`, quarantine));
    for (const as of [owner, viewer]) {
      const { rows, warnings } = await ask(as, graphId);
      expect([rows.length, new Set(rows.map(({ name }) => name)), warnings]).toEqual([100, new Set(['good']), '']);
    }
  });

  it('and not a repeat, a row without a key nor a deleted row', async () => {
    const csv = 'id,name,gone\n,first,\n,secret,\n1,shown,\n1,repeat,\n2,left,x\n2,kept,\n';
    const more = `key: [id], deletes: {mode: column, column: gone, equals: x}, columns: [{column: id, type: string, default: none}, {column: name, property: v, sensitive: true}]`;
    const { owner, viewer, graphId } = await aGraph('repeats', csv, 'id:text,gone:text', node('repeats', more, quarantine));
    for (const as of [owner, viewer]) expect((await ask(as, graphId)).rows.map(({ name }) => name)).toEqual(['first', 'kept', 'shown']);
  });

  it('with the columns that the graph shows, if several rows make the same node but differ in others', async () => {
    const csv = 'id,name,wage\n1,a,10\n1,a,20\n2,b,30\n';
    const more = 'key: [id], columns: [{column: id}, {column: name, property: v}]';
    const { viewer, graphId } = await aGraph('differing', csv, 'id:text', node('differing', more));
    expect((await ask(viewer, graphId)).rows).toEqual([
      { id: '1', name: 'a' },
      { id: '2', name: 'b' },
    ]);
    const { rows, warnings } = await ask(test.admin, graphId);
    expect(rows).toEqual([
      { id: '1', name: 'a' },
      { id: '2', name: 'b', wage: 30 },
    ]);
    expect(warnings).toMatch(/1 cited rows of differing show only the columns that the graph shows: several rows differ/);
  });

  it('for each node of a table that repeats it a thousand times', async () => {
    const csv = Array.from({ length: 3_000 }, (_, i) => `${['east', 'north', 'south'][Math.floor(i / 1_000)]},${i}\n`).join('');
    const { viewer, graphId } = await aGraph(
      'orders',
      `region,amount\n${csv}`,
      'region:text',
      node('orders', 'key: [region], columns: [{column: region, property: v}]'),
    );
    const expected = [{ region: 'east' }, { region: 'north' }, { region: 'south' }];
    const seen = await ask(viewer, graphId);
    expect([seen.rows, seen.warnings]).toEqual([expected, '']);
    const { rows, warnings } = await ask(test.admin, graphId);
    expect([rows, warnings]).toEqual([expected, expect.stringContaining('3 cited rows of orders show only the columns')]);
  });

  it('or none, if several rows make the same node of different values', async () => {
    const more = 'key: [id], columns: [{column: id, property: v, type: int}]';
    const { viewer, graphId } = await aGraph('unlike', 'id\n07\n007\n08\n', 'id:text', node('unlike', more));
    for (const as of [test.admin, viewer]) {
      const { rows, warnings } = await ask(as, graphId);
      expect([rows, warnings]).toEqual([[{ id: '08' }], expect.stringContaining('1 cited rows of unlike are not shown: several rows')]);
    }
  });

  it('also if an expression reads the clock, and changes with it are told', async () => {
    const more = `key: [id], where: "at::timestamptz > current_timestamp - interval '1 day'",
      columns: [{column: id}, {column: name, property: v}, {expression: "current_timestamp::text", property: loaded_at}]`;
    const csv = (at: string) => `id,name,at\n1,a,9999-01-01\n2,b,${at}\n`;
    const { viewer, graphId } = await aGraph('clocked', csv('9999-01-01'), 'id:text,at:text', node('clocked', more));
    const seen = await ask(viewer, graphId);
    expect([seen.rows, seen.warnings]).toEqual([[{ id: '1', name: 'a' }, { id: '2', name: 'b' }], '']); // prettier-ignore
    await uploadRequest(test.admin, 'clocked', csv('2020-01-01'), { types: 'id:text,at:text' }).expect(200);
    const { rows, warnings } = await ask(viewer, graphId);
    expect([rows, warnings]).toEqual([[{ id: '1', name: 'a' }], expect.stringContaining('the mapping reads the clock')]);
  });

  it('or none, if the row with the key has changed', async () => {
    const more = 'key: [id], columns: [{column: id}, {column: name, property: v}]';
    const { viewer, graphId } = await aGraph('altered', 'id,name\n1,a\n2,b\n', 'id:text', node('altered', more));
    await uploadRequest(test.admin, 'altered', 'id,name\n1,secret\n2,b\n', { types: 'id:text' }).expect(200);
    const { rows, warnings } = await ask(viewer, graphId);
    expect([rows, warnings]).toEqual([
      [{ id: '2', name: 'b' }],
      expect.stringContaining('1 cited rows of altered were not found: no row makes what the graph has now'),
    ]);
  });

  it('by the mapping of the run that loaded the graph, and not by a revision that has not run', async () => {
    const more = (type: string) => node('revised', `key: [id], columns: [{column: id, type: ${type}}, {column: v}]`);
    const { viewer, graphId, jobId } = await aGraph('revised', 'id,v\n7,int\n007,text\n', 'id:text', more('string'));
    const expected = [{ id: '7', v: 'int' }, { id: '007', v: 'text' }]; // prettier-ignore
    expect((await ask(viewer, graphId)).rows).toEqual(expected);
    await test.admin
      .post(`/api/ingestion/jobs/${jobId}/revisions`)
      .send({ mapping_yaml: more('int') })
      .expect(200);
    expect((await ask(viewer, graphId)).rows).toEqual(expected);
  });

  it('of the kind that is cited, where a label and an edge type have one name', async () => {
    const yaml = `version: 1
nodes: [{id: n, label: N, table: kinds, key: [id], where: "kind = 'n'", columns: [{column: id}, {column: kind, property: v}]}]
edges: [{type: N, table: kinds, key: [id], where: "kind = 'e'", from: {node: n, match: {a: id}}, to: {node: n, match: {b: id}}, columns: [{column: id}]}]
`;
    const { viewer, graphId } = await aGraph('kinds', 'id,kind,a,b\n1,e,1,2\n1,n,1,2\n2,n,1,2\n', 'id:int', yaml);
    const nodes = await ask(viewer, graphId);
    expect([nodes.rows, nodes.body.citations[0].kind]).toEqual([
      [
        { id: 1, kind: 'n' },
        { id: 2, kind: 'n' },
      ],
      'node',
    ]);
    const edges = await ask(viewer, graphId, 'MATCH (:N)-[e:N]->(:N) RETURN e');
    const cited = edges.body.citations.findIndex((each: any) => each.kind === 'edge');
    expect(edges.body.source_rows.filter((each: any) => each.citation === cited)).toEqual([
      { citation: cited, row: { id: 1, a: 1, b: 2 } },
    ]);
  });

  it.each([
    ['2024', '2023'],
    ['b', '1'],
  ])('by a key of the columns %s and %s', async (first, second) => {
    const name = `named_${first}`;
    const more = `key: ["${first}", "${second}"], columns: [{column: "${first}", property: v}, {column: "${second}", property: w, type: int}]`;
    const { viewer, graphId } = await aGraph(name, `${first},${second}\na,01\nb,2\n`, `${second}:text`, node(name, more));
    const { rows, warnings } = await ask(viewer, graphId);
    expect([rows, warnings]).toEqual([[{ [first]: 'a', [second]: '01' }, { [first]: 'b', [second]: '2' }], '']); // prettier-ignore
  });

  it('of another server, by the index of the column if the key is written as in the graph', async () => {
    await foreign.run(`
      CREATE TABLE large (id text PRIMARY KEY, v text, at timestamptz);
      INSERT INTO large SELECT CASE WHEN i = 5 THEN ' 5' ELSE i::text END, 'v' || i, '2024-01-05 20:00Z' FROM generate_series(1, 20000) i;
      ANALYZE large`);
    const more = `key: [id], where: "at::date = '2024-01-06'", columns: [{column: id, type: int}, {column: v}, {column: at}]`;
    const top = 'source: {connection: far, timezone: Asia/Shanghai}';
    const { graphId } = await aLoaded('large', node('large', more, top));
    const { rows, warnings } = await ask(test.admin, graphId, 'MATCH (n:N {id: 77}) RETURN n');
    expect([rows, warnings]).toEqual([[expect.objectContaining({ id: '77', v: 'v77' })], '']);
    const scans = async () => (await foreign.run(`SELECT FROM pg_stat_user_tables WHERE relname = 'large' AND idx_scan > 0`)).rowCount;
    await until(async () => (await scans()) === 1);
    expect((await ask(test.admin, graphId, 'MATCH (n:N {id: 5}) RETURN n')).rows).toEqual([expect.objectContaining({ id: ' 5', v: 'v5' })]);
  });
});
