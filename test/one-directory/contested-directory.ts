import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { openDataDirectory } from '../../src/database/embedded/data-directory.js';
import { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { Contender, type Side } from './contender.js';

export const inUse = /正在使用数据目录.*Another instance is using the data directory/;

/** One data directory, the processes that compete for it, and the rows whose commits were acknowledged to them. */
export class ContestedDirectory {
  readonly written = new Set<string>();
  private readonly contenders: Contender[] = [];

  private constructor(
    readonly folder: string,
    readonly directory: string,
    /** The path of the directory in another container. */
    readonly mount: string,
  ) {}

  static async create(): Promise<ContestedDirectory> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'one-directory-'));
    const mount = path.join(folder, 'mount');
    mkdirSync(mount);
    return new ContestedDirectory(folder, await openDataDirectory(path.join(folder, 'data')), mount);
  }

  contend(side: Side): Contender {
    const contender = new Contender(side, this, `${this.contenders.length}`, this.written);
    this.contenders.push(contender);
    return contender;
  }

  /** Starts one contender after another until one of them gets the directory, as a supervisor restarts a process that ended. */
  async takeOver(side: Side): Promise<Contender> {
    for (;;) {
      const contender = this.contend(side);
      if ((await contender.settled) === 'ready') return contender;
    }
  }

  async expectRefused(side: Side): Promise<void> {
    const newcomer = this.contend(side);
    expect({ outcome: await newcomer.settled, reason: newcomer.reason }).toEqual({
      outcome: 'refused',
      reason: expect.stringMatching(inUse),
    });
  }

  /** Checks that each acknowledged row is there exactly once, in the table and in its index. */
  async expectAllWritten(): Promise<void> {
    const server = await EmbeddedPostgres.start({ dataDirectory: this.directory, settings: { fsync: 'off', shared_buffers: '32MB' } });
    const client = new pg.Client(server.url);
    await client.connect();
    try {
      for (const [scan, other] of [
        ['seqscan', 'indexonlyscan'],
        ['indexonlyscan', 'seqscan'],
      ]) {
        await client.query(`SET enable_${scan} = on; SET enable_${other} = off; SET enable_bitmapscan = off`);
        const { rows } = await client.query<{ row: string }>('SELECT row FROM written ORDER BY row');
        const found = new Set(rows.map(({ row }) => row));
        expect({ lost: [...this.written].filter(row => !found.has(row)), twice: rows.length - found.size }).toEqual({ lost: [], twice: 0 });
      }
    } finally {
      await client.end();
      await server.stop();
    }
  }

  async remove(): Promise<void> {
    for (const contender of this.contenders) await contender.remove();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
