import { mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { duckdbKind } from '../../src/warehouse/clients/duckdb/duckdb-kind.js';
import { type WarehouseClient } from '../../src/warehouse/clients/warehouse.client.js';
import { type ConnectionOptions } from '../../src/warehouse/clients/warehouse-kind.js';

/** A directory of DuckDB files, as DUCKDB_DIR names one, and clients for them. */
export class DuckdbFiles {
  private readonly clients: WarehouseClient[] = [];

  private constructor(readonly directory: string) {}

  static async create(): Promise<DuckdbFiles> {
    return new DuckdbFiles(await realpath(await mkdtemp(path.join(os.tmpdir(), 'duckdb-files-'))));
  }

  path(...names: string[]): string {
    return path.join(this.directory, ...names);
  }

  async connect(dsn: string, options: ConnectionOptions = {}): Promise<WarehouseClient> {
    const client = await duckdbKind.open({
      dsn,
      options,
      egress: undefined as never,
      answerMaxBytes: 16_777_216,
      duckdbDirectory: this.directory,
    });
    this.clients.push(client);
    return client;
  }

  /** Runs statements with write access on a database file, or in memory if `database` is null. */
  async run(database: string | null, ...statements: string[]): Promise<void> {
    const instance = await open(database === null ? ':memory:' : this.path(database));
    const connection = await instance.connect();
    try {
      for (const sql of statements) await connection.run(sql);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  }

  /** The name that DuckDB gives to a database. */
  async nameOf(database: string): Promise<string> {
    const instance = await open(this.path(database));
    try {
      const found = await (await instance.connect()).runAndReadAll('SELECT current_database() AS name');
      return String(found.getRowObjects()[0]!.name);
    } finally {
      instance.closeSync();
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.clients.map(client => client.close()));
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Opens a file. Tries again while another process has locked it: a process that was killed keeps the lock for a moment. */
async function open(file: string): Promise<DuckDBInstance> {
  for (const deadline = Date.now() + 10_000; ; await sleep(50)) {
    try {
      return await DuckDBInstance.create(file);
    } catch (error) {
      if (!/Could not set lock/.test(String(error)) || Date.now() > deadline) throw error;
    }
  }
}
