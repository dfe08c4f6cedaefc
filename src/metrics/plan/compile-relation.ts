import { type BoundColumn, type BoundTable, type MetricBinding } from './metric-binding.js';
import { type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { type SqlAssembly } from './sql-assembly.js';

/** The hidden name of the time column in a relation. Logical names may not begin with two underscores. */
export const timeColumn = '__time';

/** The hidden boolean column of a relation that is true for the rows that the binding lets through. */
export const keptColumn = '__kept';

/**
 * Whether a condition over these expressions of a binding might reach rows that the binding hides: by its row filter, its query or an
 * inner join, or rows of a left join that belong to no row of the fact table.
 */
export function mayReachHidden({ fact, row_filter, joins }: MetricBinding, read: readonly Pick<GuardedExpression, 'columns'>[]): boolean {
  const readsJoin = (): boolean => read.some(({ columns }) => columns.some(([qualifier]) => (qualifier ?? fact.alias) !== fact.alias));
  return row_filter !== null || 'sql' in fact.source || joins.some(({ kind }) => kind === 'inner') || readsJoin();
}

/**
 * A binding's tables as one sub-select, whose columns have the logical names. The client's predicates over those names are embedded
 * verbatim, without renaming. PostgreSQL flattens the sub-select, so indexes on the tables are used.
 *     (SELECT o.amount AS "金额", o.created_at AS "__time" FROM sales.orders AS o LEFT JOIN … WHERE (row filter)) AS o
 * @param withKept whether to give the column `__kept`, for a clause that must not read the rows that the binding hides
 */
export function compileRelation(
  binding: MetricBinding,
  exposed: BoundColumn[],
  { withTime, withKept = false }: { withTime: boolean; withKept?: boolean },
  assembly: SqlAssembly,
): string {
  const { quote } = assembly.dialect;
  const used = new Map<string, Set<string>>();
  const embed = (text: string): string => {
    const guarded = assembly.judge(binding, text);
    for (const [qualifier, column] of guarded.columns) {
      const alias = qualifier ?? binding.fact.alias;
      used.set(alias, (used.get(alias) ?? new Set()).add(column));
    }
    return assembly.embed(guarded, binding.fact.alias);
  };

  const columns = exposed.map(column => `${embed(column.expression)} AS ${quote(column.name)}`);
  if (withTime && binding.time) columns.push(`${embed(binding.time.expression)} AS ${quote(timeColumn)}`);
  const where = binding.row_filter === null ? '' : `\n    WHERE ${embed(binding.row_filter)}`;
  // A left join that no expression reads is left out: its key is unique, so it changes no row. The joins are visited from the last to the
  // first, because later joins may read earlier ones.
  const joins = binding.joins.toReversed().flatMap(join => {
    if (join.kind === 'left' && !used.has(join.alias)) return [];
    const on = join.on.map(([left, right]) => `${embed(left)} = ${embed(right)}`).join(' AND ');
    return [{ join, on }];
  });
  joins.reverse();
  if (withKept) {
    // A left join hides no row, so its condition here is always true. The condition names the joined table, so that the planner evaluates
    // the clause after the join.
    const conditions = joins.map(({ join, on }) => (join.kind === 'inner' ? on : `((${on}) IS NULL OR (${on}) IS NOT NULL)`));
    if (binding.row_filter !== null) conditions.push(embed(binding.row_filter));
    columns.push(`(${conditions.join(' AND ') || 'TRUE'}) AS ${quote(keptColumn)}`);
  }
  assembly.joins.push(...joins.map(({ join }) => join));
  for (const table of [binding.fact, ...binding.joins]) {
    const columns = used.get(table.alias);
    if (columns) assembly.reads.push({ table, columns: [...columns] });
  }

  // Tables are compiled last, when all columns that are read of each table are known.
  const table = (each: BoundTable) => compileTable(each, used.get(each.alias) ?? new Set(), withKept, assembly);
  const from = [
    `FROM ${table(binding.fact)}`,
    ...joins.map(({ join, on }) => `${join.kind === 'left' ? 'LEFT' : 'INNER'} JOIN ${table(join)} ON ${on}`),
  ];
  const list = columns.length > 0 ? columns.join(', ') : '1 AS "__row"';
  return `(\n    SELECT ${list}\n    ${from.join('\n    ')}${where}\n  ) AS ${quote(binding.fact.alias)}`;
}

/** The expressions of a relation, without the expressions of the columns that it exposes. */
export function expressionsOf({ time, row_filter, joins }: MetricBinding): string[] {
  return [...(time ? [time.expression] : []), ...(row_filter === null ? [] : [row_filter]), ...joins.flatMap(({ on }) => on.flat())];
}

/**
 * SQL of a table with its columns of type real or double precision read as numeric, through their shortest text. A direct cast keeps only 6
 * digits of real and 15 of double precision, and a sum of floats depends on the order of the rows (metrics.md A.3; Northwind's `real`
 * prices sum to 56500.887).
 * @param isFirst whether a query is computed before any condition around it. PostgreSQL does not move conditions into a sub-select with
 * OFFSET.
 */
function compileTable(table: BoundTable, used: ReadonlySet<string>, isFirst: boolean, assembly: SqlAssembly): string {
  const { quote, toDecimal } = assembly.dialect;
  const alias = quote(table.alias);
  const source = assembly.embedTable(table);
  const columns = table.columns.filter(column => used.has(column.name));
  const isFenced = isFirst && 'sql' in table.source;
  if (!isFenced && !columns.some(column => isFloat(column.type))) return `${source} AS ${alias}`;
  const list = columns.map(({ name, type }) => {
    const quoted = quote(name);
    return isFloat(type) ? `${toDecimal(`${quoted}::text`)} AS ${quoted}` : quoted;
  });
  const selected = list.length > 0 ? list.join(', ') : '1 AS "__row"';
  return `(SELECT ${selected} FROM ${source}${'sql' in table.source ? ' AS q' : ''}${isFenced ? ' OFFSET 0' : ''}) AS ${alias}`;
}

export function isFloat(type: string): boolean {
  return type === 'real' || type === 'double precision';
}
