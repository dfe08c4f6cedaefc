import { atOnce, type Steps } from './steps.js';

describe('atOnce', () => {
  it('does all of the work and returns its result', () => {
    let steps = 0;
    function* work(): Steps<string> {
      for (; steps < 3; steps++) yield;
      return 'done';
    }
    expect([atOnce(work()), steps]).toEqual(['done', 3]);
  });
});
