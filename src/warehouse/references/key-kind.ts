import { type TableColumn } from '../clients/warehouse.client.js';
import { fitsIdentifier, isSystemColumn } from '../../sql/quote-identifier.js';
import { withoutLength } from '../../sql/without-length.js';

/** The names of PostgreSQL's types for texts. */
const texts = new Set(['text', 'varchar', 'character varying', 'char', 'character', 'bpchar', 'name']);

/**
 * Returns whether a mapping or a binding may use the column: PostgreSQL has its type and accepts its name, and the connection's user may
 * read it. A column that this user may not read has the type `other`.
 */
export function isReadable({ name, type }: TableColumn): boolean {
  return type !== 'other' && name !== '' && fitsIdentifier(name) && !isSystemColumn(name);
}

/**
 * The kind of values for comparing a column with a key. Within a kind, equal values have equal texts. As texts, 1 and 1.00 are different
 * keys, so numbers of different scale are different kinds. Null for columns that cannot be keys.
 */
export function keyKind({ type }: TableColumn): string | null {
  const base = withoutLength(type).trim();
  if (base.endsWith('[]') || base === 'json' || base === 'jsonb') return null;
  if (base === 'smallint' || base === 'integer' || base === 'bigint') return 'whole';
  if (base === 'numeric' && type !== 'numeric') {
    const [, scale = '0'] = /^numeric\(\d+, ?(-?\d+)\)$/.exec(type) ?? [];
    return scale === '0' ? 'whole' : `numeric ${scale}`;
  }
  return texts.has(base) ? 'text' : base;
}

/**
 * The kind of values for comparing a column that may refer to a key with that key. A graph compares numeric keys by value, so that 12.0
 * equals 12: all numbers are one kind. Null for columns that cannot be keys.
 */
export function matchKind(column: TableColumn): string | null {
  const kind = keyKind(column);
  return kind !== null && /^(whole|numeric|real|double precision)\b/.test(kind) ? 'number' : kind;
}

/** Returns whether a column may be a guessed reference by its type: numbers, texts and UUIDs. Its name must fit too. */
export function mayRefer(column: TableColumn): boolean {
  return isReadable(column) && ['number', 'text', 'uuid'].includes(matchKind(column) ?? '');
}

/** Returns whether a column may be a guessed key by its type: whole numbers, texts and UUIDs. */
export function mayBeKey(column: TableColumn): boolean {
  return isReadable(column) && ['whole', 'text', 'uuid'].includes(keyKind(column) ?? '');
}
