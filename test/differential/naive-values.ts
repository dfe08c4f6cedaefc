/*
 * Values and operators as openCypher specifies them, independent of the two executors. The code is simple and may be slow. Decimals are not
 * part of openCypher: they are exact, and for a comparison with one a float counts as the shortest text that gives it.
 */

export class Dec {
  constructor(
    readonly units: bigint,
    readonly scale: number,
  ) {}
  static of(text: string): Dec {
    const [, whole = '0', fraction = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(text)!;
    return new Dec(BigInt(whole + fraction), fraction.length);
  }
  at = (scale: number): bigint => this.units * 10n ** BigInt(scale - this.scale);
}

export class Day {
  constructor(readonly text: string) {}
}

/** A node or an edge of the test's own graph. `key` is its key in the warehouse tables. */
export interface Element {
  kind: 'node' | 'edge';
  name: string;
  key: string;
  from?: Element;
  to?: Element;
  properties: Map<string, Value>;
}

export class Path {
  constructor(
    readonly nodes: Element[],
    readonly edges: Element[],
  ) {}
}

export type Value = null | boolean | string | bigint | number | Dec | Day | Value[] | Map<string, Value> | Element | Path;

/** An error of a query, with the name that openCypher gives it. */
export class NaiveError extends Error {
  constructor(readonly type: 'TypeError' | 'ArithmeticError') {
    super(type);
  }
}

export const isNumber = (value: Value): value is bigint | number | Dec =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof Dec;
export const isElement = (value: Value): value is Element => value !== null && typeof value === 'object' && 'kind' in value;

export function equal(a: Value, b: Value): boolean | null {
  if (a === null || b === null) return null;
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0;
  if (Array.isArray(a) && Array.isArray(b)) return a.length !== b.length ? false : all(a.map((item, i) => equal(item, b[i]!)));
  if (a instanceof Map && b instanceof Map) {
    if (a.size !== b.size || [...a.keys()].some(name => !b.has(name))) return false;
    return all([...a.keys()].map(name => equal(a.get(name)!, b.get(name)!)));
  }
  if (a instanceof Day || b instanceof Day) return dayText(a) !== null && dayText(a) === dayText(b);
  return a === b;
}

/** AND of the values: false if one is false, otherwise null if one is null. */
export function all(values: (boolean | null)[]): boolean | null {
  if (values.includes(false)) return false;
  return values.includes(null) ? null : true;
}

/** Whether `a` < `b`; null if the values cannot be compared. */
export function less(a: Value, b: Value): boolean | null {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) < 0;
  if (typeof a === 'boolean' && typeof b === 'boolean') return !a && b;
  if (a instanceof Day || b instanceof Day) return dayText(a) === null || dayText(b) === null ? null : dayText(a)! < dayText(b)!;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b) < 0;
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const same = equal(a[i]!, b[i]!);
      if (same === null) return null;
      if (!same) return less(a[i]!, b[i]!);
    }
    return a.length < b.length;
  }
  return null;
}

function dayText(value: Value): string | null {
  if (value instanceof Day) return value.text;
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : null;
}

export const not = (value: boolean | null): boolean | null => (value === null ? null : !value);
export const or = (values: (boolean | null)[]): boolean | null => not(all(values.map(not)));

const rank = (value: Value): number => {
  if (value === null) return 9;
  if (value instanceof Map) return 0;
  if (isElement(value)) return value.kind === 'node' ? 1 : 2;
  if (Array.isArray(value)) return 3;
  if (value instanceof Day) return 4;
  return { string: 5, boolean: 6, bigint: 7, number: 7, object: 7 }[typeof value as 'string'];
};

/** Compares two values as ORDER BY does. */
export function compareForOrder(a: Value, b: Value): number {
  const byRank = rank(a) - rank(b);
  if (byRank !== 0 || a === null) return byRank;
  if (isNumber(a)) return compareNumbers(a, b as bigint);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  if (typeof a === 'string') return compareTexts(a, b as string);
  if (a instanceof Day) return compareTexts(a.text, (b as Day).text);
  if (!Array.isArray(a)) throw new Error('The test orders neither maps nor elements');
  const other = b as Value[];
  for (let i = 0; i < Math.min(a.length, other.length); i++) {
    const found = compareForOrder(a[i]!, other[i]!);
    if (found !== 0) return found;
  }
  return a.length - other.length;
}

/** Compares texts by code points. */
function compareTexts(a: string, b: string): number {
  const [x, y] = [a, b].map(text => [...text].map(character => character.codePointAt(0)!)) as [number[], number[]];
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i]! - y[i]!;
  return x.length - y.length;
}

function compareNumbers(a: bigint | number | Dec, b: bigint | number | Dec): number {
  if (typeof a === 'number' && !Number.isFinite(a)) return Object.is(a, b) ? 0 : a;
  if (typeof b === 'number' && !Number.isFinite(b)) return -b;
  const [x, y] = [exact(a), exact(b)];
  const scale = Math.max(x.scale, y.scale);
  return Number(x.at(scale) < y.at(scale) ? -1 : x.at(scale) > y.at(scale));
}

function exact(value: bigint | number | Dec): Dec {
  if (value instanceof Dec) return value;
  if (typeof value === 'bigint') return new Dec(value, 0);
  if (Number.isInteger(value)) return new Dec(BigInt(value), 0);
  const [digits, exponent = '0'] = String(value).split('e') as [string, string?];
  const dec = Dec.of(digits);
  const scale = dec.scale - Number(exponent);
  return scale >= 0 ? new Dec(dec.units, scale) : new Dec(dec.units * 10n ** BigInt(-scale), 0);
}

export function calculate(operator: string, a: Value, b: Value): Value {
  if (a === null || b === null) return null;
  if (operator === '+' && (Array.isArray(a) || Array.isArray(b))) return [...(Array.isArray(a) ? a : [a]), ...(Array.isArray(b) ? b : [b])];
  if (operator === '+' && typeof a === 'string' && typeof b === 'string') return a + b;
  if (!isNumber(a) || !isNumber(b)) throw new NaiveError('TypeError');
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    if ((operator === '/' || operator === '%') && b === 0n) throw new NaiveError('ArithmeticError');
    return fitting({ '+': a + b, '-': a - b, '*': a * b, '/': b === 0n ? 0n : a / b, '%': b === 0n ? 0n : a % b }[operator]!);
  }
  if (typeof a === 'number' || typeof b === 'number') {
    const [x, y] = [float(a), float(b)];
    return { '+': x + y, '-': x - y, '*': x * y, '/': x / y, '%': x % y }[operator]!;
  }
  const [x, y] = [exact(a), exact(b)];
  const scale = Math.max(x.scale, y.scale);
  if (operator === '*') return new Dec(x.units * y.units, x.scale + y.scale);
  if (operator === '+') return new Dec(x.at(scale) + y.at(scale), scale);
  if (operator === '-') return new Dec(x.at(scale) - y.at(scale), scale);
  throw new Error('The test divides no decimals');
}

function float(value: bigint | number | Dec): number {
  return value instanceof Dec ? Number(decText(value)) : Number(value);
}

export function fitting(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new NaiveError('ArithmeticError');
  return value;
}

function decText({ units, scale }: Dec): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${scale > 0 ? `.${digits.slice(-scale)}` : ''}`;
}

/** Converts a value to the form in the rows of an answer. A node or edge becomes its name and key. */
export function shown(value: Value): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : String(value);
  if (value instanceof Day) return value.text;
  if (value instanceof Dec) {
    const text = decText(value);
    const isWhole = Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER && compareNumbers(value, Number(text)) === 0;
    return isWhole ? Number(text) : value.scale > 0 ? text.replace(/\.?0+$/, '') : text;
  }
  if (Array.isArray(value)) return value.map(shown);
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, inner]) => [name, shown(inner)]));
  if (value instanceof Path) throw new Error('The test shows no paths');
  return `${value.name} ${value.key}`;
}

/** A text that is equal for values that DISTINCT and grouping treat as equal. */
export function keyOf(value: Value): string {
  if (isNumber(value)) {
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    const { units, scale } = exact(value);
    return `#${decText(new Dec(units, scale))
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '')}`;
  }
  if (Array.isArray(value)) return `[${value.map(keyOf).join()}]`;
  if (value instanceof Map) return `{${[...value].map(([name, inner]) => `${name}:${keyOf(inner)}`).sort().join()}}`; // prettier-ignore
  if (isElement(value)) return `${value.kind} ${value.name} ${value.key}`;
  if (value instanceof Path) return `path ${[...value.nodes, ...value.edges].map(keyOf).join()}`;
  return value instanceof Day ? `day ${value.text}` : JSON.stringify(value);
}
