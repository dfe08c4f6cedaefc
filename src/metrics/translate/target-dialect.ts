import { type CalendarGrain } from '../formula/formula-tree.js';

export type ForeignDialect = 'mysql' | 'duckdb' | 'clickhouse';

export type Kind = 'number' | 'float' | 'text' | 'boolean' | 'date' | 'timestamp' | 'timestamptz' | 'null' | 'other';

export type TimePart = 'year' | 'quarter' | 'month' | 'day' | 'isodow' | 'hour';

/** The type of a value, as far as it is known before any row is read. */
export interface ValueType {
  kind: Kind;
  /** The most digits of a number before and after the point. */
  whole: number;
  scale: number;
  /** True for a floating-point number of single precision. */
  isSingle?: boolean;
  /** True for a decimal that was a double, or is computed of one: PostgreSQL leaves out the zeros at the end of its digits. */
  wasFloat?: boolean;
  /** The type that PostgreSQL gives to the value, where that is an integer. */
  integer?: IntegerType | undefined;
}

export type IntegerType = 'smallint' | 'integer' | 'bigint';

/** An expression in the SQL of the target. */
export interface Typed extends ValueType {
  sql: string;
}

/**
 * The SQL of a database other than PostgreSQL, for the scans of metrics. Operands come as SQL of the target. A construct without
 * an exact counterpart is left out: the translator refuses it by name.
 */
export interface TargetDialect {
  readonly name: ForeignDialect;
  quote: (name: string) => string;
  /** The place of a parameter. `position` counts from 1. */
  placeholder: (position: number) => string;
  /** A value of the type from a parameter that holds PostgreSQL's text of it. */
  fromText: (parameter: string, type: ValueType) => string;
  /** A column of a table as a value of its kind. */
  column: (sql: string, type: ValueType) => string;
  /** The form of a column in which an index or a partition finds it, where that is not the form of `column`. Null where it is. */
  indexed: (sql: string, type: ValueType) => string | null;
  /** The texts that can be compared with a column in that form, whatever its characters. */
  readonly indexedTexts: RegExp;
  /** A number as a decimal of its digits, so that what is computed of it is exact. */
  toDecimal: (value: Typed) => string;
  /** The most digits of a decimal, and the most behind its point. */
  readonly mostDigits: number;
  readonly mostScale: number;
  /** A double as the decimal that its shortest text is, or an error of the database where its digits do not fit. Null if it cannot. */
  floatToDecimal: (value: Typed) => Typed | null;
  /** A double for comparisons with numbers. PostgreSQL has NaN above them all. */
  comparedFloat: (double: string) => string;
  /** The double nearest to the number that a parameter holds as text. */
  floatFromText: (parameter: string) => string;
  /** The argument of an aggregate that is NULL without rows. */
  argument: (sql: string) => string;
  sum: (value: Typed) => string;
  countDistinct: (values: Typed[]) => string;
  /** An aggregate: the value at a place, from 1, in the order of the values. Null if the database lacks such an aggregate. */
  sortedValue: ((value: string, place: string) => string) | null;
  /** In how many parameters a list is handed over. */
  readonly listParts: number;
  /** A FROM item with the texts of a JSON array of arrays, whose parts the parameters hold, as columns of these names. */
  rowsOfJson: (parameters: readonly string[], names: readonly string[]) => string;
  /** A text in a form that is quickly found in a list. */
  lookedUp: (text: string) => string;
  /** A text by which a window is sorted, or an error of the database where it would compare only the beginning. */
  sortable: (text: string) => string;
  /** The first value of a window, also if it is NULL. */
  firstValue: (sql: string) => string;
  /** A decimal rounded to so many digits behind the point, halves away from zero. */
  round: (decimal: string, digits: number) => string;
  /** A part of a local time or a date. Days of the week are from Monday, 1 to 7. */
  part: (local: string, part: TimePart) => string;
  isIn: (value: Typed, list: readonly Typed[]) => string;
  contains: (value: string, part: string) => string;
  startsWith: (value: string, start: string) => string;
  endsWith: (value: string, end: string) => string;
  /** Characters are counted as code points. Positions are counted from 1. */
  length: (text: string) => string;
  slice: (text: string, from: string, count: string | null) => string;
  lastCharacters: (text: string, count: string) => string;
  /** 0 if the part, which is not empty, does not occur. */
  position: (text: string, part: string) => string;
  replace: (text: string, part: string, by: string) => string;
  /** NULL if one of them is. */
  join: (texts: string[]) => string;
  /** Without the spaces at its ends, U+0020 only. */
  trim: (text: string, side: 'BOTH' | 'LEADING' | 'TRAILING') => string;
  integerText: (integer: string) => string;
  /** The remainder of whole numbers, with the sign of the dividend. */
  remainder: (dividend: string, divisor: string) => string;
  addDays: (date: string, days: number) => string;
  daysBetween: (date: string, earlier: string) => string;
  /** The start of the period of a local time or a date, weeks from Monday, as a local time. */
  startOf: (local: Typed, grain: CalendarGrain) => string;
  /** A local time so many days or months later, on the last day of a shorter month. */
  add: (local: string, count: number, unit: 'day' | 'month') => string;
  dayText: (local: string) => string;
  dateToLocal: (date: string) => string;
  localToDate: (local: string) => string;
  /** The local time of a moment. */
  momentToLocal: (moment: string, zone: string) => string;
  /** The moment of a local time. Null if the database lacks an exact way. */
  localToMoment: ((local: string, zone: string) => string) | null;
  /** A value as PostgreSQL reads it, from a result of the statement. */
  toText: (value: Typed) => string;
  /** Text that follows the statement, such as settings; may be empty. */
  readonly suffix: string;
}

/** The database that holds the rows of a metric, where it is not PostgreSQL. */
export interface Target {
  dialect: TargetDialect;
  /** The columns of a table that the bindings read. */
  columnsOf(schema: string, table: string): readonly { name: string; type: string }[] | undefined;
}

export const textType: ValueType = { kind: 'text', whole: 0, scale: 0 };
export const booleanType: ValueType = { ...textType, kind: 'boolean' };
export const dateType: ValueType = { ...textType, kind: 'date' };
export const localType: ValueType = { ...textType, kind: 'timestamp' };
export const momentType: ValueType = { ...textType, kind: 'timestamptz' };

export function numberType(whole: number, scale = 0): ValueType {
  return { kind: 'number', whole, scale };
}

const wholeDigits: Record<IntegerType, number> = { smallint: 5, integer: 10, bigint: 19 };

export function integerType(integer: IntegerType): ValueType {
  return { ...numberType(wholeDigits[integer]), integer };
}

/** The type of PostgreSQL's that holds integers of all of these. Undefined if one of them is not an integer. */
export function widestInteger(all: readonly ValueType[]): IntegerType | undefined {
  if (all.some(({ integer }) => integer === undefined)) return undefined;
  return (['bigint', 'integer', 'smallint'] as const).find(type => all.some(({ integer }) => integer === type));
}

/** @param type of PostgreSQL, as catalogues give it: `numeric(12,2)` */
export function valueTypeOf(type: string): ValueType {
  const [, base = type, digits, scale = '0'] = /^([^(]+)(?:\((\d+)(?:, ?(-?\d+))?\))?$/.exec(type) ?? [];
  if (base === 'smallint' || base === 'integer' || base === 'bigint') return integerType(base);
  if (base === 'numeric' && digits !== undefined) return numberType(Number(digits) - Number(scale), Number(scale));
  if (base === 'real' || base === 'double precision') return { ...textType, kind: 'float', isSingle: base === 'real' };
  if (base === 'text' || base === 'varchar') return textType;
  if (base === 'boolean' || base === 'date' || base === 'timestamp' || base === 'timestamptz') return { ...textType, kind: base };
  return { ...textType, kind: 'other' };
}

/** The type of PostgreSQL that holds the values of a result. */
export function columnTypeOf({ kind, integer }: ValueType): string {
  if (kind === 'number') return integer ?? 'numeric';
  return kind === 'float' ? 'double precision' : kind === 'null' || kind === 'other' ? 'text' : kind;
}

/** The type of PostgreSQL that a column of a binding has. */
export function shownTypeOf({ kind, whole, scale, integer }: ValueType): string {
  if (kind !== 'number') return kind === 'float' ? 'double precision' : kind === 'null' ? 'text' : kind;
  return integer ?? `numeric(${whole + scale},${scale})`;
}
