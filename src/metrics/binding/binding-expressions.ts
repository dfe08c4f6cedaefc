import { type Bilingual } from '../../text/bilingual.js';
import { type FieldProblem } from '../../common/errors/api-error.js';
import { type Guard, type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { type Steps } from '../../text/steps.js';
import { fitsIdentifier, quoteIdentifier } from '../../sql/quote-identifier.js';
import { type BindingDimension, type BindingRequest, identifier } from './binding.dto.js';
import { admits, guardOverTable, guardOverTables, judgeInSteps, typeOfColumn } from '../plan/bound-sql.js';
import { kindOf } from '../plan/compare-types.js';
import { type BoundJoin, type BoundTable, type MetricBinding } from '../plan/metric-binding.js';

type Loc = (string | number)[];

/** Columns of every answer. No dimension may have one of these names. */
const answerColumns: ReadonlySet<string> = new Set(['period', 'value']);
/** Whether the compiler adds columns of this name to a relation. No column of a binding may have it. */
const isHidden = (name: string): boolean => /^__(time|row|period|group\d+|base|lower|upper|entity|key\d+|pick_m\d+)$/.test(name);

/**
 * Guards one SQL expression of a binding.
 * @returns null for an expression with an unknown column, which becomes a problem of the binding
 * @throws UnsafeFilterClauseError for any other refusal
 */
export function guardPart(text: string, guard: Guard, loc: Loc, problems: FieldProblem[]): GuardedExpression | null {
  try {
    return guard(text);
  } catch (error) {
    if (!(error instanceof UnsafeFilterClauseError)) throw error;
    const { reason, token, hint } = error.refused;
    if (reason !== 'column')
      throw new UnsafeFilterClauseError(
        {
          ...error.refused,
          hint: {
            zh: `位于 ${loc.slice(1).join('.')}${hint ? `；${hint.zh}` : ''}`,
            en: `in ${loc.slice(1).join('.')}${hint ? `; ${hint.en}` : ''}`,
          },
        },
        text,
      );
    problems.push({
      loc,
      text: {
        zh: `没有列“${token}”${hint ? `；${hint.zh}` : ''}`,
        en: `there is no column '${token}'${hint ? `; ${hint.en}` : ''}`,
      },
      type: 'unknown_column',
    });
    return null;
  }
}

export interface NameCheck {
  kind: 'column' | 'dimension' | 'entity';
  expression: string;
  /** The expressions of the names that are taken so far, by name. The same column may take a name twice. */
  taken: Map<string, string>;
  guard: Guard;
  /** The alias of the fact table. */
  alias: string;
}

/**
 * Whether a name fits into the 63 bytes of an identifier of PostgreSQL. Its parser, which reads the SQL of every binding, cuts longer
 * names.
 */
export function isIdentifier(name: string): boolean {
  return identifier.test(name) && fitsIdentifier(name);
}

const nameForm: Bilingual = { zh: '名称应为 1 到 63 字节，不含双引号', en: 'a name has 1 to 63 bytes and no double quote' };

/** Reports the aliases of tables that PostgreSQL's parser would cut. */
export function checkAliases({ alias, joins }: BindingRequest, loc: Loc, problems: FieldProblem[]): void {
  const written: [string | undefined, Loc][] = [[alias, [...loc, 'alias']]];
  joins?.forEach((join, index) => written.push([join.alias, [...loc, 'joins', index, 'alias']]));
  for (const [name, at] of written) if (name != null && !isIdentifier(name)) problems.push({ loc: at, text: nameForm, type: 'name_form' });
}

/** Reports a name that is malformed, reserved or taken by another column. Otherwise adds it to `taken`. */
export function checkName(name: string, loc: Loc, { kind, expression, taken, ...scope }: NameCheck, problems: FieldProblem[]): void {
  const report = (type: string, text: Bilingual) => problems.push({ loc, text, type });
  const other = taken.get(name);
  if (!isIdentifier(name)) {
    report('name_form', nameForm);
  } else if (isHidden(name) || (kind === 'dimension' && answerColumns.has(name))) {
    report('reserved_name', { zh: `“${name}”是保留名称`, en: `'${name}' is a reserved name` });
  } else if (other !== undefined && other !== expression && !isSameColumn(other, expression, scope)) {
    report('duplicate_name', { zh: `“${name}”已用于另一列`, en: `'${name}' is taken by another column` });
  } else taken.set(name, expression);
}

/** Whether two expressions are the same column of a table: `status`, `o.status` and `"o"."status"` are, if `o` is the fact table. */
function isSameColumn(one: string, other: string, { guard, alias }: Pick<NameCheck, 'guard' | 'alias'>): boolean {
  if (!admits(guard, one) || !admits(guard, other)) return false;
  const [a, b] = [guard(one), guard(other)].map(({ tree, columns: [column] }) =>
    column && 'ColumnRef' in (tree as object) ? [column[0] ?? alias, column[1]] : null,
  );
  return a != null && b != null && a[0] === b[0] && a[1] === b[1];
}

/** The SQL of a dimension or the time column. `column` is the name of a logical column, or itself an expression over the tables. */
export function expressionOf(column: string, columns: Record<string, string>): string {
  return Object.hasOwn(columns, column) ? (columns[column] ?? column) : column;
}

/** The logical columns of a binding that lists none: all columns of the fact table that have a usable name. */
export function defaultColumns(fact: BoundTable): Record<string, string> {
  const usable = fact.columns.filter(({ name }) => isIdentifier(name) && !isHidden(name));
  return Object.fromEntries(usable.map(({ name }) => [name, `${quoteIdentifier(fact.alias)}.${quoteIdentifier(name)}`]));
}

/** The dimensions of a binding that lists none: all logical columns except those named like a column of every answer. */
export function defaultDimensions(columns: Record<string, string>): BindingDimension[] {
  const names = Object.keys(columns).filter(name => !answerColumns.has(name));
  return names.map(name => ({ name, column: name }));
}

/** Maximum pairs of a join: the maximum columns of a PostgreSQL index. */
const mostPairs = 32;

/**
 * Reads the pairs of a join, `on: [["o.customer_id", "c.id"]]`. The two sides of a pair may come in either order. The column of the
 * joined table may be written without its alias.
 * @returns pairs of [expression over the tables before, expression over the joined table]
 */
export function* readJoinPairs(
  pairs: unknown,
  join: BoundJoin,
  { fact, joins }: Pick<MetricBinding, 'fact' | 'joins'>,
  loc: Loc,
  problems: FieldProblem[],
): Steps<[string, string][]> {
  const guard = guardOverTables({ fact, joins });
  const isPair = (pair: unknown): pair is [string, string] =>
    Array.isArray(pair) && pair.length === 2 && pair.every(side => typeof side === 'string');
  if (!Array.isArray(pairs) || pairs.length === 0 || pairs.length > mostPairs || !pairs.every(isPair)) {
    problems.push({
      loc,
      text: {
        zh: `应为 [["事实表列", "连接表列"]]，最多 ${mostPairs} 对`,
        en: `must be [["fact column", "joined column"]], ${mostPairs} pairs at most`,
      },
      type: 'join_pairs',
    });
    return [];
  }
  const guardJoined = guardOverTable(join);
  for (const each of [guardJoined, guard]) yield* judgeInSteps(each, pairs.flat());
  const belongs = (text: string): boolean => admits(guardJoined, text) && !(admits(guard, text) && !text.includes('.'));
  return pairs.flatMap(([left, right], index): [string, string][] => {
    const [outer, inner] = belongs(left) && !admits(guard, left) && admits(guard, right) ? [right, left] : [left, right];
    const guardedInner = guardPart(inner, guardJoined, [...loc, index, 1], problems);
    const guardedOuter = guardPart(outer, guard, [...loc, index, 0], problems);
    if (!guardedInner || !guardedOuter) return [];
    const differ = differentTypes(typeOfColumn(guardedOuter, { fact, joins }), typeOfColumn(guardedInner, { fact: join, joins: [] }));
    if (differ) problems.push({ loc: [...loc, index], text: differ, type: 'join_types' });
    return [[outer, qualified(guardedInner, join.alias, [...loc, index, 1], problems)]];
  });
}

/**
 * The problem of a join pair that compares a number with a text, or null. Some databases refuse such a comparison, and MySQL converts '1x'
 * to 1.
 */
function differentTypes(outer: string | undefined, inner: string | undefined): Bilingual | null {
  if (outer === undefined || inner === undefined) return null;
  const kinds = [kindOf(outer), kindOf(inner)];
  if (kinds[0] === kinds[1] || !kinds.every(kind => kind === 'number' || kind === 'text')) return null;
  return {
    zh: `连接键的类型不同：${outer} 与 ${inner}；请把数字写成 (…)::text，或以相同的类型上传`,
    en: `the two sides have different types, ${outer} and ${inner}; write the number as (…)::text, or upload both with one type`,
  };
}

function qualified(guarded: GuardedExpression, alias: string, loc: Loc, problems: FieldProblem[]): string {
  const [column] = guarded.columns;
  if (column && 'ColumnRef' in (guarded.tree as object)) return `${quoteIdentifier(alias)}.${quoteIdentifier(column[1])}`;
  if (guarded.columns.length === 0 || guarded.columns.some(([qualifier]) => qualifier === null)) {
    problems.push({ loc, text: { zh: `列要写成 ${alias}.列名`, en: `write columns as ${alias}.column` }, type: 'unqualified_column' });
  }
  return guarded.text;
}
