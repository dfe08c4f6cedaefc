import { mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { duckdbKind } from '../../src/warehouse/clients/duckdb/duckdb-kind.js';
import { type WarehouseClient } from '../../src/warehouse/clients/warehouse.client.js';
import { type ConnectionOptions } from '../../src/warehouse/clients/warehouse-kind.js';

/** A directory as the operator of a service sets it, and the clients of its files. */
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

  /** Runs statements as somebody who may write, on a database or on none. */
  async run(database: string | null, ...statements: string[]): Promise<void> {
    const instance = await DuckDBInstance.create(database === null ? ':memory:' : this.path(database));
    const connection = await instance.connect();
    try {
      for (const sql of statements) await connection.run(sql);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.clients.map(client => client.close()));
    await rm(this.directory, { recursive: true, force: true });
  }
}
