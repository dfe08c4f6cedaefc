import { normalizeText } from '../../graph-index/tokenize-text.js';
import { type KnownValue } from '../../graph-index/value-dictionary.js';

/** Sign at the end of a name: `C++`, `C#`, `A+`. The `+` of `a+b` does not match, and `signBehind` excludes the `+` of `4+`. */
const sign = /^(?:\+{1,2}|#)(?![a-z0-9+#])/;
const endSign = /(?:\+{1,2}|#)$/;

/** Matches a word, or a code such as `p2`, at the end of a text. */
const ofLetters = /[a-z][a-z0-9]{0,30}$/;

/** The sign behind a word, as a part of a name; '' if no sign follows the word. */
export function signBehind(text: string, end: number): string {
  return ofLetters.test(text.slice(Math.max(0, end - 31), end)) ? (sign.exec(text.slice(end))?.[0] ?? '') : '';
}

/** The minus behind a word, if all values that the word may name end with a minus; else ''. */
export function minusBehind(values: readonly KnownValue[], text: string, end: number): string {
  return isMinus(text, end) && values.length > 0 && values.every(({ value }) => normalizeText(value).endsWith('-')) ? '-' : '';
}

/** Whether a sign follows the word or code that ends at `end`, as in `D- firms`. A hyphen inside a word does not count. */
export function isSigned(text: string, end: number): boolean {
  return isMinus(text, end) || signBehind(text, end) !== '';
}

/** Whether a hyphen or a mathematical minus (U+2212, which normalising keeps) stands at an offset and ends a word. */
function isMinus(text: string, at: number): boolean {
  return /[-\u2212]/.test(text[at] ?? '') && !/[a-z0-9]/.test(text[at + 1] ?? '');
}

/** The sign with which a name ends; '' if it ends without a sign. */
export function signOf(name: string): string {
  return endSign.exec(name)?.[0] ?? '';
}

/**
 * The written value among values that differ only in their signs: `AA`, `AA+` and `AA-` have the same normal form. Empty if several values
 * are left, or if no value has the sign.
 */
export function valuesAsSigned(values: readonly KnownValue[], text: string, start: number, end: number): KnownValue[] {
  const behind = signBehind(text, end);
  const own = text.slice(start, end);
  const folded = values.map(value => ({ value, of: JSON.stringify([value.label, value.property]), form: normalizeText(value.value) }));
  if (behind !== '')
    return folded.filter(({ value, form }) => form.endsWith(behind) && signOf(value.value) === behind).map(({ value }) => value);
  // Collect the forms of the values of each property once, because a property may have thousands of values.
  const alike = new Map<string, { forms: Set<string>; count: number; isSigned: boolean }>();
  for (const { of, form } of folded) {
    const known = alike.get(of) ?? { forms: new Set(), count: 0, isSigned: false };
    known.forms.add(form);
    known.count++;
    known.isSigned ||= /[-+#]$/.test(form);
    alike.set(of, known);
  }
  const written = isMinus(text, end) ? `${own}-` : own;
  return folded
    .filter(({ of, form }) => {
      const { forms, count, isSigned } = alike.get(of)!;
      if (!isSigned) return true;
      return forms.has(written) ? form === written : count === 1 && written === own;
    })
    .map(({ value }) => value);
}
