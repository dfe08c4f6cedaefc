import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProgressReport } from './progress-report.js';
import { RunProgress } from './run-progress.js';
import { emptyReport } from './run-report.js';

function follow(lookAt: (counted: string) => Promise<number | null> = () => Promise.resolve(null)) {
  const report = emptyReport([]);
  const shown: [string, ProgressReport][] = [];
  const publish = async (phase: string, progress: ProgressReport): Promise<void> => {
    shown.push([phase, progress]);
    return Promise.resolve();
  };
  return { report, shown, progress: new RunProgress(report, { publish, lookAt, past: null }) };
}

/** Lets the imports of `node:timers/promises` follow. */
function fakeTimers(areFake: boolean): void {
  if (areFake) jest.useFakeTimers();
  else jest.useRealTimers();
  syncBuiltinESMExports();
}

describe('the progress of a run', () => {
  beforeEach(() => fakeTimers(true));
  afterEach(() => fakeTimers(false));

  it('keeps each step that ended, and adds up the rows of a kind', async () => {
    const { report, shown, progress } = follow();
    await progress.begin('copying', 'a');
    progress.copies(() => ({ rows: 3, bytes: 30 }));
    await progress.begin('copying', 'b');
    progress.copies(() => ({ rows: 4, bytes: 40 }));
    await progress.begin('staging', 'A');
    progress.end();
    expect(report.steps.map(({ step, of, rows }) => [step, of, rows])).toEqual([
      ['checking', null, null], ['copying', 'a', 3], ['copying', 'b', 4], ['staging', 'A', null],
    ]); // prettier-ignore
    expect(shown.map(([phase]) => phase)).toEqual(['copying a', 'copying b', 'staging A']);
    expect(shown.at(-1)![1].total).toEqual({ copied: 7, staged: 0, written: 0 });
    expect(progress.rowsOf('copying', 'b')).toBe(4);
  });

  it('shows the count of the statement that goes on, and nothing after the end', async () => {
    let rows = 0;
    const { shown, progress } = follow(counted => Promise.resolve(counted === 'nodes' ? (rows += 1_000) : null));
    await progress.begin('writing', 'A');
    await progress.watch();
    const counted = progress.counting('nodes', async () => (await sleep(2_500), 2_345));
    await jest.advanceTimersByTimeAsync(2_500);
    expect(await counted).toBe(2_345);
    expect(shown.at(-1)![1]).toMatchObject({ step: 'writing', rows: 2_000, remaining: { seconds: null } });
    progress.end();
    const { length } = shown;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(shown).toHaveLength(length);
  });

  it('lets no late look replace the final number', async () => {
    const { progress, shown } = follow(async () => (await sleep(600), 1_000));
    await progress.watch();
    const counted = progress.counting('nodes', async () => (await sleep(1_200), 5_000));
    await jest.advanceTimersByTimeAsync(1_200);
    progress.counts(await counted);
    // The look that began after one second ends.
    await jest.advanceTimersByTimeAsync(900);
    progress.end();
    expect(shown.at(-1)![1].rows).toBe(5_000);
  });
});
