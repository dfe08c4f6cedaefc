import pg from 'pg';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { cloneDatabase } from '../../test/support/database.js';
import { describeWithShared, sharedFolder } from '../../test/support/shared-data.js';
import { guardExpression } from './guard-expression.js';
import { fragmentMarker } from './same-shape.js';
import { assembleSql } from '../../test/support/assemble-sql.js';
import { loadSqlParser } from './sql-parser.js';

const file = path.join(sharedFolder, 'suites/filter-clauses.json');
const { table = '', allow = [] } = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as { table: string; allow: { clause: string }[] })
  : {};

describeWithShared('every allowed clause runs on PostgreSQL as it is', 'suites/filter-clauses.json', () => {
  let database: { url: string; drop: () => Promise<void> };
  let client: pg.Client;

  beforeAll(async () => {
    await loadSqlParser();
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    await client.query(`CREATE TABLE mirror.${table}`);
    await client.query(
      `INSERT INTO mirror.orders VALUES (1, 1, 'paid', 10, now(), '{vip}', '{"utm": {"source": "wechat"}, "items": [1]}', '华东')`,
    );
    await client.query('SET search_path = pg_catalog, mirror');
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  it.each(allow.map(each => each.clause))('%s', async clause => {
    const columns = new Set(['order_id', 'customer_id', 'status', 'amount', 'created_at', 'tags', 'meta', '地区']);
    const guarded = guardExpression(clause, { columns, alias: 'orders' });
    const sql = assembleSql(`SELECT count(*)::int AS n FROM orders WHERE order_id > $1 AND ${fragmentMarker(0)}`, [guarded]);
    const { rows } = await client.query<{ n: number }>(sql, [0]);
    const bare = await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM orders WHERE ${clause}`);
    expect(rows).toEqual(bare.rows);
  });
});
