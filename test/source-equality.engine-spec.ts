import { mkdir, writeFile } from 'node:fs/promises';
import { startTestApp, type TestApp } from './support/app.js';
import { DuckdbFiles } from './support/duckdb-files.js';
import { aGraph, aJob, counts, ingest, rejectedRows, runToEnd } from './support/ingestion.js';
import { hasMariaDb, MariaDb } from './support/mariadb.js';
import { connectTo } from './support/mirror-copies.js';
import { suggest } from './support/suggestions.js';

const describeIfThere = hasMariaDb() ? describe : describe.skip;

async function aMetric(app: TestApp, name: string, formula: string, binding: object): Promise<number> {
  const { body } = await app.admin
    .post('/api/metrics')
    .send({ graph_id: await aGraph(app), name, formula, binding })
    .expect(201);
  return body.id;
}

describeIfThere('texts that MariaDB takes for equal and this service does not', () => {
  let app: TestApp;
  let db: MariaDb;
  let connection: number;

  beforeAll(async () => {
    [app, db] = await Promise.all([startTestApp(), MariaDb.start()]);
    const collated = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci';
    await db.run(`CREATE TABLE country (code VARCHAR(8) PRIMARY KEY, name VARCHAR(40)) ${collated}`);
    await db.run(
      `CREATE TABLE port (id INT PRIMARY KEY, name VARCHAR(40), country VARCHAR(8), exact VARCHAR(8) COLLATE utf8mb4_bin,
         cased VARCHAR(8) CHARACTER SET latin1 COLLATE latin1_general_cs,
         FOREIGN KEY (country) REFERENCES country(code)) ${collated}`,
    );
    await db.run("INSERT INTO country VALUES ('DE','Germany'),('CN','China')");
    await db.run("INSERT INTO port VALUES (1,'Hamburg','de','a','a'),(2,'Shanghai','CN ','A','A'),(3,'Bremen','DE','b','b')");
    connection = await connectTo(app, 'mysql', db.dsn());
  });
  afterAll(() => Promise.all([app.close(), db.remove()]));

  const warningsOf = async (formula: string, more: object, request: object): Promise<{ rows: unknown[][]; told: string[] }> => {
    const binding = { connection_id: connection, relation: { table: 'port' }, ...more };
    const id = await aMetric(app, formula, formula, binding);
    const { body } = await app.admin.post(`/api/metrics/${id}/execute`).send(request).expect(200);
    return { rows: body.rows, told: body.warnings.map(({ code, message }: any) => `${code} ${message}`) };
  };
  const joined = {
    joins: [{ table: 'country', alias: 'c', on: [['port.country', 'c.code']] }],
    dimensions: [{ name: 'country_name', column: 'c.name' }],
  };

  it('are told of in a join, a grouping and a distinct count, and only there', async () => {
    const byName = await warningsOf('COUNT(*)', joined, { dimensions: ['country_name'] });
    expect(byName.told).toEqual([expect.stringMatching(/^SOURCE_COLLATION .*do not meet in a join/)]);
    const grouped = await warningsOf('SUM(id)', {}, { dimensions: ['country'] });
    expect(grouped.told).toEqual([expect.stringMatching(/^SOURCE_COLLATION .*groups apart in country/)]);
    const counted = await warningsOf('COUNT(DISTINCT country)', {}, {});
    expect(counted.told).toEqual([expect.stringMatching(/^SOURCE_COLLATION .*a distinct count/)]);
    for (const exact of ['exact', 'cased']) {
      expect((await warningsOf(`COUNT(DISTINCT ${exact})`, {}, { dimensions: [exact] })).told).toEqual([]);
    }
    expect((await warningsOf('COUNT(*)', joined, {})).told).toEqual([]);
    expect((await warningsOf('MAX(id)', {}, { dimensions: ['name'] })).told).toEqual([]);
  });

  it('are told of by a draft, and a rejected row names the key that it almost has and the way out', async () => {
    const draft = await suggest(app, { connection: 'mysql' });
    expect(draft.guesses).toContainEqual(
      expect.objectContaining({ kind: 'collation', evidence: { column: 'country', collation: 'utf8mb4_general_ci' } }),
    );
    const lenient = draft.mapping_yaml.replace('on_error: quarantine', 'on_error: quarantine\n  max_error_rate: 1');
    const run = await runToEnd(app, await aJob(app, await aGraph(app), lenient));
    const reasons = (await rejectedRows(app, run.id)).map(({ reasons: [first] }) => first.en);
    expect(reasons).toEqual([
      expect.stringMatching(
        /no node country with key 'de'; only case or blanks at the ends differ from 'DE': write transform: \[trim, upper\] at the key column 'code'/,
      ),
      expect.stringMatching(/no node country with key 'CN '; only case or blanks at the ends differ from 'CN'/),
    ]);
    const transformed = lenient.replace(/\{column: code, (.*?)\}/, '{column: code, $1, transform: [trim, upper]}');
    const edges = counts(await runToEnd(app, await aJob(app, await aGraph(app), transformed)));
    expect(Object.values(edges).at(-1)).toEqual([3, 3, 0, 0, 0, 0, 0]);
  });
});

describe('names of more than 63 bytes in files', () => {
  const short = '您对我们公司提供的售后服务的总体满意程度（';
  const long = `${short}二）`;
  const other = `${short}三）`;
  let app: TestApp;
  let files: DuckdbFiles;
  let connection: number;

  beforeAll(async () => {
    files = await DuckdbFiles.create();
    await mkdir(files.path('names'));
    await writeFile(files.path('names', 'answers.csv'), `id,${short},${long},${other}\n1,5,100,7\n2,3,200,8\n`);
    app = await startTestApp({ DUCKDB_DIR: files.directory });
    connection = await connectTo(app, 'duckdb', 'duckdb:///names/', 'names');
  });
  afterAll(() => Promise.all([app.close(), files.remove()]));

  it('are refused by name in a formula, a binding and an alias, and never mean the column with the first 63 bytes', async () => {
    const graph = await aGraph(app);
    const relation = { table: 'answers' };
    const ask = (formula: string, binding: object) =>
      app.admin
        .post('/api/metrics')
        .send({ graph_id: graph, name: `m${Math.random()}`, formula, binding: { connection_id: connection, relation, ...binding } });
    const named = ({ body }: { body: { detail: string } }): void => {
      expect(body.detail).toContain('more than 63 bytes');
      expect(body.detail).toContain(long);
    };
    const sum = `SUM("${long}")`;
    named(await app.admin.post('/api/metrics/parse').send({ formula: sum }).expect(400));
    const saved = await ask(sum, {}).expect(201);
    named(await app.admin.post(`/api/metrics/${saved.body.id}/execute`).send({}).expect(400));
    named(await ask('SUM(v)', { columns: { v: `"${long}"` } }).expect(400));
    named(await ask('COUNT(*)', { dimensions: [{ name: 'd', column: `"${long}"` }] }).expect(400));
    const { body } = await ask('COUNT(*)', { alias: '表'.repeat(22) }).expect(422);
    expect(body.detail.errors).toMatchObject([{ loc: ['body', 'binding', 'alias'], type: 'name_form' }]);
    const { body: metric } = await ask(`SUM("${short}")`, {}).expect(201);
    const { body: answer } = await app.admin.post(`/api/metrics/${metric.id}/execute`).send({}).expect(200);
    expect(answer.rows).toEqual([['8']]);
  });

  const mapping = (source: string, column: string) => `version: 1
source: {connection: names}
nodes:
  - {id: a, label: 答卷, ${source}, key: [id], columns: [{column: id}, {column: ${JSON.stringify(column)}}]}
`;

  it('are refused by name before a mapping runs, and a query reads the other columns', async () => {
    const refused = async (yaml: string, status: number) => {
      const { body } = await app.admin.post('/api/ingestion/jobs').send({ graph_id: await aGraph(app), mapping_yaml: yaml });
      expect(body.detail.errors?.[0]?.msg ?? JSON.stringify(body)).toContain('63');
      expect(status).toBe(422);
    };
    await refused(mapping('table: answers', long), 422);
    await refused(mapping(`query: 'SELECT id, "${long}" AS v FROM answers'`, 'v'), 422);
    const { run } = await ingest(app, mapping(`query: 'SELECT id, "${short}" AS v FROM answers'`, 'v'));
    expect(counts(run)).toEqual({ 答卷: [2, 2, 0, 0, 0, 0, 0] });
    const draft = await suggest(app, { connection: 'names' });
    expect(draft.left_out).toContainEqual(expect.objectContaining({ table: 'answers', columns: [long, other] }));
    expect(draft.mapping_yaml).not.toContain(long);
  });
});
