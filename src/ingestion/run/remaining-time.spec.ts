import { type PastRun } from './progress-report.js';
import { remainingTime, type StepState } from './remaining-time.js';

const state: StepState = {
  step: 'staging', of: '客户', elapsedMs: 2_000, isCounting: true, rows: 400, rowsPerSecond: 100, expected: { rows: 1_000, from: 'exact' },
}; // prettier-ignore
const past: PastRun = {
  id: 7,
  durationMs: 40_000,
  steps: [
    { step: 'copying', of: 't', ms: 10_000, rows: 1_000 },
    { step: 'staging', of: '客户', ms: 5_000, rows: 1_000 },
    { step: 'waiting', of: null, ms: 20_000, rows: null },
    { step: 'writing', of: '客户', ms: 4_000, rows: 1_000 },
    { step: 'recording', of: null, ms: 1_000, rows: null },
  ],
};
const { reason, ...known } = { seconds: 6, of: 'step', from: 'rate', reason: null } as const;

describe('the time that is left', () => {
  it('is that of the counted step, where no run of the revision succeeded', () => {
    expect(remainingTime(state, null)).toEqual({ ...known, reason });
  });

  it('is that of the run, with the later steps as long as last time, but for waiting', () => {
    expect(remainingTime(state, past)).toEqual({ seconds: 11, of: 'run', from: 'rate_and_last_run', reason: null });
    expect(remainingTime({ ...state, isCounting: false, rowsPerSecond: null }, past)).toEqual({
      seconds: 8,
      of: 'run',
      from: 'last_run',
      reason: null,
    });
  });

  it.each<[string, Partial<StepState>, PastRun | null, RegExp]>([
    ['the step has more rows than expected', { rows: 1_001 }, past, /more rows than expected/],
    ['its rate is not known', { rowsPerSecond: null }, past, /not known yet/],
    ['nothing goes on', { rowsPerSecond: 0 }, past, /nothing went on/],
    ['it waits for another run', { step: 'waiting', of: null, isCounting: false }, past, /waits/],
    ['its rows are counted, but their number is not expected', { expected: null }, null, /no run of this revision/],
    ['there is no earlier run, and the rows are gone through', { isCounting: false }, null, /no run of this revision/],
    ['it takes longer than last time', { isCounting: false, elapsedMs: 5_001 }, past, /longer than in the last/],
    ['the step is new', { of: '新', isCounting: false }, past, /no run of this revision/],
  ])('is unknown when %s', (_, change, before, sentence) => {
    expect(remainingTime({ ...state, ...change }, before)).toEqual({
      seconds: null, of: null, from: null, reason: { zh: expect.any(String), en: expect.stringMatching(sentence) },
    }); // prettier-ignore
  });
});
