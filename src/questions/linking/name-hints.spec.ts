import { NameHints } from './name-hints.js';

const hint = (question: string, name: string, method: 'looksLikeName' | 'mayBeName') => {
  const start = question.indexOf(name);
  return new NameHints(question, question.toLowerCase())[method](start, start + name.length);
};

describe('NameHints', () => {
  it.each([
    ['who starred in Her', 'Her', true],
    ['who starred in "her"', 'her', true],
    ['谁演了《她》', '她', true],
    ['who starred in her', 'her', false],
    ['Her films', 'Her', false],
    ['Who Starred In Her', 'Her', false],
    ['WHO STARRED IN HER', 'HER', false],
    ['The Director was made by whom', 'The Director', true],
    ['who made The War of the Roses', 'The War of the Roses', true],
    ['who made the War of the Roses', 'the War of the Roses', false],
    ['what did Also make', 'Also make', false],
  ])('%s: %s looks like a name: %s', (question, name, is) => {
    expect(hint(question, name, 'looksLikeName')).toBe(is);
  });

  it.each([
    ['orders of alfreds', 'alfreds', true],
    ['orders of Alfreds in harbour', 'harbour', false],
    ['orders of Alfreds', 'Alfreds', true],
  ])('%s: %s may be a name: %s', (question, name, is) => {
    expect(hint(question, name, 'mayBeName')).toBe(is);
  });
});
