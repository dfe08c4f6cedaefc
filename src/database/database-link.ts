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
 * The service's own database as this process reaches it: all pools are opened here, and one pulse tells them when the server
 * has stopped answering. Then everything that waits for it fails within seconds, and nothing new waits.
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

  /** What every pool has in common, whoever opens it: a bound on connecting, and probes on connections that lie idle. */
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

  /** A pool of connections to the database; `name` tells it from the others in `pg_stat_activity` and in the metrics. */
  open(name: string, config: pg.PoolConfig): WatchedPool {
    return this.adopt(name, new WatchedPool(this.poolConfig(name, config), this));
  }

  /** Watches a pool that was made elsewhere. */
  adopt<T extends WatchedPool>(name: string, pool: T): T {
    this.pools.set(name, pool);
    return pool;
  }

  /** node-postgres for TypeORM, whose pool is then one of ours. */
  driver(name: string): { Pool: (config: pg.PoolConfig) => WatchedPool } {
    const open = (config: pg.PoolConfig) => this.adopt(name, new WatchedPool(config, this));
    // TypeORM says `new Pool(…)`, which gives the object that a plain function returns.
    return {
      Pool: function (config: pg.PoolConfig) {
        return open(config);
      },
    };
  }

  usage(): { pool: string; idle: number; busy: number; waiting: number }[] {
    return [...this.pools].map(([pool, { usage }]) => ({ pool, ...usage }));
  }

  /** Pools close behind their last statement; one that takes longer than a moment now has nobody left to answer to. */
  onApplicationShutdown(): void {
    this.pulse.stop();
    setTimeout(() => this.abandon(), closingMs).unref();
  }

  private abandon(): void {
    for (const pool of this.pools.values()) pool.abandon();
  }
}
