import { hasPart, piecesOf } from './search-text.js';

/** Texts of few letters, in which a part of the text often occurs again. */
function randomText(random: () => number, length: number): string {
  const period = Array.from({ length: 1 + Math.floor(random() * 40) }, () => 'ab😀'.charAt(Math.floor(random() * 4))).join('');
  const text = period.repeat(Math.ceil(length / Math.max(period.length, 1))).slice(0, length);
  const at = Math.floor(random() * length);
  return random() < 0.5 ? text : `${text.slice(0, at)}c${text.slice(at + 1)}`;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe('searching', () => {
  it.each([1, 2, 3, 4])('finds what the engine finds, for parts of any length (seed %d)', seed => {
    const random = seeded(seed);
    let found = 0;
    for (let i = 0; i < 2_000; i += 1) {
      const text = randomText(random, Math.floor(random() * 600));
      const from = Math.floor(random() * text.length);
      const part =
        random() < 0.7 ? text.slice(from, from + 1 + Math.floor(random() * 200)) : randomText(random, 1 + Math.floor(random() * 150));
      if (part === '') continue;
      expect([hasPart(text, part), piecesOf(text, part)]).toEqual([text.includes(part), text.split(part)]);
      if (part.length > 64 && text.includes(part)) found += 1;
    }
    expect(found).toBeGreaterThan(100);
  });

  it('finds the empty text in every text', () => {
    expect([hasPart('', ''), hasPart('a', ''), hasPart('', 'a')]).toEqual([true, true, false]);
  });
});
