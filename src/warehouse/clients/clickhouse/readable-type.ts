import { quoteText } from './quote-name.js';
import { elementTypeOf, isNullable, type NativeType, valueTypeOf } from './native-type.js';

/** How the values of a ClickHouse type are read. */
export interface ReadableType {
  /** The type of PostgreSQL that holds every value, `other` if there is none. */
  type: string;
  /** The value of a column in a form whose text PostgreSQL reads as that type, from the column's quoted name. */
  read: (column: string) => string;
  /** The value in a sample, where it need not be held. As `read` by default. */
  show?: (column: string) => string;
  /** SQL that is true for the values of the column that PostgreSQL cannot hold. The name is of what `read` gave. */
  unfit?: (value: string) => string;
  /** The text of a value, in an array literal of PostgreSQL. */
  element?: (value: string) => string;
  /** The parameter `since` as a value to compare the column with, and further values that a reading from it includes. */
  since?: { left: (column: string) => string; right: string; also?: (column: string) => string };
}

/** PostgreSQL's type by ClickHouse's, where ClickHouse's own text of each value is what PostgreSQL reads. */
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
  // Not inet, whose texts have a mask in some places and none in others.
  IPv4: 'text',
  IPv6: 'text',
};

const texts = new Set(['String', 'FixedString', 'Enum8', 'Enum16']);
/** The most digits of a second in PostgreSQL. */
const mostSecondDigits = 6;
/** NUL and bytes that are no UTF-8: ClickHouse takes them in texts, PostgreSQL does not. */
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
    // FixedString is filled up with NUL, which toString leaves out.
    const read = name === 'String' ? asItIs : (column: string): string => `toString(${column})`;
    const element = (value: string): string => quotedElement(`toString(${value})`);
    return { type: 'text', read, unfit: unfitText, element, since: { left: read, right: '{since:String}' } };
  }
  return name === 'DateTime' || name === 'DateTime64' ? momentOf(type) : null;
}

/** All moments are read in UTC. PostgreSQL would round one of more digits than it has, so those are texts. */
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
  // Arrays of arrays may be ragged, which those of PostgreSQL cannot be.
  if (!scalar?.element) return documentOf('', type) ?? none;
  const { type: elementType, element, unfit } = scalar;
  const elements = `x -> ifNull(${element('x')}, 'NULL')`;
  return {
    type: `${elementType}[]`,
    read: column => `concat('{', arrayStringConcat(arrayMap(${elements}, ${column}), ','), '}')`,
    ...(unfit && { unfit }),
  };
}

/** Values that hold others become JSON. */
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

/** SQL that is true for values with a number that JSON does not have: NaN or an infinity. ClickHouse would write it as a text. */
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
  // Each level has a name of its own, so that an inner function sees its own values.
  const element = `x${list.length}`;
  const found = notFinite(element, valueTypeOf(elementType));
  return found.length === 0 ? [] : [`arrayExists(${element} -> ${found.join(' OR ')}, ${list})`];
}

/** A map may have a key twice, of which jsonb keeps the last only. Such a value is read as NUL, which is unfit. */
function hasEachKeyOnce(map: string): string {
  return `length(mapKeys(${map})) = length(arrayDistinct(mapKeys(${map})))`;
}

/** Maps inside of other values are left out, because their keys are not looked at. */
function isDocument({ name, arguments: given }: NativeType): boolean {
  if (name === 'JSON') return true;
  if (name === 'Array') return isDocumentPart(given[0]!);
  return (name === 'Tuple' || name === 'Nested') && given.every(argument => isDocumentPart(elementTypeOf(argument)));
}

function isDocumentPart(nativeType: string): boolean {
  const type = valueTypeOf(nativeType);
  return scalarOf(type) !== null || isDocument(type);
}

/** A text in the quotes of an array literal. */
function quotedElement(text: string): string {
  return `concat('"', replaceAll(replaceAll(${text}, '\\\\', '\\\\\\\\'), '"', '\\\\"'), '"')`;
}
