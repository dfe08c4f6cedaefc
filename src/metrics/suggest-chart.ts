import { type ChartResponse, type ResultColumnResponse } from './execute.dto.js';
import { type Pattern } from './formula/formula-tree.js';

/** Suggests a chart of a result: a line over time, bars over a dimension, the parts of a whole for shares. */
export function suggestChart(columns: readonly ResultColumnResponse[], patterns: readonly Pattern[]): ChartResponse {
  const names = (role: ResultColumnResponse['role']) => columns.filter(column => column.role === role).map(({ name }) => name);
  const [period] = names('time');
  const dimensions = names('dimension');
  const y = names('value');
  if (period !== undefined) return { kind: 'line', x: period, series: dimensions, y };
  const [x, ...series] = dimensions;
  if (x === undefined) return { kind: 'number', x: null, series: [], y };
  const isShare = series.length === 0 && y.length === 1 && patterns[0] === 'share_of_total';
  return { kind: isShare ? 'share' : 'bar', x, series, y };
}
