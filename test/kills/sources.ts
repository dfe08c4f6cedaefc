import { mkdir, rename, writeFile } from 'node:fs/promises';
import { DuckdbFiles } from '../support/duckdb-files.js';
import { ForeignPostgres } from '../support/foreign-postgres.js';
import { MariaDb } from '../support/mariadb.js';
import { type Version } from './versions.js';

/** A source with a table of things and a table of links. It can be lost in the middle of a read. */
export interface KillSource {
  name: string;
  connection: string;
  type: string;
  dsn: string;
  things: string;
  links: string;
  write: (version: Version) => Promise<void>;
  /** Ends all reads of the source. */
  lose: () => Promise<void>;
  /** The number of statements that the source still runs for readers. */
  busy: () => Promise<number>;
  remove: () => Promise<void>;
}

const thingRows = ({ things }: Version): [number, string, number][] => [...things].map(([id, { name, n }]) => [id, name, n]);
const linkRows = ({ links }: Version): [number, number, number, number][] => [...links].map(([k, { a, b, w }]) => [k, a, b, w]);
const csvText = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const thingsCsv = (version: Version): string =>
  `id,name,n\n${thingRows(version).map(([id, name, n]) => `${id},${csvText(name)},${n}\n`).join('')}`; // prettier-ignore
export const linksCsv = (version: Version): string =>
  `k,a,b,w\n${linkRows(version).map(row => `${row.join(',')}\n`).join('')}`; // prettier-ignore

export async function postgresSource(): Promise<KillSource> {
  const foreign = await ForeignPostgres.start();
  await foreign.run('CREATE TABLE things (id int, name text, n int); CREATE TABLE links (k int, a int, b int, w int)');
  return {
    name: 'postgres',
    connection: 'far',
    type: 'postgres',
    dsn: foreign.dsn(),
    things: 'things',
    links: 'links',
    write: async version => {
      const things = thingRows(version).map(([id, name, n]) => ({ id, name, n }));
      const links = linkRows(version).map(([k, a, b, w]) => ({ k, a, b, w }));
      await foreign.run(`
        BEGIN; SET LOCAL synchronous_commit = on; DELETE FROM things; DELETE FROM links;
        INSERT INTO things SELECT * FROM json_to_recordset($q$${JSON.stringify(things)}$q$) AS t(id int, name text, n int);
        INSERT INTO links SELECT * FROM json_to_recordset($q$${JSON.stringify(links)}$q$) AS t(k int, a int, b int, w int);
        COMMIT`);
    },
    lose: () => foreign.crash(),
    busy: async () =>
      (await foreign.run(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND usename = 'reader' AND state <> 'idle'`))
        .rowCount ?? 0,
    remove: () => foreign.remove(),
  };
}

export async function mariaSource(): Promise<KillSource> {
  const maria = await MariaDb.start();
  await maria.run('CREATE TABLE things (id int, name text, n int)');
  await maria.run('CREATE TABLE links (k int, a int, b int, w int)');
  const readers = async (more = ''): Promise<string[]> =>
    (await maria.run(`SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'reader' ${more}`)).map(([id]) => id!);
  const text = (name: string): string => `CONVERT(0x${Buffer.from(name).toString('hex')} USING utf8mb4)`;
  return {
    name: 'mysql',
    connection: 'maria',
    type: 'mysql',
    dsn: maria.dsn(),
    things: 'things',
    links: 'links',
    write: async version => {
      const things = thingRows(version).map(([id, name, n]) => `(${id}, ${text(name)}, ${n})`);
      await maria.run('START TRANSACTION');
      for (const table of ['things', 'links']) await maria.run(`DELETE FROM ${table}`);
      await maria.run(`INSERT INTO things VALUES ${things.join(', ')}`);
      await maria.run(`INSERT INTO links VALUES ${linkRows(version).map(row => `(${row.join(', ')})`).join(', ')}`); // prettier-ignore
      await maria.run('COMMIT');
    },
    lose: async () => {
      for (const id of await readers()) await maria.run(`KILL CONNECTION ${id}`).catch(() => undefined);
    },
    busy: async () => (await readers("AND COMMAND <> 'Sleep'")).length,
    remove: () => maria.remove(),
  };
}

/** @param kill ends the DuckDB processes of the services */
export async function parquetSource(kill: () => void): Promise<KillSource & { directory: string }> {
  const files = await DuckdbFiles.create();
  await mkdir(files.path('kills'));
  const write = async (name: string, csv: string, columns: string): Promise<void> => {
    const [from, to] = [files.path(`${name}.csv_`), files.path(`${name}.parquet_`)];
    await writeFile(from, csv);
    await files.run(null, `COPY (SELECT * FROM read_csv('${from}', columns = {${columns}}, header = true)) TO '${to}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`);
    await rename(to, files.path('kills', `${name}.parquet`));
  }; // prettier-ignore
  return {
    name: 'parquet',
    connection: 'files',
    type: 'duckdb',
    directory: files.directory,
    dsn: 'duckdb:///kills/',
    things: 'things',
    links: 'links',
    write: async version => {
      await write('things', thingsCsv(version), `'id': 'INTEGER', 'name': 'VARCHAR', 'n': 'INTEGER'`);
      await write('links', linksCsv(version), `'k': 'INTEGER', 'a': 'INTEGER', 'b': 'INTEGER', 'w': 'INTEGER'`);
    },
    lose: () => Promise.resolve(kill()),
    busy: () => Promise.resolve(0),
    remove: () => files.remove(),
  };
}

/** The mirror, whose tables are in the service's own database. They are lost only together with it. */
export function mirrorSource(upload: (table: string, csv: string, types: string) => Promise<void>): KillSource {
  return {
    name: 'mirror',
    connection: 'pg_mirror',
    type: 'mirror',
    dsn: '',
    things: 'things',
    links: 'links',
    write: async version => {
      await upload('things', thingsCsv(version), 'id:integer,name:text,n:integer');
      await upload('links', linksCsv(version), 'k:integer,a:integer,b:integer,w:integer');
    },
    lose: () => Promise.resolve(),
    busy: () => Promise.resolve(0),
    remove: () => Promise.resolve(),
  };
}
