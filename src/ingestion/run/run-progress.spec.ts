import { setTimeout as sleep } from 'node:timers/promises';
import { type ProgressReport } from './progress-report.js';
import { RunProgress } from './run-progress.js';
import { emptyReport } from './run-report.js';
import { itLong } from '../../../test/support/tier.js';

function follow(lookAt: (counted: string) => Promise<number | null> = () => Promise.resolve(null)) {
  const report = emptyReport([]);
  const shown: [string, ProgressReport][] = [];
  const publish = async (phase: string, progress: ProgressReport): Promise<void> => {
    shown.push([phase, progress]);
    return Promise.resolve();
  };
  return { report, shown, progress: new RunProgress(report, { publish, lookAt, past: null }) };
}

describe('the progress of a run', () => {
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

  itLong('shows the count of the statement that goes on, and nothing after the end', async () => {
    let rows = 0;
    const { shown, progress } = follow(counted => Promise.resolve(counted === 'nodes' ? (rows += 1_000) : null));
    await progress.begin('writing', 'A');
    await progress.watch();
    expect(await progress.counting('nodes', async () => (await sleep(2_500), 2_345))).toBe(2_345);
    expect(shown.at(-1)![1]).toMatchObject({ step: 'writing', rows: 2_000, remaining: { seconds: null } });
    progress.end();
    const { length } = shown;
    await sleep(1_200);
    expect(shown).toHaveLength(length);
  });

  it('lets no late look replace the final number', async () => {
    const { progress, shown } = follow(async () => (await sleep(600), 1_000));
    await progress.watch();
    await progress.counting('nodes', async () => (await sleep(1_200), 5_000));
    progress.counts(5_000);
    await sleep(900);
    progress.end();
    expect(shown.at(-1)![1].rows).toBe(5_000);
  });
});
