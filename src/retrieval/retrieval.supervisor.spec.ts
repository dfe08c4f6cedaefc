import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RetrievalUnavailableError } from './retrieval.errors.js';
import { RetrievalOptions, RetrievalSupervisor } from './retrieval.supervisor.js';

/** A process that reports that it listens only when told to end, as happens when start and end coincide. */
const entry = `
  process.on('SIGTERM', () => process.send('listening', () => process.exit(0)));
  process.on('message', () => require('node:fs').appendFileSync(__filename + '.starts', 'x'));
`;

const place = { databaseUrl: 'x', memoryMb: 64, answerMaxBytes: 65_536, snapshotDirectory: null, logLevel: 'silent' as const };

describe('RetrievalSupervisor', () => {
  it('starts no process before the first call with `startsAtFirstCall`, and none for a call without patience', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'supervisor-'));
    const file = path.join(folder, 'entry.cjs');
    await writeFile(file, "process.on('message', () => process.send('listening'));");
    const options = new RetrievalOptions({ ...place, entry: file, socketDirectory: folder, startsAtFirstCall: true });
    const supervisor = new RetrievalSupervisor(options);
    try {
      supervisor.onApplicationBootstrap();
      await expect(supervisor.address({ patienceMs: 0 })).rejects.toThrow(RetrievalUnavailableError);
      expect([supervisor.pid, supervisor.generation]).toEqual([null, 0]);
      expect(await supervisor.address()).toEqual({ socketPath: expect.stringContaining(folder) });
      expect([supervisor.isListening, supervisor.generation]).toEqual([true, 1]);
    } finally {
      await supervisor.onApplicationShutdown();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('does not restart a process that it stops while it is starting', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'supervisor-'));
    const file = path.join(folder, 'entry.cjs');
    await writeFile(file, entry);
    const starts = () => readFile(`${file}.starts`, 'utf8').catch(() => '');
    const supervisor = new RetrievalSupervisor(new RetrievalOptions({ ...place, entry: file, socketDirectory: folder }));
    try {
      supervisor.onApplicationBootstrap();
      while ((await starts()) === '') await sleep(10);
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
      await supervisor.onApplicationShutdown();
      // A restart would come after 100 ms.
      jest.advanceTimersByTime(60_000);
      expect([supervisor.pid, supervisor.generation, await starts()]).toEqual([null, 1, 'x']);
    } finally {
      jest.useRealTimers();
      await supervisor.onApplicationShutdown();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
