import { type ChartResponse, type ResultColumnResponse } from './execute.dto.js';
import { type Pattern } from './formula/formula-tree.js';

/** Maximum difference from 1 of the sum of exact shares of a whole. Each share has 16 digits or more. */
const roundingError = 1e-9;

/**
 * Suggests a chart for a result: a line over time, bars over a dimension, and a pie for shares that add up to 1.
 * @param rows rows whose values are not rounded; null if no rows were read
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

/**
 * Whether shares add up to 1. These do not: shares of distinct counts, shares within each value of the dimension, and shares of which
 * `having` or `limit` removed some.
 */
function makeOne(rows: readonly (readonly unknown[])[]): boolean {
  const parts = rows.map(row => Number(row[1] ?? 0));
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.every(part => part >= 0) && Math.abs(sum - 1) <= roundingError;
}
