// Measures the time from the command to the line with the service's address: on an empty data directory, and twice more on the same
// directory.
import { median, report, round } from './figures.mjs';
import { removeDirectory, startService } from './service.mjs';

export async function benchStart(folder) {
  const first = [];
  const again = [];
  for (let trial = 0; trial < 3; trial++) {
    const directory = `${folder}/start-${trial}`;
    for (const times of [first, again, again]) {
      const service = await startService(directory);
      times.push(service.readyMs);
      await service.stop();
    }
    await removeDirectory(directory);
  }
  const npmStart = await startService(`${folder}/start-npm`, { command: ['npm', ['start', '--silent']] });
  await npmStart.stop();
  const bare = [];
  for (let trial = 0; trial < 3; trial++) bare.push(await bareNodeStart());
  report('start to ready', {
    unit: 's',
    first: round(median(first) / 1000),
    again: round(median(again) / 1000),
    npm_start_first: round(npmStart.readyMs / 1000),
    reference: 'node -e 0',
    reference_value: round(median(bare) / 1000, 3),
    aim: 'again < 3',
  });
}

async function bareNodeStart() {
  const { spawnSync } = await import('node:child_process');
  const startedAt = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - startedAt;
}
