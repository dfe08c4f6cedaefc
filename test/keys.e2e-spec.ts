import { startTestApp, type TestApp } from './support/app.js';
import { Dice } from './support/dice.js';
import { graphTables } from '../src/database/graph-tables.js';
import { aGraph, aJob, aTable, counts, ingest, rejectedRows, runToEnd, upload } from './support/ingestion.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function query(graphId: number, text: string, parameters = {}): Promise<unknown[][]> {
  const { body } = await app.admin.post(`/api/graphs/${graphId}/query`).send({ cypher: text, parameters }).expect(200);
  return body.rows;
}

const customers = (table: string, more = ''): string => `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: c, label: Customer, table: ${table}, key: [id], display: name, columns: [{column: id, type: int${more}}, {column: name}]}
`;

describe('a key that is a whole number and comes as another text', () => {
  it('is found by its number in queries and questions', async () => {
    const table = await aTable(app, 'id,name\n007,Lin Trading\n+12,Nord Handel\n', 'id:text,name:text');
    const { graphId } = await ingest(app, customers(table));
    for (const asked of ['MATCH (c:Customer {id: 7})', 'MATCH (c:Customer) WHERE c.id = 7', 'MATCH (c:Customer {id: $id})']) {
      expect(await query(graphId, `${asked} RETURN c.name`, { id: 7 })).toEqual([['Lin Trading']]);
    }
    expect(await query(graphId, 'MATCH (c:Customer {id: 12}) RETURN c.name')).toEqual([['Nord Handel']]);
    const { body } = await app.admin.post(`/api/graphs/${graphId}/query`).send({ question: 'id为7的Customer' }).expect(200);
    expect(JSON.stringify(body.rows)).toContain('Lin Trading');
  });

  it('is one node from two jobs, and repeats itself in one table', async () => {
    const whole = await aTable(app, 'id,name\n7,Lin\n', 'id:int,name:text');
    const exact = await aTable(app, 'id,name\n7.0,Lin\n7,Again\n', 'id:decimal,name:text');
    const { graphId } = await ingest(app, customers(whole));
    const run = await runToEnd(app, await aJob(app, graphId, customers(exact, ', rules: [unique]')));
    expect(await query(graphId, 'MATCH (c:Customer {id: 7.0}) RETURN c.id, count(*)')).toEqual([[7, 1]]);
    expect((await rejectedRows(app, run.id)).map(({ row_no, reasons }) => [row_no, reasons[0].rule])).toEqual([[2, 'unique']]);
  });
});

describe('two spellings of one key', () => {
  const keyed = (table: string, types: string[]): string => {
    const columns = types.map((type, i) => `{column: k${i}, type: '${type}'}`).join(', ');
    const key = types.map((_, i) => `k${i}`).join(', ');
    return `version: 1\nnodes:\n  - {id: n, label: N, table: ${table}, key: [${key}], columns: [${columns}]}\n`;
  };
  const row = (names: string, values: string[]): string => `${names}\n${values.join(',')}\n`;

  it.each<[types: string[], spellings: [string[], string[], string[]], condition: string]>([
    [['float'], [['1e3'], ['1000.0'], ['+1000']], 'n.k0 = 1000'],
    [['float'], [['-0'], ['0.0'], ['0e5']], 'n.k0 = 0'],
    [['boolean'], [['t'], ['true'], ['TRUE']], 'n.k0 = true'],
    [['date'], [['2024-1-5'], ['2024-01-05'], ['20240105']], "n.k0 = date('2024-01-05')"],
    [
      ['int', 'int'],
      [
        ['007', '7'],
        ['7', '07'],
        ['+7', '7.0'],
      ],
      'n.k0 = 7 AND n.k1 = 7',
    ],
    [
      ['decimal(8,2)', 'date'],
      [
        ['1.50', '2024-1-5'],
        ['1.5', '2024-01-05'],
        ['01.500', '20240105'],
      ],
      'n.k0 = 1.5',
    ],
  ])('of the types %j are one node, from two jobs and at the ends of edges: %j', async (types, [first, second, third], condition) => {
    const names = types.map((_, i) => `k${i}`);
    const text = (columns: string[]): string => columns.map(name => `${name}:text`).join(',');
    const tables = [];
    for (const values of [first, second]) tables.push(await aTable(app, row(names.join(','), values), text(names)));
    const ends = [...names.map(name => `a${name}`), ...names.map(name => `b${name}`)];
    const pairs = await aTable(app, row(ends.join(','), [...third, ...first]), text(ends));
    const { graphId, run } = await ingest(app, keyed(tables[0]!, types));
    const again = await runToEnd(app, await aJob(app, graphId, keyed(tables[1]!, types)));
    const match = (side: string): string => `{node: 'label:N', match: {${names.map(name => `${side}${name}: ${name}`).join(', ')}}}`;
    const edges = `version: 1\nedges:\n  - {type: E, table: ${pairs}, from: ${match('a')}, to: ${match('b')}}\n`;
    const linked = await runToEnd(app, await aJob(app, graphId, edges));
    expect([run, again, linked].map(({ error, report }) => [error, report.totals.rejected])).toEqual(Array(3).fill([null, 0]));
    expect(await query(graphId, 'MATCH (n:N) RETURN count(*)')).toEqual([[1]]);
    expect(await query(graphId, `MATCH (n:N) WHERE ${condition} RETURN count(*)`)).toEqual([[1]]);
    expect(await query(graphId, 'MATCH (n:N)-[e:E]->(m:N) WHERE n = m RETURN count(e)')).toEqual([[1]]);
  });
});

it('a job whose elements have keys of an earlier release reads all rows once more and removes what has no row', async () => {
  const table = await aTable(app, 'id,name,n\n007,Lin,1\n8,Nord,2\n', 'id:text,name:text,n:int');
  const { graphId, jobId } = await ingest(app, customers(table).replace('key: [id],', 'key: [id], incremental: {cursor: n, type: int},'));
  const { nodes } = graphTables(graphId);
  await app.pool.query(
    `UPDATE ${nodes} SET key = '007' WHERE key = '7'; UPDATE graph_elements SET reread = true WHERE graph_id = ${graphId}`,
  );
  await upload(app, table, 'id,name,n\n007,Lin,1\n8,Nord,2\n9,West,3\n', 'id:text,name:text,n:int');
  const run = await runToEnd(app, jobId);
  expect(counts(run)['Customer']!.slice(0, 5)).toEqual([3, 2, 0, 1, 1]);
  expect((await app.pool.query(`SELECT key FROM ${nodes} ORDER BY key`)).rows.map(({ key }) => key)).toEqual(['7', '8', '9']);
  expect(counts(await runToEnd(app, jobId, { full: false }))['Customer']![0]).toBeLessThan(3);
});

describe('edges', () => {
  it('meet nodes whose numbers are equal and whose texts are not, also nodes of another job', async () => {
    const customer = await aTable(app, 'id,name\n12,Nord Handel\n13,Lin Trading\n', 'id:text,name:text');
    const order = await aTable(app, 'id,customer\n1,12.0\n2,\n3,13.00\n', 'id:int,customer:decimal(8,2)');
    const { graphId } = await ingest(app, customers(customer));
    const placed = (rules: string): string => `version: 1
nodes:
  - {id: o, label: Order, table: ${order}, key: [id], columns: [{column: id}, {column: customer${rules}}]}
edges:
  - {type: PLACED, table: ${order}, from: {node: 'label:Customer', match: {customer: id}}, to: {node: o, match: {id: id}}}
`;
    const run = await runToEnd(app, await aJob(app, graphId, placed(", rules: [{references: {node: 'label:Customer', column: id}}]")));
    expect([run.status, run.error, run.report.totals.rejected]).toEqual(['succeeded', null, 0]);
    const found = await query(graphId, 'MATCH (c:Customer)-[:PLACED]->(o:Order) RETURN c.name, o.id ORDER BY o.id');
    expect(found).toEqual([
      ['Nord Handel', 1],
      ['Lin Trading', 3],
    ]);
  });

  it('meet nodes of jobs whose keys are numbers of different types', async () => {
    const whole = await aTable(app, 'id,name\n012,Nord\n', 'id:text,name:text');
    const exact = await aTable(app, 'id,name\n13.50,Lin\n', 'id:decimal(8,2),name:text');
    const { graphId } = await ingest(app, customers(whole));
    await runToEnd(app, await aJob(app, graphId, customers(exact).replace(', type: int', '')));
    const pairs = await aTable(app, 'a,b\n12.00,13.5\n', 'a:decimal(8,2),b:text');
    const mapping = `version: 1\nedges:\n  - {type: KNOWS, table: ${pairs}, from: {node: 'label:Customer', match: {a: id}}, to: {node: 'label:Customer', match: {b: id}}}\n`;
    await runToEnd(app, await aJob(app, graphId, mapping));
    expect(await query(graphId, 'MATCH (a)-[:KNOWS]->(b) RETURN a.name, b.name')).toEqual([['Nord', 'Lin']]);
  });

  it('do not meet, and rows are not one node, where a decimal key would round them', async () => {
    const numbers = await aTable(app, 'id\n1.505\n1.51\n1.514\n1.510\n', 'id:text');
    const pairs = await aTable(app, 'a,b\n1.505,1.51\n1.51,1.510\n', 'a:text,b:decimal');
    const { graphId, run } = await ingest(
      app,
      `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: n, label: N, table: ${numbers}, key: [id], columns: [{column: id, type: 'decimal(12,2)'}]}
edges:
  - {type: E, table: ${pairs}, from: {node: n, match: {a: id}}, to: {node: n, match: {b: id}}}
`,
    );
    expect(await query(graphId, 'MATCH (n:N) RETURN n.id')).toEqual([[1.51]]);
    expect(await query(graphId, 'MATCH (:N)-[e:E]->() RETURN count(e)')).toEqual([[1]]);
    const told = (await rejectedRows(app, run.id)).map(({ row_no, reasons }) => `${row_no} ${reasons[0].en}`);
    expect(told).toEqual([
      expect.stringMatching(/^1 column 'id': cannot read '1.505' as decimal.*such as decimal\(12,3\)/),
      expect.stringMatching(/^3 column 'id': cannot read '1.514' as decimal/),
      expect.stringMatching(/^1 from: no node N with key '1\.505'/),
    ]);
  });

  it('tell a row whose end is the number of a key that is a text', async () => {
    const customer = await aTable(app, 'id,name\n12,Nord Handel\n007,Lin Trading\n', 'id:text,name:text');
    const order = await aTable(app, 'id,customer\n1,12.0\n2,7\n3,007\n', 'id:int,customer:text');
    const { run } = await ingest(
      app,
      `${customers(customer).replace(', type: int', '')}  - {id: o, label: Order, table: ${order}, key: [id], columns: [{column: id}]}
edges:
  - {type: PLACED, table: ${order}, from: {node: c, match: {customer: id}}, to: {node: o, match: {id: id}}}
`,
    );
    const told = (await rejectedRows(app, run.id)).map(({ reasons }) => reasons[0].en);
    expect(told).toEqual([
      expect.stringMatching(/key '12\.0'; as a number it would equal the key '12': .* at the key column 'id'/),
      expect.stringMatching(/key '7'; as a number it would equal the key '007'/),
    ]);
  });
});

it('keys of random spellings are those that a naive reader of numbers finds', async () => {
  const dice = new Dice(20_241);
  const spelled = (value: number): string =>
    dice.of(['', '+']) + '0'.repeat(dice.below(3)) + String(value) + dice.of(['', '.', '.0', '.000', 'e0']);
  const numbers = Array.from({ length: 60 }, () => dice.below(40));
  const ends = Array.from({ length: 80 }, () => [dice.below(50), dice.below(50)] as const);
  const nodes = await aTable(app, `id\n${numbers.map(spelled).join('\n')}\n`, 'id:text');
  const edges = await aTable(app, `a,b\n${ends.map(([a, b]) => `${spelled(a)},${spelled(b)}`).join('\n')}\n`, 'a:text,b:text');
  const graphId = await aGraph(app);
  await runToEnd(
    app,
    await aJob(
      app,
      graphId,
      `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: n, label: N, table: ${nodes}, key: [id], columns: [{column: id, type: 'decimal(12,2)'}]}
edges:
  - {type: E, table: ${edges}, from: {node: n, match: {a: id}}, to: {node: n, match: {b: id}}}
`,
    ),
  );
  const known = new Set(numbers);
  expect(await query(graphId, 'MATCH (n:N) RETURN n.id ORDER BY n.id')).toEqual([...known].sort((a, b) => a - b).map(id => [id]));
  const pairs = new Set(ends.filter(([a, b]) => known.has(a) && known.has(b)).map(([a, b]) => `${a} ${b}`));
  const found = await query(graphId, 'MATCH (a:N)-[:E]->(b:N) RETURN a.id, b.id');
  expect(found.map(pair => pair.join(' ')).sort()).toEqual([...pairs].sort());
});
