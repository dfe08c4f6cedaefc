import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';

/** A streaming replica of the test server, made as `pg_basebackup` makes one: a copy of its files in backup mode. */
export class Replica {
  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly dataDirectory: string,
  ) {}

  static async start(): Promise<Replica> {
    const primaryUrl = process.env.TEST_POSTGRES_URL!;
    const sockets = decodeURIComponent(/[?&]host=([^&]+)/.exec(primaryUrl)![1]!);
    const dataDirectory = mkdtempSync(path.join(os.tmpdir(), 'replica-'));
    chmodSync(dataDirectory, 0o711);
    const cluster = path.join(dataDirectory, 'postgres');
    const primary = new pg.Client(primaryUrl);
    await primary.connect();
    try {
      const { rows } = await primary.query<{ place: string }>(`SELECT current_setting('data_directory') AS place`);
      const { place } = rows[0]!;
      // A backup ends with the session that started it, so one client runs both statements.
      await primary.query(`SELECT pg_backup_start('replica', true)`);
      // Files of databases that are created or dropped meanwhile may be missing. The write-ahead log has these changes.
      spawnSync('cp', ['-a', place, cluster]);
      const { rows: ended } = await primary.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
      for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(path.join(cluster, name), { force: true });
      const { uid, gid } = statSync(place);
      for (const [name, text] of Object.entries({ backup_label: ended[0]!.labelfile, 'standby.signal': '' })) {
        writeFileSync(path.join(cluster, name), text, { mode: 0o600 });
        chownSync(path.join(cluster, name), uid, gid);
      }
      copyFileSync(path.join(path.dirname(place), 'postgres.password'), path.join(dataDirectory, 'postgres.password'));
    } finally {
      await primary.end();
    }
    const { user, password } = new pg.Client(primaryUrl);
    const server = await EmbeddedPostgres.start({
      dataDirectory,
      settings: {
        fsync: 'off',
        shared_buffers: '32MB',
        // A replica must allow at least as many connections as its primary.
        max_connections: '200',
        primary_conninfo: `host=${sockets} user=${user} password=${password as unknown as string}`,
        // Recovery cancels a statement that blocks it at once.
        max_standby_streaming_delay: '0',
      },
    });
    return new Replica(server, dataDirectory);
  }

  /** The URL of a database, as the superuser. */
  databaseUrl(database: string): string {
    return this.server.databaseUrl(database);
  }

  /** The URL of a database without a login. */
  placeOf(database: string): string {
    return this.databaseUrl(database).replace(/\/\/[^@]*@/, '//@');
  }

  async pause(): Promise<void> {
    await this.run('SELECT pg_wal_replay_pause()');
    while ((await this.run('SELECT pg_get_wal_replay_pause_state() AS state'))[0]!.state !== 'paused');
  }

  async resume(): Promise<void> {
    await this.run('SELECT pg_wal_replay_resume()');
  }

  async run(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(this.server.url);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async remove(): Promise<void> {
    await this.server.stop();
    rmSync(this.dataDirectory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
