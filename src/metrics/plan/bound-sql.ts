import { type Guard, type GuardedExpression, guardExpression } from '../../sql-guard/guard-expression.js';
import { type GuardedSelect, guardSelect } from '../../sql-guard/guard-select.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { type Steps } from '../../text/steps.js';
import { type TablePlace } from '../../warehouse/clients/warehouse.client.js';
import { exactly } from './exact-arithmetic.js';
import { type BoundQuery, type BoundTable, type ColumnOfTable, type MetricBinding } from './metric-binding.js';

/**
 * The guard for expressions of a binding, when it is saved and when it is compiled. Each text is judged once. Expressions may name the
 * columns of the fact table, also unqualified, and the columns of joined tables with their alias.
 */
export function guardOverTables({ fact, joins }: Pick<MetricBinding, 'fact' | 'joins'>): Guard {
  const typesIn = (table: BoundTable) => new Map(table.columns.map(({ name, type }) => [name, type]));
  const [columns, tables] = [typesIn(fact), new Map(joins.map(join => [join.alias, typesIn(join)]))];
  const scope = { columns, alias: fact.alias, tables };
  return once(
    exactly(
      (text, isRewritten) => guardExpression(text, scope, isRewritten),
      (name, qualifier) => (qualifier === null || qualifier === fact.alias ? columns : tables.get(qualifier))?.get(name),
    ),
  );
}

/** Wraps a guard: each text is judged once, and its verdict or refusal is remembered. */
function once(guard: Guard): Guard {
  const outcomes = new Map<string, GuardedExpression | UnsafeFilterClauseError>();
  return text => {
    const outcome = outcomes.get(text) ?? outcomeOf(guard, text);
    outcomes.set(text, outcome);
    if (outcome instanceof UnsafeFilterClauseError) throw outcome;
    return outcome;
  };
}

function outcomeOf(guard: Guard, text: string): GuardedExpression | UnsafeFilterClauseError {
  try {
    return guard(text);
  } catch (error) {
    if (error instanceof UnsafeFilterClauseError) return error;
    throw error;
  }
}

/** Maximum problems of a binding that are reported at once. A refusal by the guard takes some milliseconds. */
export const mostProblems = 50;

/** Judges texts in steps, so that `guard` remembers its verdicts. Stops once `mostProblems` texts were refused. */
export function* judgeInSteps(guard: Guard, texts: Iterable<string>): Steps<void> {
  let refused = 0;
  for (const text of texts) {
    yield;
    if (!admits(guard, text) && ++refused === mostProblems) return;
  }
}

/** Whether the guard admits a text. */
export function admits(guard: Guard, text: string): boolean {
  return !(outcomeOf(guard, text) instanceof UnsafeFilterClauseError);
}

/** The column, if an expression is a bare column of a table. Undefined for any other expression. */
export function columnIn(
  { tree, columns: [column] }: GuardedExpression,
  { fact, joins }: Pick<MetricBinding, 'fact' | 'joins'>,
): ColumnOfTable | undefined {
  if (!column || !('ColumnRef' in (tree as object))) return undefined;
  const [qualifier, name] = column;
  const table = [fact, ...joins].find(({ alias }) => alias === (qualifier ?? fact.alias));
  return table?.columns.find(each => each.name === name);
}

/** The type of the column, if an expression is a bare column of a table. Undefined for any other expression. */
export function typeOfColumn(guarded: GuardedExpression, tables: Pick<MetricBinding, 'fact' | 'joins'>): string | undefined {
  return columnIn(guarded, tables)?.type;
}

/** The guard for the keys of a joined table, which may name only the columns of that table. */
export function guardOverTable(table: BoundTable): Guard {
  return guardOverTables({ fact: table, joins: [] });
}

/**
 * Guards the query of a binding.
 * @param tables the tables that the query may read; absent for all tables of the schema
 * @throws UnsafeFilterClauseError
 */
export function guardQuery({ sql, schema }: BoundQuery, tables?: ReadonlySet<string>): GuardedSelect {
  return guardSelect(sql, { schema, ...(tables && { tables }) });
}

const tablesOfQueries = new WeakMap<BoundQuery, readonly string[]>();

/** The tables that the query of a binding reads, computed once for each query. @throws UnsafeFilterClauseError */
export function tablesIn(query: BoundQuery): readonly string[] {
  const known = tablesOfQueries.get(query) ?? guardQuery(query).tables;
  tablesOfQueries.set(query, known);
  return known;
}

/** The tables of the database that a table of a binding reads: itself, or the tables of its query. @throws UnsafeFilterClauseError */
export function placesOf({ source }: BoundTable): TablePlace[] {
  return 'sql' in source ? tablesIn(source).map(table => ({ schema: source.schema, table })) : [source];
}
