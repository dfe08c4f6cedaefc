import { readFileSync } from 'node:fs';
import pg from 'pg';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';

/** The most memory that one backend may hold, besides its shared memory, while it refuses a query that grows. */
const ceilingBytes = 300_000_000;

describe('a query that grows', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    test = await startTestApp();
    owner = await test.asUser('grower');
    graph = await createTradingGraph(test, owner);
  });
  afterAll(() => test.close());

  const ask = async (cypher: string, status: number, parameters = {}) =>
    (await owner.post(`/api/graphs/${graph.id}/query`).send({ cypher, parameters }).expect(status)).body;

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
    expect(one.detail).toMatch(/上限为 1048576 字节.*1048576 are the most/);
    const eight = Array.from({ length: 8 }, (_, i) => `replace(n.产品名称, 'h', ${long}) + '${i}'`).join(' + ');
    expect((await ask(`MATCH (n:产品) RETURN size(${eight}) AS t`, 422, parameters)).code).toBe('value_too_large');
    for (const bytes of await backendBytes()) expect(bytes).toBeLessThan(ceilingBytes);
  });

  it('is refused before collect gathers a cross product', async () => {
    const wide = `left(replace(replace(a.产品名称 + 'xxxxxxxxxx', 'x', $hundred), 'x', $hundred), 90000)`;
    const cypher = `MATCH (a:产品), (b:产品), (c:产品), (d:产品), (e:产品) RETURN collect(${wide}) AS t`;
    expect((await ask(cypher, 422, parameters)).code).toBe('value_too_large');
    for (const bytes of await backendBytes()) expect(bytes).toBeLessThan(ceilingBytes);
  });

  it('is refused with 200 nodes, and planned in useful time with as many as there may be', async () => {
    const nodes = Array.from({ length: 200 }, (_, i) => `(n${i})`).join(', ');
    const refused = await ask(`MATCH ${nodes} RETURN count(*) AS n`, 400);
    expect(refused).toMatchObject({ code: 'cypher_not_supported', context: { feature: 'more than 24 nodes in one query' } });
    const paths = Array.from({ length: 12 }, (_, i) => `(a${i}:地区 {地区名称: '无'})-[r${i}]-(b${i}:客户)`).join(', ');
    expect((await ask(`MATCH ${paths} RETURN a0.地区名称 AS n, b11.公司名称 AS m`, 200)).rows).toEqual([]);
    const chain = Array.from({ length: 4 }, (_, i) => `(c${3 * i})--(c${3 * i + 1})--(c${3 * i + 2})--(c${3 * i + 3})`).join(', ');
    expect((await ask(`MATCH ${chain} WHERE c0.地区名称 = '无' RETURN c0, c12`, 200)).rows).toEqual([]);
  });

  it('is refused when its statement is too complex for PostgreSQL', async () => {
    const items = Array.from({ length: 1700 }, (_, i) => `${i}`).join(',');
    expect(await ask(`RETURN ${items}`, 422)).toMatchObject({ code: 'query_too_large', context: { sqlstate: '54011' } });
  });

  it('is refused when its temporary files exceed the limit of a session', async () => {
    const superuser = new pg.Client(process.env.TEST_POSTGRES_URL);
    await superuser.connect();
    const { rows } = await test.pool.query<{ database: string; role: string }>(
      `SELECT datname AS database, usename AS role FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%retrieval%'`,
    );
    const { database, role } = rows[0]!;
    const { rows: limits } = await superuser.query('SELECT setconfig FROM pg_db_role_setting WHERE setrole = $1::regrole', [role]);
    expect(limits[0]).toMatchObject({ setconfig: expect.arrayContaining(['temp_file_limit=1GB']) });
    await superuser.query(`ALTER ROLE ${role} IN DATABASE ${database} SET temp_file_limit = '1MB'`);
    await superuser.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE '%retrieval%'`,
      [database],
    );
    await superuser.end();
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const cypher = `MATCH ${names.map(name => `(${name}:产品)`).join(', ')} RETURN count(DISTINCT ${names.map(name => `${name}.产品名称`).join(' + ')}) AS n`;
    expect(await ask(cypher, 422)).toMatchObject({ code: 'query_too_large', context: { sqlstate: '53400' } });
    expect((await ask('MATCH (a:产品) RETURN count(DISTINCT a.产品名称) AS n', 200)).rows).toEqual([[5]]);
  });

  it('is answered while it is small', async () => {
    const cypher = `MATCH (n:产品) WHERE n.产品编号 <= 2 RETURN collect(n.产品名称 + '/' + toString(n.单价)) AS names, [n.类别, 1] AS kind`;
    const { rows } = await ask(cypher, 200);
    expect(rows[0][0].sort()).toEqual(['Chai/18', 'Chang/19']);
    expect([rows.length, rows[0][1]]).toEqual([1, ['饮料', 1]]);
  });
});
