import fc from 'fast-check';
import { editDistance } from '../text/edit-distance.js';
import { SearchIndex } from './search-index.js';
import { SearchIndexBuilder } from './search-index-builder.js';
import { isLong } from '../../test/support/tier.js';

/* Searches of random graphs, compared with an evaluator that looks at all names. Names of these alphabets stay as they are when normalised. */

const latin = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 1, maxLength: 8 });
const chinese = fc.string({ unit: fc.constantFrom('东', '城', '山', '河', '镇'), minLength: 1, maxLength: 6 });
const words = fc.array(latin, { minLength: 1, maxLength: 3 }).map(parts => parts.join(' '));
const script = fc.constantFrom(words, chinese);
const graphOf = (most: number) =>
  script.chain(name => fc.record({ displays: fc.array(name, { minLength: 1, maxLength: most }), text: name }));
/** The default number of runs of fast-check, and a fifth of it in `npm test`. */
const runs = { numRuns: isLong ? 100 : 20 };
const keyOf = (place: number): string => `k${place}`;
const isChinese = (text: string): boolean => /[一-龥]/.test(text);

async function indexOf(displays: string[]): Promise<SearchIndex> {
  const builder = new SearchIndexBuilder();
  for (const [i, display] of displays.entries()) builder.add({ id: i, labels: ['L'], key: keyOf(i), display, texts: [] });
  return new SearchIndex(await builder.build());
}

const search = (index: SearchIndex, text: string) => index.search({ text, limit: 1_000, offset: 0 });

describe('the ranking of searches, against all names of random graphs,', () => {
  it('puts exact names first, then names that begin like the search, and leaves none of them out', async () => {
    await fc.assert(
      fc.asyncProperty(graphOf(40), async ({ displays, text }) => {
        const { hits, total } = await search(await indexOf(displays), text);
        const classOf = (display: string): number => (display === text ? 2 : display.startsWith(text) ? 1 : 0);
        const classes = hits.map(({ id }) => classOf(displays[id]!));
        expect(classes).toEqual([...classes].sort((a, b) => b - a));
        expect(hits.map(({ exact }) => exact)).toEqual(classes.map(each => each === 2));
        expect(classes.filter(each => each > 0).length).toBe(displays.filter(display => classOf(display) > 0).length);
        expect([total, new Set(hits.map(({ id }) => id)).size]).toEqual([hits.length, hits.length]);
      }),
      runs,
    );
  });

  it('finds every name that contains the search, from two Chinese characters or three letters on', async () => {
    await fc.assert(
      fc.asyncProperty(graphOf(40), async ({ displays, text }) => {
        if (text.length < (isChinese(text) ? 2 : 3)) return;
        const found = new Set((await search(await indexOf(displays), text)).hits.map(({ id }) => id));
        for (const [i, display] of displays.entries()) if (display.includes(text)) expect(found).toContain(i);
      }),
      runs,
    );
  });

  it('finds every name one edit away where no name is exact, from three Chinese characters or five letters on', async () => {
    await fc.assert(
      fc.asyncProperty(graphOf(9), async ({ displays, text }) => {
        if (text.length < (isChinese(text) ? 3 : 5) || displays.includes(text)) return;
        const found = new Set((await search(await indexOf(displays), text)).hits.map(({ id }) => id));
        for (const [i, display] of displays.entries()) if (editDistance(display, text, 1) === 1) expect(found).toContain(i);
      }),
      { numRuns: isLong ? 300 : 8 },
    );
  });

  it('is the same each time, in every page size, and for everybody who maps the same arrays', async () => {
    await fc.assert(
      fc.asyncProperty(graphOf(40), fc.integer({ min: 1, max: 7 }), async ({ displays, text }, limit) => {
        const [ours, theirs] = [await indexOf(displays), await indexOf(displays)];
        const { hits } = await search(ours, text);
        expect((await search(ours, text)).hits).toEqual(hits);
        expect((await search(theirs, text)).hits).toEqual(hits);
        for (let offset = 0; offset < hits.length; offset += limit)
          expect((await ours.search({ text, limit, offset })).hits).toEqual(hits.slice(offset, offset + limit));
      }),
      runs,
    );
  });

  it('takes any text as a name and as a search, and finds the name by itself', async () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 600 }),
      fc.constantFrom('a'.repeat(5_000), '中'.repeat(5_000), '( ) - '.repeat(900), '\ud842'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 5 }), any, async (displays, text) => {
        const index = await indexOf(displays);
        await search(index, text);
        for (const [i, display] of displays.entries()) {
          if (index.findByName(display, 9).length === 0) continue;
          expect((await search(index, display)).hits.filter(({ exact }) => exact).map(({ id }) => id)).toContain(i);
        }
      }),
      { numRuns: isLong ? 60 : 6 },
    );
  });
});
