/** A type as ClickHouse spells it, taken apart: `Decimal(12, 2)` is the name `Decimal` with the arguments `12` and `2`. */
export interface NativeType {
  name: string;
  arguments: string[];
}

/** Wrappers that change how values are stored, and not what they are. */
const transparent = new Set(['Nullable', 'LowCardinality', 'SimpleAggregateFunction']);

/** More than any type of use. A server could else send one that takes long to read. */
const mostCharacters = 10_000;
const mostLevels = 10;

/** Takes a type apart. The name of a type that is too long or too deep is '', as nothing is known of it. */
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

/** The type of an element of a tuple, whose name may stand before it: `a Int32`, `` `b c` Array(String) ``. */
export function elementTypeOf(argument: string): string {
  return argument.replace(/^(`(\\.|[^`\\])*`|[A-Za-z_]\w*) (?=\S)/, '');
}

/** Texts in quotes, also one that does not end, and signs outside of them. */
const tokens = /'[^'\\]*(?:\\[^][^'\\]*)*'?|`[^`\\]*(?:\\[^][^`\\]*)*`?|[(),]/g;

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(tokens)) {
    if (token === ')') depth--;
    else if (token === '(' && ++depth > mostLevels) return true;
  }
  return false;
}

/** Splits at the commas that are neither in brackets nor in quotes. */
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
