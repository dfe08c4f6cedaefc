import { type PoolClient } from 'pg';
import { quoteIdentifier, quoteTable } from '../../../sql/quote-identifier.js';
import { mirrorSchema } from '../mirror-schema.js';
import { type RenamedColumn } from '../rename-columns.js';
import { type FieldRewrite } from '../../files/field-rewrite.js';
import { CopyStream } from './copy-stream.js';
import { mostSurelyFitting, toRowError } from './copy-errors.js';
import { type BlankLines, CopyLines } from '../../files/copy-lines.js';
import { type FileFormat } from '../../files/file-problem.js';

export interface TargetOptions {
  format: FileFormat;
  /** Name of the mirror table that receives the rows. */
  table: string;
  /** True if the table exists already (append). Otherwise it is created here, under a name that no reader uses yet. */
  exists: boolean;
  /** The PostgreSQL types that the caller gave, by column name. The types of all other columns are inferred. */
  types: ReadonlyMap<string, string>;
  /** Whether the types are those of a table that exists, so that a request cannot give others. */
  keepsTypes?: boolean;
  /** By column name: the rewrite of the column's fields to another spelling. */
  rewrites?: ReadonlyMap<string, FieldRewrite>;
  /** Whether the table also has the column `lineColumn`, with the line of the file at which each row begins. */
  hasLines?: boolean;
  /** Checks the total bytes of the rows that were sent to PostgreSQL so far. @throws StorageFullError */
  checkSize?: (bytes: number) => void;
  /**
   * Checks the bytes of the table's former copies: PostgreSQL rewrites a table to widen its columns, and keeps the former copy until the
   * transaction ends. @throws StorageFullError
   */
  checkFormer?: (bytes: number) => void;
  /** Checks column names that the file has at `line`. @throws SchemaError */
  checkNames: (names: readonly string[], line: number) => void;
  /** Checks the complete column names of the file, some of which are made for `renamed` ones. @throws SchemaError if the file lacks columns that the upload needs */
  checkAllNames: (names: readonly string[], renamed: readonly RenamedColumn[]) => void;
}

/** The column with the line of the file. No column of a file can have this name, because names with control characters are refused. */
export const lineColumn = 'line\u0001';

/** A volatile condition. PostgreSQL else writes rows in batches, and its error about a row too large has the last line of the batch. */
const rowByRow = ' WHERE random() >= 0';

/** The new type of a column, and a function that turns the SQL of the former value into the SQL of the new value. */
export interface TypeChange {
  type: string;
  value: (former: string) => string;
}

/** The inferred PostgreSQL type of a column. Null for a column without any value so far; the table then has the type text. */
export type ColumnType = string | null;

/** The table that receives a file, in the transaction of one client. */
export class CopyTarget {
  private names: readonly string[] = [];
  private types: readonly ColumnType[] = [];
  private isCreated = false;
  private copy: CopyStream | null = null;
  private lines = new CopyLines(1);
  private rows = 0;
  private bytes = 0;
  private formerBytes = 0;

  constructor(
    private readonly client: PoolClient,
    private readonly options: TargetOptions,
  ) {}

  private get table(): string {
    return quoteTable(mirrorSchema, this.options.table);
  }

  get hasLines(): boolean {
    return this.options.hasLines ?? false;
  }

  /**
   * The type that the caller gave for a column; undefined for a column whose type is inferred. PostgreSQL checks the values of a given
   * type.
   */
  givenType(name: string): string | undefined {
    return this.options.types.get(name);
  }

  rewriteOf(name: string): FieldRewrite | null {
    return this.options.rewrites?.get(name) ?? null;
  }

  /** @throws SchemaError for column names at `line` that the upload cannot take */
  checkNames(names: readonly string[], line: number): void {
    this.options.checkNames(names, line);
  }

  /** @throws SchemaError if the file lacks columns that the upload needs */
  checkAllNames(names: readonly string[], renamed: readonly RenamedColumn[]): void {
    this.options.checkAllNames(names, renamed);
  }

  /** The columns of the table, with their current types. */
  get columns(): { name: string; type: string }[] {
    return this.names.map((name, index) => ({ name, type: this.typeOf(index) }));
  }

  /**
   * Ends the running COPY. The first call then creates the table with these columns. Later calls add the new columns and widen the types of
   * the others in one rewrite. A table that existed before the upload is not changed.
   * @throws SchemaError with the line of a row that PostgreSQL refuses
   */
  async shape(names: readonly string[], types: readonly ColumnType[]): Promise<void> {
    await this.endCopy();
    const before = { names: this.names, types: this.types };
    this.names = names;
    this.types = types;
    if (this.options.exists) return;
    if (this.isCreated) await this.alter(before);
    else await this.create();
    this.isCreated = true;
  }

  /** Changes the types of columns, by column index, in one rewrite. No COPY may run. @throws StorageFullError */
  async retype(changes: ReadonlyMap<number, TypeChange>): Promise<void> {
    if (changes.size === 0) return;
    await this.countFormer();
    const alters = [...changes].map(([index, { type, value }]) => {
      const column = quoteIdentifier(this.names[index]!);
      return `ALTER COLUMN ${column} TYPE ${type} USING ${value(column)}`;
    });
    await this.client.query(`ALTER TABLE ${this.table} ${alters.join(', ')}`);
    this.types = this.types.map((type, index) => changes.get(index)?.type ?? type);
  }

  /** Begins a COPY. @param line the first line of the file to write. @param form the format options of COPY */
  startCopy(line: number, form: string): void {
    const columns = [...(this.hasLines ? [lineColumn] : []), ...this.names].map(quoteIdentifier).join(', ');
    // With FREEZE, vacuum does not need to rewrite the pages of a new table later. CopyStream explains the HEADER option.
    const freeze = this.options.exists ? '' : ', FREEZE';
    this.lines = new CopyLines(line);
    const condition = this.names.length > mostSurelyFitting ? rowByRow : '';
    this.copy = new CopyStream(this.client, `COPY ${this.table} (${columns}) FROM STDIN (${form}, HEADER${freeze})${condition}`);
  }

  /** @throws SchemaError with the line of a row that PostgreSQL refuses */
  async write(bytes: Buffer, blankLines: readonly BlankLines[]): Promise<void> {
    this.lines.skip(blankLines);
    this.bytes += bytes.length;
    this.options.checkSize?.(this.bytes);
    await this.explained(async () => this.copy?.write(bytes));
  }

  /** Ends the running COPY. @returns the rows of all COPY statements of this upload */
  async endCopy(): Promise<number> {
    await this.explained(async () => {
      this.rows += (await this.copy?.end()) ?? 0;
    });
    this.copy = null;
    return this.rows;
  }

  async abortCopy(): Promise<void> {
    await this.copy?.abort();
    this.copy = null;
  }

  private typeOf(index: number): string {
    return this.options.types.get(this.names[index]!) ?? this.types[index] ?? 'text';
  }

  private async create(): Promise<void> {
    const columns = this.names.map((name, index) => `${quoteIdentifier(name)} ${this.typeOf(index)}`);
    if (this.hasLines) columns.unshift(`${quoteIdentifier(lineColumn)} bigint`);
    await this.client.query(`CREATE TABLE ${this.table} (${columns.join(', ')})`);
  }

  private async alter(before: { names: readonly string[]; types: readonly ColumnType[] }): Promise<void> {
    const changes = this.names.flatMap((name, index) => {
      const column = quoteIdentifier(name);
      const type = this.typeOf(index);
      if (index >= before.names.length) return [`ADD COLUMN ${column} ${type}`];
      const was = before.types[index] ?? null;
      if (was === this.types[index] || (was ?? 'text') === type) return [];
      // A column without values so far is text in the table and holds only NULL.
      const value = was === null ? 'NULL' : type === 'jsonb' ? `to_jsonb(${column})` : column;
      return [`ALTER COLUMN ${column} TYPE ${type} USING ${value}::${type}`];
    });
    if (changes.length === 0) return;
    if (changes.some(change => change.startsWith('ALTER'))) await this.countFormer();
    await this.client.query(`ALTER TABLE ${this.table} ${changes.join(', ')}`);
  }

  private async countFormer(): Promise<void> {
    const { rows } = await this.client.query<{ bytes: string }>('SELECT pg_table_size($1::regclass) AS bytes', [this.table]);
    this.formerBytes += Number(rows[0]!.bytes);
    this.options.checkFormer?.(this.formerBytes);
  }

  private async explained(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { format, keepsTypes: isFixed = false, table } = this.options;
      throw toRowError(error, { format, isFixed, table, lines: this.lines, columns: this.names, typeOf: index => this.typeOf(index) });
    }
  }
}
