import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { quoteIdentifier } from '../../../../sql/quote-identifier.js';
import { quoteLiteral } from './quote-literal.js';
import { WorkError } from './work-error.js';

const options = {
  threads: '2',
  memory_limit: '512MB',
  // Without a directory for temporary files DuckDB never writes to disk.
  temp_directory: '',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
};
/** The name of the in-memory database. An attached file is named after its file name, which cannot be '/'. */
const home = quoteIdentifier('/');
/**
 * SQL that checks for settings that a view in the file may switch on even under a locked configuration: the logging of statements,
 * profiling, and a parser from an extension.
 */
const leftOn = `SELECT coalesce(current_setting('enable_logging'), false) OR current_setting('enable_profiling') IS NOT NULL
  OR lower(current_setting('allow_parser_override_extension')) <> 'default' AS "isLeftOn"`;
/** Endings of the files that DuckDB looks for next to a database file. */
const besideFile = ['.wal', '.wal.checkpoint', '.wal.recovery'];

/** The idle engine that is kept for the next work; null for none. */
let kept: Engine | null = null;

/**
 * An in-memory instance of DuckDB. A database file is attached for one piece of work, since an attached file is locked for writers.
 * Starting an engine takes 30 ms of CPU and attaching a file 2 ms, so an engine whose work succeeded is kept for the same file.
 */
export class Engine {
  private attached = '';

  private constructor(
    private readonly instance: DuckDBInstance,
    readonly connection: DuckDBConnection,
    /** The only file that the engine can read; null while it can read all files. */
    readonly file: string | null,
  ) {}

  static async start(file: string | null = null): Promise<Engine> {
    const instance = await DuckDBInstance.create(':memory:', options);
    return new Engine(instance, await instance.connect(), file);
  }

  /** Returns an engine to which the database file is attached. @throws WorkError */
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

  /** Restricts the engine for good to these files, with external access switched off and the configuration locked. */
  async confine(files: readonly string[]): Promise<void> {
    await this.connection.run(`SET allowed_paths = [${files.map(quoteLiteral).join(', ')}]`);
    await this.connection.run("SET enable_external_access = false; SET TimeZone = 'UTC'; SET lock_configuration = true");
  }

  /**
   * Closes the file. The engine is kept for later work unless a view of the file has changed its settings. All rows must have been read.
   */
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

function toWorkError(error: Error): Error {
  const { message } = error;
  if (/not a valid DuckDB database/i.test(message)) return new WorkError('not_a_database');
  if (/version number|newer version|storage version/i.test(message)) return new WorkError('newer_version');
  // The pattern has word boundaries, because errors of broken files contain `block`.
  if (/\block\b|being used by another process/i.test(message)) return new WorkError('in_use');
  if (/permission denied/i.test(message)) return new WorkError('forbidden');
  return error;
}
