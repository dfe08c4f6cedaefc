import { columnIn } from './bound-sql.js';
import { findDimension, type MetricBinding, namedColumns } from './metric-binding.js';
import { type MetricPlan } from './plan-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

/** The places where a statement compares texts by bytes that their database compares by a collation. */
export interface CollatedTexts {
  inJoin: boolean;
  inDistinctCount: boolean;
  /** The dimensions of the request that hold such texts. */
  dimensions: string[];
}

/**
 * Finds the comparisons of columns with a `collation`. Only bare columns count, since an expression may already make equal texts identical,
 * as `UPPER` does.
 */
export function collatedTexts({ scans }: MetricPlan, dimensions: readonly string[], assembly: SqlAssembly): CollatedTexts {
  const isCollated = (binding: MetricBinding, expression: string): boolean =>
    columnIn(assembly.judge(binding, expression), binding)?.collation !== undefined;
  const found: CollatedTexts = { inJoin: false, inDistinctCount: false, dimensions: [] };
  for (const { binding, columns } of scans) {
    if (binding.dialect === undefined) continue;
    const joins = binding.joins.filter(join => assembly.joins.includes(join));
    found.inJoin ||= joins.some(({ on }) => on.flat().some(side => isCollated(binding, side)));
    found.inDistinctCount ||= [...columns.values()].some(
      ({ aggregate, args }) =>
        aggregate.name === 'COUNT DISTINCT' &&
        args.some(({ tree, columns: [column] }) => {
          const expression = column && 'ColumnRef' in (tree as object) ? namedColumns(binding).get(column[1])?.expression : undefined;
          return expression !== undefined && isCollated(binding, expression);
        }),
    );
    for (const name of dimensions) {
      const dimension = findDimension(binding, name);
      if (dimension && !found.dimensions.includes(name) && isCollated(binding, dimension.expression)) found.dimensions.push(name);
    }
  }
  return found;
}
