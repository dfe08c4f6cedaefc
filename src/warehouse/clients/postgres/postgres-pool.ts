import { type PoolClient } from 'pg';
import { WatchedPool } from '../../../database/watched-pool.js';
import { type DsnForm, knownDsn } from '../dsn.js';
import { type ClientConfig } from '../warehouse-kind.js';
import { GuardedClient } from './guarded-client.js';

const idleMs = 30_000;
const connectMs = 5_000;

/** Node-postgres says so when the server answers the request for TLS with no. */
export const tlsMissing = 'The server does not support SSL connections';

/**
 * Connections to a PostgreSQL server of somebody else, made when they are needed and closed when they are idle. Nothing is read
 * from the PG… variables, password files and service files of this process.
 */
export class PostgresPool extends WatchedPool {
  /** Tells whether the last socket got through to the server's port. */
  private isThrough = false;

  constructor(
    { dsn, options, egress }: Pick<ClientConfig, 'dsn' | 'options' | 'egress'>,
    form: DsnForm,
    { max, longestConnectMs = Infinity }: { max: number; longestConnectMs?: number },
  ) {
    const { host, port, user, password, database, parameters } = knownDsn(dsn, form);
    const mode = options.ssl_mode ?? parameters.sslmode ?? 'verify-full';
    const wantedMs = options.connect_timeout_ms ?? (Number(parameters.connect_timeout ?? 0) * 1000 || connectMs);
    super(
      {
        Client: GuardedClient,
        host,
        port,
        user,
        database,
        // A function, because an empty text would make the driver look into PGPASSWORD and ~/.pgpass.
        password: () => password,
        application_name: parameters.application_name ?? 'graph-service',
        stream: () => {
          this.isThrough = false;
          return egress.socket().once('connect', () => (this.isThrough = true));
        },
        ssl: mode === 'disable' ? false : { rejectUnauthorized: mode === 'verify-full' },
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        max,
        connectionTimeoutMillis: Math.min(wantedMs, longestConnectMs),
        idleTimeoutMillis: idleMs,
      },
      { isUp: true },
    );
    this.prefersTls = mode === 'prefer';
  }

  private prefersTls: boolean;

  /** With `prefer`, a server without TLS is asked for it once. */
  override connect(): Promise<PoolClient> {
    return super.connect().catch((error: Error) => {
      if (!this.prefersTls || error.message !== tlsMissing) throw error;
      this.prefersTls = false;
      this.options.ssl = false;
      return super.connect();
    });
  }

  get gotThrough(): boolean {
    return this.isThrough;
  }

  /** Closes what is idle, and from now on whatever is released. Who still has the pool may use it. */
  async retire(): Promise<void> {
    this.options.maxUses = 1;
    await Promise.all(Array.from({ length: this.idleCount }, async () => (await this.connect()).release()));
  }
}
