import { Pace } from '../../common/turns/pace.js';
import { Lexicon } from './lexicon.js';
import { linkQuestion, type NameSource } from './link-question.js';

const noNames: NameSource = {
  findByName: () => [],
  findValues: () => [],
  search: () => Promise.resolve({ hits: [], total: 0, corrections: [], unread: 0 }),
};

/** Links a question over a graph of passengers that have the given properties. */
const link = async (question: string, properties: string[], names: Partial<NameSource> = {}) => {
  const label = {
    name: 'Passenger',
    aliases: [],
    displayProperty: null,
    keyProperties: [],
    properties: properties.map(name => ({ name, type: 'string' })),
    rowCount: 9,
  };
  const lexicon = await Lexicon.build({ labels: [label], edges: [] }, [], new Pace());
  return linkQuestion(question, '2026-11-20', lexicon, { ...noNames, ...names });
};
const kindsOf = ({ mentions }: Awaited<ReturnType<typeof link>>) =>
  mentions.map(mention => [mention.text, mention.meanings[0]?.as === 'intent' ? mention.meanings[0].intent.kind : mention.meanings[0]?.as]);

describe('linkQuestion', () => {
  it.each([
    ['How many passengers are not gold?', ['note'], ['not', 'negation']],
    ['How many passengers are not gold?', ['not'], ['not', 'negation']],
    ['average passenger', ['averages'], ['average', 'aggregate']],
    ['count of passengers', ['counts'], ['count of', 'count']],
    ['the notes of passengers', ['note'], ['notes', 'property']],
    ['the total of passengers', ['total'], ['total of', 'aggregate']],
    ['passengers and seats', ['seat'], ['seats', 'property']],
  ])('%s, with a property %j: %j', async (question, properties, mention) => {
    expect(kindsOf(await link(question, properties))).toContainEqual(mention);
  });

  it.each([
    ['seat 299', 'passenger', false],
    ['passengers with seat 299', 'passenger', false],
    ['who is 299', 'passenger', true],
    ['who is 29', 'passenger', false],
    ['passenger 299', 'passenger', true],
    ['show 299 passengers', 'seat', false],
  ])('%s: 299 is a %s: %s', async (question, _, isNamed) => {
    const { mentions, unknown } = await link(question, ['seat'], {
      findByName: text => (text === '299' ? [{ id: 1, label: 'Passenger', by: 'key' }] : []),
      search: () =>
        Promise.resolve({
          hits: [{ id: 1, label: 'Passenger', score: 1, exact: false, coverage: 1 }],
          total: 1,
          corrections: [],
          unread: 0,
        }),
    });
    expect([mentions.some(mention => mention.meanings[0]?.as === 'entity'), unknown.length > 0]).toEqual([isNamed, !isNamed]);
  });

  it.each([
    ['how many passengers were sold', 'sold', false],
    ['passengers of old', null, false],
    ['passengers of harbour', null, true],
    ['passengers of harbuor gate', 'harbuor', true],
  ])('%s, with %s corrected: names a node: %s', async (question, from, isNamed) => {
    const hit = { id: 1, label: 'Passenger', score: 1, exact: false, coverage: 1 };
    const { mentions, unknown } = await link(question, [], {
      search: text =>
        Promise.resolve({
          hits: [hit],
          total: 1,
          corrections: from !== null && text.includes(from) ? [{ from, to: 'old' }] : [],
          unread: 0,
        }),
    });
    expect([mentions.some(mention => mention.meanings[0]?.as === 'entity'), unknown.length > 0]).toEqual([isNamed, !isNamed]);
  });

  it('reads a negation as a negation, though a value is spelt like it', async () => {
    const findValues: NameSource['findValues'] = text =>
      text === 'without' ? [{ label: 'Passenger', property: 'seat', value: 'Without' }] : [];
    expect(kindsOf(await link('passengers without seats', [], { findValues }))).toContainEqual(['without', 'negation']);
  });

  it.each([
    ['which passengers live in Oslo', []],
    ['passengers based in Oslo', []],
    ['which passengers are live', ['live']],
    ['passengers of Live in Paris', ['live in paris']],
  ])('%s: values named are %j', async (question, values) => {
    const findValues: NameSource['findValues'] = text =>
      ['live', 'based', 'live in paris'].includes(text) ? [{ label: 'Passenger', property: 'seat', value: text }] : [];
    const { mentions, unknown } = await link(question, [], { findValues });
    expect(mentions.filter(({ meanings }) => meanings[0]?.as === 'value').map(({ text }) => text)).toEqual(values);
    expect(unknown).not.toContain('live');
  });
});
