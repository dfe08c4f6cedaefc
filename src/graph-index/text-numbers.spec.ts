import { hashText } from './fnv.js';
import { TextNumbers } from './text-numbers.js';

describe('TextNumbers', () => {
  it('numbers texts in the order in which they come, equal ones once, also while its tables grow', () => {
    const numbers = new TextNumbers();
    const all = Array.from({ length: 50_000 }, (_, i) => `名 ${i}`);
    expect([...all, ...all].map(text => numbers.numberOf(text))).toEqual([...all.keys(), ...all.keys()]);
    expect(numbers.numberOf('')).toBe(50_000);
    expect([numbers.size, numbers.length]).toEqual([50_001, all.join('').length]);
  });

  it('takes no longer for texts that were made to have one hash of FNV-1a', () => {
    const alike = textsOfOneHash(15);
    expect(new Set(alike.map(hashText)).size).toBe(1);
    const others = alike.map((_, i) => String(i).padStart(alike[0]!.length, 'x'));
    const msOf = (texts: string[]): number => {
      const [numbers, started] = [new TextNumbers(), performance.now()];
      for (const text of texts) numbers.numberOf(text);
      return performance.now() - started;
    };
    msOf(others);
    // If each were compared with all before it, it would take a thousand times as long.
    expect(msOf(alike)).toBeLessThan(20 * msOf(others) + 50);
  });
});

/**
 * 2^stages texts of one hash: each stage adds either of two endings that lead to the same hash.
 * Source: Joux, Multicollisions in Iterated Hash Functions, 2004.
 */
function textsOfOneHash(stages: number): string[] {
  let texts = [''];
  for (let stage = 0; stage < stages; stage++) {
    const endings = new Map<number, string>();
    for (let i = 0; ; i++) {
      const ending = i.toString(36).padStart(4, '0');
      const hash = hashText(texts[0]! + ending);
      const other = endings.get(hash);
      if (other !== undefined) {
        texts = texts.flatMap(text => [text + other, text + ending]);
        break;
      }
      endings.set(hash, ending);
    }
  }
  return texts;
}
