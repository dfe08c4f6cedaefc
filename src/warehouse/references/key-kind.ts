import { type TableColumn } from '../clients/warehouse.client.js';
import { fitsIdentifier, isSystemColumn } from '../../sql/quote-identifier.js';
import { withoutLength } from '../../sql/without-length.js';

/** The names of PostgreSQL's types for texts. */
const texts = new Set(['text', 'varchar', 'character varying', 'char', 'character', 'bpchar', 'name']);

/**
 * Tells whether PostgreSQL has the type of the column and takes its name, and the connection's user may read it, so that a mapping or a
 * binding may use the column.
 */
export function isReadable({ name, type }: TableColumn): boolean {
  return type !== 'other' && name !== '' && fitsIdentifier(name) && !isSystemColumn(name);
}

/**
 * The kind of value as which a column is compared with a key. Within a kind, equal values have equal texts: 1 and 1.00 are the same number
 * but two different keys, so numbers of different scale are different kinds. Null for columns that cannot be keys.
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
 * The kind of value as which a column that refers is compared with a key. Keys of a graph compare numbers by their value, so that 12.0 is
 * 12: all numbers are one kind. Null for columns that cannot be keys.
 */
export function matchKind(column: TableColumn): string | null {
  const kind = keyKind(column);
  return kind !== null && /^(whole|numeric|real|double precision)\b/.test(kind) ? 'number' : kind;
}

/** Tells whether values of the column may be guessed to be a key or to refer to one, if its name says so: numbers, texts and UUIDs. */
export function mayRefer(column: TableColumn): boolean {
  return isReadable(column) && ['number', 'text', 'uuid'].includes(matchKind(column) ?? '');
}

/** Tells whether values of the column may be guessed to be keys: whole numbers, texts and UUIDs. */
export function mayBeKey(column: TableColumn): boolean {
  return isReadable(column) && ['whole', 'text', 'uuid'].includes(keyKind(column) ?? '');
}
