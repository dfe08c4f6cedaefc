/** The part of DuckDB's driver that the service uses. The package is optional, and the service builds without it. */
declare module '@duckdb/node-api' {
  export enum DuckDBTypeId {
    BOOLEAN,
    TINYINT,
    SMALLINT,
    INTEGER,
    BIGINT,
    UTINYINT,
    USMALLINT,
    UINTEGER,
    UBIGINT,
    FLOAT,
    DOUBLE,
    TIMESTAMP,
    DATE,
    TIME,
    INTERVAL,
    HUGEINT,
    UHUGEINT,
    VARCHAR,
    BLOB,
    DECIMAL,
    TIMESTAMP_S,
    TIMESTAMP_MS,
    TIMESTAMP_NS,
    ENUM,
    LIST,
    STRUCT,
    MAP,
    ARRAY,
    UUID,
    BIT,
    TIME_TZ,
    TIMESTAMP_TZ,
    SQLNULL,
  }

  export enum StatementType {
    SELECT,
  }

  export interface DuckDBType {
    readonly typeId: DuckDBTypeId;
    /** The name of a type that is an alias of another: JSON is an alias of VARCHAR. */
    readonly alias?: string;
    toString(): string;
  }

  export class DuckDBDecimalType implements DuckDBType {
    readonly typeId: DuckDBTypeId;
    readonly width: number;
    readonly scale: number;
  }

  export class DuckDBListType implements DuckDBType {
    readonly typeId: DuckDBTypeId;
    readonly valueType: DuckDBType;
  }

  export class DuckDBArrayType implements DuckDBType {
    readonly typeId: DuckDBTypeId;
    readonly valueType: DuckDBType;
  }

  export class DuckDBStructType implements DuckDBType {
    readonly typeId: DuckDBTypeId;
    readonly entryTypes: readonly DuckDBType[];
  }

  export class DuckDBMapType implements DuckDBType {
    readonly typeId: DuckDBTypeId;
    readonly keyType: DuckDBType;
    readonly valueType: DuckDBType;
  }

  export interface DuckDBBlobValue {
    readonly bytes: Uint8Array;
  }

  export type DuckDBValue = null | boolean | number | bigint | string;

  export interface DuckDBDataChunk {
    readonly rowCount: number;
    getColumnVector(index: number): { readonly itemCount: number; getItem(index: number): unknown };
    getRows(): unknown[][];
  }

  export interface DuckDBResult {
    columnNames(): string[];
    columnType(index: number): DuckDBType;
    fetchChunk(): Promise<DuckDBDataChunk | null>;
  }

  export interface DuckDBPreparedStatement {
    readonly statementType: StatementType;
    readonly columnCount: number;
    columnName(index: number): string;
    columnType(index: number): DuckDBType;
    destroySync(): void;
  }

  export interface DuckDBConnection {
    run(sql: string, values?: DuckDBValue[]): Promise<DuckDBResult>;
    runAndReadAll(sql: string, values?: DuckDBValue[]): Promise<{ getRowObjects(): Record<string, unknown>[] }>;
    stream(sql: string, values?: DuckDBValue[]): Promise<DuckDBResult>;
    prepare(sql: string): Promise<DuckDBPreparedStatement>;
    extractStatements(sql: string): Promise<{ readonly count: number; prepare(index: number): Promise<DuckDBPreparedStatement> }>;
    closeSync(): void;
  }

  export class DuckDBInstance {
    static create(path: string, options?: Record<string, string>): Promise<DuckDBInstance>;
    connect(): Promise<DuckDBConnection>;
    closeSync(): void;
  }
}
