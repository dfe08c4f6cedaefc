import { isPlainText, type KeyPart, keyText } from './key-text.js';

const part = (text: string, isPlain: boolean): KeyPart => ({ text, isPlain, isRequired: true, isShort: true });

describe('keyText', () => {
  it('of one column is its text', () => {
    expect(keyText([part('v0', false)])).toBe('v0');
  });

  it('of several columns is the text of a JSON array, built by hand when nothing needs escaping', () => {
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
  ] as const)('of %s is %s', (family, is) => {
    expect(isPlainText(family)).toBe(is);
  });
});
