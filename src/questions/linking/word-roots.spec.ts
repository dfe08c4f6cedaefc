import { isAgentNoun, isVerbForm, rootOf, stemOf } from './word-roots.js';

describe('rootOf', () => {
  it.each([
    'direct directs directed director directors directing',
    'act acts acted actor actress actresses',
    'star starred starring stars',
    'write wrote written writer writers writing',
    'supply supplies supplied supplier suppliers supplying',
    'order orders ordered',
    'release released releases releasing',
    'language languages',
    'category categories',
    'buy bought buyer buyers buys',
  ])('%s have one root', family => {
    expect(new Set(family.split(' ').map(rootOf)).size).toBe(1);
  });

  it.each([
    ['director', 'direction'],
    ['user', 'us'],
    ['price', 'prize'],
    ['客户', '客人'],
  ])('%s and %s have not', (a, b) => {
    expect(rootOf(a)).not.toBe(rootOf(b));
  });
});

describe('words that every object has', () => {
  it.each(['constructor', '__proto__'])('%s is a word like any other', word => {
    expect([rootOf(word), isVerbForm(word)]).toEqual([/^[a-z]+$/.test(word) ? 'construct' : word, false]);
  });
});

describe('stemOf', () => {
  it('makes one of the forms of a word, and keeps who does it apart', () => {
    expect(['supplies', 'supplied', 'supply'].map(stemOf)).toEqual(['supply', 'supply', 'supply']);
    expect(['suppliers', 'supplier'].map(stemOf)).toEqual(['supplier', 'supplier']);
  });
});

describe('isAgentNoun', () => {
  it.each([
    ['directors', true],
    ['actress', true],
    ['supplier', true],
    ['written', false],
    ['language', false],
    ['movies', false],
  ])('%s: %s', (word, is) => {
    expect(isAgentNoun(word)).toBe(is);
  });
});

describe('isVerbForm', () => {
  it.each([
    ['directed', true],
    ['wrote', true],
    ['starring', true],
    ['director', false],
    ['people', false],
  ])('%s: %s', (word, is) => {
    expect(isVerbForm(word)).toBe(is);
  });
});
