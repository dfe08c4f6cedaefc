import { type ColumnMapping, type ListType, type PropertyType } from '../mapping/mapping.js';
import { withoutLength } from '../../sql/without-length.js';

/** The family of a source column's type. Staging treats all types of one family alike. */
export type SourceFamily = ScalarFamily | `${ScalarFamily}[]`;

type ScalarFamily =
  | 'text'
  | 'int'
  | 'bigint'
  | 'numeric'
  | 'float'
  | 'boolean'
  | 'date'
  | 'time'
  | 'timetz'
  | 'timestamp'
  | 'timestamptz'
  | 'interval'
  | 'json'
  | 'jsonb'
  | 'inet';

/** The PostgreSQL types whose whole meaning is in their text, so that a string property loses nothing. */
const textTypes = new Set([
  'text',
  'varchar',
  'char',
  'bpchar',
  '"char"',
  'name',
  'uuid',
  'citext',
  'cidr',
  'macaddr',
  'macaddr8',
  'xml',
  'bit',
  'bit varying',
]);
/** The families whose arrays are not read as lists. Such arrays are read as text. */
const unlisted = new Set<SourceFamily>(['json', 'jsonb', 'inet']);

export function isFamilyList(family: SourceFamily): family is `${ScalarFamily}[]` {
  return family.endsWith('[]');
}

export function itemFamily(family: SourceFamily): SourceFamily {
  return (isFamilyList(family) ? family.slice(0, -2) : family) as SourceFamily;
}

/** Whether the graph can store values of a type only as text although the type means more than a text, such as a range or a point. */
export function isKeptAsText(type: string): boolean {
  return sourceFamily(type) === 'text' && !textTypes.has(baseOf(type));
}

function baseOf(type: string): string {
  return withoutLength(type.toLowerCase())
    .replace(/^interval [a-z ]+/, 'interval')
    .replace(/^time with time zone/, 'timetz')
    .trim();
}

/** The family of a PostgreSQL type. `type` has PostgreSQL's short spelling, such as `numeric(12,2)` or `timestamptz`. */
export function sourceFamily(type: string): SourceFamily {
  const base = baseOf(type);
  if (base.endsWith('[]')) {
    const item = base.slice(0, -2);
    const family = sourceFamily(item);
    // Lists of whole numbers belong to the family `int[]`, and their items have 64 bits.
    if (family === 'bigint') return 'int[]';
    return isFamilyList(family) || unlisted.has(family) || (family === 'text' && !textTypes.has(item))
      ? 'text'
      : `${family as ScalarFamily}[]`;
  }
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
    case 'timetz':
    case 'timestamp':
    case 'timestamptz':
    case 'interval':
    case 'json':
    case 'jsonb':
    case 'inet':
      return base;
    default:
      return 'text';
  }
}

/** The property type of a column whose mapping states no type. */
export function inferredType(family: SourceFamily): PropertyType | { name: 'numeric' } | { name: 'numeric[]' } {
  if (isFamilyList(family)) return { name: `${inferredType(itemFamily(family)).name}[]` } as ListType | { name: 'numeric[]' };
  switch (family) {
    case 'text':
    case 'inet':
      return { name: 'string' };
    case 'timestamp':
    case 'timestamptz':
      return { name: 'datetime' };
    case 'jsonb':
      return { name: 'json' };
    case 'interval':
      return { name: 'duration' };
    default:
      return { name: family };
  }
}

/** The type of a mapped column: the type that the mapping states, or else the type of its values after the transforms. */
export function resolvedType({ source, type, transform }: ColumnMapping, family: SourceFamily): ReturnType<typeof inferredType> {
  if (type !== null) return type;
  if (transform.some(({ kind }) => kind === 'number_cn')) return { name: 'numeric' };
  if (source.kind === 'constant' && transform.length === 0) return { name: source.type };
  return inferredType(family);
}
