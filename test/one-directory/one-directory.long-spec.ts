import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ended, runBackupCommand } from '../support/commands.js';
import { freePort } from '../support/free-port.js';
import { ServiceProcess } from '../support/service-process.js';
import { inContainer, mayUnshare, whyNotUnshare } from './container.js';
import { signal } from './contender.js';
import { ContestedDirectory, inUse } from './contested-directory.js';

const root = path.resolve(__dirname, '..', '..');
const itUnshared = mayUnshare ? it : it.skip;

let contested: ContestedDirectory;
beforeEach(async () => {
  contested = await ContestedDirectory.create();
});
afterEach(() => contested.remove());

describe('one data directory', () => {
  itUnshared(`has one holder of many that start at once, the first time and after a kill${whyNotUnshare}`, async () => {
    for (let round = 0; round < 3; round++) {
      const started = (['here', 'container', 'here', 'container'] as const).map(side => contested.contend(side));
      const outcomes = await Promise.all(started.map(({ settled }) => settled));
      expect(outcomes.filter(outcome => outcome === 'ready').length).toBeLessThanOrEqual(1);
      const holder = started[outcomes.indexOf('ready')];
      await holder?.writes();
      await holder?.remove();
    }
    await (await contested.takeOver('container')).remove();
    await contested.expectAllWritten();
  });

  itUnshared(`is made anew by the next holder when the first one is killed while it makes it${whyNotUnshare}`, async () => {
    const first = contested.contend('here');
    while (!existsSync(path.join(contested.directory, 'postgres.new'))) await sleep(1);
    signal(first.pid, 'SIGKILL');
    const next = await contested.takeOver('container');
    await next.writes();
    await next.remove();
    await contested.expectAllWritten();
  });

  const isLinux = process.platform === 'linux';
  (isLinux ? it : it.skip)('is taken over from a server that has outlived its service (skipped elsewhere than on Linux)', async () => {
    const first = await contested.takeOver('here');
    const [postmaster] = first.server;
    signal(postmaster!, 'SIGSTOP');
    signal(first.pid, 'SIGKILL');
    await first.remove();
    const next = contested.contend('here');
    // The newcomer waits until the former server has ended, which it can only do after SIGCONT.
    signal(postmaster!, 'SIGCONT');
    expect(await next.settled).toBe('ready');
    await next.remove();
    await contested.expectAllWritten();
  });
});

describe('the service in a second container on the same volume', () => {
  const [api, commands] = ['main.js', 'backup.main.js'].map(name => path.join(root, 'dist', 'src', name)) as [string, string];
  const started = (service: ServiceProcess, command: string[], access?: 'ro') => {
    const [file, ...args] = inContainer(service.dataDirectory, contested.mount, [process.execPath, ...command], access);
    const { PATH, HOME } = process.env;
    return freePort().then(port =>
      ended(spawn(file, args, { cwd: os.tmpdir(), env: { PATH, HOME, PORT: String(port), DATA_DIR: contested.mount }, stdio: ['ignore', 'pipe', 'pipe'] })),
    ); // prettier-ignore
  };

  itUnshared(
    `is refused with a sentence, reads a backup, restores nothing, and leaves the first one as it was${whyNotUnshare}`,
    async () => {
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
        const archive = path.join(contested.folder, 'backup.tar.gz');
        expect(await started(service, [commands, 'backup', archive])).toMatchObject({ code: 0 });
        expect(await started(service, [commands, 'restore', archive])).toMatchObject({
          code: 1,
          stderr: expect.stringMatching(inUse),
        });
        expect({ pidFile: readFileSync(pidFile, 'utf8'), record: record() }).toEqual({ pidFile: before, record: recorded });
        expect(service.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
        expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
        expect((await service.stop()).code).toBe(0);
        // The first service has stopped, so the backup command starts the server itself.
        expect(await started(service, [commands, 'backup', path.join(contested.folder, 'again.tar.gz')])).toMatchObject({ code: 0 });
        expect(await runBackupCommand('restore', archive, { DATA_DIR: path.join(contested.folder, 'restored') })).toMatchObject({
          code: 0,
        });
      } finally {
        await service.kill();
      }
    },
  );
});
