// Databases that the ingestion figures read from. Each is loaded with the same tables, and the service reaches each through a connection.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { freePort } from './service.mjs';
import { change, columnTypes, writeTables } from './wide-rows.mjs';

const root = path.dirname(import.meta.dirname);

/** Each function opens a source. `load` fills its tables, `change` changes every hundredth row. Null if the engine is not installed. */
export const sources = { pg_mirror: mirror, postgres, mysql, parquet, clickhouse };

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
    // A run skips a table whose version is unchanged. An upload raises the version, so this UPDATE does it too.
    change: async () => {
      await client.query(change('mirror.bench_lines'));
      await client.query("UPDATE mirror_tables SET version = DEFAULT WHERE name = 'bench_lines'");
    },
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
    dsn,
    query: sql => client.query(sql),
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

async function mysql({ folder, api }) {
  const server = ['/usr/sbin/mariadbd', '/usr/bin/mariadbd', '/usr/local/bin/mariadbd'].find(file => existsSync(file));
  if (!server) return null;
  const directory = `${folder}/mariadb`;
  const place = [`--datadir=${directory}`, `--user=${os.userInfo().username}`];
  execFileSync('mariadb-install-db', ['--no-defaults', ...place, '--auth-root-authentication-method=normal', '--skip-test-db']);
  const port = await freePort();
  const listens = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${directory}/socket`, '--skip-name-resolve', '--skip-log-bin'];
  const child = spawn(server, ['--no-defaults', ...place, ...listens], { stdio: 'ignore' });
  const run = sql =>
    execFileSync('mariadb', ['--no-defaults', `--socket=${directory}/socket`, '--user=root', '-e', sql], { stdio: 'ignore' });
  const isUp = () => attempt(() => run('SELECT 1'));
  while (!isUp()) await sleep(100);
  run("CREATE DATABASE sales CHARACTER SET utf8mb4; CREATE USER reader@'%' IDENTIFIED BY 'reads'; GRANT SELECT ON sales.* TO reader@'%'");
  await connect(api, { name: 'mysql', type: 'mysql', dsn: `mysql://reader:reads@127.0.0.1:${port}/sales?ssl-mode=disabled` });
  return {
    connection: 'mysql',
    load: async rows => {
      const files = await writeTables(`${folder}/csv`, rows, 'csv');
      for (const [table, file] of Object.entries(files)) {
        const types = columnTypes[table].replaceAll('numeric', 'decimal').replaceAll('timestamp', 'datetime');
        const form = `FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' ESCAPED BY '' IGNORE 1 LINES`;
        run(`CREATE OR REPLACE TABLE sales.${table} (${types}); LOAD DATA INFILE '${file}' INTO TABLE sales.${table} ${form}`);
      }
      await rm(`${folder}/csv`, { recursive: true });
    },
    change: async () =>
      run('UPDATE sales.bench_lines SET quantity = quantity + 1, updated_at = updated_at + interval 2 year WHERE line_id % 100 = 7'),
    close: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

function attempt(work) {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** Listens on a TCP port and forwards to the socket, because the embedded server has no port. */
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
