import { AnswerTooLargeError } from '../common/errors/answer-too-large.error.js';
import { SchemaError } from '../common/errors/api-error.js';
import { JsonPieces } from '../common/json/write-in-turns.js';
import { Pace } from '../common/turns/pace.js';
import { csvLine, type LineFormat } from '../http/line-formats.js';
import { type ExecuteMetricRequest, maxLimit, type MetricResultResponse, type ResultColumnResponse } from './execute.dto.js';

/** The body of a request for a file. If it has no limit, the limit is the maximum number of rows of an answer. */
export function withAllRows<T extends ExecuteMetricRequest>(body: T): T {
  return { ...body, limit: body.limit ?? maxLimit };
}

/**
 * The rows of a result as lines. CSV has a header, an empty cell for null and `""` for an empty text. NDJSON has one object for each
 * row.
 * @param limit the limit that the caller gave, if any
 * @throws SchemaError if there are more rows and the caller gave no limit; AnswerTooLargeError
 */
export async function toLines(
  { columns, rows, truncated }: MetricResultResponse,
  format: LineFormat,
  limit: number | null | undefined,
  mostBytes: number,
): Promise<Buffer[]> {
  if (truncated && limit == null) {
    const text = {
      zh: `结果超过 ${maxLimit} 行：请缩小范围、分页（limit 与 offset），或用 limit 只取前几行；图的编辑者可导出全部`,
      en: `the result has more than ${maxLimit} rows: narrow it, read it in pages with limit and offset, or give a limit for the first ones; editors of the graph get all rows`,
    };
    throw new SchemaError([{ loc: ['body', 'limit'], text, type: 'too_many_rows' }]);
  }
  const pace = new Pace();
  let bytes = 0;
  const lines = new JsonPieces(pace, more => {
    bytes += more;
    // Each line of NDJSON repeats the names of all columns, so the lines may take many times as many bytes as the rows.
    if (bytes > mostBytes) throw new AnswerTooLargeError('metric', bytes, mostBytes);
  }).text(headLine(columns, format));
  for (const row of rows) {
    lines.text(toLine(columns, row, format));
    if (pace.isOverdue) await pace.turn();
  }
  return lines.end();
}

export function headLine(columns: readonly ResultColumnResponse[], format: LineFormat): string {
  return format === 'ndjson' ? '' : csvLine(columns.map(({ name }) => name));
}

export function toLine(columns: readonly ResultColumnResponse[], row: readonly unknown[], format: LineFormat): string {
  if (format === 'csv') return csvLine(row.map(cellOf));
  return `${JSON.stringify(Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])))}\n`;
}

function cellOf(value: unknown): string | null {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}
