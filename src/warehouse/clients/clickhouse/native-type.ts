/** A parsed ClickHouse type: `Decimal(12, 2)` has the name `Decimal` and the arguments `12` and `2`. */
export interface NativeType {
  name: string;
  arguments: string[];
}

/** Wrapper types that change how values are stored, but not the values. */
const transparent = new Set(['Nullable', 'LowCardinality', 'SimpleAggregateFunction']);

/**
 * The most characters of a type. No useful type needs as many, and a dishonest server could otherwise send a type that takes long to parse.
 */
const mostCharacters = 10_000;
const mostLevels = 10;

/** Parses a type. A type that is too long or too deep gets the name '', so that it counts as unknown. */
export function readNativeType(text: string): NativeType {
  if (text.length > mostCharacters || isTooDeep(text)) return { name: '', arguments: [] };
  const open = text.indexOf('(');
  if (open === -1) return { name: text, arguments: [] };
  return { name: text.slice(0, open), arguments: splitArguments(text.slice(open + 1, -1)) };
}

/** The type of the values inside of `Nullable`, `LowCardinality` and `SimpleAggregateFunction`. */
export function valueTypeOf(text: string): NativeType {
  const type = readNativeType(text);
  return transparent.has(type.name) ? valueTypeOf(type.arguments.at(-1)!) : type;
}

export function isNullable(text: string): boolean {
  const type = readNativeType(text);
  return type.name === 'Nullable' || (transparent.has(type.name) && isNullable(type.arguments.at(-1)!));
}

/** The type of a tuple element without the element's name, which may stand before it: `a Int32`, `` `b c` Array(String) ``. */
export function elementTypeOf(argument: string): string {
  return argument.replace(/^(`(\\.|[^`\\])*`|[A-Za-z_]\w*) (?=\S)/, '');
}

/** Matches quoted texts, also one without a closing quote, and the signs ( ) and , outside of quotes. */
const tokens = /'[^'\\]*(?:\\[^][^'\\]*)*'?|`[^`\\]*(?:\\[^][^`\\]*)*`?|[(),]/g;

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(tokens)) {
    if (token === ')') depth--;
    else if (token === '(' && ++depth > mostLevels) return true;
  }
  return false;
}

/** Splits a list of arguments at commas that are neither in brackets nor in quotes. */
function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let begin = 0;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (token === ',' && depth === 0) {
      parts.push(text.slice(begin, index).trim());
      begin = index + 1;
    }
  }
  return [...parts, text.slice(begin).trim()];
}
