import { RunFailure } from '../../common/errors/run-failure.js';
import { type Steps } from '../../text/steps.js';
import { type ExecuteMetricResponse, type ExecuteOrder, maxLimit } from '../execute.dto.js';
import { type HavingOperator } from '../plan/metric-request.js';

/** The condition under which a watch fires. `by` is the name of a value column, `value` is decimal text. */
export interface Condition {
  by: string;
  op: HavingOperator;
  value: string;
}

export interface Verdict {
  /** Whether at least one row meets the condition. */
  held: boolean;
  columns: string[];
  /** At most `shownRows` of the rows that meet the condition. If no row meets it, at most `shownRows` of all rows. */
  rows: unknown[][];
}

const shownRows = 5;
const shownCharacters = 200;
/**
 * Maximum characters of a number. PostgreSQL has the longest numbers of all databases: 131,072 digits before the point and 16,383 after
 * it.
 */
const longestNumber = 150_000;

/** An order in which rows that may meet the condition come first. For `=` and `!=` no order does that. */
export function orderFor({ by, op }: Condition): { order: ExecuteOrder[]; limit: number } {
  return { order: [{ by, dir: op.startsWith('<') ? 'asc' : 'desc' }], limit: maxLimit };
}

/**
 * Checks whether any row of a result meets a condition. The rows are in the order of `orderFor`. Values are compared as decimals without
 * rounding. A missing value never meets the condition.
 * @throws RunFailure for values that are not numbers, and if the rows that were read cannot decide
 */
export function* judgeRows(result: Pick<ExecuteMetricResponse, 'columns' | 'rows' | 'truncated'>, condition: Condition): Steps<Verdict> {
  const columns = result.columns.map(({ name }) => name);
  const at = result.columns.findIndex(({ name, role }) => role === 'value' && name === condition.by);
  const than = readDecimal(condition.value);
  const found: unknown[][] = [];
  let hasValue = false;
  for (const row of result.rows) {
    yield;
    const value = row[at];
    if (value === null || value === undefined) continue;
    hasValue = true;
    if (meets(compareDecimals(readDecimal(value), than), condition.op)) found.push(row);
  }
  const isDecided = !result.truncated || (/^[<>]/.test(condition.op) && hasValue);
  if (found.length === 0 && !isDecided) throw tooManyRows;
  const shown = (found.length > 0 ? found : result.rows).slice(0, shownRows);
  return { held: found.length > 0, columns, rows: shown.map(row => row.map(shorten)) };
}

function meets(sign: number, op: HavingOperator): boolean {
  switch (op) {
    case '=':
      return sign === 0;
    case '!=':
      return sign !== 0;
    case '<':
      return sign < 0;
    case '<=':
      return sign <= 0;
    case '>':
      return sign > 0;
    case '>=':
      return sign >= 0;
    default:
      return op satisfies never;
  }
}

/** The number `sign` × 0.`digits` × 10^`magnitude`. The first digit is not 0; zero has no digits. */
interface Decimal {
  sign: number;
  magnitude: number;
  digits: string;
}

/** Reads decimal text, which may have an exponent as numbers of JSON do. @throws RunFailure */
function readDecimal(value: unknown): Decimal {
  const text = String(value);
  const [, sign, whole, fraction = '', exponent = '0'] =
    (text.length <= longestNumber && /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,4}))?$/i.exec(text)) || [];
  if (whole === undefined) throw notNumber;
  const digits = whole + fraction;
  const first = digits.search(/[1-9]/);
  if (first < 0) return { sign: 0, magnitude: 0, digits: '' };
  return { sign: sign === '-' ? -1 : 1, magnitude: whole.length - first + Number(exponent), digits: digits.slice(first) };
}

/** Compares two numbers digit by digit, because turning a long number into a bigint takes seconds. */
function compareDecimals(one: Decimal, other: Decimal): number {
  if (one.sign !== other.sign) return one.sign - other.sign;
  if (one.magnitude !== other.magnitude) return one.sign * (one.magnitude - other.magnitude);
  const length = Math.max(one.digits.length, other.digits.length);
  const [left, right] = [one.digits.padEnd(length, '0'), other.digits.padEnd(length, '0')];
  return left < right ? -one.sign : left > right ? one.sign : 0;
}

function shorten(value: unknown): unknown {
  return typeof value === 'string' && value.length > shownCharacters ? `${value.slice(0, shownCharacters).toWellFormed()}…` : value;
}

const notNumber = new RunFailure('value_not_number', {
  zh: '该指标的值不是数字，无法与条件比较；请监视值为数字的指标',
  en: 'the values of the metric are not numbers, so they cannot be compared; watch a metric of numbers',
});

const tooManyRows = new RunFailure('too_many_rows_to_watch', {
  zh: `结果超过 ${maxLimit} 行，读到的行都不符合条件，其余未读；请用 filters 或 having 缩小 request 的范围`,
  en: `there are more than ${maxLimit} rows, of which those that were read do not meet the condition; narrow the request with filters or having`,
});
