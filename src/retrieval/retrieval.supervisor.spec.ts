import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RetrievalOptions, RetrievalSupervisor } from './retrieval.supervisor.js';

/** A process that reports that it listens only when told to end, as happens when start and end coincide. */
const entry = `
  process.on('SIGTERM', () => process.send('listening', () => process.exit(0)));
  process.on('message', () => require('node:fs').appendFileSync(__filename + '.starts', 'x'));
`;

describe('RetrievalSupervisor', () => {
  it('does not restart a process that it stops while it is starting', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'supervisor-'));
    const file = path.join(folder, 'entry.cjs');
    await writeFile(file, entry);
    const starts = () => readFile(`${file}.starts`, 'utf8').catch(() => '');
    const place = {
      entry: file,
      socketDirectory: folder,
      databaseUrl: 'x',
      memoryMb: 64,
      answerMaxBytes: 65_536,
      snapshotDirectory: null,
      logLevel: 'silent' as const,
    };
    const supervisor = new RetrievalSupervisor(new RetrievalOptions(place));
    try {
      supervisor.onApplicationBootstrap();
      while ((await starts()) === '') await sleep(10);
      await supervisor.onApplicationShutdown();
      // A restart would come after 100 ms.
      await sleep(1_000);
      expect(await starts()).toBe('x');
    } finally {
      await supervisor.onApplicationShutdown();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
