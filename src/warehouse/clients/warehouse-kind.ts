import { type Egress } from '../../egress/egress.js';
import { type FieldProblem } from '../../common/errors/api-error.js';
import { type WarehouseClient } from './warehouse.client.js';

export const sslModes = ['disable', 'prefer', 'require', 'verify-full'] as const;

/** The options of a connection, as they are on the wire and in the database. */
export interface ConnectionOptions {
  /**
   * As libpq has it: `require` encrypts, `verify-full` also checks that the certificate is the host's, `prefer` encrypts if the
   * server can. Default: `verify-full`.
   */
  ssl_mode?: (typeof sslModes)[number];
  /** The schemas whose tables can be read, the one of bare names first. */
  schema_allowlist?: string[];
  pool_max?: number;
  statement_timeout_ms?: number;
  connect_timeout_ms?: number;
}

export interface ClientConfig {
  dsn: string;
  options: ConnectionOptions;
  egress: Egress;
  /** The most bytes of a result whose request gives no other bound. */
  answerMaxBytes: number;
  /** The directory below which files can be read. */
  duckdbDirectory?: string | undefined;
}

/** A type of warehouse connection besides the mirror. */
export interface WarehouseKind {
  /** The options that have an effect. */
  options: readonly (keyof ConnectionOptions)[];

  /** All problems of the DSN. None of them quotes it. @throws DuckdbDirectoryUnsetError */
  check(dsn: string, config?: Pick<ClientConfig, 'duckdbDirectory'>): FieldProblem[];

  /** The DSN without its secrets, for answers. It has passed `check`. */
  mask(dsn: string): string;

  /** The place of the database without user and parameters, for the audit: `db.example:5432/sales`. */
  place(dsn: string): string;

  /** Opens no connection yet, and loads the driver. @throws DriverNotInstalledError, DuckdbDirectoryUnsetError */
  open(config: ClientConfig): Promise<WarehouseClient>;
}
