import { withoutLength } from '../../sql/without-length.js';

/** The kind of a type. Types of one kind can be compared. */
export function kindOf(type: string): string {
  const base = withoutLength(type);
  if (['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision'].includes(base)) return 'number';
  return ['text', 'varchar', 'char'].includes(base) ? 'text' : base;
}
