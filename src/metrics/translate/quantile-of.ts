import { type NodeFields } from '../../sql-guard/walk-tree.js';
import { functionName, type Node } from './constant-sql.js';
import { type Measure } from './measure.js';
import { type RankedRows } from './ranked-rows.js';
import { integerType, type TargetDialect, type Typed } from './target-dialect.js';
import { type TargetParameters } from './target-parameters.js';

export interface QuantileContext {
  dialect: TargetDialect;
  parameters: TargetParameters;
  /**
   * The rows of a scan with their places in the order of a value, for a database that cannot sort the values of an aggregate. Null for
   * other databases.
   */
  ranked: RankedRows | null;
  refuse: (construct: string) => never;
}

/**
 * Translates `percentile_cont(p) WITHIN GROUP (ORDER BY x) FILTER (…)`, and `percentile_disc`. The database returns the values at one
 * or two places, and PostgreSQL interpolates between them. Quantile functions of other databases round the place or the value in
 * another way than PostgreSQL.
 * @throws NotInDialectError
 */
export function quantileOf(call: NodeFields, name: string, context: QuantileContext, expression: (node: unknown) => Typed): Measure {
  const { dialect, parameters, refuse } = context;
  const isBetween = functionName(call) === 'percentile_cont';
  const fraction = fractionOf((call.args as unknown[])[0]);
  const { value, count, total, at } = sortedValues(call, context, expression);
  if (value.kind === 'text') return refuse('the order of texts (PERCENTILE), which depends on the database');
  const isSortable = value.kind === 'number' || (!isBetween && /^(date|timestamp|timestamptz)$/.test(value.kind));
  if (fraction === null || !isSortable) return refuse('PERCENTILE of this form');
  const share = dialect.floatFromText(parameters.value(fraction));
  const column = (suffix: string, place: string): Typed & { name: string } => ({
    ...value,
    name: `${name}${suffix}`,
    sql: at(`GREATEST(1, ${place})`),
  });
  // The places are computed as in PostgreSQL's orderedsetaggs.c.
  if (!isBetween) return { name, columns: [column('', `CEIL(${share} * ${count})`)], local: `"${name}"` };
  const between = `${share} * (${count} - 1)`;
  const columns = [
    column('l', `FLOOR(${between}) + 1`),
    column('u', `CEIL(${between}) + 1`),
    { ...integerType('bigint'), name: `${name}n`, sql: total },
  ];
  const [lower, upper] = ['l', 'u'].map(suffix => `"${name}${suffix}"::float8`);
  const position = `${fraction}::float8 * ("${name}n" - 1)`;
  return { name, columns, local: `${lower} + (${position} - floor(${position})) * (${upper} - ${lower})` };
}

interface SortedValues {
  value: Typed;
  /**
   * SQL of the number of sorted values, for use in the argument of `at`. `total` is the same number as an aggregate for a column of its
   * own.
   */
  count: string;
  total: string;
  /** SQL of the value at a place, counted from 1. */
  at: (place: string) => string;
}

function sortedValues(call: NodeFields, { dialect, ranked }: QuantileContext, expression: (node: unknown) => Typed): SortedValues {
  const { node } = (call.agg_order as { SortBy: { node: unknown } }[])[0]!.SortBy;
  const { agg_filter: filter } = call;
  if (ranked) {
    const { value, place, count } = ranked.rank(node, filter);
    return { value, count, total: `MAX(${count})`, at: wanted => `MIN(CASE WHEN ${place} = ${wanted} THEN ${value.sql} END)` };
  }
  const value = expression(node);
  const sql = filter === undefined ? value.sql : `(CASE WHEN ${expression(filter).sql} THEN ${value.sql} END)`;
  const count = `COUNT(${sql})`;
  return { value, count, total: count, at: place => dialect.sortedValue!(sql, place) };
}

function fractionOf(node: unknown): string | null {
  const { A_Const } = node as Node;
  const written =
    (A_Const?.fval as { fval?: string } | undefined)?.fval ?? (A_Const?.ival ? String((A_Const.ival as { ival?: number }).ival ?? 0) : '');
  return /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(written) ? String(Number(written)) : null;
}
