import { type ColumnMapping, type PropertyType } from '../mapping/mapping.js';

/** The kind of a source column, as far as staging treats its values differently. */
export type SourceFamily =
  | 'text'
  | 'int'
  | 'bigint'
  | 'numeric'
  | 'float'
  | 'boolean'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'json'
  | 'jsonb'
  | 'inet'
  | 'text[]'
  | 'int[]';

/** `type` is a PostgreSQL type in the short spelling of the wire, such as `numeric(12,2)` or `timestamptz`. */
export function sourceFamily(type: string): SourceFamily {
  const base = type
    .toLowerCase()
    .replace(/\(.*?\)/g, '')
    .trim();
  switch (base) {
    case 'smallint':
    case 'integer':
      return 'int';
    case 'bigint':
      return 'bigint';
    case 'numeric':
      return 'numeric';
    case 'real':
    case 'double precision':
      return 'float';
    case 'boolean':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'json':
    case 'jsonb':
    case 'inet':
      return base;
    case 'text[]':
    case 'varchar[]':
      return 'text[]';
    case 'integer[]':
    case 'smallint[]':
    case 'bigint[]':
      return 'int[]';
    default:
      return 'text';
  }
}

/** The property type of a column whose mapping names none. */
export function inferredType(family: SourceFamily): PropertyType | { name: 'numeric' } {
  switch (family) {
    case 'text':
    case 'inet':
      return { name: 'string' };
    case 'timestamp':
    case 'timestamptz':
      return { name: 'datetime' };
    case 'jsonb':
      return { name: 'json' };
    case 'text[]':
      return { name: 'string[]' };
    default:
      return { name: family };
  }
}

/** The type of a mapped column: the mapping's, or the one that its values have after their transforms. */
export function resolvedType({ source, type, transform }: ColumnMapping, family: SourceFamily): PropertyType | { name: 'numeric' } {
  if (type !== null) return type;
  if (transform.some(({ kind }) => kind === 'number_cn')) return { name: 'numeric' };
  if (source.kind === 'constant' && transform.length === 0) return { name: source.type };
  return inferredType(family);
}
