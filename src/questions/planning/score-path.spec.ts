import { type Hop } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';
import { type Clues, scorePath } from './score-path.js';

const word = (text: string, names: { labels?: string[]; relations?: string[] }): SchemaWord => ({
  mention: { text, start: 0, end: text.length, meanings: [] },
  labels: new Set(names.labels),
  relations: new Set(names.relations),
  properties: [],
});
const hop = (from: string, type: string, to: string): Hop => ({ from, type, to, direction: from === 'Film' ? 'out' : 'in' });
const films = word('films', { labels: ['Film'] });
const directed = word('directed', { relations: ['directed_by'] });
const actors = word('actors', { relations: ['starred'] });
const toDirector = hop('Film', 'directed_by', 'Person');
const toFilm = hop('Person', 'directed_by', 'Film');
const toActor = hop('Film', 'starred', 'Person');

const clues = (words: SchemaWord[], more: Partial<Clues> = {}): Clues => ({
  words, ofTopic: null, asked: words.at(-1) ?? null, shared: null, namesEnd: () => true, ...more,
}); // prettier-ignore
const scoreOf = (start: string, hops: Hop[], given: Clues) => scorePath({ start, hops }, given).score;

describe('scorePath', () => {
  it('prefers the path on which each word has a place', () => {
    const given = clues([directed, films, actors]);
    const whole = scorePath({ start: 'Person', hops: [toFilm, toActor] }, given);
    const short = scorePath({ start: 'Film', hops: [toActor] }, given);
    expect([whole.unused, whole.unnamed, short.unused]).toEqual([[], 0, [directed]]);
    expect(whole.score).toBeGreaterThan(short.score);
  });

  it('follows the order of the words', () => {
    const writers = word('writers', { relations: ['written_by'] });
    const toWriter = hop('Film', 'written_by', 'Person');
    const byWriter = hop('Person', 'written_by', 'Film');
    const given = clues([directed, writers, films]);
    expect(scoreOf('Film', [toDirector, byWriter], given)).toBeGreaterThan(scoreOf('Film', [toWriter, toFilm], given));
  });

  it('charges a relation that nothing names, less if the label it leads to is named', () => {
    const [bare, named] = [
      scoreOf('Film', [toDirector], clues([])),
      scoreOf('Film', [toDirector], clues([word('people', { labels: ['Person'] })])),
    ];
    expect(bare).toBeLessThan(0);
    expect(named).toBeGreaterThan(0);
    expect(scorePath({ start: 'Film', hops: [toDirector] }, clues([])).unnamed).toBe(1);
  });

  it('lets one word name a relation there and back only beside a word for it', () => {
    const given = clues([directed, films]);
    expect(scoreOf('Film', [toDirector, toFilm], { ...given, shared: directed })).toBeGreaterThan(
      scoreOf('Film', [toDirector, toFilm], given) + 0.5,
    );
  });

  it('ends only with what is asked for', () => {
    const given = clues([directed, films]);
    expect(scoreOf('Film', [toDirector], given)).toBeLessThan(scoreOf('Film', [toDirector, toFilm], given));
    expect(scorePath({ start: 'Film', hops: [toDirector] }, given).unused).toEqual([films]);
  });

  it('lets a noun name an end only where it may', () => {
    const given = clues([actors]);
    expect(scoreOf('Film', [toActor], { ...given, namesEnd: () => false })).toBeLessThan(scoreOf('Film', [toActor], given));
  });

  it('agrees with trying every alignment', () => {
    const words = [directed, films, actors, word('people', { labels: ['Person'] })];
    for (let mask = 1; mask < 16; mask++) {
      const given = clues(
        words.filter((_, i) => mask & (1 << i)),
        { asked: null },
      );
      for (const hops of [[toFilm], [toFilm, toActor], [toFilm, toActor, hop('Person', 'starred', 'Film')]])
        expect(scorePath({ start: 'Person', hops }, given).score).toBeCloseTo(bestByTrying('Person', hops, given.words), 9);
    }
  });
});

/** Tries every way to give each word a place on the path, in order, or none. */
function bestByTrying(start: string, hops: Hop[], words: SchemaWord[]): number {
  const slots = 2 * hops.length + 1;
  const labels = [start, ...hops.map(({ to }) => to)];
  let best = -Infinity;
  const place = (at: number, from: number, places: (number | null)[]): void => {
    if (at === words.length) {
      best = Math.max(best, valueOf(places));
      return;
    }
    place(at + 1, from, [...places, null]);
    for (let slot = from; slot < slots; slot++) {
      const { labels: names, relations } = words[at]!;
      if (slot % 2 === 1 ? relations.has(hops[(slot - 1) / 2]!.type) : names.has(labels[slot / 2]!)) place(at + 1, slot, [...places, slot]);
    }
  };
  const valueOf = (places: (number | null)[]): number => {
    let value = -0.1 * hops.length;
    const seen = new Set<number>();
    for (const [i, slot] of places.entries()) {
      if (slot === null) value -= words[i]!.labels.size > 0 ? 1.2 : 4;
      else value += slot % 2 === 1 ? (seen.has(slot) ? 0.8 : 3) : slot === 0 ? 0.5 : 1;
      if (slot !== null) seen.add(slot);
    }
    for (let i = 0; i < hops.length; i++) {
      const [named, used, last] = [seen.has(2 * i + 1), seen.has(2 * i + 2), i === hops.length - 1];
      const passedOver = used || last ? 0 : 0.4;
      const back = i > 0 && hops[i - 1]!.type === hops[i]!.type && words.some(each => each.relations.has(hops[i]!.type) && each.mention.text === 'actors') ? 0.5 : 0; // prettier-ignore
      if (named) value -= passedOver;
      else value += used ? back - 0.6 : back - 1.5 - passedOver;
    }
    return value;
  };
  place(0, 0, []);
  return best;
}
