import { type PoolClient, type PoolConfig } from 'pg';
import { WatchedPool } from '../../../database/watched-pool.js';
import { type DsnForm, knownDsn } from '../dsn.js';
import { type ClientConfig } from '../warehouse-kind.js';
import { type Reached } from '../connection-failure.js';
import { tellStages } from '../connection-stage.js';
import { GuardedClient, type GuardedClientConfig } from './guarded-client.js';

/**
 * node-postgres gets no parsers, because values are parsed where they are read. The parsers of pg-types take seconds on some texts, and the
 * server chooses the type.
 */
const types = { getTypeParser: () => (text: string) => text };
const idleMs = 30_000;
const connectMs = 5_000;

/** The message of node-postgres when the server refuses TLS. */
export const tlsMissing = 'The server does not support SSL connections';

/**
 * Connections to a user's PostgreSQL server, made when they are needed and closed when they are idle. The pool ignores the PG… variables,
 * password files and service files of this process.
 */
export class PostgresPool extends WatchedPool {
  constructor(
    { dsn, options, egress }: Pick<ClientConfig, 'dsn' | 'options' | 'egress'>,
    form: DsnForm,
    { max, longestConnectMs = Infinity, reached = () => undefined }: { max: number; longestConnectMs?: number; reached?: Reached },
  ) {
    const { host, port, user, password, database, parameters } = knownDsn(dsn, form);
    const mode = options.ssl_mode ?? parameters.sslmode ?? 'verify-full';
    const wantedMs = options.connect_timeout_ms ?? (Number(parameters.connect_timeout ?? 0) * 1000 || connectMs);
    const config: PoolConfig & GuardedClientConfig = {
      Client: GuardedClient,
      host,
      port,
      user,
      database,
      // The password is a function, because an empty text would make node-postgres look into PGPASSWORD and ~/.pgpass.
      password: () => password,
      application_name: parameters.application_name ?? 'graph-service',
      stream: () => {
        const socket = egress.socket();
        tellStages(socket, host, this.options.ssl === false ? 'login' : 'tls', reached);
        return socket;
      },
      onEncrypted: () => reached('login'),
      ssl: mode === 'disable' ? false : { rejectUnauthorized: mode === 'verify-full' },
      types,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      max,
      connectionTimeoutMillis: Math.min(wantedMs, longestConnectMs),
      idleTimeoutMillis: idleMs,
    };
    super(config, { isUp: true });
    this.on('connect', () => reached('rights'));
    this.prefersTls = mode === 'prefer';
  }

  private prefersTls: boolean;

  /** Connects. If `ssl_mode` is `prefer` and the server refuses TLS, this connection and all later ones are made without TLS. */
  override connect(): Promise<PoolClient> {
    return super.connect().catch((error: Error) => {
      if (!this.prefersTls || error.message !== tlsMissing) throw error;
      this.prefersTls = false;
      this.options.ssl = false;
      return super.connect();
    });
  }

  /** Closes idle connections, and from now on each connection that is released. Work that already uses the pool can still connect. */
  async retire(): Promise<void> {
    this.options.maxUses = 1;
    await Promise.all(Array.from({ length: this.idleCount }, async () => (await this.connect()).release()));
  }
}
