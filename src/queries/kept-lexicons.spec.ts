import { type Synonym } from '../questions/vocabulary.js';
import { KeptLexicons } from './kept-lexicons.js';
import { type LexiconRepository } from './lexicon.repository.js';

const synonym = (text: string): Synonym => ({ kind: 'name', name: '华东', synonym: text });

/** A lexicon whose reads end when `state.gate` resolves. */
function aLexicon() {
  const state = { version: '1 1', synonyms: [synonym('东部')], reads: 0, gate: Promise.resolve() };
  const repository = {
    versionOf: () => Promise.resolve(state.version),
    readAll: async () => {
      state.reads++;
      const read = { version: state.version, synonyms: state.synonyms };
      await state.gate;
      return read;
    },
  };
  return { state, kept: new KeptLexicons(repository as unknown as LexiconRepository) };
}

describe('KeptLexicons', () => {
  it('reads a lexicon once for each version, whoever changed it', async () => {
    const { state, kept } = aLexicon();
    const first = await kept.synonyms(1);
    expect(await kept.synonyms(1)).toBe(first);
    Object.assign(state, { version: '2 2', synonyms: [synonym('东部'), synonym('东区')] });
    expect(await kept.synonyms(1)).toHaveLength(2);
    expect(await kept.synonyms(1)).toHaveLength(2);
    expect(state.reads).toBe(2);
  });

  it('reads once for all who ask at once, and never joins a read that began before a change', async () => {
    const { state, kept } = aLexicon();
    let goOn!: () => void;
    state.gate = new Promise(resolve => (goOn = resolve));
    const before = [kept.synonyms(1), kept.synonyms(1)];
    await new Promise(resolve => setImmediate(resolve));
    Object.assign(state, { version: '0 0', synonyms: [] });
    const after = kept.synonyms(1);
    await new Promise(resolve => setImmediate(resolve));
    goOn();
    expect([await before[0], await before[1], await after].map(found => found?.length)).toEqual([1, 1, 0]);
    expect(state.reads).toBe(2);
  });

  it('keeps synonyms under the version that was read, not the version that was asked for', async () => {
    const { state, kept } = aLexicon();
    state.version = '2 2';
    const asked = kept.synonyms(1);
    // The synonyms change between the query for the version and the query for the synonyms.
    state.version = '3 3';
    await asked;
    state.version = '2 2';
    await kept.synonyms(1);
    expect(state.reads).toBe(2);
  });

  it('evicts the least recently used lexicons when there are too many', async () => {
    const { state, kept } = aLexicon();
    state.synonyms = Array.from({ length: 2_000 }, () => synonym('义'.repeat(64)));
    for (let graphId = 1; graphId <= 100; graphId++) await kept.synonyms(graphId);
    await kept.synonyms(100);
    expect(state.reads).toBe(100);
    await kept.synonyms(1);
    expect(state.reads).toBe(101);
  });
});
