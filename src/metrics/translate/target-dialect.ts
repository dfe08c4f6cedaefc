import { type CalendarGrain } from '../formula/formula-tree.js';

export type ForeignDialect = 'mysql' | 'duckdb' | 'clickhouse';

export type Kind = 'number' | 'float' | 'text' | 'boolean' | 'date' | 'timestamp' | 'timestamptz' | 'null' | 'other';

export type TimePart = 'year' | 'quarter' | 'month' | 'day' | 'isodow' | 'hour';

/** The type of a value, as far as it is known before rows are read. */
export interface ValueType {
  kind: Kind;
  /** For a number, its maximum digits before the point. `scale` has its maximum digits after the point. */
  whole: number;
  scale: number;
  /** True for a floating-point number of single precision. */
  isSingle?: boolean;
  /** True for a decimal that was converted or computed from a double. PostgreSQL omits the zeros at the end of its digits. */
  wasFloat?: boolean;
  /** For an integer, the type that PostgreSQL gives the value. */
  integer?: IntegerType | undefined;
}

export type IntegerType = 'smallint' | 'integer' | 'bigint';

/** An expression in the SQL of the target. */
export interface Typed extends ValueType {
  sql: string;
}

/**
 * The SQL of a database other than PostgreSQL, for scans of metrics. Operands are SQL of that database. The translator refuses
 * constructs for which it has no member here, by name.
 */
export interface TargetDialect {
  readonly name: ForeignDialect;
  quote: (name: string) => string;
  /** The placeholder of the parameter at `position`, counted from 1. */
  placeholder: (position: number) => string;
  /** A value of type `type` from a parameter with PostgreSQL's text of the value. */
  fromText: (parameter: string, type: ValueType) => string;
  /** The column `name` of a table, whose SQL is `sql`, as a value of the kind of `type`. */
  column: (sql: string, type: ValueType, name: string) => string;
  /** The SQL of a column that can use an index or a partition. Null if the SQL that `column` returns can already use it. */
  indexed: (sql: string, type: ValueType) => string | null;
  /**
   * Matches the texts that can be compared with the SQL that `indexed` returns for a text column, for every character set of the column.
   */
  readonly indexedTexts: RegExp;
  /** A number as a decimal with all of its digits, so that results computed from it are exact. */
  toDecimal: (value: Typed) => string;
  /** Maximum digits of a decimal. `mostScale` has its maximum digits after the point. */
  readonly mostDigits: number;
  readonly mostScale: number;
  /**
   * A double as the decimal of its shortest text. The SQL fails in the database if the digits do not fit. Null if the dialect cannot
   * convert a double of this type.
   */
  floatToDecimal: (value: Typed) => Typed | null;
  /** A double in a form to compare with numbers: NaN is above all numbers, as in PostgreSQL. */
  comparedFloat: (double: string) => string;
  /** The double nearest to the number that a parameter holds as text. */
  floatFromText: (parameter: string) => string;
  /** The argument of MIN or MAX, in a form that makes the aggregate NULL without rows. */
  argument: (sql: string) => string;
  sum: (value: Typed) => string;
  countDistinct: (values: Typed[]) => string;
  /**
   * An aggregate that returns the value at a place of the values in ascending order. Places are counted from 1. Null if the database lacks
   * such an aggregate.
   */
  sortedValue: ((value: string, place: string) => string) | null;
  /** Number of parameters into which the JSON text of a list is cut. */
  readonly listParts: number;
  /**
   * A FROM item with the rows of a JSON array of arrays of texts, as columns of these names. The parameters hold the parts of the JSON
   * text.
   */
  rowsOfJson: (parameters: readonly string[], names: readonly string[]) => string;
  /** A text in a form that the database finds quickly in a list: itself, or its hash. */
  lookedUp: (text: string) => string;
  /** A text in a form to sort a window by. The SQL fails in the database for a text so long that only its beginning would be compared. */
  sortable: (text: string) => string;
  /** The window function that returns the first value of a window, even if that value is NULL. */
  firstValue: (sql: string) => string;
  /** A decimal rounded to `digits` digits after the point, halves away from zero. */
  round: (decimal: string, digits: number) => string;
  /** A part of a local time or a date, as a number. `isodow` counts days of the week from Monday, 1 to 7. */
  part: (local: string, part: TimePart) => string;
  isIn: (value: Typed, list: readonly Typed[]) => string;
  contains: (value: string, part: string) => string;
  startsWith: (value: string, start: string) => string;
  endsWith: (value: string, end: string) => string;
  /** The number of characters of a text, in Unicode code points. Positions in texts are counted from 1. */
  length: (text: string) => string;
  slice: (text: string, from: string, count: string | null) => string;
  lastCharacters: (text: string, count: string) => string;
  /** The position of the first occurrence of a part in a text, from 1; 0 if there is none. The part is never empty. */
  position: (text: string, part: string) => string;
  replace: (text: string, part: string, by: string) => string;
  /** The texts concatenated. NULL if any of them is NULL. */
  join: (texts: string[]) => string;
  /** A text without the spaces (U+0020 only) at the given ends. */
  trim: (text: string, side: 'BOTH' | 'LEADING' | 'TRAILING') => string;
  integerText: (integer: string) => string;
  /** The remainder of a division of integers, with the sign of the dividend. */
  remainder: (dividend: string, divisor: string) => string;
  addDays: (date: string, days: number) => string;
  daysBetween: (date: string, earlier: string) => string;
  /** The start of the period that contains a local time or a date, as a local time. Weeks begin on Monday. */
  startOf: (local: Typed, grain: CalendarGrain) => string;
  /** A local time that is `count` days or months later. In a shorter month, the last day of that month. */
  add: (local: string, count: number, unit: 'day' | 'month') => string;
  dayText: (local: string) => string;
  dateToLocal: (date: string) => string;
  localToDate: (local: string) => string;
  /** A moment as the local time of a zone. */
  momentToLocal: (moment: string, zone: string) => string;
  /** The moment of a local time of a zone. Null if the database cannot compute it exactly. */
  localToMoment: ((local: string, zone: string) => string) | null;
  /** The text of a value of a result, in a form that PostgreSQL reads. */
  toText: (value: Typed) => string;
  /** Text that follows the statement, such as settings; may be empty. */
  readonly suffix: string;
}

/** The database that holds the rows of a metric, if it is not PostgreSQL. */
export interface Target {
  dialect: TargetDialect;
  /** The columns of a table that the bindings read. Undefined for other tables. */
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

/** The largest PostgreSQL integer type among the types, which holds the values of all. Undefined if one of the types is not an integer. */
export function widestInteger(all: readonly ValueType[]): IntegerType | undefined {
  if (all.some(({ integer }) => integer === undefined)) return undefined;
  return (['bigint', 'integer', 'smallint'] as const).find(type => all.some(({ integer }) => integer === type));
}

/** @param type PostgreSQL type as a catalogue gives it, such as `numeric(12,2)` */
export function valueTypeOf(type: string): ValueType {
  const [, base = type, digits, scale = '0'] = /^([^(]+)(?:\((\d+)(?:, ?(-?\d+))?\))?$/.exec(type) ?? [];
  if (base === 'smallint' || base === 'integer' || base === 'bigint') return integerType(base);
  if (base === 'numeric' && digits !== undefined) return numberType(Number(digits) - Number(scale), Number(scale));
  if (base === 'real' || base === 'double precision') return { ...textType, kind: 'float', isSingle: base === 'real' };
  if (base === 'text' || base === 'varchar') return textType;
  if (base === 'boolean' || base === 'date' || base === 'timestamp' || base === 'timestamptz') return { ...textType, kind: base };
  return { ...textType, kind: 'other' };
}

/** The PostgreSQL type that reads the values of a column of a scan's result. */
export function columnTypeOf({ kind, integer }: ValueType): string {
  if (kind === 'number') return integer ?? 'numeric';
  return kind === 'float' ? 'double precision' : kind === 'null' || kind === 'other' ? 'text' : kind;
}

/** The PostgreSQL type that a binding shows for a column, with the digits of a number. */
export function shownTypeOf({ kind, whole, scale, integer }: ValueType): string {
  if (kind !== 'number') return kind === 'float' ? 'double precision' : kind === 'null' ? 'text' : kind;
  return integer ?? `numeric(${whole + scale},${scale})`;
}
