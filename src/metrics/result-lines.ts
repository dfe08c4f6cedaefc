import { SchemaError } from '../common/errors/api-error.js';
import { csvLine, type LineFormat } from '../http/line-formats.js';
import { type ExecuteMetricRequest, maxLimit, type MetricResultResponse } from './execute.dto.js';

/** A request whose answer is a file. It has all rows that an answer may have, unless the caller gave a limit. */
export function withAllRows<T extends ExecuteMetricRequest>(body: T): T {
  return { ...body, limit: body.limit ?? maxLimit };
}

/**
 * The rows of a result as lines: CSV with a header, an empty cell for null; or an object of each row.
 * @param limit that of the caller
 * @throws SchemaError if there are more rows, and the caller did not ask for the first ones
 */
export function toLines({ columns, rows, truncated }: MetricResultResponse, format: LineFormat, limit: number | null | undefined): string {
  if (truncated && limit == null) {
    const text = {
      zh: `结果超过 ${maxLimit} 行：请缩小范围、分页（limit 与 offset），或用 limit 只取前几行`,
      en: `the result has more than ${maxLimit} rows: narrow it, read it in pages with limit and offset, or give a limit for the first ones`,
    };
    throw new SchemaError([{ loc: ['body', 'limit'], text, type: 'too_many_rows' }]);
  }
  const names = columns.map(({ name }) => name);
  if (format === 'ndjson')
    return rows.map(row => `${JSON.stringify(Object.fromEntries(row.map((value, index) => [names[index], value])))}\n`).join('');
  return [names, ...rows.map(row => row.map(cellOf))].map(csvLine).join('');
}

function cellOf(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
