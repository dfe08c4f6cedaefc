import { type Egress } from '../../egress/egress.js';
import { type FieldProblem } from '../../common/errors/api-error.js';
import { type WarehouseClient } from './warehouse.client.js';

export const sslModes = ['disable', 'prefer', 'require', 'verify-full'] as const;

/** The options of a connection, named as in the API and in the database. */
export interface ConnectionOptions {
  /**
   * Values as in libpq: `require` encrypts, `verify-full` also checks that the certificate belongs to the host, `prefer` encrypts if the
   * server can. Default: `verify-full`.
   */
  ssl_mode?: (typeof sslModes)[number];
  /** The schemas whose tables can be read. A bare table name means a table of the first schema. */
  schema_allowlist?: string[];
  pool_max?: number;
  statement_timeout_ms?: number;
  connect_timeout_ms?: number;
}

export interface ClientConfig {
  dsn: string;
  options: ConnectionOptions;
  egress: Egress;
  /** The most bytes of a result, if the request sets no other limit. */
  answerMaxBytes: number;
  /** The directory below which DuckDB connections may read files. */
  duckdbDirectory?: string | undefined;
}

/** A type of warehouse connection besides the mirror. */
export interface WarehouseKind {
  /** The connection options that have an effect for this type. */
  options: readonly (keyof ConnectionOptions)[];

  /** Lists all problems of a DSN. None of them quotes the DSN. @throws DuckdbDirectoryUnsetError */
  check(dsn: string, config?: Pick<ClientConfig, 'duckdbDirectory'>): FieldProblem[];

  /** The DSN without its secrets, for answers. The DSN must have passed `check`. */
  mask(dsn: string): string;

  /** The place of the database for the audit log, without user and parameters: `db.example:5432/sales`. */
  place(dsn: string): string;

  /** Makes a client and loads its driver, but does not connect yet. @throws DriverNotInstalledError, DuckdbDirectoryUnsetError */
  open(config: ClientConfig): Promise<WarehouseClient>;
}
