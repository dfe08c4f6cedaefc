import { parsePropertyType, typeText } from '../mapping/property-type.js';
import { inferredType, sourceFamily } from '../staging/source-type.js';
import { type TableColumn } from '../../warehouse/clients/warehouse.client.js';

export function isBinary({ type }: TableColumn): boolean {
  return type === 'bytea';
}

/**
 * The type of a column in the spelling of a mapping. Null for a type that a mapping can only infer and not state: numeric without a
 * precision, numeric with a scale that `decimal` refuses, and lists of numeric.
 */
export function typeOfColumn({ type }: TableColumn): string | null {
  const inferred = inferredType(sourceFamily(type));
  if (inferred.name === 'numeric[]') return null;
  if (inferred.name !== 'numeric') return typeText(inferred);
  const [, precision, scale = '0'] = /^numeric\((\d+)(?:, ?(-?\d+))?\)$/.exec(type) ?? [];
  const written = `decimal(${precision},${scale})`;
  return parsePropertyType(written) && written;
}
