import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { quoteIdentifier } from '../../../../sql/quote-identifier.js';
import { WorkError } from './work-error.js';

const options = {
  threads: '2',
  memory_limit: '512MB',
  // Without a place for temporary files nothing is ever written.
  temp_directory: '',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
};
/** An attached file has the name of its database, so the database without a file has one that no file has. */
const home = quoteIdentifier('/');
/**
 * Finds what a view of a file may switch on, also under a locked configuration: a log of statements, a print of their plans, and a parser
 * of an extension.
 */
const leftOn = `SELECT coalesce(current_setting('enable_logging'), false) OR current_setting('enable_profiling') IS NOT NULL
  OR lower(current_setting('allow_parser_override_extension')) <> 'default' AS "isLeftOn"`;
/** Endings of the files that DuckDB looks for beside a database file. */
const besideFile = ['.wal', '.wal.checkpoint', '.wal.recovery'];

/** Engine that waits for the next work. */
let kept: Engine | null = null;

/**
 * A DuckDB without files. A database is attached for one piece of work, since an attached file is locked for writers. Making an engine
 * takes 30 ms of a core and attaching a file 2, so an engine whose work went well is kept for the same file.
 */
export class Engine {
  private attached = '';

  private constructor(
    private readonly instance: DuckDBInstance,
    readonly connection: DuckDBConnection,
    /** The only file that it can read. Null while it can read all. */
    readonly file: string | null,
  ) {}

  static async start(file: string | null = null): Promise<Engine> {
    const instance = await DuckDBInstance.create(':memory:', options);
    return new Engine(instance, await instance.connect(), file);
  }

  /** An engine that reads a database file. @throws WorkError */
  static async reading(file: string): Promise<Engine> {
    const engine = takeKept(file) ?? (await Engine.start(file));
    try {
      await engine.attach(file);
      return engine;
    } catch (error) {
      engine.end();
      throw toWorkError(error as Error);
    }
  }

  /** From now on it reads nothing but these files, and has these settings. */
  async confine(files: readonly string[]): Promise<void> {
    await this.connection.run(`SET allowed_paths = [${files.map(quoteLiteral).join(', ')}]`);
    await this.connection.run("SET enable_external_access = false; SET TimeZone = 'UTC'; SET lock_configuration = true");
  }

  /** Closes the file, and keeps the engine if it is as it was. All that was read must have been read to its end. */
  async release(): Promise<void> {
    if (this.file === null) return this.end();
    await this.connection.run(`USE ${home}; DETACH ${this.attached}`);
    const [found] = (await this.connection.runAndReadAll(leftOn)).getRowObjects();
    if (found!.isLeftOn === true) this.end();
    else keep(this);
  }

  end(): void {
    this.connection.closeSync();
    this.instance.closeSync();
  }

  private async attach(file: string): Promise<void> {
    const isFirst = this.attached === '';
    if (isFirst) {
      await this.connection.run(`ATTACH ':memory:' AS ${home}; USE ${home}; DETACH memory`);
      await this.confine([file, ...besideFile.map(ending => file + ending)]);
    }
    await this.connection.run(`ATTACH ${quoteLiteral(file)} (TYPE duckdb, READ_ONLY)`);
    if (isFirst) {
      const found = await this.connection.runAndReadAll('SELECT database_name AS name FROM duckdb_databases() WHERE path IS NOT NULL');
      this.attached = quoteIdentifier(String(found.getRowObjects()[0]!.name));
    }
    await this.connection.run(`USE ${this.attached}`);
  }
}

function keep(engine: Engine): void {
  kept = engine;
}

function takeKept(file: string): Engine | null {
  const waiting = kept;
  kept = null;
  if (waiting?.file === file) return waiting;
  waiting?.end();
  return null;
}

/** Writes a text as a literal of DuckDB, whose only escape is the doubled quote. */
export function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function toWorkError(error: Error): Error {
  const { message } = error;
  if (/not a valid DuckDB database/i.test(message)) return new WorkError('not_a_database');
  if (/version number|newer version|storage version/i.test(message)) return new WorkError('newer_version');
  // Errors of broken files speak of blocks.
  if (/\block\b|being used by another process/i.test(message)) return new WorkError('in_use');
  if (/permission denied/i.test(message)) return new WorkError('forbidden');
  return error;
}
