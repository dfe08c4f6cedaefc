import { temporalFunctions } from '../../cypher/values/temporal/temporal-functions.js';
import { type CypherValue, isMap } from '../../cypher/values/cypher-value.js';
import { Decimal } from '../../cypher/values/decimal.js';
import { floatOf, isNumber } from '../../cypher/values/numbers.js';
import { readJsonValue } from '../../cypher/values/read-json-value.js';
import { ValueFault } from '../../cypher/values/value-fault.js';
import { type NumberKind } from '../../graph-index/property-column.js';
import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';

/** The types of the properties of one label or edge type, by name; `mixed` where its sources disagree. */
export type PropertyTypes = ReadonlyMap<string, string>;

const now = { epochNanoseconds: 0n, timeZone: 'UTC' };

export function propertyTypesOf(properties: readonly PropertySchema[]): PropertyTypes {
  const types = new Map<string, string>();
  for (const { name, type } of properties) {
    const word = type.replace(/\(.*/, '').trim().toLowerCase();
    types.set(name, (types.get(name) ?? word) === word ? word : 'mixed');
  }
  return types;
}

/** Reads the properties of a node or edge as the graph's tables hold them. */
export function readProperties(text: string, types: PropertyTypes): ReadonlyMap<string, CypherValue> {
  const read = readJsonValue(text);
  const properties = new Map<string, CypherValue>();
  if (isMap(read)) for (const [name, value] of read) if (value !== null) properties.set(name, toValue(value, types.get(name)));
  return properties;
}

/** Reads the JSON text of one property. Null for a value that is none. */
export function readProperty(json: string, type: string | undefined): CypherValue {
  const value = readJsonValue(json);
  return value === null ? null : toValue(value, type);
}

/** How the numbers of a type are read, if that needs no more than the number. */
export function numberKindOf(type: string | undefined): NumberKind {
  if (type === 'float') return 'float';
  return type === undefined || ['int', 'bigint', 'mixed'].includes(type) ? 'integer' : null;
}

function toValue(value: CypherValue, type: string | undefined): CypherValue {
  switch (type) {
    case 'float':
      return isNumber(value) ? floatOf(value) : value;
    case 'decimal':
      return typeof value === 'bigint' ? Decimal.of(value) : value;
    case 'date':
      return timeOf('date', value);
    case 'datetime':
      return timeOf(typeof value === 'string' && /(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(value.slice(10)) ? 'datetime' : 'localdatetime', value);
    default:
      return value;
  }
}

/** The time of a text, which it keeps for the answer. A text that is none stays a text. */
function timeOf(kind: 'date' | 'datetime' | 'localdatetime', value: CypherValue): CypherValue {
  if (typeof value !== 'string') return value;
  try {
    const time = temporalFunctions[kind]!.call([value.replace(' ', 'T')], now);
    return time === null ? value : Object.assign(time, { source: value });
  } catch (error) {
    if (error instanceof ValueFault) return value;
    throw error;
  }
}
