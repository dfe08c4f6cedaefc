import { Readable } from 'node:stream';
import pg, { type PoolClient } from 'pg';
import { CopyTarget, type TargetOptions } from '../../src/warehouse/mirror/copy/copy-target.js';
import { cloneDatabase, type TestDatabase } from './database.js';

type Texts = (string | null)[][];

/** A database into which the readers of uploaded files load their tables. */
export class UploadTarget {
  private tables = 0;

  private constructor(
    private readonly database: TestDatabase,
    private readonly pool: pg.Pool,
    readonly client: PoolClient,
  ) {}

  static async open(): Promise<UploadTarget> {
    const database = await cloneDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    const client = await pool.connect();
    await client.query("SET DateStyle = 'ISO, YMD'; SET TimeZone = 'UTC'");
    return new UploadTarget(database, pool, client);
  }

  async close(): Promise<void> {
    this.client.release();
    await this.pool.end();
    await this.database.drop();
  }

  newTable(): string {
    return `t${this.tables++}`;
  }

  target(options: Pick<TargetOptions, 'format' | 'table'> & Partial<TargetOptions>): CopyTarget {
    return new CopyTarget(this.client, {
      exists: false,
      types: new Map(),
      checkNames: () => undefined,
      checkAllNames: () => undefined,
      ...options,
    });
  }

  /** Loads a file into a new table, in a transaction. Returns the result of `read` and the content of the table as text. */
  async load<Loaded extends { columns: { name: string }[] }>(
    options: Pick<TargetOptions, 'format'> & Partial<TargetOptions>,
    read: (target: CopyTarget) => Promise<Loaded>,
  ): Promise<Loaded & { texts: Texts }> {
    const table = this.newTable();
    await this.client.query('BEGIN');
    try {
      const loaded = await read(this.target({ table, ...options }));
      await this.client.query('COMMIT');
      return { ...loaded, texts: await this.textsOf(table, loaded.columns.map(({ name }) => name)) }; // prettier-ignore
    } catch (error) {
      await this.client.query('ROLLBACK');
      throw error;
    }
  }

  async textsOf(table: string, columns: string[]): Promise<Texts> {
    const list = columns.map(name => `"${name.replaceAll('"', '""')}"::text`).join(', ');
    const { rows } = await this.client.query({ text: `SELECT ${list} FROM mirror.${table} ORDER BY ctid`, rowMode: 'array' });
    return rows;
  }
}

/** A stream that gives the bytes in pieces of `size`. */
export function inPieces(bytes: Buffer, size: number): Readable {
  function* pieces(): Generator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
  }
  return Readable.from(pieces());
}
