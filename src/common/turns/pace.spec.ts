import { Pace } from './pace.js';

describe('Pace', () => {
  it('lets timers and sockets of others run while work goes on', async () => {
    const pace = new Pace();
    let turns = 0;
    const other = setInterval(() => turns++, 1);
    let steps = 0;
    while (turns < 3) {
      steps++;
      if (pace.isDue) await pace.turn();
    }
    clearInterval(other);
    expect(steps).toBeGreaterThan(64);
  });

  it('lets few of many pieces of work go on in one turn', async () => {
    let went = 0;
    const work = Array.from({ length: 40 }, () => new Pace().turn().then(() => went++));
    const inTurns: number[] = [];
    while (went < work.length) {
      const before = went;
      await new Promise(resolve => setImmediate(resolve));
      inTurns.push(went - before);
    }
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(4);
    expect(inTurns.reduce((sum, count) => sum + count, 0)).toBe(work.length);
  });

  it('ends the work of a caller who has gone', async () => {
    const gone = new AbortController();
    const pace = new Pace(gone.signal);
    gone.abort(new Error('The caller has gone'));
    await expect(pace.turn()).rejects.toThrow('The caller has gone');
  });
});
