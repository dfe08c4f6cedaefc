import { type Bilingual } from '../../text/bilingual.js';
import { type FieldProblem } from '../../common/errors/api-error.js';
import { type HavingOperator, type MetricRequest } from './metric-request.js';
import { type SqlAssembly } from './sql-assembly.js';

/** A column of a result, with the names by which `having` and `order` may refer to it. */
export interface ResultColumn {
  /** The names of the column. The first is its name in the answer. */
  names: readonly string[];
  /** SQL of the column in the part of the result: `r."d0"`. */
  sql: string;
  /** Expressions that order rows by this column. Absent if `sql` orders them. */
  order?: readonly string[];
  isValue: boolean;
  /** The type of the values if they are not numbers. */
  otherType?: string | undefined;
}

const operators: Record<HavingOperator, string> = { '=': '=', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' };

/** A condition that compares a value with a number: `"v0" > $1`. */
export function compare(value: string, op: HavingOperator, than: string, assembly: SqlAssembly): string {
  return `${value} ${operators[op]} ${assembly.bind(than, 'numeric')}`;
}

/** Compiles `having` to a WHERE clause over the result. @param always a condition under which a row is kept whatever its values */
export function compileHaving(
  { having }: MetricRequest,
  columns: ResultColumn[],
  assembly: SqlAssembly,
  problems: FieldProblem[],
  always?: string,
): string[] {
  const values = columns.filter(({ isValue }) => isValue);
  const conditions = having.flatMap(({ by, op, value }, index) => {
    const column = by === undefined ? values[0] : named(by, values, ['body', 'having', index, 'by'], problems);
    if (by === undefined && values.length > 1 && having.length > 0) {
      const list = values.map(({ names }) => names[0]).join(', ');
      problems.push({
        loc: ['body', 'having', index, 'by'],
        text: { zh: `有几个值，请用 by 写明是哪个：${list}`, en: `there are several values: say which with by: ${list}` },
        type: 'missing',
      });
    }
    if (!column) return [];
    if (column.otherType !== undefined) {
      const { names, otherType: type } = column;
      const text = { zh: `“${names[0]}”的值是 ${type}，不是数字`, en: `the values of '${names[0]}' are of type ${type}, no numbers` };
      problems.push({ loc: ['body', 'having', index], text, type: 'not_comparable' });
      return [];
    }
    return [compare(column.sql, op, value, assembly)];
  });
  if (conditions.length === 0) return [];
  return [`WHERE ${always === undefined ? '' : `${always} OR `}${conditions.join(' AND ')}`];
}

/** Compiles the requested order, followed by all keys, so that ties always come in the same order and pages do not overlap. */
export function compileOrder({ order }: MetricRequest, columns: ResultColumn[], problems: FieldProblem[]): string {
  const terms: string[] = [];
  const used = new Set<string>();
  order.forEach(({ by, dir, nulls }, index) => {
    const loc = ['body', 'order', index, 'by'];
    const column = named(by, columns, loc, problems);
    if (!column) return;
    if (used.has(column.sql)) {
      const text = { zh: '重复的排序没有作用', en: 'ordering by it twice has no effect' };
      problems.push({ loc, text, type: 'no_effect' });
      return;
    }
    terms.push(...orderOf(column).map(sql => `${sql} ${dir.toUpperCase()} NULLS ${nulls.toUpperCase()}`));
    used.add(column.sql);
  });
  const keys = columns.filter(({ isValue, sql }) => !isValue && !used.has(sql));
  terms.push(...keys.flatMap(orderOf).map(sql => `${sql} ASC NULLS LAST`));
  return terms.length > 0 ? terms.join(', ') : columns.at(-1)!.sql;
}

function orderOf({ sql, order = [sql] }: ResultColumn): readonly string[] {
  return order;
}

function named(name: string, columns: ResultColumn[], loc: FieldProblem['loc'], problems: FieldProblem[]): ResultColumn | undefined {
  const [column, ...others] = columns.filter(({ names }) => names.includes(name));
  const known = columns.map(({ names }) => names[0]!);
  const list = known.join(', ');
  const report = (type: string, text: Bilingual) => problems.push({ loc, text, type, known });
  if (!column) report('unknown_column', { zh: `没有列“${name}”，可用：${list}`, en: `there is no column '${name}'; known: ${list}` });
  if (others.length > 0)
    report('ambiguous_order', {
      zh: `“${name}”是几列的名称；请在绑定中给维度另一个名称`,
      en: `'${name}' is the name of several columns; give the dimension another name in its binding`,
    });
  return column;
}
