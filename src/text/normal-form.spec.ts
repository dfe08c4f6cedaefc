import { inNormalForm, isMark } from './normal-form.js';

it('isMark knows all characters that a normal form turns into marks', () => {
  const turned: string[] = [];
  for (let code = 0; code <= 0x10_ffff; code++) {
    const character = String.fromCodePoint(code);
    if (/^\p{M}/u.test(character.normalize('NFKD')) !== isMark(character)) turned.push(code.toString(16));
  }
  // U+0E33 and U+0EB3 begin with marks of the class 0, which are not sorted.
  expect(turned).toEqual(['e33', 'eb3']);
});

describe('inNormalForm', () => {
  it('is the normal form of Unicode', () => {
    for (const text of ['', 'Ａé①ﬁ한글', 'e\u0301\u0323', 'ｶ\uff9e', `a${'\u0301'.repeat(30)}`, '\u0e33\u0301'])
      for (const form of ['NFC', 'NFD', 'NFKC'] as const) expect(inNormalForm(text, form)).toBe(text.normalize(form));
  });

  it('keeps all marks of a letter with 200 marks', () => {
    const marks = '\u0315'.repeat(100) + '\u0327'.repeat(100);
    expect([...inNormalForm(`a${marks}b`, 'NFC')].sort()).toEqual([...`a${marks}b`].sort());
  });

  // In time that grows with the square of its length, each text would take minutes.
  it.each([
    ['of two classes', `a${'\u0315'.repeat(240_000)}${'\u0327'.repeat(240_000)}`],
    ['that are letters before', `a${'\uff9e\u093c'.repeat(240_000)}`],
  ])('takes half a million marks %s', (_, text) => {
    expect(inNormalForm(text, 'NFKC')).toHaveLength(text.length);
  });
});
