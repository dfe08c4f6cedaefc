import { RestingCallers } from './resting-callers.js';

class Rests extends Error {
  constructor(readonly leftS: number) {
    super('rests');
  }
}

describe('callers whose work is ended', () => {
  let minute = 0;
  let callers: RestingCallers;
  beforeEach(() => {
    minute = 0;
    callers = new RestingCallers(
      leftS => new Rests(leftS),
      () => minute * 60_000,
    );
  });
  const rests = (caller = 'a') => {
    try {
      callers.admit(caller);
      return null;
    } catch (error) {
      expect(error).toBeInstanceOf(Rests);
      return (error as Rests).leftS;
    }
  };

  it('rest for a minute after the second, and for one more after each further one', () => {
    const after = [0, 1, 2, 3].map(() => {
      callers.noteEnd('a');
      return rests();
    });
    expect(after).toEqual([null, 60, 120, 180]);
    minute = 2.5;
    expect(rests()).toBe(30);
    minute = 3;
    expect(rests()).toBeNull();
  });

  it('are told apart', () => {
    callers.noteEnd('a');
    callers.noteEnd('a');
    callers.noteEnd('b');
    expect([rests('a'), rests('b'), rests('c')]).toEqual([60, null, null]);
  });

  it('begin anew after ten minutes', () => {
    callers.noteEnd('a');
    minute = 10;
    callers.noteEnd('a');
    expect(rests()).toBeNull();
  });
});
