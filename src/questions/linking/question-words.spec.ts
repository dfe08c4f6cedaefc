import { type SynonymKind } from '../vocabulary.js';
import { questionWordsIn } from './question-words.js';

describe('questionWordsIn', () => {
  it.each([
    ['label', 'not in', 'not'],
    ['label', '不在', '不在'],
    ['name', 'germany only', 'only'],
    ['label', '不属于客户', '不属于'],
    ['label', 'at least', 'at least'],
    ['relation', 'up to', 'up to'],
    ['property', '不低于', '不低于'],
    ['property', '以上', '以上'],
    ['label', 'more than', 'more than'],
    ['label', 'best customers', 'best'],
    ['label', '哪些客户', '哪些'],
    ['label', 'most famous', 'most'],
    ['label', 'recent', 'recent'],
    ['name', 'the best', 'the best'],
  ] as [SynonymKind, string, string][])('finds what a %s called %s would swallow', (kind, text, word) => {
    expect(questionWordsIn(text, kind)).toBe(word);
  });

  it.each([
    ['name', '不锈钢杯'],
    ['label', '无人机'],
    ['name', 'best buy'],
    ['property', 'last name'],
    ['property', '海外价'],
    ['metric', '订单数'],
    ['metric', 'average price'],
    ['metric', 'market share'],
    ['relation', 'bought'],
    ['label', 'buyers'],
  ] as [SynonymKind, string][])('finds nothing in the %s %s', (kind, text) => {
    expect(questionWordsIn(text, kind)).toBeNull();
  });
});
