import { temporalFunctions } from '../../cypher/values/temporal/temporal-functions.js';
import { type CypherValue, isList, isMap } from '../../cypher/values/cypher-value.js';
import { Decimal } from '../../cypher/values/decimal.js';
import { floatOf, isNumber } from '../../cypher/values/numbers.js';
import { readJsonValue } from '../../cypher/values/read-json-value.js';
import { ValueFault } from '../../cypher/values/value-fault.js';
import { wordOf } from '../../cypher/values/value-type.js';
import { type NumberKind } from '../../graph-index/property-column.js';
import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { withIsoYear } from '../../text/iso-years.js';

/** The type of each property of one label or edge type, by property name; `mixed` where the sources of the label or type disagree. */
export type PropertyTypes = ReadonlyMap<string, string>;

const now = { epochNanoseconds: 0n, timeZone: 'UTC' };

export function propertyTypesOf(properties: readonly PropertySchema[]): PropertyTypes {
  const types = new Map<string, string>();
  for (const { name, type } of properties) {
    const word = wordOf(type);
    types.set(name, (types.get(name) ?? word) === word ? word : 'mixed');
  }
  return types;
}

/** Converts the JSON text of an element's properties, as the graph's tables hold it, to Cypher values. */
export function readProperties(text: string, types: PropertyTypes): ReadonlyMap<string, CypherValue> {
  const read = readJsonValue(text);
  const properties = new Map<string, CypherValue>();
  if (isMap(read)) for (const [name, value] of read) if (value !== null) properties.set(name, toValue(value, types.get(name)));
  return properties;
}

/** Converts the JSON text of one property to a Cypher value; null if the text holds no usable value. */
export function readProperty(json: string, type: string | undefined): CypherValue {
  const value = readJsonValue(json, type?.startsWith('float'));
  return value === null ? null : toValue(value, type);
}

/**
 * The kind in which the numbers of a property are kept in memory. Null for a type whose values are kept as texts, such as decimal or date.
 */
export function numberKindOf(type: string | undefined): NumberKind {
  if (type === 'float') return 'float';
  return type === undefined || ['bigint', 'mixed'].includes(type) ? 'integer' : null;
}

function toValue(value: CypherValue, type = 'mixed'): CypherValue {
  if (value === null) return null;
  if (type.endsWith('[]')) return isList(value) ? value.map(item => toValue(item, type.slice(0, -2))) : value;
  switch (type) {
    case 'float':
      return isNumber(value) ? floatOf(value) : value;
    case 'decimal':
      return typeof value === 'bigint' ? Decimal.of(value) : value;
    case 'date':
    case 'localdatetime':
    case 'duration':
      return timeOf(type, value);
    case 'time':
      return timeOf('localtime', value);
    case 'timetz':
      return timeOf('time', value);
    case 'datetime':
      return timeOf(typeof value === 'string' && zoned.test(value) ? 'datetime' : 'localdatetime', value);
    default:
      return value;
  }
}

/** A date and time with an offset. PostgreSQL writes the seconds of an offset before standard time: `1900-01-01T00:00:00+08:05:43`. */
const zoned = /^.{10,}(?:Z|[+-]\d\d(?::?\d\d){0,2})(?: BC)?$/;

/** Reads a time or duration and keeps its text for the answer. A text that is not a time stays a text. */
function timeOf(kind: 'date' | 'localtime' | 'time' | 'localdatetime' | 'datetime' | 'duration', value: CypherValue): CypherValue {
  if (typeof value !== 'string') return value;
  const text = withIsoYear(value).replace(' ', 'T');
  try {
    const time = temporalFunctions[kind]!.call([text], now);
    return time === null ? value : withSource(time, text);
  } catch (error) {
    if (error instanceof ValueFault) return value;
    throw error;
  }
}

/** A stored time with its text, which answers show. `temporalText` would leave out seconds that are zero. */
interface OfSource {
  readonly source?: string;
}

/** The property is not enumerable, so that a value made from the fields of a stored time never has the text of the stored time. */
function withSource(time: CypherValue, source: string): CypherValue {
  return Object.defineProperty(time as object, 'source', { value: source }) as CypherValue;
}

/** The text of a stored time or duration as the graph holds it; undefined for a value that was computed. */
export function sourceText(time: CypherValue): string | undefined {
  return (time as OfSource).source;
}
