import { type CypherValue } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { spend } from '../syntax/effort.js';
import { isDuration, isTemporal } from './temporal/is-temporal.js';
import { temporalText } from './temporal/temporal-text.js';

export { typeNameOf } from './type-names.js';

/** The text of a value as toString() gives it. Null for null, lists, maps, nodes, edges and paths, which have no text. */
export function textOf(value: CypherValue): string | null {
  if (typeof value === 'string') return value;
  spend(10);
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return textOfFloat(value);
  if (value instanceof Decimal) return value.normalized().toString();
  return isTemporal(value) || isDuration(value) ? temporalText(value) : null;
}

/** The text of a float as Java prints a double: always with a decimal point, and with an exponent below 0.001 and from 10,000,000 on. */
function textOfFloat(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (value === 0) return '0.0';
  if (size >= 1e-3 && size < 1e7) return Number.isInteger(value) ? `${value}.0` : String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
}
