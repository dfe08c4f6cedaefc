import { parsePropertyType, typeText } from '../mapping/property-type.js';
import { inferredType, sourceFamily } from '../staging/source-type.js';
import { type TableColumn } from '../../warehouse/clients/warehouse.client.js';

/** The most characters of the name of a column in a mapping. */
const longestName = 63;

export function isReadable({ name, type }: TableColumn): boolean {
  return type !== 'other' && [...name].length <= longestName;
}

export function isBinary({ type }: TableColumn): boolean {
  return type === 'bytea';
}

/** The type of a column as a mapping writes it. Null for numbers without bounds, which a mapping can only infer. */
export function typeOfColumn({ type }: TableColumn): string | null {
  const inferred = inferredType(sourceFamily(type));
  if (inferred.name !== 'numeric') return typeText(inferred);
  const [, precision, scale = '0'] = /^numeric\((\d+)(?:, ?(-?\d+))?\)$/.exec(type) ?? [];
  const written = `decimal(${precision},${scale})`;
  return parsePropertyType(written) && written;
}

/**
 * The kind of value as which a column is compared with a key, so that equal values have equal texts: 1 and 1.00 are one number and
 * two keys. Null for columns that are no keys.
 */
export function keyKind({ type }: TableColumn): string | null {
  const family = sourceFamily(type);
  switch (family) {
    case 'int':
    case 'bigint':
      return 'whole';
    case 'numeric': {
      const [, , scale = '0'] = /^numeric\((\d+)(?:, ?(-?\d+))?\)$/.exec(type) ?? [];
      if (type === 'numeric') return 'numeric';
      return scale === '0' ? 'whole' : `numeric ${scale}`;
    }
    case 'text': {
      const base = type.replace(/\(.*?\)/g, '').trim();
      return ['text', 'varchar', 'character varying', 'char', 'character', 'bpchar', 'name'].includes(base) ? 'text' : base;
    }
    case 'float':
      return type;
    case 'boolean':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'inet':
      return family;
    case 'json':
    case 'jsonb':
    case 'text[]':
    case 'int[]':
      return null;
    default:
      return family satisfies never;
  }
}

/** Tells whether values of the column may be guessed to be keys: whole numbers, texts and UUIDs. */
export function mayBeKey(column: TableColumn): boolean {
  return isReadable(column) && ['whole', 'text', 'uuid'].includes(keyKind(column) ?? '');
}
