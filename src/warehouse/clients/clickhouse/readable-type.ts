import { quoteText } from './quote-name.js';
import { elementTypeOf, isNullable, type NativeType, valueTypeOf } from './native-type.js';

/** How the values of a ClickHouse type are read. */
export interface ReadableType {
  /** The PostgreSQL type that can hold every value, or `other` if there is none. */
  type: string;
  /**
   * SQL that turns the value of a column into a form whose text PostgreSQL parses as `type`. @param column the quoted name of the column
   */
  read: (column: string) => string;
  /** SQL for the value in a sample of rows. PostgreSQL does not store a sample, so the value need not fit `type`. By default `read`. */
  show?: (column: string) => string;
  /** SQL that is true for values of the column that PostgreSQL cannot store. @param value the name of the result of `read` */
  unfit?: (value: string) => string;
  /** SQL for the text of a value as an element of a PostgreSQL array literal. */
  element?: (value: string) => string;
  /**
   * The filter of an incremental read: a row is included if `left` is at least `right`, or if `also` is true. `right` contains the query
   * parameter `since`.
   */
  since?: { left: (column: string) => string; right: string; also?: (column: string) => string };
}

/** The PostgreSQL type by ClickHouse type, for the types whose text in ClickHouse PostgreSQL can parse unchanged. */
const sameTexts: Record<string, string> = {
  Bool: 'boolean',
  Int8: 'smallint',
  UInt8: 'smallint',
  Int16: 'smallint',
  UInt16: 'integer',
  Int32: 'integer',
  UInt32: 'bigint',
  Int64: 'bigint',
  UInt64: 'numeric(20)',
  Int128: 'numeric',
  UInt128: 'numeric',
  Int256: 'numeric',
  UInt256: 'numeric',
  BFloat16: 'real',
  Float32: 'real',
  Float64: 'double precision',
  Date: 'date',
  Date32: 'date',
  UUID: 'uuid',
  // IP addresses are text and not inet, because PostgreSQL writes an inet with a mask in some places and without one in others.
  IPv4: 'text',
  IPv6: 'text',
};

const texts = new Set(['String', 'FixedString', 'Enum8', 'Enum16']);
/** The most decimal places of a second that PostgreSQL keeps. */
const mostSecondDigits = 6;
/** SQL that is true for texts with NUL or with bytes that are not UTF-8. ClickHouse stores such texts, PostgreSQL does not. */
const unfitText = (value: string): string => `NOT isValidUTF8(${value}) OR position(${value}, '\\0') > 0`;
const asItIs = (column: string): string => column;
const none: ReadableType = { type: 'other', read: asItIs };

export function readableTypeOf(nativeType: string): ReadableType {
  const type = valueTypeOf(nativeType);
  if (type.name === 'Array') return arrayOf(type);
  return scalarOf(type) ?? documentOf(nativeType, type) ?? none;
}

function scalarOf(type: NativeType): ReadableType | null {
  const { name, arguments: given } = type;
  const same = name === 'Decimal' ? `numeric(${given.join(',')})` : sameTexts[name];
  if (same !== undefined) {
    const native = quoteText(given.length === 0 ? name : `${name}(${given.join(', ')})`);
    const since = { left: asItIs, right: `accurateCast({since:String}, ${name === 'Date' ? "'Date32'" : native})` };
    const isFloat = name.includes('Float');
    return {
      type: same,
      read: asItIs,
      element: value => `toString(${value})`,
      since: isFloat ? { ...since, also: column => `isNaN(${column})` } : since,
    };
  }
  if (texts.has(name)) {
    // A FixedString is padded with NUL bytes, which toString leaves out.
    const read = name === 'String' ? asItIs : (column: string): string => `toString(${column})`;
    const element = (value: string): string => quotedElement(`toString(${value})`);
    return { type: 'text', read, unfit: unfitText, element, since: { left: read, right: '{since:String}' } };
  }
  return name === 'DateTime' || name === 'DateTime64' ? momentOf(type) : null;
}

/**
 * The type for DateTime and DateTime64, in UTC. PostgreSQL would round a DateTime64 with more than six decimal places, so such a type is
 * read as text.
 */
function momentOf({ name, arguments: [precision = '0'] }: NativeType): ReadableType {
  const digits = name === 'DateTime' ? 0 : Number(precision);
  const isExact = digits <= mostSecondDigits;
  const right = `parseDateTime64BestEffort({since:String}, ${Math.max(digits, mostSecondDigits)}, 'UTC')`;
  return {
    type: isExact ? 'timestamptz' : 'text',
    read: asItIs,
    element: value => `concat('"', replaceOne(toString(${value}, 'UTC'), ' ', 'T'), 'Z"')`,
    since: { left: asItIs, right },
  };
}

function arrayOf(type: NativeType): ReadableType {
  const inside = type.arguments[0]!;
  const scalar = scalarOf(valueTypeOf(inside));
  // Nested arrays become JSON, because ClickHouse allows inner arrays of different lengths and PostgreSQL does not.
  if (!scalar?.element) return documentOf('', type) ?? none;
  const { type: elementType, element, unfit } = scalar;
  const elements = `x -> ifNull(${element('x')}, 'NULL')`;
  return {
    type: `${elementType}[]`,
    read: column => `concat('{', arrayStringConcat(arrayMap(${elements}, ${column}), ','), '}')`,
    ...(unfit && { unfit }),
  };
}

/** The type for values that contain other values, such as Map and Tuple: JSON. Null if JSON cannot represent the values. */
function documentOf(nativeType: string, type: NativeType): ReadableType | null {
  const isMap = type.name === 'Map';
  if (!(isMap ? isDocumentPart(type.arguments[1]!) : isDocument(type))) return null;
  const json = (column: string): string => `toJSONString(${column})`;
  return {
    type: 'jsonb',
    read: column => {
      const fits = [...(isMap ? [hasEachKeyOnce(column)] : []), ...notFinite(column, type).map(found => `NOT (${found})`)];
      const document = fits.length === 0 ? json(column) : `if(${fits.join(' AND ')}, ${json(column)}, '\\0')`;
      return isNullable(nativeType) ? `if(isNull(${column}), NULL, ${document})` : document;
    },
    unfit: value => `NOT isValidUTF8(${value}) OR position(${value}, '\\u0000') > 0 OR ${value} = '\\0'`,
    show: isMap ? column => `if(${hasEachKeyOnce(column)}, ${json(column)}, ${json(`toString(${column})`)})` : json,
  };
}

/**
 * SQL conditions that are true for values with a number that JSON does not have: NaN or an infinity. ClickHouse would write such a number
 * as a text.
 */
function notFinite(value: string, type: NativeType): string[] {
  const { name, arguments: given } = type;
  if (name.includes('Float')) return [`ifNull(NOT isFinite(${value}), 0)`];
  if (name === 'Array') return anyOf(value, given[0]!);
  if (name === 'Map') return anyOf(`mapValues(${value})`, given[1]!);
  if (name === 'Nested') return anyOf(value, `Tuple(${given.join(', ')})`);
  if (name !== 'Tuple') return [];
  return given.flatMap((element, index) => notFinite(`tupleElement(${value}, ${index + 1})`, valueTypeOf(elementTypeOf(element))));
}

function anyOf(list: string, elementType: string): string[] {
  // Each level of nesting has an element name of its own, so that an inner lambda sees its own values.
  const element = `x${list.length}`;
  const found = notFinite(element, valueTypeOf(elementType));
  return found.length === 0 ? [] : [`arrayExists(${element} -> ${found.join(' OR ')}, ${list})`];
}

/**
 * SQL that is true for a map without repeated keys. A ClickHouse map may contain a key twice, and jsonb would keep only the last value.
 * `documentOf` reads such a map as a NUL character, which counts as unfit.
 */
function hasEachKeyOnce(map: string): string {
  return `length(mapKeys(${map})) = length(arrayDistinct(mapKeys(${map})))`;
}

/** Whether values of the type can become JSON. A Map inside another value cannot, because it is not checked for repeated keys. */
function isDocument({ name, arguments: given }: NativeType): boolean {
  if (name === 'JSON') return true;
  if (name === 'Array') return isDocumentPart(given[0]!);
  return (name === 'Tuple' || name === 'Nested') && given.every(argument => isDocumentPart(elementTypeOf(argument)));
}

function isDocumentPart(nativeType: string): boolean {
  const type = valueTypeOf(nativeType);
  return scalarOf(type) !== null || isDocument(type);
}

/** SQL that quotes and escapes a text as an element of a PostgreSQL array literal. */
function quotedElement(text: string): string {
  return `concat('"', replaceAll(replaceAll(${text}, '\\\\', '\\\\\\\\'), '"', '\\\\"'), '"')`;
}
