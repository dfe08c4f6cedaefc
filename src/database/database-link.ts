import { type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { type Logger } from 'pino';
import { DatabasePulse, type PulseTimes } from './database-pulse.js';
import { WatchedPool } from './watched-pool.js';

const closingMs = 2_000;

export interface DatabaseLinkOptions {
  url: string;
  log: Logger;
  times?: PulseTimes;
}

/**
 * Opens all pools of this process to the service's own database. One DatabasePulse detects when the server stops answering. Statements that
 * wait for the server then fail within seconds, and new statements fail at once.
 */
export class DatabaseLink implements OnApplicationShutdown {
  private readonly pools = new Map<string, WatchedPool>();
  private readonly pulse: DatabasePulse;
  private readonly url: string;
  private lostAt = 0;

  constructor({ url, log, times }: DatabaseLinkOptions) {
    this.url = url;
    this.pulse = new DatabasePulse(
      url,
      (isUp, cause) => {
        if (isUp) {
          log.info({ seconds: Math.round(performance.now() - this.lostAt) / 1000 }, 'The database answers again');
          return;
        }
        this.lostAt = performance.now();
        log.error({ cause }, 'The database does not answer; requests that need it fail until it does');
        this.abandon();
      },
      times,
    );
    this.pulse.start();
  }

  get isUp(): boolean {
    return this.pulse.isUp;
  }

  /** Adds the settings that all pools share: a limit on the time to connect, and probes on idle connections. */
  poolConfig(name: string, config: pg.PoolConfig): pg.PoolConfig {
    return {
      connectionString: this.url,
      application_name: `graph-service ${name}`,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      ...config,
    };
  }

  /** Opens a pool. `name` identifies it in `pg_stat_activity` and in the metrics. */
  open(name: string, config: pg.PoolConfig): WatchedPool {
    return this.adopt(name, new WatchedPool(this.poolConfig(name, config), this));
  }

  /** Registers a pool that was made elsewhere: its connections are cut when the server is lost, and `usage` reports it. */
  adopt<T extends WatchedPool>(name: string, pool: T): T {
    this.pools.set(name, pool);
    return pool;
  }

  /** Returns, for TypeORM, a node-postgres driver whose pool is a WatchedPool of this link. */
  driver(name: string): { Pool: (config: pg.PoolConfig) => WatchedPool } {
    const open = (config: pg.PoolConfig) => this.adopt(name, new WatchedPool(config, this));
    // TypeORM calls `new Pool(…)`. A plain function that is called with `new` returns the object in its `return`.
    return {
      Pool: function (config: pg.PoolConfig) {
        return open(config);
      },
    };
  }

  usage(): { pool: string; idle: number; busy: number; waiting: number }[] {
    return [...this.pools].map(([pool, { usage }]) => ({ pool, ...usage }));
  }

  /**
   * Stops the pulse. A pool closes once its statements have ended. Statements that still run after `closingMs` are cut, since no request
   * waits for them any more.
   */
  onApplicationShutdown(): void {
    this.pulse.stop();
    setTimeout(() => this.abandon(), closingMs).unref();
  }

  private abandon(): void {
    for (const pool of this.pools.values()) pool.abandon();
  }
}
