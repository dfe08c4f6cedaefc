import { type NodeFields } from '../../sql-guard/walk-tree.js';
import { functionName, type Node } from './constant-sql.js';
import { NotInDialectError } from './not-in-dialect.error.js';
import { integerType, type TargetDialect, type Typed } from './target-dialect.js';

/** The bit FRAMEOPTION_ROWS in the frame options of the parse tree, from PostgreSQL's parsenodes.h. */
const rowsBit = 4;

/**
 * Translates the window functions that the compiler of metrics writes: `MAX(x) FILTER (…) OVER (PARTITION BY … ORDER BY … ROWS
 * UNBOUNDED PRECEDING)`, with all or some of these parts. SQL of clients has no window functions.
 */
export function translateWindow(call: NodeFields, translate: (node: unknown) => Typed, dialect: TargetDialect): Typed {
  const { partitionClause = [], orderClause = [], frameOptions } = call.over as NodeFields & Record<string, unknown[]>;
  const partition = partitionClause.map(each => sortable(translate(each)));
  const order = (orderClause as { SortBy: { node: unknown } }[]).map(({ SortBy }) => sorted(SortBy.node));
  const over = [
    ...(partition.length > 0 ? [`PARTITION BY ${partition.join(', ')}`] : []),
    ...(order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []),
    ...(Number(frameOptions) & rowsBit ? ['ROWS UNBOUNDED PRECEDING'] : []),
  ].join(' ');
  const condition = call.agg_filter === undefined ? null : translate(call.agg_filter).sql;
  const chosen = (sql: string): string => (condition === null ? sql : `CASE WHEN ${condition} THEN ${sql} END`);
  const name = functionName(call);
  if (call.agg_star) return { ...integerType('bigint'), sql: `COUNT(${chosen('1')}) OVER (${over})` };
  const value = translate((call.args as unknown[])[0]);
  const sql = name === 'first_value' ? dialect.firstValue(value.sql) : `${name.toUpperCase()}(${dialect.argument(chosen(value.sql))})`;
  return { ...value, sql: `${sql} OVER (${over})` };

  /** ORDER BY terms of an expression, with NULL last as on PostgreSQL. */
  function sorted(node: unknown): string {
    const { CollateClause } = node as Node;
    const value = translate(CollateClause ? CollateClause.arg : node);
    if (value.kind === 'text' && !CollateClause)
      throw new NotInDialectError(dialect.name, 'the order of texts, which depends on the database');
    return `(${value.sql} IS NULL), ${sortable(value)}`;
  }

  function sortable({ sql, kind }: Typed): string {
    return kind === 'text' ? dialect.sortable(sql) : sql;
  }
}
