import { graphTables } from '../src/database/graph-tables.js';
import { type TestApp, startTestApp } from './support/app.js';
import { aJob, aTable, counts, ingest, rejectedRows, runToEnd } from './support/ingestion.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
});

describe('edges of a run', () => {
  const graph = (people: string, edge: string, defaults = 'on_error: quarantine, max_error_rate: 1'): string => `version: 1
defaults: {${defaults}}
nodes:
  - {id: person, label: 人, table: ${people}, key: [id], columns: [{column: id, transform: [trim, upper]}]}
edges:
  - {type: 认识, ${edge}}
`;
  const ends = (rest = ''): string => `from: {node: person, match: {a: id}${rest}}, to: {node: person, match: {b: id}${rest}}`;

  it('spells the ends of an edge like the key of its node', async () => {
    const people = await aTable(app, 'id\n A \nb\n', 'id:text');
    const knows = await aTable(app, 'a,b\na,B\n', 'a:text,b:text');
    const { run } = await ingest(app, graph(people, `table: ${knows}, ${ends()}`));
    expect(counts(run)['认识']).toEqual([1, 1, 0, 0, 0, 0, 0]);
  });

  it('tells a rejected row of the node whose key differs only in case or blanks, and how the two are made equal', async () => {
    const people = await aTable(app, 'id\nDE\nCN\n', 'id:text');
    const knows = await aTable(app, 'a,b\nDE,CN\nde,CN \nDE,FR\n', 'a:text,b:text');
    const { run } = await ingest(app, graph(people, `table: ${knows}, ${ends()}`).replace(', transform: [trim, upper]', ''));
    const reasons = (await rejectedRows(app, run.id)).map(row => row.reasons.map(({ en }: { en: string }) => en));
    const way = (end: string) =>
      `: write transform: [trim, upper] at the key column 'id' of the node, and at '${end}' if the columns of the edge list it`;
    expect(reasons).toEqual([
      [
        `from: no node 人 with key 'de'; only case or blanks at the ends differ from 'DE'${way('a')}`,
        `to: no node 人 with key 'CN '; only case or blanks at the ends differ from 'CN'${way('b')}`,
      ],
      ["to: no node 人 with key 'FR'"],
    ]);
    const composite = await aTable(app, 'x,y\nA,1\n', 'x:text,y:text');
    const links = await aTable(app, 'x,y\na ,1\nA,1\n', 'x:text,y:text');
    const { run: second } = await ingest(
      app,
      `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: n, label: 点, table: ${composite}, key: [x, y], columns: [{column: x}, {column: y}]}
edges:
  - {type: 连, table: ${links}, from: {node: n, match: {x: x, y: y}}, to: {node: n, match: {x: x, y: y}}}
`,
    );
    expect((await rejectedRows(app, second.id))[0].reasons[0].en).toContain(`differ from '["A", "1"]'`);
  });

  it('identifies edges by (from, to) without a key, and parallel edges by their key', async () => {
    const people = await aTable(app, 'id\na\nb\n', 'id:text');
    const knows = await aTable(app, 'a,b,n\na,b,1\na,b,2\nb,a,3\n', 'a:text,b:text,n:int');
    const single = await ingest(app, graph(people, `table: ${knows}, ${ends()}, columns: [{column: n}]`));
    expect(counts(single.run)['认识']).toEqual([3, 2, 0, 0, 0, 0, 1]);
    const { rows } = await app.pool.query(`SELECT key, properties FROM ${graphTables(single.graphId).edges} ORDER BY properties->'n'`);
    expect(rows).toEqual([
      { key: '', properties: { n: 1 } },
      { key: '', properties: { n: 3 } },
    ]);
    expect((await runToEnd(app, single.jobId)).report.totals).toMatchObject({ inserted: 0, updated: 0, deleted: 0 });
    const parallel = await ingest(app, graph(people, `table: ${knows}, ${ends()}, key: [n], columns: [{column: n}]`));
    expect(counts(parallel.run)['认识']).toEqual([3, 3, 0, 0, 0, 0, 0]);
  });

  it('joins composite keys, also where a part needs escaping in JSON', async () => {
    const nodes = await aTable(app, 'x,y\n1,"q""uote"\n2,z\n', 'x:int,y:text');
    const links = await aTable(app, 'x,y,u,v\n1,"q""uote",2,z\n,z,2,z\n', 'x:int,y:text,u:int,v:text');
    const { run, graphId } = await ingest(
      app,
      `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: n, label: 点, table: ${nodes}, key: [x, y], columns: [{column: x}, {column: y}]}
edges:
  - {type: 连, table: ${links}, from: {node: n, match: {y: y, x: x}}, to: {node: n, match: {u: x, v: y}}}
`,
    );
    expect(counts(run)['连']).toEqual([2, 1, 0, 0, 0, 0, 1]);
    const { rows } = await app.pool.query(
      `SELECT key, jsonb_build_array($1::text, $2::text)::text AS expected FROM ${graphTables(graphId).nodes} ORDER BY key`,
      ['1', 'q"uote'],
    );
    expect(rows[0].key).toBe(rows[0].expected);
  });

  it('skips a row with an empty end, also where that end is part of the key, and counts none as repeated', async () => {
    const people = await aTable(app, 'id\na\nb\n', 'id:text');
    const knows = await aTable(app, 'a,b\na,b\na,\na,\n,\n', 'a:text,b:text');
    const edge = `table: ${knows}, ${ends(', on_missing: fail')}, key: [a, b]`;
    const { run, graphId, jobId } = await ingest(app, graph(people, edge, 'on_error: fail'));
    expect(counts(run)['认识']).toEqual([4, 1, 0, 0, 0, 0, 3]);
    expect(run.report.warnings).toEqual([]);
    const again = await runToEnd(app, jobId);
    expect(counts(again)['认识']).toEqual([4, 0, 0, 1, 0, 0, 3]);
    expect(again.report.warnings).toEqual([]);
    const { rows } = await app.pool.query(`SELECT count(*)::int AS n FROM ${graphTables(graphId).edges}`);
    expect(rows[0].n).toBe(1);
  });

  it('succeeds without an edge when every row has an empty end', async () => {
    const people = await aTable(app, 'id\na\n', 'id:text');
    const knows = await aTable(app, 'a,b\na,\n', 'a:text,b:text');
    const { run } = await ingest(app, graph(people, `table: ${knows}, ${ends()}`, 'on_error: fail'));
    expect(counts(run)['认识']).toEqual([1, 0, 0, 0, 0, 0, 1]);
  });

  it('rejects a row with an empty end that the mapping requires', async () => {
    const people = await aTable(app, 'id\na\nb\n', 'id:text');
    const knows = await aTable(app, 'a,b\na,b\na,\n', 'a:text,b:text');
    const { run } = await ingest(
      app,
      graph(people, `table: ${knows}, ${ends()}, columns: [{column: b, transform: [upper], rules: [required]}]`),
    );
    expect(counts(run)['认识']).toEqual([2, 1, 0, 0, 0, 1, 0]);
  });

  it('fails when rows were read and none found both its ends', async () => {
    const people = await aTable(app, 'id\na\nb\n', 'id:text');
    const knows = await aTable(app, 'a,b\nx,y\nz,b\n', 'a:text,b:text');
    const { run, graphId } = await ingest(app, graph(people, `table: ${knows}, ${ends(', on_missing: skip')}`));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'all_edges_unmatched', context: { target: '认识', rows: 2 } } });
    const { rows } = await app.pool.query(`SELECT count(*)::int AS n FROM ${graphTables(graphId).nodes}`);
    expect(rows[0].n).toBe(0);
  });

  it('treats a row by the stricter of its two ends', async () => {
    const people = await aTable(app, 'id\na\nb\n', 'id:text');
    const knows = await aTable(app, 'a,b\na,b\na,x\nx,b\n', 'a:text,b:text');
    const edge = (from: string, to: string): string =>
      graph(
        people,
        `table: ${knows}, from: {node: person, match: {a: id}, on_missing: ${from}}, to: {node: person, match: {b: id}, on_missing: ${to}}`,
      );
    expect(counts((await ingest(app, edge('skip', 'quarantine'))).run)['认识']).toEqual([3, 1, 0, 0, 0, 1, 1]);
    expect((await ingest(app, edge('skip', 'fail'))).run.error).toMatchObject({ code: 'edges_unmatched', context: { rows: 1 } });
  });

  it('finds nodes that another job loaded by their label', async () => {
    const people = await aTable(app, 'id\na\nb\n', 'id:text');
    const knows = await aTable(app, 'a,b\na,b\n', 'a:text,b:text');
    const { graphId } = await ingest(
      app,
      `version: 1\nnodes:\n  - {id: p, label: 人, table: ${people}, key: [id], columns: [{column: id}]}\n`,
    );
    const jobId = await aJob(
      app,
      graphId,
      `version: 1\nedges:\n  - {type: 认识, table: ${knows}, from: {node: 'label:人', match: {a: id}}, to: {node: 'label:人', match: {b: id}}}\n`,
    );
    expect(counts(await runToEnd(app, jobId))['认识']).toEqual([1, 1, 0, 0, 0, 0, 0]);
  });
});
