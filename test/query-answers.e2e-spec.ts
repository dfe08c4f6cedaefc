import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { startTestApp, type TestApp, type Client } from './support/app.js';
import { ingest, runToEnd, upload, shared } from './support/ingestion.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { describeWithShared } from './support/shared-data.js';
import { isLong, itLong } from './support/tier.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** Citations for nodes and metrics whose source is an SQL query: they name the tables that the query reads. */
describe('citations of queries', () => {
  const mapping = `
version: 1
nodes:
  - id: sale
    label: 销售
    query: >-
      WITH recent AS (SELECT * FROM mirror.orders WHERE id > 1)
      SELECT r.id, c.name FROM recent r JOIN customers c ON c.id = r.customer_id
    key: [id]
    columns:
      - {column: id, property: 编号, type: int}
      - {column: name, property: 客户, type: string}
  - id: asked
    label: 查询
    table: query
    key: [id]
    columns: [{column: id, property: 编号, type: int}]
`;
  let graphId: number;
  let jobId: number;
  beforeAll(async () => {
    await upload(test, 'orders', 'id,customer_id\n1,1\n2,1\n3,2\n');
    await upload(test, 'customers', 'id,name\n1,甲\n2,乙\n');
    await upload(test, 'query', 'id,text\n7,MATCH\n');
    ({ graphId, jobId } = await ingest(test, mapping));
  });

  const ask = async (cypher: string, more: object = {}) =>
    (
      await test.admin
        .post(`/api/graphs/${graphId}/query`)
        .send({ cypher, ...more })
        .expect(200)
    ).body;
  const oneSale = 'MATCH (s:销售) WHERE s.编号 = 2 RETURN s';

  it('name the tables that the query reads, and not its CTE, also from the store', async () => {
    for (const status of ['miss', 'hit']) {
      const { citations, cache } = await ask(oneSale);
      expect(cache.status).toBe(status);
      expect(citations).toEqual([
        expect.objectContaining({ connection: 'pg_mirror', table: 'query', query_tables: ['orders', 'customers'], key: { id: '2' }, job_id: jobId }),
      ]); // prettier-ignore
    }
  });

  it('name them for a result whose rows cannot be told', async () => {
    const { citations } = await ask('MATCH (s:销售) RETURN max(s.编号) * 2 AS n');
    expect(citations).toEqual([expect.objectContaining({ table: 'query', query_tables: ['orders', 'customers'], key: {} })]);
  });

  it('say that a query has no source rows, and which tables to look at', async () => {
    const { source_rows: rows, warnings } = await ask(oneSale, { include: ['source_rows'] });
    expect(rows).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/no source row of their own; the query reads orders, customers|没有单独的源行；查询读取的表：orders、customers/)]); // prettier-ignore
  });

  it('are those of a table if the table is named query', async () => {
    const { citations, source_rows: rows, warnings } = await ask('MATCH (q:查询) RETURN q', { include: ['source_rows'] });
    expect([citations[0].table, 'query_tables' in citations[0]]).toEqual(['query', false]);
    expect([rows, warnings]).toEqual([[{ citation: 0, row: { id: 7, text: 'MATCH' } }], []]);
  });

  it('agree with the schema of the graph', async () => {
    const { body } = await test.admin.get(`/api/graphs/${graphId}/schema`).expect(200);
    const sources = Object.fromEntries(body.nodes.map((node: any) => [node.label, node.source]));
    expect(sources['销售']).toMatchObject({ table: 'query', query_tables: ['orders', 'customers'], key_columns: ['id'] });
    expect(sources['查询']).toEqual({ connection: 'pg_mirror', table: 'query', key_columns: ['id'], job_id: jobId });
  });

  it('name the tables of a metric over SQL, each query apart', async () => {
    const define = async (name: string, sql: string) =>
      (await test.admin.post('/api/metrics').send({ graph_id: graphId, name, formula: 'COUNT(*)', binding: { relation: { sql } } }).expect(201)).body; // prettier-ignore
    await define('甲数', 'SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id');
    await define('乙数', 'SELECT id FROM customers');
    const { body: ratio } = await test.admin.post('/api/metrics').send({ graph_id: graphId, name: '比', formula: '[甲数] / [乙数]' }).expect(201); // prettier-ignore
    const { body } = await test.admin.post(`/api/metrics/${ratio.id}/execute`).send({}).expect(200);
    const source = { connection: 'pg_mirror', connection_id: 1, table: 'query' };
    expect(body.sources).toEqual([
      { ...source, query_tables: ['orders', 'customers'] },
      { ...source, query_tables: ['customers'] },
    ]);
  });

  it('say `query` alone for a graph of an earlier release, until its job runs again', async () => {
    await test.pool.query('UPDATE graph_elements SET query_tables = NULL WHERE graph_id = $1', [graphId]);
    await test.pool.query('UPDATE graphs SET version = version + 1 WHERE id = $1', [graphId]);
    const before = await ask(oneSale, { include: ['source_rows'] });
    expect(before.citations).toEqual([expect.objectContaining({ table: 'query', key: { id: '2' } })]);
    expect('query_tables' in before.citations[0]).toBe(false);
    expect(before.warnings).toEqual([expect.stringMatching(/no source row of their own$|没有单独的源行$/)]);
    await runToEnd(test, jobId);
    expect((await ask(oneSale)).citations[0].query_tables).toEqual(['orders', 'customers']);
  });
});

/** The most private memory in bytes that one backend may use while it refuses a query that grows. */
const ceilingBytes = 300_000_000;

describe('a query that grows', () => {
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    owner = await test.asUser('grower');
    graph = await createTradingGraph(test, owner);
  });

  const ask = (cypher: string, status: number, parameters = {}) => graph.ask({ cypher, parameters }, status);

  /** The private memory of every backend that answers queries now, in bytes. Empty without /proc. */
  async function backendBytes(): Promise<number[]> {
    if (process.platform !== 'linux') return [];
    const { rows } = await test.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%retrieval%'`,
    );
    return rows.map(({ pid }) => Number(/^VmData:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024);
  }

  const long = "replace(replace(replace(replace('xxxxxxxxxx', 'x', $hundred), 'x', $hundred), 'x', $hundred), 'x', $hundred)";
  const parameters = { hundred: 'x'.repeat(100) };

  it('is refused before a text of 600 MB, or eight of 100 MB, are built', async () => {
    const part = `left(${long}, 30000000)`;
    const one = await ask(`MATCH (n:产品) RETURN ${Array.from({ length: 7 }, () => part).join(' + ')} AS t`, 422, parameters);
    expect(one).toMatchObject({ code: 'value_too_large', context: { limit: 1_048_576, line: 1 } });
    expect(one.detail).toMatch(/上限为 1048576 个字符.*1048576 are the most/);
    const eight = Array.from({ length: 8 }, (_, i) => `replace(n.产品名称, 'h', ${long}) + '${i}'`).join(' + ');
    expect((await ask(`MATCH (n:产品) RETURN size(${eight}) AS t`, 422, parameters)).code).toBe('value_too_large');
    for (const bytes of await backendBytes()) expect(bytes).toBeLessThan(ceilingBytes);
  });

  itLong('is refused before collect gathers a cross product', async () => {
    const wide = `left(replace(replace(a.产品名称 + 'xxxxxxxxxx', 'x', $hundred), 'x', $hundred), 90000)`;
    const cypher = `MATCH (a:产品), (b:产品), (c:产品), (d:产品), (e:产品) RETURN collect(${wide}) AS t`;
    expect((await ask(cypher, 422, parameters)).code).toBe('value_too_large');
    for (const bytes of await backendBytes()) expect(bytes).toBeLessThan(ceilingBytes);
  });

  itLong('is refused with 200 nodes, and planned in useful time with as many as there may be', async () => {
    const nodes = Array.from({ length: 200 }, (_, i) => `(n${i})`).join(', ');
    const refused = await ask(`MATCH ${nodes} RETURN count(*) AS n`, 422);
    expect(refused).toMatchObject({ code: 'query_too_much_work', context: { rows: expect.any(Number) } });
    const paths = Array.from({ length: 12 }, (_, i) => `(a${i}:地区 {地区名称: '无'})-[r${i}]-(b${i}:客户)`).join(', ');
    expect((await ask(`MATCH ${paths} RETURN a0.地区名称 AS n, b11.公司名称 AS m`, 200)).rows).toEqual([]);
    const chain = Array.from({ length: 4 }, (_, i) => `(c${3 * i})--(c${3 * i + 1})--(c${3 * i + 2})--(c${3 * i + 3})`).join(', ');
    expect((await ask(`MATCH ${chain} WHERE c0.地区名称 = '无' RETURN c0, c12`, 200)).rows).toEqual([]);
  });

  it('runs in memory when its statement is too complex for PostgreSQL', async () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST'];
    const items = letters.flatMap(a => letters.map(b => `n.${a}${b}`)).slice(0, 1700);
    const { rows } = await ask(`MATCH (n:产品 {产品编号: 1}) RETURN ${items.join(',')}`, 200);
    expect(rows).toEqual([items.map(() => null)]);
  });

  itLong('is refused when its temporary files exceed the limit of a session', async () => {
    const superuser = new pg.Client(process.env.TEST_POSTGRES_URL);
    await superuser.connect();
    const { rows } = await test.pool.query<{ database: string; role: string }>(
      `SELECT datname AS database, usename AS role FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%retrieval%'`,
    );
    const { database, role } = rows[0]!;
    const { rows: limits } = await superuser.query('SELECT setconfig FROM pg_db_role_setting WHERE setrole = $1::regrole', [role]);
    expect(limits[0]).toMatchObject({ setconfig: expect.arrayContaining(['temp_file_limit=1GB']) });
    /** Sets the limit and ends the present sessions, because a session keeps the limit with which it began. */
    const limitNewSessions = async (change: string): Promise<void> => {
      await superuser.query(`ALTER ROLE ${role} IN DATABASE ${database} ${change}`);
      await superuser.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE '%retrieval%'`,
        [database],
      );
    };
    await limitNewSessions(`SET temp_file_limit = '1MB'`);
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const cypher = `MATCH ${names.map(name => `(${name}:产品)`).join(', ')} RETURN DISTINCT ${names.map(name => `${name}.产品名称 AS ${name}`).join(', ')}`;
    expect(await ask(cypher, 422)).toMatchObject({ code: 'query_too_large', context: { sqlstate: '53400' } });
    expect((await ask('MATCH (a:产品) RETURN count(DISTINCT a.产品名称) AS n', 200)).rows).toEqual([[5]]);
    await limitNewSessions('RESET temp_file_limit');
    await superuser.end();
  });

  it('is answered while it is small', async () => {
    const cypher = `MATCH (n:产品) WHERE n.产品编号 <= 2 RETURN collect(n.产品名称 + '/' + toString(n.单价)) AS names, [n.类别, 1] AS kind`;
    const { rows } = await ask(cypher, 200);
    expect(rows[0][0].sort()).toEqual(['Chai/18', 'Chang/19']);
    expect([rows.length, rows[0][1]]).toEqual([1, ['饮料', 1]]);
  });
});

const folder = 'data/china_divisions';

describeWithShared('searching the divisions of China', folder, () => {
  /** The last level, which `npm test` leaves out, has 41,000 rows. */
  const levels = (
    [
      ['省级', 'provinces', null],
      ['地级', 'cities', 'provinceCode'],
      ['县级', 'areas', 'cityCode'],
      ['乡级', 'streets', 'areaCode'],
    ] as const
  ).slice(0, isLong ? 4 : 3);

  const mapping = `version: 1
nodes:
${levels
  .map(
    ([label, table]) => `  - id: ${table}
    label: ${label}
    table: ${table}
    key: [code]
    display: name
    columns: [{column: code, property: 代码}, {column: name, property: 名称}]`,
  )
  .join('\n')}
edges:
${levels
  .slice(1)
  .map(
    ([, table, parent], i) => `  - type: 属于
    aliases: [BELONGS_TO]
    table: ${table}
    from: {node: ${table}, match: {code: code}}
    to: {node: ${levels[i]?.[1]}, match: {${parent}: code}}`,
  )
  .join('\n')}
`;

  interface Hit {
    display: string;
    key: string;
    label: string;
  }

  /** The rows of a file in the folder: a header, then bare codes and names in double quotes. */
  function readRows(csv: Buffer): Record<string, string>[] {
    const [header = '', ...lines] = csv.toString().trim().split(/\r?\n/);
    const names = header.split(',');
    return lines.map(line => Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell.replace(/^"|"$/g, '')])));
  }
  let graphId: number;
  const files = new Map<string, Record<string, string>[]>();

  beforeAll(async () => {
    for (const [label, table] of levels) {
      const csv = shared(path.join(folder, `${table}.csv`));
      files.set(label, readRows(csv));
      await upload(test, table, csv, 'code:text');
    }
    const { graphId: ingested, run } = await ingest(test, mapping);
    graphId = ingested;
    expect(run.status).toBe('succeeded');
  });

  const ask = async (body: object) => (await test.admin.post(`/api/graphs/${graphId}/query`).send(body).expect(200)).body;

  it('finds every division with 朝阳 in its name, and says which city each belongs to', async () => {
    const all = [...files.values()].flat().filter(row => row.name?.includes('朝阳'));
    const cityOf = new Map([...files.values()].flat().map(row => [row.code, row.cityCode ?? row.code]));
    const found: { hit: Hit; context: Hit[] }[] = [];
    let cursor: string | null = null;
    do {
      const page: { rows: [Hit, number, Hit[]][]; next_cursor: string | null } = await ask({
        search: '朝阳',
        limit: isLong ? 50 : 3,
        ...(cursor ? { cursor } : {}),
      });
      found.push(...page.rows.map(([hit, , context]) => ({ hit, context })));
      cursor = page.next_cursor;
    } while (cursor);
    expect(all.length).toBeGreaterThan(isLong ? 50 : 3);
    expect(found.map(({ hit }) => hit.key).sort()).toEqual(all.map(row => row.code).sort());
    for (const { hit, context } of found) {
      const city = hit.label === '地级' ? hit : context.find(node => node.label === '地级');
      expect([hit.key, city?.key]).toEqual([hit.key, cityOf.get(hit.key)]);
    }
  });

  it('finds the district of Beijing among the first, with its city and province', async () => {
    const { rows } = await ask({ search: '朝阳区', limit: 5 });
    const beijing = rows.find(([hit]: [Hit]) => hit.key === '110105');
    expect(beijing[2].map((node: Hit) => node.display)).toEqual(['市辖区', '北京市']);
  });

  it.each([
    ['1101', '1101'],
    ['110105', '110105'],
    ['西藏自治区', '54'],
    ['呼和浩特市', '1501'],
  ])('finds %s first by name or code', async (search, key) => {
    expect((await ask({ search, limit: 3 })).rows[0][0].key).toBe(key);
  });

  it('answers which districts belong to a city and how many there are', async () => {
    const { rows } = await ask({ question: '呼和浩特市有多少个县级' });
    expect(rows).toEqual([[files.get('县级')?.filter(row => row.cityCode === '1501').length]]);
    const { rows: districts } = await ask({ question: '属于呼和浩特市的县级有哪些' });
    expect(districts).toHaveLength(rows[0][0]);
  });
});
