import { senseOf } from './synonyms.js';

describe('senseOf', () => {
  it.each([
    ['films', 'movie'],
    ['电影', 'movie'],
    ['starring', 'actors'],
    ['screenwriters', 'wrote'],
    ['clients', '客户'],
  ])('%s means the same as %s', (a, b) => {
    expect(senseOf(a)).toBe(senseOf(b));
  });

  it('keeps what means different things apart', () => {
    expect(senseOf('buy')).not.toBe(senseOf('sell'));
    expect(senseOf('weather')).toBe(senseOf('weathers'));
  });
});
