import { normalizeText } from '../../graph-index/tokenize-text.js';
import { type KnownValue } from '../../graph-index/value-dictionary.js';

/** `C++`, `C#`, `A+`. Of `4+` and `a+b` it is none. */
const sign = /^(?:\+{1,2}|#)(?![a-z0-9+#])/;
const endSign = /(?:\+{1,2}|#)$/;

/** The sign behind a word, which is a part of its name. */
export function signBehind(text: string, end: number): string {
  return /[a-z]/.test(text[end - 1] ?? '') ? (sign.exec(text.slice(end))?.[0] ?? '') : '';
}

/** The sign with which a name ends. */
export function signOf(name: string): string {
  return endSign.exec(name)?.[0] ?? '';
}

/**
 * Of values that are alike apart from signs, the one that is written: `AA`, `AA+` and `AA-` have one form. None if several are left, or
 * none has the sign.
 */
export function valuesAsSigned(values: readonly KnownValue[], text: string, start: number, end: number): KnownValue[] {
  const behind = signBehind(text, end);
  const own = text.slice(start, end);
  return values.filter(({ label, property, value }) => {
    const alike = values.filter(other => other.label === label && other.property === property).map(other => normalizeText(other.value));
    if (behind !== '') return normalizeText(value).endsWith(behind) && signOf(value) === behind;
    if (alike.every(other => !/[-+#]$/.test(other))) return true;
    const isMinus = text[end] === '-' && !/[a-z0-9]/.test(text[end + 1] ?? '') && alike.includes(`${own}-`);
    const written = isMinus ? `${own}-` : own;
    return alike.includes(written) ? normalizeText(value) === written : alike.length === 1;
  });
}
