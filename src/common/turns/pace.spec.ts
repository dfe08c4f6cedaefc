import { Pace } from './pace.js';

describe('Pace', () => {
  it('lets timers and sockets of others run while work goes on', async () => {
    let turns = 0;
    const others = setInterval(() => turns++, 1);
    const pace = new Pace();
    const end = performance.now() + 200;
    let steps = 0;
    while (performance.now() < end) {
      steps++;
      if (pace.isDue) await pace.turn();
    }
    clearInterval(others);
    expect(steps).toBeGreaterThan(64);
    expect(turns).toBeGreaterThan(1);
  });

  it('ends the work of a caller who has gone', async () => {
    const gone = new AbortController();
    const pace = new Pace(gone.signal);
    gone.abort(new Error('The caller has gone'));
    await expect(pace.turn()).rejects.toThrow('The caller has gone');
  });
});
