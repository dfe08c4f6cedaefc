import { type ChartResponse, type ResultColumnResponse } from './execute.dto.js';
import { type Pattern } from './formula/formula-tree.js';

/** How far the exact shares of a whole may be from 1: each has 16 digits or more. */
const roundingError = 1e-9;

/**
 * Suggests a chart of a result: a line over time, bars over a dimension, the parts of a whole for shares that make one.
 * @param rows with values that are not rounded; null where nothing was read
 */
export function suggestChart(
  columns: readonly ResultColumnResponse[],
  patterns: readonly Pattern[],
  rows: readonly (readonly unknown[])[] | null,
): ChartResponse {
  const names = (role: ResultColumnResponse['role']) => columns.filter(column => column.role === role).map(({ name }) => name);
  const [period] = names('time');
  const dimensions = names('dimension');
  const y = names('value');
  if (period !== undefined) return { kind: 'line', x: period, series: dimensions, y };
  const [x, ...series] = dimensions;
  if (x === undefined) return { kind: 'number', x: null, series: [], y };
  const isShare = series.length === 0 && y.length === 1 && patterns[0] === 'share_of_total';
  return { kind: isShare && (rows === null || makeOne(rows)) ? 'share' : 'bar', x, series, y };
}

/** Shares need not: those of distinct counts, those within each value of the dimension, or those that `having` and `limit` keep. */
function makeOne(rows: readonly (readonly unknown[])[]): boolean {
  const parts = rows.map(row => Number(row[1] ?? 0));
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.every(part => part >= 0) && Math.abs(sum - 1) <= roundingError;
}
