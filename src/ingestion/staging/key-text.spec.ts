import { isPlainText, keyText } from './key-text.js';

const part = (text: string, isPlain: boolean) => ({ text, isPlain });

describe('keyText', () => {
  it('keeps the text of one column as it is', () => {
    expect(keyText([part('v0', false)])).toBe('v0');
  });

  it('joins several columns into the text of a JSON array, built by hand when nothing needs escaping', () => {
    expect(keyText([part('v0', true), part('v1', true)])).toBe(`'["' || v0 || '", "' || v1 || '"]'`);
    expect(keyText([part('v0', true), part('v1', false)])).toBe('jsonb_build_array(v0, v1)::text');
  });
});

describe('isPlainText', () => {
  it.each([
    ['int', true],
    ['timestamptz', true],
    ['text', false],
    ['json', false],
    ['text[]', false],
  ] as const)('answers for %s: %s', (family, is) => {
    expect(isPlainText(family)).toBe(is);
  });
});
