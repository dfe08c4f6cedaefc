import { type Dice } from '../support/dice.js';

/** A value as a test writes it into a source, and the expected value in the graph. */
export interface Written {
  /** SQL of the value at the source. */
  sql: string;
  /** JSON of the property; null if the node has none. */
  json: string | null;
  /** True for a double: its value may be spelled in several ways. */
  isDouble?: true;
  /** The text that the reason of the rejected row quotes, if the row cannot be read. */
  rejected?: string;
}

/** A column of a source, and a function that makes its random values. */
export interface Column {
  native: string;
  /** SQL that must run before the table is created. */
  before?: string[];
  make: (dice: Dice) => Written;
}

/** A value that cannot be read: the run fails and names its column. */
export interface Unreadable {
  native: string;
  sql: string;
}

export const text = (sql: string, value: string): Written => ({ sql, json: JSON.stringify(value) });
export const number = (sql: string, digits: string): Written => ({ sql, json: digits });
export const float = (sql: string, value: number): Written => ({ sql, json: String(value), isDouble: true });
export const document = (sql: string, json: string): Written => ({ sql, json });
export const rejected = (sql: string, shown: string): Written => ({ sql, json: null, rejected: shown });
export const missing = (sql: string): Written => ({ sql, json: null });

/** Returns a function that makes NULL in 6 % of cases, and otherwise a value of `make`. */
export function orNull(make: (dice: Dice) => Written): (dice: Dice) => Written {
  return dice => (dice.chance(0.06) ? missing('NULL') : make(dice));
}

export function column(native: string, make: (dice: Dice) => Written, before?: string[]): Column {
  return { native, make: orNull(make), ...(before && { before }) };
}

export function digits(dice: Dice, count: number): string {
  return Array.from({ length: count }, () => dice.below(10)).join('');
}

/** A random whole number in a range, often at or next to one of its ends. */
export function integer(dice: Dice, least: bigint, most: bigint): bigint {
  const edges = [least, most, least + 1n, most - 1n, 0n, 1n].filter(edge => edge >= least && edge <= most);
  if (dice.chance(0.4)) return dice.of(edges);
  const span = most - least + 1n;
  return least + (BigInt(`0x${Array.from({ length: 70 }, () => dice.below(16).toString(16)).join('')}`) % span);
}

export const integers =
  (least: bigint, most: bigint, sql = (value: bigint): string => String(value)) =>
  (dice: Dice): Written => {
    const value = integer(dice, least, most);
    return number(sql(value), String(value));
  };

/** A random decimal number of the given precision and scale. */
export function decimal(dice: Dice, precision: number, scale: number): string {
  const whole = dice.chance(0.2) ? '9'.repeat(precision - scale) : digits(dice, dice.below(precision - scale + 1));
  const part = dice.chance(0.2) ? '9'.repeat(scale) : digits(dice, scale);
  return `${dice.chance(0.5) ? '-' : ''}${whole.replace(/^0+(?=\d)/, '') || '0'}${scale > 0 ? `.${part}` : ''}`;
}

const oddDoubles = [
  0,
  -0,
  0.1,
  0.3,
  1 / 3,
  5e-324,
  2.2250738585072014e-308,
  1.7976931348623157e308,
  9007199254740993,
  1e21,
  1e-7,
  123456.789,
];

export function double(dice: Dice): number {
  if (dice.chance(0.3)) return dice.of(oddDoubles) * (dice.chance(0.5) ? 1 : -1);
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setUint32(0, dice.below(2 ** 32));
  bytes.setUint32(4, dice.below(2 ** 32));
  const value = bytes.getFloat64(0);
  return Number.isFinite(value) ? value : 1.5;
}

export function single(dice: Dice): number {
  if (dice.chance(0.3)) return Math.fround(dice.of([0, -0, 0.1, 1 / 3, 1e-45, 3.4028234663852886e38, 16777217, 1.17549435e-38]));
  const bytes = new DataView(new ArrayBuffer(4));
  bytes.setUint32(0, dice.below(2 ** 32));
  const value = bytes.getFloat32(0);
  return Number.isFinite(value) ? value : 1.5;
}

/** Characters of many kinds. NUL is missing, because PostgreSQL cannot store it. */
const pieces = ['\\', '\\N', '\\.', '\t', '\n', '\r\n', "'", '"', '`', '%', ' ', '', '{', '}', ',', 'NULL', '😀', '华为', '\u{10FFFF}', '\u007f', '\b', '\u0001', '\u00a0', '\u2028', 'e\u0301', '$1', '?', ';--', 'a', 'Z', '0']; // prettier-ignore

/** A random text of at most `most` pieces of `from`. */
export function anyText(dice: Dice, most = 6, from: readonly string[] = pieces): string {
  return dice.many(most, () => dice.of(from)).join('');
}

export function uuid(dice: Dice): string {
  if (dice.chance(0.1)) return '00000000-0000-0000-0000-000000000000';
  return hexText(dice, 16).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

export function hexText(dice: Dice, bytes: number): string {
  return Array.from({ length: bytes }, () => dice.of(['00', 'ff', '5c', '09', '0a', dice.below(256).toString(16).padStart(2, '0')])).join(
    '',
  );
}

export const bits = (dice: Dice, length: number): string => Array.from({ length }, () => dice.below(2)).join('');

/** A random JSON document. The keys of an object are unique and in any order. */
export function json(dice: Dice, depth = 3): string {
  const leaf = (): string =>
    dice.of([
      () => JSON.stringify(anyText(dice)),
      () => decimal(dice, 30, dice.below(12)),
      () => `${digits(dice, 3).replace(/^0+(?=\d)/, '')}e${dice.between(-300, 300)}`,
      () => dice.of(['1.0', '1', '-0.0', '1e2', '100', '12345678901234567890123', '0.1000', 'true', 'false', 'null', '""', '[]', '{}']),
    ])();
  if (depth === 0 || dice.chance(0.4)) return leaf();
  if (dice.chance(0.5)) return `[${dice.many(3, () => json(dice, depth - 1)).join(', ')}]`;
  const keys = new Set(dice.many(4, () => anyText(dice, 3)));
  return `{${[...keys].map(key => `${JSON.stringify(key)} : ${json(dice, depth - 1)}`).join(',')}}`;
}

/** Normalizes a JSON text: numbers get one spelling without losing a digit, and keys are sorted. */
export function canonical(jsonText: string): string {
  const quoted = jsonText.replace(/"(?:\\.|[^"\\])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs, token =>
    token.startsWith('"') ? token : JSON.stringify({ '#': exact(token) }),
  );
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [`.${key}`, sorted(each)])); // prettier-ignore
  };
  return JSON.stringify(sorted(JSON.parse(quoted)));
}

/** Writes a number as its digits and an exponent, so that equal numbers have equal texts. */
function exact(written: string): string {
  const [, sign, whole, part = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written)!;
  const all = `${whole}${part}`.replace(/^0+/, '');
  const trimmed = all.replace(/0+$/, '');
  if (trimmed === '') return '0';
  return `${sign}${trimmed}e${Number(exponent) - part.length + all.length - trimmed.length}`;
}
