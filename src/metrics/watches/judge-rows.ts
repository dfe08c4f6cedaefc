import { RunFailure } from '../../common/errors/run-failure.js';
import { type ExecuteMetricResponse, type ExecuteOrder, maxLimit } from '../execute.dto.js';
import { type HavingOperator } from '../plan/metric-request.js';

/** What a value has to be for a watch to tell of it. `value` is decimal text. */
export interface Condition {
  by: string;
  op: HavingOperator;
  value: string;
}

export interface Verdict {
  /** Whether a row meets the condition. */
  held: boolean;
  columns: string[];
  /** Some of the rows that meet it; if none does, of those that there are. */
  rows: unknown[][];
}

const shownRows = 5;
const shownCharacters = 200;

/** The rows that may meet a condition come first, as far as an order can bring them there. */
export function orderFor({ by, op }: Condition): { order: ExecuteOrder[]; limit: number } {
  return { order: [{ by, dir: op.startsWith('<') ? 'asc' : 'desc' }], limit: maxLimit };
}

/**
 * Tells whether any row of a result, in the order of `orderFor`, meets a condition. Values are compared as decimals of any length;
 * one that is missing meets none.
 * @throws RunFailure for values that are no numbers, and where the rows that were read decide nothing
 */
export function judgeRows(result: Pick<ExecuteMetricResponse, 'columns' | 'rows' | 'truncated'>, condition: Condition): Verdict {
  const columns = result.columns.map(({ name }) => name);
  const at = result.columns.findIndex(({ name, role }) => role === 'value' && name === condition.by);
  const than = readDecimal(condition.value);
  const values = result.rows.map(row => readValue(row[at]));
  const found = result.rows.filter((_, index) => values[index] !== null && meets(compareDecimals(values[index]!, than), condition.op));
  const isDecided = !result.truncated || (/^[<>]/.test(condition.op) && values.some(value => value !== null));
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

/** `digits` divided by ten to the power of `scale`. */
interface Decimal {
  digits: bigint;
  scale: number;
}

function readValue(value: unknown): Decimal | null {
  return value === null || value === undefined ? null : readDecimal(value);
}

/** Numbers of JSON may have an exponent. */
function readDecimal(value: unknown): Decimal {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,4}))?$/i.exec(String(value)) ?? [];
  if (whole === undefined) throw notNumber;
  return { digits: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length - Number(exponent) };
}

function compareDecimals(one: Decimal, other: Decimal): number {
  const scale = Math.max(one.scale, other.scale);
  const [left, right] = [one, other].map(each => each.digits * 10n ** BigInt(scale - each.scale)) as [bigint, bigint];
  return left < right ? -1 : left > right ? 1 : 0;
}

function shorten(value: unknown): unknown {
  return typeof value === 'string' && value.length > shownCharacters ? `${value.slice(0, shownCharacters).toWellFormed()}…` : value;
}

const notNumber = new RunFailure('value_not_number', {
  zh: '该指标的值不是数字，无法与条件比较；请监视值为数字的指标',
  en: 'the values of the metric are no numbers, so that they cannot be compared; watch a metric of numbers',
});

const tooManyRows = new RunFailure('too_many_rows_to_watch', {
  zh: `结果超过 ${maxLimit} 行，读到的行都不符合条件，其余未读；请用 filters 或 having 缩小 request 的范围`,
  en: `there are more than ${maxLimit} rows, of which those that were read do not meet the condition; narrow the request with filters or having`,
});
