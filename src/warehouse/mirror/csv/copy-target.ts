import { type PoolClient } from 'pg';
import { quoteIdentifier, quoteTable } from '../../../sql/quote-identifier.js';
import { mirrorSchema } from '../mirror-schema.js';
import { CopyStream } from './copy-stream.js';
import { toRowError } from './copy-errors.js';
import { CopyLines } from './copy-lines.js';
import { type BlankLines } from './csv-scanner.js';
import { type FieldRewrite } from './field-rewrite.js';
import { type Kind, KIND_TYPES, TEXT, UNKNOWN } from './csv-values.js';

export interface TargetOptions {
  /** Name of the mirror table that receives the rows. */
  table: string;
  /** Tells whether the table exists already (append) or is created here, under a name that nobody reads yet. */
  exists: boolean;
  /** Given PostgreSQL types by column name. The other types are inferred. */
  types: ReadonlyMap<string, string>;
  nullMarker: string;
  /** Fields whose spelling is changed, by column name. */
  rewrites?: ReadonlyMap<string, FieldRewrite>;
  /** Whether each row keeps the line of the file it stands in, in the column `lineColumn`. */
  hasLines?: boolean;
  /** Checks the names in the file. @throws SchemaError */
  checkNames: (names: readonly string[]) => void;
}

/** No column of a file can have this name: names with control characters are refused. */
export const lineColumn = 'line\u0001';

/** The table that receives a CSV file, in the transaction of one client. */
export class CopyTarget {
  private names: readonly string[] = [];
  private delimiter = ',';
  private kinds: readonly Kind[] = [];
  private copy: CopyStream | null = null;
  private lines = new CopyLines(1);
  private rows = 0;

  constructor(
    private readonly client: PoolClient,
    private readonly options: TargetOptions,
  ) {}

  private get table(): string {
    return quoteTable(mirrorSchema, this.options.table);
  }

  /** The kinds to start with: TEXT for a given type, so that PostgreSQL judges the values. */
  open(names: readonly string[], delimiter: number): Kind[] {
    this.options.checkNames(names);
    this.names = names;
    this.delimiter = String.fromCharCode(delimiter);
    return names.map(name => (this.options.types.has(name) ? TEXT : UNKNOWN));
  }

  get hasLines(): boolean {
    return this.options.hasLines ?? false;
  }

  /** By column; null where no field is rewritten. */
  get rewrites(): (FieldRewrite | null)[] | null {
    const { rewrites } = this.options;
    return rewrites && rewrites.size > 0 ? this.names.map(name => rewrites.get(name) ?? null) : null;
  }

  typeOf(index: number): string {
    return this.options.types.get(this.names[index]!) ?? KIND_TYPES[this.kinds[index]!];
  }

  async create(kinds: readonly Kind[]): Promise<void> {
    this.kinds = kinds;
    if (this.options.exists) return;
    const columns = this.names.map((name, index) => `${quoteIdentifier(name)} ${this.typeOf(index)}`);
    if (this.hasLines) columns.unshift(`${quoteIdentifier(lineColumn)} bigint`);
    await this.client.query(`CREATE TABLE ${this.table} (${columns.join(', ')})`);
  }

  /** `line` is the first line of the file to write. */
  startCopy(line: number): void {
    const columns = [...(this.hasLines ? [lineColumn] : []), ...this.names].map(quoteIdentifier).join(', ');
    const nullMarker = this.options.nullMarker.replaceAll("'", "''").replaceAll('\\', '\\\\');
    // FREEZE spares a new table a later rewrite of its pages by vacuum. For the header line see CopyStream.
    const freeze = this.options.exists ? '' : ', FREEZE';
    this.lines = new CopyLines(line);
    this.copy = new CopyStream(
      this.client,
      `COPY ${this.table} (${columns}) FROM STDIN (FORMAT csv, HEADER, DELIMITER '${this.delimiter}', NULL E'${nullMarker}'${freeze})`,
    );
  }

  /** @throws SchemaError with the line of a row that PostgreSQL refuses */
  async write(bytes: Buffer, blankLines: readonly BlankLines[]): Promise<void> {
    this.lines.skip(blankLines);
    await this.explained(async () => this.copy?.write(bytes));
  }

  /** Ends the running COPY. Returns the rows of all of them. */
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

  /** Ends the running COPY and gives columns whose kinds changed their wider types, in one rewrite of the table. */
  async widen(before: readonly Kind[], kinds: readonly Kind[]): Promise<void> {
    await this.endCopy();
    this.kinds = kinds;
    const changes = this.names.flatMap((name, index) => {
      const was = before[index]!;
      if (was === kinds[index] || KIND_TYPES[was] === this.typeOf(index)) return [];
      const column = quoteIdentifier(name);
      const type = this.typeOf(index);
      // A column of unknown kind is text and holds only NULL.
      return [`ALTER COLUMN ${column} TYPE ${type} USING ${was === UNKNOWN ? 'NULL' : column}::${type}`];
    });
    if (changes.length > 0) await this.client.query(`ALTER TABLE ${this.table} ${changes.join(', ')}`);
  }

  private async explained(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw toRowError(error, { table: this.options.table, lines: this.lines, columns: this.names, typeOf: index => this.typeOf(index) });
    }
  }
}
