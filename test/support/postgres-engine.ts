import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { choosePostgresAccount } from '../../src/database/embedded/postgres-account.js';
import { findPostgresBinaries, restoreLibraryLinks } from '../../src/database/embedded/postgres-binaries.js';

const startPatienceMs = 30_000;

/** Finds the folder with the programs of a major version of PostgreSQL. Returns null if this machine does not have it. */
export async function findEngine(major: number): Promise<string | null> {
  if (major === 18) return path.join(await findPostgresBinaries(), 'bin');
  const native = path.resolve(__dirname, '..', 'engines', 'node_modules', `postgres-${major}`, 'native');
  if (existsSync(native)) {
    await restoreLibraryLinks(native);
    return path.join(native, 'bin');
  }
  const debian = `/usr/lib/postgresql/${major}/bin`;
  return existsSync(path.join(debian, 'initdb')) ? debian : null;
}

/** A server of a given major version that belongs to one test. It listens on a private socket and has PostgreSQL's default settings. */
export class PostgresEngine {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    /** The URL of the database `postgres`, as the superuser. */
    readonly url: string,
  ) {}

  static async start(bin: string, settings: Record<string, string> = {}): Promise<PostgresEngine> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'postgres-engine-'));
    await chmod(folder, 0o755);
    const [cluster, sockets] = [path.join(folder, 'cluster'), path.join(folder, 'run')];
    const account = choosePostgresAccount([path.join(bin, 'postgres'), cluster]);
    for (const each of [cluster, sockets]) {
      await mkdir(each, { mode: 0o700 });
      if (account.uid !== undefined) await chown(each, account.uid, account.uid);
    }
    const initdb = account.command(path.join(bin, 'initdb'), [
      '-D',
      cluster,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale',
      'C',
    ]);
    const made = spawnSync(initdb.file, initdb.args, { uid: initdb.uid, gid: initdb.gid, encoding: 'utf8' });
    if (made.status !== 0) throw new Error(made.stderr);
    const server = account.command(path.join(bin, 'postgres'), [
      '-D',
      cluster,
      '-k',
      sockets,
      '-c',
      'listen_addresses=',
      '-c',
      'fsync=off',
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]);
    const child = spawn(server.file, server.args, { uid: server.uid, gid: server.gid, stdio: 'ignore' });
    const engine = new PostgresEngine(child, folder, `postgresql://postgres@/postgres?host=${encodeURIComponent(sockets)}`);
    for (const deadline = Date.now() + startPatienceMs; !(await engine.answers()); await sleep(50)) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error('The server does not start');
    }
    return engine;
  }

  /** An empty database, owned by a role of the same name with the given rights. */
  async createDatabase(name: string, rights = ''): Promise<{ superuserUrl: string; ownerUrl: string }> {
    await this.run(`CREATE ROLE ${name} LOGIN ${rights} PASSWORD 'owner of ${name}'`);
    await this.run(`CREATE DATABASE ${name} OWNER ${name}`);
    const superuserUrl = this.url.replace('@/postgres?', `@/${name}?`);
    return { superuserUrl, ownerUrl: superuserUrl.replace('//postgres@', `//${name}:${encodeURIComponent(`owner of ${name}`)}@`) };
  }

  async remove(): Promise<void> {
    this.child.kill('SIGQUIT');
    await once(this.child, 'exit');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  private async run(sql: string): Promise<void> {
    const client = new pg.Client(this.url);
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }

  private async answers(): Promise<boolean> {
    return this.run('SELECT').then(
      () => true,
      () => false,
    );
  }
}
