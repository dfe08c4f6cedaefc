import { mkdir } from 'node:fs/promises';
import { type TestApp, startTestApp } from './support/app.js';
import { chinookCounts, chinookStatements, chinookTables } from './support/chinook-tables.js';
import { DuckdbFiles } from './support/duckdb-files.js';
import { Dice } from './support/dice.js';
import { describeOnClickHouse, ForeignClickHouse } from './support/foreign-clickhouse.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { aGraph, aJob, counts, rejectedRows, runToEnd, upload } from './support/ingestion.js';
import { randomSchema } from './support/random-schema.js';
import { readDraft, runDraft, suggest } from './support/suggestions.js';

let app: TestApp;
let foreign: ForeignPostgres;
let files: DuckdbFiles;

beforeAll(async () => {
  files = await DuckdbFiles.create();
  [app, foreign] = await Promise.all([startTestApp({ DUCKDB_DIR: files.directory }), ForeignPostgres.start()]);
});
afterAll(async () => {
  await Promise.all([app.close(), foreign.remove(), files.remove()]);
});

/** Makes schemas in the foreign database, and one connection that may read them. */
async function aSource(name: string, schemas: string[], sql: string[]): Promise<void> {
  for (const schema of schemas) await foreign.run(`CREATE SCHEMA ${schema}; GRANT USAGE ON SCHEMA ${schema} TO reader`);
  await foreign.run(`SET search_path = ${schemas.join(', ')}; ${sql.join(';')}; RESET search_path`);
  await aForeignConnection(app, foreign, name, { schema_allowlist: schemas });
}

async function connect(name: string, type: string, dsn: string): Promise<void> {
  const { status, body } = await app.admin.post('/api/warehouse/connections').send({ name, type, dsn });
  if (status !== 201) throw new Error(JSON.stringify(body));
}

async function expectDraft(connection: string, expected: { nodes: object; edges: object }): Promise<any> {
  const draft = await suggest(app, { connection });
  const { nodes, edges } = await runDraft(app, draft);
  expect({ nodes, edges }).toEqual(expected);
  return draft;
}

it('rejects rows that repeat a guessed key later, rather than merging them', async () => {
  await upload(app, 'guessed', 'id,name\n1,a\n2,b\n');
  const draft = await suggest(app, { tables: ['guessed'] });
  expect(readDraft(draft).nodes[0].columns).toEqual([
    { column: 'id', type: 'int', rules: ['unique'] },
    { column: 'name', type: 'string' },
  ]);
  const jobId = await aJob(
    app,
    await aGraph(app),
    draft.mapping_yaml.replace('on_error: quarantine', 'on_error: quarantine\n  max_error_rate: 1'),
  );
  expect(counts(await runToEnd(app, jobId)).guessed).toEqual([2, 2, 0, 0, 0, 0, 0]);
  await upload(app, 'guessed', 'id,name\n1,a\n2,b\n2,other\n');
  const run = await runToEnd(app, jobId);
  expect(counts(run).guessed).toEqual([3, 0, 0, 2, 0, 1, 0]);
  expect((await rejectedRows(app, run.id))[0].reasons[0]).toMatchObject({ rule: 'unique' });
});

it('says over a guessed key of several columns what becomes of rows that repeat it, since no rule holds for them', async () => {
  await upload(app, 'pairs', 'day,place,n\n1,1,5\n1,2,5\n2,1,5\n2,2,5\n');
  const draft = await suggest(app, { tables: ['pairs'] });
  const [node] = readDraft(draft).nodes;
  expect([node.key, node.columns.filter((column: any) => column.rules)]).toEqual([['day', 'place'], []]);
  const comment = draft.mapping_yaml.split('\n').find((line: string) => line.includes('# guess: no key is declared'));
  expect(comment).toMatch(/the rule unique is for one column, .* counted as skipped with the warning duplicate_key$/);
  expect(draft.guesses[0].text.en).toBe(comment.trim().replace('# guess: ', ''));
  await upload(app, 'pairs', 'day,place,n\n1,1,5\n1,2,5\n2,1,5\n2,2,5\n1,1,6\n');
  const run = await runToEnd(app, await aJob(app, await aGraph(app), draft.mapping_yaml));
  expect(counts(run).pairs).toEqual([5, 4, 0, 0, 0, 0, 1]);
  expect(run.report.warnings).toMatchObject([{ code: 'duplicate_key', count: 1 }]);
});

describe('tables of a music shop', () => {
  it('become the graph that their eleven tables describe', async () => {
    await aSource('chinook', ['chinook'], chinookStatements({ keys: true }));
    await expectDraft('chinook', chinookCounts());
  });

  it('become the same graph from Parquet files without keys', async () => {
    await mkdir(files.path('shop'));
    const copies = Object.keys(chinookTables).map(
      table => `COPY "${table}" TO '${files.path('shop', `${table}.parquet`)}' (FORMAT parquet)`,
    );
    await files.run(null, ...chinookStatements({ keys: false }), ...copies);
    await connect('shop', 'duckdb', 'duckdb:///shop/');
    const draft = await suggest(app, { connection: 'shop' });
    const { nodes } = await runDraft(app, draft);
    for (const [table, rows] of Object.entries(nodes)) expect([table, rows]).toEqual([table, chinookCounts().nodes[table]]);
    expect(Object.keys(nodes)).toHaveLength(10);
  });
});

it('drafts tables of several schemas, also of one name', async () => {
  await aSource(
    'both',
    ['eins', 'zwei'],
    [
      'CREATE TABLE eins.item (id int PRIMARY KEY, name text)',
      'CREATE TABLE zwei.item (id int PRIMARY KEY, item int REFERENCES eins.item, twin int REFERENCES zwei.item)',
      "INSERT INTO eins.item VALUES (1, 'a'), (2, 'b')",
      'INSERT INTO zwei.item VALUES (1, 1, NULL), (2, 1, 1), (3, NULL, 1)',
    ],
  );
  const draft = await suggest(app, { connection: 'both' });
  const { nodes, edges } = await runDraft(app, draft);
  expect(Object.values(nodes).sort()).toEqual([2, 3]);
  expect(Object.values(edges)).toEqual([2, 2]);
});

it('keeps a draft within the bounds of a mapping, and says what did not fit', async () => {
  const columns = (count: number): string => Array.from({ length: count }, (_, index) => `"第${index}列 select" int`).join(', ');
  const tables = Array.from(
    { length: 32 },
    (_, table) => `CREATE TABLE w${table} (id int PRIMARY KEY, ${columns(table === 0 ? 999 : 200)})`,
  );
  await aSource('wide', ['wide'], tables);
  const draft = await suggest(app, { connection: 'wide' });
  expect(Buffer.byteLength(draft.mapping_yaml)).toBeLessThan(256 * 1024);
  await app.admin.post('/api/ingestion/mappings/validate').send({ mapping_yaml: draft.mapping_yaml }).expect(200);
  const left = draft.left_out.filter((each: any) => each.columns.length === 0);
  expect(readDraft(draft).nodes.length + left.length).toBe(32);
  expect(left[0].reason.en).toContain('longer than 256 KiB');
  const cut = draft.left_out.find(({ table, columns: names }: any) => table === 'w0' && names.length > 0);
  expect([cut.columns.length, cut.reason.en]).toEqual([800, expect.stringContaining('at most 200 columns')]);
});

describeOnClickHouse('ClickHouse', () => {
  it('has tables whose keys are guessed', async () => {
    const db = await ForeignClickHouse.start();
    try {
      await db.run('CREATE TABLE customer (customer_id UInt32, name String) ENGINE = MergeTree ORDER BY customer_id');
      await db.run(
        'CREATE TABLE invoice (invoice_id UInt64, customer_id UInt32, `总 额` Decimal(10, 2)) ENGINE = MergeTree ORDER BY invoice_id',
      );
      await db.run("INSERT INTO customer SELECT number + 1, concat('c', toString(number)) FROM numbers(50)");
      await db.run('INSERT INTO invoice SELECT number + 1, number % 50 + 1, number FROM numbers(400)');
      await connect('click', 'clickhouse', db.dsn());
      await expectDraft('click', { nodes: { customer: 50, invoice: 400 }, edges: { 'invoice: invoice_id, customer_id': 400 } });
    } finally {
      await db.remove();
    }
  });
});

describe('a random schema', () => {
  const count = 200;
  it(`becomes the graph that its rows and keys describe, ${count} times`, async () => {
    for (let seed = 1; seed <= count; seed++) {
      const { statements, nodes, edges } = randomSchema(new Dice(seed));
      await aSource(`r${seed}`, [`r${seed}`], statements);
      const draft = await suggest(app, { connection: `r${seed}` });
      const made = await runDraft(app, draft);
      expect({ seed, nodes: made.nodes, edges: made.edges }).toEqual({ seed, nodes, edges });
      // Each connection keeps idle sessions for half a minute, and the server takes 100 of them.
      await foreign.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader' AND state = 'idle'");
    }
  }, 600_000);
});
