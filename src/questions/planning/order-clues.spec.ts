import { type Mention } from '../linking/meaning.js';
import { orderClues, voiceOf } from './order-clues.js';
import { type SchemaWord } from './schema-word.js';

const mention = (text: string, own: string): Mention => {
  const start = text.indexOf(own);
  return { text: own, start, end: start + own.length, meanings: [] };
};
const order = (text: string, names: string[], asked: string | null, labels: string[] = []) => {
  const words = names.map((name): SchemaWord => ({ mention: mention(text, name), labels: new Set(labels.includes(name) ? [name] : []), relations: new Set(['r']), properties: [] })); // prettier-ignore
  const language = /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
  const orders = orderClues(text, mention(text, 'X'), words, words.find(word => word.mention.text === asked) ?? null, language);
  return orders.filter(({ cost }) => cost === 0).map(own => own.words.map(word => word.mention.text));
};

describe('orderClues', () => {
  it.each([
    ['who are the actors in films directed by X', ['actors', 'films', 'directed'], 'actors', ['directed', 'films', 'actors']],
    [
      'when did the films directed by the X director release',
      ['films', 'directed', 'director', 'release'],
      null,
      ['director', 'directed', 'films', 'release'],
    ],
    [
      'the films written by X were released in which years',
      ['films', 'written', 'released', 'years'],
      'years',
      ['written', 'films', 'released', 'years'],
    ],
    ['who is director of X written films', ['director', 'written', 'films'], 'director', ['written', 'films', 'director']],
    ['what films did X write', ['films', 'write'], 'films', ['write', 'films']],
    ['X供应的产品在哪些订单中', ['供应', '产品', '订单'], '订单', ['供应', '产品', '订单']],
  ])('%s', (text, words, asked, expected) => {
    expect(order(text, words, asked, ['films'])).toContainEqual(expected);
  });
});

describe('voiceOf', () => {
  it.each([
    ['who does X manage', 'manage', 'out'],
    ['who manages X', 'manages', 'in'],
    ['people managed by X', 'managed', 'out'],
    ['who was X managed by', 'managed', 'in'],
    ['X推荐了谁', '推荐', 'out'],
    ['谁推荐了X', '推荐', 'in'],
    ['被X推荐的人', '推荐', 'out'],
    ['X被谁推荐', '推荐', 'in'],
    ['the manager of X', 'manager', null],
  ])('%s: %s leads %s', (text, verb, direction) => {
    expect(voiceOf(text, mention(text, 'X'), mention(text, verb), false)).toBe(direction);
  });

  it('is turned round by a relation whose name is passive', () => {
    const text = 'who manages X';
    expect(voiceOf(text, mention(text, 'X'), mention(text, 'manages'), true)).toBe('out');
  });
});
