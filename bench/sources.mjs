// Databases for the ingestion figures to read from: each is loaded with the same tables, and reached through a connection.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { change, columnTypes, writeTables } from './wide-rows.mjs';

const root = path.dirname(import.meta.dirname);

/** Each gives `load` and `change`, which puts every hundredth row into another state. Null where the engine is not installed. */
export const sources = { pg_mirror: mirror, postgres, parquet, clickhouse };

async function mirror({ folder, api, database }) {
  const client = new pg.Client(database);
  await client.connect();
  return {
    connection: 'pg_mirror',
    load: async rows => {
      const files = await writeTables(`${folder}/csv`, rows, 'csv');
      for (const [table, file] of Object.entries(files)) {
        await api.send('PUT', `/api/warehouse/connections/1/tables/${table}`, createReadStream(file, { highWaterMark: 1 << 20 }));
      }
      await rm(`${folder}/csv`, { recursive: true });
      await client.query('VACUUM ANALYZE mirror.bench_lines');
    },
    change: () => client.query(change('mirror.bench_lines')),
    close: () => client.end(),
  };
}

async function postgres({ folder, api }) {
  const { EmbeddedPostgres } = await import(`${root}/dist/src/database/embedded/embedded-postgres.js`);
  const directory = `${folder}/second-postgres`;
  await mkdir(directory);
  const server = await EmbeddedPostgres.start({ dataDirectory: directory });
  const url = await server.createDatabase('sales');
  const front = await forwardTo(path.join(decodeURIComponent(/[?&]host=([^&]+)/.exec(url)[1]), '.s.PGSQL.5432'));
  const client = new pg.Client(url);
  await client.connect();
  await client.query("CREATE ROLE reader LOGIN PASSWORD 'reads'; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader");
  const dsn = `postgres://reader:reads@127.0.0.1:${front.address().port}/sales?sslmode=disable`;
  await connect(api, { name: 'postgres', type: 'postgres', dsn });
  return {
    connection: 'postgres',
    load: async rows => {
      const files = await writeTables(`${folder}/csv`, rows, 'csv');
      for (const [table, file] of Object.entries(files)) {
        await client.query(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (${columnTypes[table]})`);
        await pipeline(createReadStream(file), client.query(copyFrom(`COPY ${table} FROM STDIN (FORMAT csv, HEADER true)`)));
      }
      await rm(`${folder}/csv`, { recursive: true });
      await client.query('VACUUM ANALYZE bench_lines');
    },
    change: () => client.query(change('bench_lines')),
    close: async () => {
      await client.end();
      front.close();
      await server.stop();
    },
  };
}

/** The embedded server has a socket alone. */
async function forwardTo(socketPath) {
  const front = net.createServer(socket => {
    const upstream = net.connect(socketPath);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ]) {
      one.on('error', () => undefined);
      one.once('close', () => other.destroy());
      one.pipe(other);
    }
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return front;
}

async function parquet({ api, files }) {
  const folder = `${files}/parquet`;
  await mkdir(folder);
  await connect(api, { name: 'parquet', type: 'duckdb', dsn: 'duckdb:///parquet/' });
  let rows = 0;
  return {
    connection: 'parquet',
    load: wanted => writeTables(folder, (rows = wanted), 'parquet'),
    change: () => writeTables(folder, rows, 'parquet', { changed: true }),
    close: async () => undefined,
  };
}

async function clickhouse({ folder, api }) {
  if (!existsSync(`${root}/test/engines/node_modules/chdb`)) return null;
  const directory = `${folder}/clickhouse`;
  await mkdir(directory);
  const child = fork(`${root}/test/support/clickhouse-server.mjs`, [directory], { execArgv: [], env: { PATH: process.env.PATH } });
  const [{ port }] = await once(child, 'message');
  const run = async sql => {
    const authorization = `Basic ${Buffer.from('admin:rules').toString('base64')}`;
    const response = await fetch(`http://127.0.0.1:${port}/?database=default`, { method: 'POST', body: sql, headers: { authorization } });
    if (!response.ok) throw new Error(await response.text());
  };
  await run('CREATE DATABASE sales');
  await connect(api, {
    name: 'clickhouse',
    type: 'clickhouse',
    dsn: `clickhouse://reader:p%40ss%2Fword@127.0.0.1:${port}/sales?sslmode=disable`,
  });
  let rows = 0;
  const fill = async changed => {
    const files = await writeTables(`${folder}/for-clickhouse`, rows, 'parquet', { changed });
    for (const [table, file] of Object.entries(files)) {
      await run(`DROP TABLE IF EXISTS sales.${table}`);
      await run(
        `CREATE TABLE sales.${table} ENGINE = MergeTree ORDER BY tuple() SETTINGS index_granularity = 8192 AS SELECT * FROM file('${file}', Parquet) SETTINGS schema_inference_make_columns_nullable = 0`,
      );
    }
    await rm(`${folder}/for-clickhouse`, { recursive: true });
  };
  return {
    connection: 'clickhouse',
    load: wanted => fill(((rows = wanted), false)),
    change: () => fill(true),
    close: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function connect(api, connection) {
  await api.send('POST', '/api/warehouse/connections', connection);
}
