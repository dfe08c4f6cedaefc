import {
  classifyValue,
  DATE,
  type Kind,
  KIND_TYPES,
  LOSSY,
  TEXT,
  TIMESTAMP,
  TIMESTAMPTZ,
  UNKNOWN,
  widenKind,
} from '../../files/csv-values.js';
import { INTS, TEXTS } from '../../files/json-reader.js';

/* A JSON value has one of the kinds of a CSV value (see csv-values.ts) or one of these. */
export const DOCUMENT = 11;
export const EMPTY_LIST = 12;
export const INT_LIST = 13;
export const TEXT_LIST = 14;

const nestedTypes: Record<number, string> = { [DOCUMENT]: 'jsonb', [EMPTY_LIST]: 'text[]', [INT_LIST]: 'integer[]', [TEXT_LIST]: 'text[]' };

/** The PostgreSQL type of a kind; null for a column without values. */
export function typeOfKind(kind: number): string | null {
  if (kind === UNKNOWN) return null;
  return nestedTypes[kind] ?? KIND_TYPES[kind as Kind];
}

/** The kind of a JSON string. A string is never a number or a boolean, whatever it looks like. */
export function kindOfString(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return TEXT;
  const found = classifyValue(bytes, start, end);
  const kind = found & ~LOSSY;
  return kind === DATE || kind === TIMESTAMP || kind === TIMESTAMPTZ ? found : TEXT;
}

/** The kind of an object or list. It is always lossy, because PostgreSQL spells such a value differently from the file. */
export function kindOfNested(elements: number): number {
  if (elements === 0) return EMPTY_LIST | LOSSY;
  return (elements === TEXTS ? TEXT_LIST : elements === INTS ? INT_LIST : DOCUMENT) | LOSSY;
}

/** Returns the narrowest kind that fits both the values so far (kind `kind`) and a further value (kind `value`). */
export function joinKinds(kind: number, value: number): number {
  if (kind === value || kind === UNKNOWN) return value;
  if (kind < DOCUMENT && value < DOCUMENT) return widenKind(kind, value);
  if (kind < DOCUMENT || value < DOCUMENT) return TEXT;
  if (kind === EMPTY_LIST) return value;
  return value === EMPTY_LIST ? kind : DOCUMENT;
}
