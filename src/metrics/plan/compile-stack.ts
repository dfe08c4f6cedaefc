import { periodSpine, type TimePlan } from './compile-time.js';
import { type Scan } from './plan-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

/**
 * Compiles the relation that the outer SELECT reads: the only scan, or all scans stacked and grouped. `fill` adds a row for every period
 * and every tuple of dimensions that occurs. It fills the columns of scans here, before the arithmetic (dbt-labs/metricflow#1098).
 * @param keys the quoted columns that all scans have: `"period"` first if there is a grain, then the dimensions
 * @param isLevelled whether the scans have totals as well as rows, which differ by `level`: 0 for rows
 * @param sources the scans, each with the name of the part of the WITH list that has its rows
 * @param tellsSides whether to add the columns `own` and `earlier`: 1 if there is a row of the period itself, or of the earlier period,
 * else 0
 * @param parts the parts of the WITH list, to which the stack is added
 * @returns the name of the part to read
 */
export function compileStack(
  sources: readonly { scan: Scan; part: string }[],
  { stacked, grouped }: { stacked: string; grouped: string },
  plan: TimePlan,
  keys: string[],
  isLevelled: boolean,
  tellsSides: boolean,
  assembly: SqlAssembly,
  parts: string[],
): string {
  const { fill, grain, from, to } = plan;
  const spine = fill !== 'none' && grain !== null && from !== null && to !== null ? { ...plan, grain, from, to } : null;
  if (sources.length === 1 && !spine && fill !== 'zero') return sources[0]!.part;
  const { dialect } = assembly;
  const all = sources.flatMap(({ scan }) =>
    [...scan.columns.values()].map(({ name, aggregate }) => ({
      scan,
      column: dialect.quote(name),
      counts: aggregate.counts && !scan.axis.shift,
    })),
  );
  const level = isLevelled ? ['"level"'] : [];
  // In UNION ALL of two branches, a bare NULL takes the type of the other branch. With three branches, NULLs in the first two would become
  // text.
  const absent = sources.length > 2 ? dialect.noDecimal : 'NULL';
  const branches = sources.map(({ scan, part }) => {
    const measures = all.map(each => (each.scan === scan ? each.column : `${absent} AS ${each.column}`));
    const sides = tellsSides ? [scan.axis.shift ? '0 AS "own", 1 AS "earlier"' : '1 AS "own", 0 AS "earlier"'] : [];
    return `SELECT ${[...keys, ...level, '1 AS "present"', ...sides, ...measures].join(', ')} FROM ${part}`;
  });
  if (spine) {
    const { from: periods, period } = periodSpine(spine, assembly);
    const tuple = keys.slice(1);
    const rows = isLevelled ? ' WHERE "level" = 0' : '';
    const tuples = sources.map(({ part }) => `SELECT DISTINCT ${tuple.join(', ')} FROM ${part}${rows}`).join(' UNION ');
    const cross = tuple.length === 0 ? '' : ` CROSS JOIN (${tuples}) AS k`;
    branches.push(
      `SELECT ${[period, ...tuple, ...level.map(() => '0'), 'NULL', ...(tellsSides ? ['0, 0'] : []), ...all.map(() => absent)].join(', ')} FROM ${periods}${cross}`,
    );
  }
  parts.push(`${stacked} AS (\n  ${branches.join('\n  UNION ALL\n  ')}\n)`);
  const columns = all.map(({ column, counts }) => {
    if (fill === 'zero') return `COALESCE(MAX(${column}), 0) AS ${column}`;
    // A count of a scan without rows is 0 if another scan has rows for the group. It is NULL if no scan has rows, and for counts of an
    // earlier period.
    return counts ? `CASE WHEN MAX("present") = 1 THEN COALESCE(MAX(${column}), 0) END AS ${column}` : `MAX(${column}) AS ${column}`;
  });
  const group = keys.length > 0 ? ` GROUP BY ${[...keys, ...level].join(', ')}` : '';
  const sides = tellsSides ? ['MAX("own") AS "own", MAX("earlier") AS "earlier"'] : [];
  parts.push(`${grouped} AS (\n  SELECT ${[...keys, ...level, ...sides, ...columns].join(', ')} FROM ${stacked}${group}\n)`);
  return grouped;
}
