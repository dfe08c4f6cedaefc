import { type BigIntStats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { type DuckDBConnection } from '@duckdb/node-api';
import { quoteIdentifier } from '../../../../sql/quote-identifier.js';
import { type FileSource, type UnreadableFile } from '../protocol.js';
import { Engine, quoteLiteral } from './engine.js';
import { type FileFormat, type TableFile, tablesOfFolder } from './folder-tables.js';
import { UnreadableFileError, WorkError } from './work-error.js';

/** The most files of a folder. A folder with more files is a mistake of the operator, and would take long to list. */
const mostFiles = 10_000;

/**
 * The DuckDB function that reads a file of each format. Integers, texts and days of ISO 8601 come through unchanged. Other types of a CSV
 * file would be rounded or guessed, so they are read as text.
 */
const readers: Record<FileFormat, (file: string) => string> = {
  parquet: file => `read_parquet(${file}, hive_partitioning = false)`,
  csv: file =>
    `read_csv(${file}, auto_type_candidates = ['BIGINT', 'DATE', 'VARCHAR'], dateformat = '%Y-%m-%d', allow_quoted_nulls = false, hive_partitioning = false)`,
  json: file => `read_json(${file}, dateformat = '%Y-%m-%d', timestampformat = 'none', hive_partitioning = false)`,
};

interface Folder {
  /** The path of the operator's directory without symbolic links, and the path of the folder. */
  root: string;
  place: string;
  tables: TableFile[];
  /** Files that look like tables but cannot be tables. */
  leftOut: string[];
}

/** The files of a connection, opened read-only for one piece of work. */
export class Source {
  private readonly watched = new Map<string, { file: string; before: BigIntStats }>();

  private constructor(
    private readonly engine: Engine,
    /** The folder of the connection; null for a database file. */
    readonly folder: Folder | null,
  ) {}

  /** @throws WorkError */
  static async open({ directory, path: names, isFolder }: FileSource): Promise<Source> {
    const root = await located(realpath(directory));
    const place = await located(realpath(path.join(root, ...names)));
    requireInside(root, place);
    const before = await located(stat(place, { bigint: true }));
    if (before.isDirectory() !== isFolder) throw new WorkError('missing');
    const folder = isFolder ? { root, place, ...(await tablesIn(place)) } : null;
    const source = new Source(await (isFolder ? Engine.start() : Engine.reading(place)), folder);
    if (!isFolder) source.watched.set('', { file: place, before });
    return source;
  }

  get connection(): DuckDBConnection {
    return this.engine.connection;
  }

  /** The file of the folder's table with exactly this name. */
  fileOf(table: string): TableFile | undefined {
    return this.folder?.tables.find(file => file.table === table);
  }

  /**
   * In a folder, creates views of these tables, and from then on lets DuckDB read only their files. Table names are compared as DuckDB
   * compares them, without case.
   * @param failed is called for a table whose file cannot be read, and the other tables stay readable; by default it throws
   * @throws UnreadableFileError
   */
  async expose(tables: readonly string[], failed: (table: string, error: unknown) => void = rethrow): Promise<void> {
    if (!this.folder) return;
    const wanted = new Set(tables.map(table => table.toLowerCase()));
    const files = this.folder.tables.filter(({ table }) => wanted.has(table.toLowerCase()));
    const paths = new Map<TableFile, string>();
    for (const file of files) {
      try {
        const { real, before } = await locate(file, this.folder);
        this.watched.set(file.table, { file: real, before });
        paths.set(file, real);
      } catch (error) {
        failed(file.table, error);
      }
    }
    await this.engine.confine([...paths.values()]);
    for (const [{ table, file, format }, path] of paths) {
      const view = `CREATE VIEW ${quoteIdentifier(table)} AS SELECT * FROM ${readers[format](quoteLiteral(path))}`;
      await this.connection.run(view).catch((error: unknown) => failed(table, ofDamage(file, error)));
    }
  }

  /** The files of the folder that cannot be opened, whatever they hold. */
  async unreadable(): Promise<UnreadableFile[]> {
    const found: UnreadableFile[] = [];
    for (const file of this.folder?.tables ?? []) {
      await locate(file, this.folder!).catch((error: unknown) => {
        if (!(error instanceof UnreadableFileError)) throw error;
        found.push(error.more.unreadable!);
      });
    }
    return found;
  }

  /**
   * @throws WorkError if a file was replaced or changed after it was opened: the rows that were read may then be a mix of old and new ones
   */
  async requireUnchanged(): Promise<void> {
    for (const { file, before } of this.watched.values()) {
      const now = await located(stat(file, { bigint: true }));
      if (now.ino !== before.ino || now.size !== before.size || now.mtimeNs !== before.mtimeNs) throw new WorkError('changed');
    }
  }

  /** The file of a table that `expose` was called for; null if the file cannot be opened. */
  exposed(table: string): { path: string; bytes: number } | null {
    const watched = this.watched.get(table);
    return watched ? { path: watched.file, bytes: Number(watched.before.size) } : null;
  }

  /** Closes the files once the work is done. */
  release(): Promise<void> {
    return this.engine.release();
  }

  /** Closes the files at once, also in the middle of work. */
  end(): void {
    this.engine.end();
  }
}

/** Finds the file of a table without opening the file. @throws UnreadableFileError */
async function locate({ file }: TableFile, { root, place }: Folder): Promise<{ real: string; before: BigIntStats }> {
  try {
    const real = await located(realpath(path.join(place, file)));
    requireInside(root, real);
    const before = await located(stat(real, { bigint: true }));
    // A pipe or a device is refused, because reading it would never end.
    if (!before.isFile()) throw new UnreadableFileError(file, 'not_a_file');
    return { real, before };
  } catch (error) {
    if (error instanceof WorkError && (error.code === 'outside' || error.code === 'missing' || error.code === 'forbidden'))
      throw new UnreadableFileError(file, error.code, error);
    throw error;
  }
}

/**
 * Turns DuckDB's error about a file with unreadable content into UnreadableFileError. The file is not at fault for other errors, such as a
 * lack of memory, which are returned as they are.
 */
function ofDamage(file: string, error: unknown): unknown {
  const isDamage = /^(Invalid Input|IO|Serialization|Not implemented|Conversion) Error:/.test((error as Error).message);
  return isDamage ? new UnreadableFileError(file, 'damaged', error) : error;
}

function rethrow(_table: string, error: unknown): never {
  throw error;
}

async function tablesIn(folder: string): Promise<{ tables: TableFile[]; leftOut: string[] }> {
  const files = await located(readdir(folder));
  const visible = files.filter(file => !file.startsWith('.'));
  if (visible.length > mostFiles) throw new WorkError('too_many_files');
  return tablesOfFolder(visible);
}

function requireInside(root: string, file: string): void {
  if (!file.startsWith(root.endsWith(path.sep) ? root : root + path.sep)) throw new WorkError('outside');
}

async function located<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) throw new WorkError('missing');
    if (['EACCES', 'EPERM'].includes(code)) throw new WorkError('forbidden');
    throw error;
  }
}
