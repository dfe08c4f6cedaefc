import { type SchemaWord, withoutRepeatedObjects } from './schema-word.js';

const words = (text: string, found: string[]): SchemaWord[] =>
  found.map(own => ({
    mention: { text: own, start: text.indexOf(own), end: text.indexOf(own) + own.length, meanings: [] },
    labels: new Set(),
    relations: new Set(['written_by']),
    properties: [],
  }));

describe('withoutRepeatedObjects', () => {
  it.each([
    ['who wrote the script for Heat', ['wrote', 'script'], ['wrote']],
    ['films written by the writer of Heat', ['written', 'writer'], ['written', 'writer']],
    ['who wrote for the writer', ['wrote', 'writer'], ['wrote', 'writer']],
  ])('%s', (text, found, kept) => {
    expect(withoutRepeatedObjects(text, words(text, found)).map(({ mention }) => mention.text)).toEqual(kept);
  });
});
