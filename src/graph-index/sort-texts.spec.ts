import fc from 'fast-check';
import { Pace } from '../common/turns/pace.js';
import { placeOfText, rangeOfPrefix, sortedTextAt, sortTexts } from './sorted-texts.js';
import { TextNumbers } from './text-numbers.js';

const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '中', '国', '\ud842', '\udfb7'), maxLength: 8 }), { maxLength: 200 });

describe('sortTexts', () => {
  it('orders different texts as the engine does, finds each, and finds those that begin like another', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.string({ unit: fc.constantFrom('a', 'b', '中'), maxLength: 3 }), async (given, prefix) => {
        const numbers = new TextNumbers();
        const numbered = given.map(text => numbers.numberOf(text));
        const { texts: sorted, placeOf } = await sortTexts(numbers, new Pace());
        const expected = [...new Set(given)].sort();
        expect(expected.map((_, place) => sortedTextAt(sorted, place))).toEqual(expected);
        expect(given.map((_, i) => placeOf[numbered[i]!])).toEqual(given.map(text => placeOfText(sorted, text)));
        const [from, to] = rangeOfPrefix(sorted, prefix);
        expect(expected.slice(from, to)).toEqual(expected.filter(text => text.startsWith(prefix)));
        expect(placeOfText(sorted, prefix)).toBe(expected.indexOf(prefix));
      }),
    );
  });
});
