import { compactText, cutPieces, normalizeText, termsOfQuery, termsOfText } from './tokenize-text.js';

describe('normalizeText', () => {
  it.each([
    ['CHAI', 'chai'],
    ['Königlich', 'koniglich'],
    ['Straße Łódź', 'strasse lodz'],
    ['ｍａｔｅ', 'mate'],
    ['が', 'が'],
    ['臺灣省臺東縣', '台湾省台东县'],
    ['什麼什么', '什么什么'],
    ['裏裡里', '里里里'],
  ])('writes %s as %s', (text, normal) => {
    expect(normalizeText(text)).toBe(normal);
  });
});

describe('cutPieces', () => {
  it('separates words from runs of CJK characters, with their places, and drops everything in between', () => {
    expect(cutPieces('华为mate 60, 手机')).toEqual([
      { text: '华为', kind: 'cjk', start: 0, end: 2 },
      { text: 'mate', kind: 'word', start: 2, end: 6 },
      { text: '60', kind: 'word', start: 7, end: 9 },
      { text: '手机', kind: 'cjk', start: 11, end: 13 },
    ]);
  });
});

describe('termsOfText', () => {
  it.each([
    ['unit price', ['unit', 'price']],
    ['华为手', ['华为', '为手', '手']],
    ['𠮷野', ['𠮷野', '野']],
  ])('splits %s into %j', (text, terms) => {
    expect(termsOfText(text)).toEqual(terms);
  });
});

describe('termsOfQuery', () => {
  it.each([
    ['unit price', ['unit', 'price']],
    ['华为手', ['华为', '为手']],
    ['华', ['华']],
    ['𠮷', ['𠮷']],
  ])('splits %s into %j', (text, terms) => {
    expect(termsOfQuery(text).map(term => term.text)).toEqual(terms);
  });
});

describe('compactText', () => {
  it.each([
    ["chef anton's  (cajun)", 'chef anton s cajun'],
    ['华为 mate-60', '华为mate 60'],
    ['· ·', ''],
  ])('writes %s as %j', (text, compact) => {
    expect(compactText(text)).toBe(compact);
  });
});
