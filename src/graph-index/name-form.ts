import { hashName } from './fnv.js';
import { compactText, normalizeText } from './tokenize-text.js';

/** The most characters of a name that are stored. A longer name is stored as its beginning and two hashes of the whole name. */
const longestKept = 240;

/**
 * The form in which names are kept and compared. Two names with the same form differ at most in case, marks, punctuation and traditional
 * characters.
 */
export function nameForm(text: string): string {
  return nameOfNormalized(normalizeText(text));
}

export function nameOfNormalized(normalized: string): string {
  const name = compactText(normalized);
  if (name.length <= longestKept) return name;
  const hashes = hashName(name).flatMap(hash => [hash >>> 16, hash & 0xffff]);
  return `${name.slice(0, longestKept)}\0${String.fromCharCode(...hashes)}`;
}
