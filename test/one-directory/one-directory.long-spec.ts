import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openDataDirectory } from '../../src/database/embedded/data-directory.js';
import { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { ended, runBackupCommand } from '../support/commands.js';
import { freePort } from '../support/free-port.js';
import { ServiceProcess } from '../support/service-process.js';
import { inContainer, mayUnshare } from './container.js';
import { Contender, type Side, signal } from './contender.js';

const kills = 50;
const root = path.resolve(__dirname, '..', '..');
const inUse = /正在使用数据目录.*Another instance is using the data directory/;
const itUnshared = mayUnshare ? it : it.skip;
const reason = mayUnshare ? '' : ' (skipped: this user may not make namespaces; root may)';

let folder: string;
let place: { directory: string; mount: string };
let contenders: Contender[];
let written: Set<string>;
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'one-directory-'));
  place = { directory: await openDataDirectory(path.join(folder, 'data')), mount: path.join(folder, 'mount') };
  mkdirSync(place.mount);
  [contenders, written] = [[], new Set()];
});
afterEach(async () => {
  for (const contender of contenders) await contender.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

function contend(side: Side): Contender {
  const contender = new Contender(side, place, `${contenders.length}`, written);
  contenders.push(contender);
  return contender;
}

/** Wants the directory until it has it, as a supervisor that starts a process again. */
async function takeOver(side: Side): Promise<Contender> {
  for (;;) {
    const contender = contend(side);
    if ((await contender.settled) === 'ready') return contender;
  }
}

async function expectRefused(side: Side): Promise<void> {
  const newcomer = contend(side);
  expect({ outcome: await newcomer.settled, reason: newcomer.reason }).toEqual({
    outcome: 'refused',
    reason: expect.stringMatching(inUse),
  });
}

/** Each row that was acknowledged is there once, in the table and in its index. */
async function expectAllWritten(): Promise<void> {
  const server = await EmbeddedPostgres.start({ dataDirectory: place.directory, settings: { fsync: 'off', shared_buffers: '32MB' } });
  const client = new pg.Client(server.url);
  await client.connect();
  try {
    for (const [scan, other] of [['seqscan', 'indexonlyscan'], ['indexonlyscan', 'seqscan']]) {
      await client.query(`SET enable_${scan} = on; SET enable_${other} = off; SET enable_bitmapscan = off`);
      const { rows } = await client.query<{ row: string }>('SELECT row FROM written ORDER BY row');
      const found = new Set(rows.map(({ row }) => row));
      expect({ lost: [...written].filter(row => !found.has(row)), twice: rows.length - found.size }).toEqual({ lost: [], twice: 0 });
    } // prettier-ignore
  } finally {
    await client.end();
    await server.stop();
  }
}

/** Ways to end the holder. `other` is the side that would like its place. */
const endings: Record<string, (holder: Contender, other: Side) => Promise<void> | void> = {
  'the service is killed, and its server outlives it for a moment': holder => signal(holder.pid, 'SIGKILL'),
  'all processes are killed': holder => {
    const all = [holder.pid, ...holder.server];
    for (const pid of all) signal(pid, 'SIGKILL');
  },
  'the service is killed while its server stands still': async (holder, other) => {
    const [postmaster] = holder.server;
    signal(postmaster!, 'SIGSTOP');
    signal(holder.pid, 'SIGKILL');
    await expectRefused(other);
    signal(postmaster!, 'SIGCONT');
  },
  'the service is killed while it stands still': async (holder, other) => {
    signal(holder.pid, 'SIGSTOP');
    await expectRefused(other);
    signal(holder.pid, 'SIGKILL');
  },
  'the server is killed, and then the service': holder => {
    signal(holder.server[0]!, 'SIGKILL');
    signal(holder.pid, 'SIGKILL');
  },
  'it is killed with its container': async holder => holder.remove(),
};

describe('one data directory', () => {
  itUnshared(
    `has one server, and loses no acknowledged row, while ${kills} holders are killed here and in another container${reason}`,
    async () => {
      const ways = Object.values(endings);
      let holder = await takeOver('here');
      for (let kill = 0; kill < kills; kill++) {
        const other = holder.side === 'here' ? 'container' : 'here';
        await Promise.all([holder.writes(), expectRefused(other)]);
        await holder.writes();
        await ways[kill % ways.length]!(holder, other);
        const next = await takeOver(other);
        // Ends the rest of a container whose service is dead.
        await holder.remove();
        holder = next;
      }
      await holder.writes();
      await holder.remove();
      expect(written.size).toBeGreaterThan(kills);
      await expectAllWritten();
    },
    1_200_000,
  );

  itUnshared(`has one holder of many that start at once, the first time and after a kill${reason}`, async () => {
    for (let round = 0; round < 3; round++) {
      const started = (['here', 'container', 'here', 'container'] as const).map(contend);
      const outcomes = await Promise.all(started.map(({ settled }) => settled));
      expect(outcomes.filter(outcome => outcome === 'ready').length).toBeLessThanOrEqual(1);
      const holder = started[outcomes.indexOf('ready')];
      await holder?.writes();
      await holder?.remove();
    }
    await (await takeOver('container')).remove();
    await expectAllWritten();
  });

  itUnshared(`is made anew by the next holder when the first one is killed while it makes it${reason}`, async () => {
    const first = contend('here');
    while (!existsSync(path.join(place.directory, 'postgres.new'))) await sleep(1);
    signal(first.pid, 'SIGKILL');
    const next = await takeOver('container');
    await next.writes();
    await next.remove();
    await expectAllWritten();
  });

  const isLinux = process.platform === 'linux';
  (isLinux ? it : it.skip)('is taken over from a server that has outlived its service (skipped elsewhere than on Linux)', async () => {
    const first = await takeOver('here');
    const [postmaster] = first.server;
    signal(postmaster!, 'SIGSTOP');
    signal(first.pid, 'SIGKILL');
    await first.remove();
    const next = contend('here');
    // The newcomer waits for the server, which ends once it may.
    signal(postmaster!, 'SIGCONT');
    expect(await next.settled).toBe('ready');
    await next.remove();
    await expectAllWritten();
  });
});

describe('the service in a second container on the same volume', () => {
  const [api, commands] = ['main.js', 'backup.main.js'].map(name => path.join(root, 'dist', 'src', name)) as [string, string];
  const started = (service: ServiceProcess, command: string[], access?: 'ro') => {
    const [file, ...args] = inContainer(service.dataDirectory, place.mount, [process.execPath, ...command], access);
    const { PATH, HOME } = process.env;
    return freePort().then(port =>
      ended(spawn(file, args, { cwd: os.tmpdir(), env: { PATH, HOME, PORT: String(port), DATA_DIR: place.mount }, stdio: ['ignore', 'pipe', 'pipe'] })),
    ); // prettier-ignore
  };

  itUnshared(`is refused with a sentence, reads a backup, restores nothing, and leaves the first one as it was${reason}`, async () => {
    const service = await ServiceProcess.start();
    try {
      const pidFile = path.join(service.dataDirectory, 'postgres', 'postmaster.pid');
      const before = readFileSync(pidFile, 'utf8');
      const record = () => readFileSync(path.join(service.dataDirectory, 'service.lock'), 'utf8');
      const recorded = record();
      const second = await started(service, [api]);
      expect(second).toMatchObject({ code: 1, stderr: expect.stringMatching(inUse) });
      expect(second.stderr).toContain(`process ${service.child.pid} on host ${os.hostname()}`);
      expect(await started(service, [api], 'ro')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/EROFS.*set DATA_DIR/),
      });
      const archive = path.join(folder, 'backup.tar.gz');
      expect(await started(service, [commands, 'backup', archive])).toMatchObject({ code: 0 });
      expect(await started(service, [commands, 'restore', archive])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(inUse),
      });
      expect({ pidFile: readFileSync(pidFile, 'utf8'), record: record() }).toEqual({ pidFile: before, record: recorded });
      expect(service.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
      expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
      expect((await service.stop()).code).toBe(0);
      // Without the first one, the backup starts the server itself.
      expect(await started(service, [commands, 'backup', path.join(folder, 'again.tar.gz')])).toMatchObject({ code: 0 });
      expect(await runBackupCommand('restore', archive, { DATA_DIR: path.join(folder, 'restored') })).toMatchObject({ code: 0 });
    } finally {
      await service.kill();
    }
  });
});
