import { Pace } from '../common/turns/pace.js';
import { TermExpansion } from './term-expansion.js';

const terms = ['chai', 'chain', 'chang', 'change', '华为', 'chains', '1101', '110105', 'seasoning', 'a102'];
const expansion = TermExpansion.build(terms, new Map(terms.map((term, i) => [term, i])), new Pace());
const textsOf = (matches: { term: number }[]): (string | undefined)[] => matches.map(({ term }) => terms[term]);

describe('withPrefix', () => {
  it.each([
    ['chai', ['chain', 'chains']],
    ['11', ['1101', '110105']],
    ['c', []],
    ['华', []],
    ['zz', []],
  ])('finds behind %s: %j, the shortest first', async (prefix, found) => {
    expect(textsOf((await expansion).withPrefix(prefix))).toEqual(found);
  });

  it('weighs a term more the less of it is missing', async () => {
    const [near, far] = (await expansion).withPrefix('chai');
    expect(near!.weight > far!.weight).toBe(true);
  });
});

describe('nearlySpelled', () => {
  it.each([
    ['chagn', ['chain', 'chang']],
    ['chag', ['chai', 'chang']],
    ['seasonnning', ['seasoning']],
    ['sesoninng', ['seasoning']],
    ['cha', []],
    ['1102', []],
  ])('takes %s for %j', async (word, found) => {
    expect(textsOf(await (await expansion).nearlySpelled(word, new Pace()))).toEqual(found);
  });

  it('puts the nearest first', async () => {
    const near = ['abcdefxy', 'abcdefgx'];
    const two = await TermExpansion.build(near, new Map(near.map((term, i) => [term, i])), new Pace());
    expect((await two.nearlySpelled('abcdefgh', new Pace())).map(({ term, edits }) => [near[term], edits])).toEqual([
      ['abcdefgx', 1],
      ['abcdefxy', 2],
    ]);
  });
});
