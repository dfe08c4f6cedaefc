import { type BigIntStats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { type DuckDBConnection } from '@duckdb/node-api';
import { quoteIdentifier } from '../../../../sql/quote-identifier.js';
import { type FileSource, type Readers } from '../protocol.js';
import { type UnreadableFile } from '../unreadable-file.js';
import { csvBeginning, csvReader } from './csv-reader.js';
import { Engine } from './engine.js';
import { type FileFormat, type TableFile, tablesOfFolder } from './folder-tables.js';
import { jsonBeginning, jsonReader } from './json-reader.js';
import { quoteLiteral } from './quote-literal.js';
import { placeIn, placeTold, UnreadableFileError, WorkError } from './work-error.js';

/** The most files of a folder. A folder with more files is a mistake of the operator, and would take long to list. */
const mostFiles = 10_000;

/** For each format, a function that builds the SQL that reads a file. @throws DuckDB's error about the content of the file */
const readers: Record<FileFormat, (connection: DuckDBConnection, path: string, file: TableFile) => Promise<string>> = {
  parquet: (_, path) => Promise.resolve(`SELECT * FROM read_parquet(${quoteLiteral(path)}, hive_partitioning = false)`),
  csv: csvReader,
  json: jsonReader,
};

interface Exposing {
  failed?: (table: string, error: unknown) => void;
  isGlance?: boolean;
}

interface Folder {
  /** `root` is the path of the operator's directory without symbolic links, `place` the path of the folder. */
  root: string;
  place: string;
  tables: TableFile[];
  /** Files of a known format whose names cannot be used for tables (see `tablesOfFolder`). */
  leftOut: string[];
}

/** The files of a connection, opened read-only for one piece of work. */
export class Source {
  private readonly watched = new Map<string, { file: string; before: BigIntStats }>();
  /** The readers that this work found in addition to the known ones. */
  readonly found: Readers = {};

  private constructor(
    private readonly engine: Engine,
    private readonly known: Readers,
    /** The folder of the connection; null for a database file. */
    readonly folder: Folder | null,
  ) {}

  /** @throws WorkError */
  static async open({ directory, path: names, isFolder }: FileSource, known: Readers): Promise<Source> {
    const root = await located(realpath(directory));
    const place = await located(realpath(path.join(root, ...names)));
    requireInside(root, place);
    const before = await located(stat(place, { bigint: true }));
    if (before.isDirectory() !== isFolder) throw new WorkError('missing');
    const folder = isFolder ? { root, place, ...(await tablesIn(place)) } : null;
    const source = new Source(await (isFolder ? Engine.start() : Engine.reading(place)), known, folder);
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
   * @param failed called for a table whose file cannot be read; the other tables stay readable. By default the error is thrown
   * @param isGlance reads only the beginning of text files. This is enough for the names of the columns, but their types may be wrong
   * @throws UnreadableFileError
   */
  async expose(tables: readonly string[], { failed = rethrow, isGlance = false }: Exposing = {}): Promise<void> {
    if (!this.folder) return;
    const wanted = new Set(tables.map(table => table.toLowerCase()));
    const files = this.folder.tables.filter(({ table }) => wanted.has(table.toLowerCase()));
    const located = new Map<TableFile, { real: string; before: BigIntStats }>();
    for (const file of files) {
      try {
        const { real, before } = await locate(file, this.folder);
        this.watched.set(file.table, { file: real, before });
        located.set(file, { real, before });
      } catch (error) {
        failed(file.table, error);
      }
    }
    await this.engine.confine([...located.values()].map(({ real }) => real));
    for (const [file, { real, before }] of located) {
      try {
        const reader = await this.readerOf(file, real, before, isGlance);
        await this.connection.run(`CREATE VIEW ${quoteIdentifier(file.table)} AS ${reader}`);
      } catch (error) {
        failed(file.table, ofDamage(file.file, error));
      }
    }
  }

  private async readerOf(file: TableFile, path: string, before: BigIntStats, isGlance: boolean): Promise<string> {
    const version = `${path}\0${versionOf(before)}`;
    const known = this.known[version] ?? this.found[version];
    if (known !== undefined) return known;
    if (isGlance && file.format === 'csv') return csvBeginning(path, file);
    if (isGlance && file.format === 'json') return jsonBeginning(path);
    const reader = await readers[file.format](this.connection, path, file);
    if (file.format !== 'parquet') this.found[version] = reader;
    return reader;
  }

  /**
   * Turns an error of DuckDB that arose while rows were read, and that is about the content of an exposed file, into UnreadableFileError
   * with the place in the file. Other errors are returned unchanged.
   */
  ofRows(error: unknown): unknown {
    if (!this.folder || !(error instanceof Error) || error instanceof WorkError) return error;
    const named = [...this.watched].find(([, { file }]) => error.message.includes(file))?.[0];
    const place = named === undefined ? placeTold(error) : placeIn(this.fileOf(named)!.file, error);
    return place ? new UnreadableFileError(place, error) : error;
  }

  /** The files of the folder that cannot be opened. The content of the files is not checked. */
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
      if (versionOf(now) !== versionOf(before)) throw new WorkError('changed');
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

/** Identifies a version of a file. Each write changes the ctime, while programs such as rsync set the mtime back to an earlier time. */
function versionOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join('\0');
}

/** Finds the file of a table without opening the file. @throws UnreadableFileError */
async function locate({ file }: TableFile, { root, place }: Folder): Promise<{ real: string; before: BigIntStats }> {
  try {
    const real = await located(realpath(path.join(place, file)));
    requireInside(root, real);
    const before = await located(stat(real, { bigint: true }));
    // A pipe or a device is refused, because reading it would never end.
    if (!before.isFile()) throw new UnreadableFileError({ file, reason: 'not_a_file' });
    return { real, before };
  } catch (error) {
    if (error instanceof WorkError && (error.code === 'outside' || error.code === 'missing' || error.code === 'forbidden'))
      throw new UnreadableFileError({ file, reason: error.code }, error);
    throw error;
  }
}

/**
 * Turns DuckDB's error about a file with unreadable content into UnreadableFileError. Other errors, such as a lack of memory, are returned
 * unchanged, because they are not the fault of the file.
 */
function ofDamage(file: string, error: unknown): unknown {
  const place = error instanceof WorkError ? null : placeIn(file, error as Error);
  return place ? new UnreadableFileError(place, error) : error;
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
