import { type SqlStatement } from '../../sql/sql-parameters.js';
import { parseSql } from '../../sql-guard/sql-parser.js';
import { type NodeFields } from '../../sql-guard/walk-tree.js';
import { functionName, type Node } from './constant-sql.js';
import { NotInDialectError } from './not-in-dialect.error.js';
import { columnTypeOf, numberType, type Target, type TargetDialect, type Typed, type ValueType, valueTypeOf } from './target-dialect.js';
import { checkedName, TargetParameters, type TargetParameter } from './target-parameters.js';
import { type FindColumn, translateExpression } from './translate-expression.js';

/** A statement of PostgreSQL's that reads rows and has no groups yet, and how they are grouped. */
export interface ScanTemplate {
  statement: SqlStatement;
  /** How many of its columns are keys, then dimensions. The others are aggregates. */
  keys: number;
  dimensions: number;
  /** The names of its columns. */
  names: readonly string[];
  levels: readonly number[];
  isLevelled: boolean;
  /** SELECTs of keys that no two rows of a table may have. */
  uniqueKeys: readonly SqlStatement[];
}

/** One scan in the SQL of the target. Its rows are texts that PostgreSQL reads as the types of the columns. */
export interface TranslatedScan {
  sql: string;
  parameters: TargetParameter[];
  /** What PostgreSQL computes for the parameters before, as one row of texts. */
  constants: SqlStatement | null;
  /** The first columns of the result. */
  columns: { name: string; type: string }[];
  /** How many columns follow: for each of the unique keys the number of its values that occur more than once. */
  repeats: number;
}

/** What PostgreSQL makes of the columns that the target gives: a name and SQL over them. */
export interface LocalColumn {
  name: string;
  sql: string;
}

interface Relation {
  sql: string;
  /** By alias, then name. */
  scope: Map<string, Map<string, Typed>>;
}

/** @throws NotInDialectError */
export function translateScan(template: ScanTemplate, target: Target): { scan: TranslatedScan; local: LocalColumn[] } {
  const parameters = new TargetParameters();
  const translator = new SelectTranslator(target, parameters);
  const { dialect } = target;
  const { keys, dimensions, names, levels, isLevelled } = template;
  const select = selectOf(template.statement);
  const relation = translator.from(select, template.statement.parameters);
  const targets = (select.targetList as { ResTarget: { val: unknown } }[]).map(({ ResTarget }) => ResTarget.val);
  const expression = (node: unknown): Typed => translator.expression(node, relation.scope, template.statement.parameters);

  // The text of a period is made once for each group.
  const plain = targets.slice(0, keys + dimensions).map((node, index) => {
    const typed = expression(node);
    return {
      name: names[index]!,
      ...typed,
      group: isDayText(node) ? expression(((node as Node).FuncCall!.args as unknown[])[0]).sql : typed.sql,
    };
  });
  const measures = targets
    .slice(keys + dimensions)
    .map((node, index) => measureOf(node, names[keys + dimensions + index]!, translator, expression));
  const all = [...plain, ...measures.flatMap(({ columns }) => columns)];
  const level = isLevelled ? [{ ...numberType(10), name: 'level', sql: '' }] : [];
  const typed = [...plain, ...level, ...measures.flatMap(({ columns }) => columns)];
  const where = select.whereClause === undefined ? '' : `\nWHERE ${expression(select.whereClause).sql}`;

  const ofLevel = (bits: number): string => {
    const isKept = (index: number): boolean => index < keys || !(bits & (1 << (keys + dimensions - 1 - index)));
    const list = typed.map(column => {
      if (column.name === 'level') return `${bits} AS ${dialect.quote('level')}`;
      const index = all.indexOf(column);
      const sql = index >= plain.length || isKept(index) ? column.sql : translator.nullOf(column);
      return `${sql} AS ${dialect.quote(column.name)}`;
    });
    const kept = plain.flatMap(({ group }, index) => (isKept(index) ? [group] : []));
    return `SELECT ${list.join(', ') || '1'}\nFROM ${relation.sql}${where}${kept.length > 0 ? `\nGROUP BY ${[...new Set(kept)].join(', ')}` : ''}`;
  };
  const grouped = [0, ...levels].map(ofLevel).join('\nUNION ALL\n');
  const quote = (name: string): string => dialect.quote(name);
  const repeats = template.uniqueKeys.map((statement, index) => `(${translator.countRepeats(statement)}) AS ${quote(`repeats${index}`)}`);
  const shown = typed.map(column => dialect.toText({ ...column, sql: `${quote('g')}.${quote(column.name)}` }));
  const proof = repeats.length === 0 ? '' : `\nCROSS JOIN (SELECT ${repeats.join(', ')}) AS ${quote('p')}`;
  const list = [...shown, ...repeats.map((_, index) => `${quote('p')}.${quote(`repeats${index}`)}`)];
  const named = list.map((sql, index) => `${sql} AS ${quote(`c${index}`)}`);
  const finished = parameters.finish(
    `SELECT ${named.join(', ')}\nFROM (\n${grouped}\n) AS ${quote('g')}${proof}${dialect.suffix}`,
    position => dialect.placeholder(position),
  );
  const local = [
    ...plain.map(({ name }) => ({ name, sql: `"${name}"` })),
    ...level.map(({ name }) => ({ name, sql: `"${name}"` })),
    ...measures.map(({ name, local }) => ({ name, sql: local })),
  ];
  const columns = typed.map(({ name, ...type }) => ({ name, type: columnTypeOf(type) }));
  return { scan: { ...finished, constants: parameters.constants, columns, repeats: repeats.length }, local };
}

/** A SELECT without rows, with the types of its columns. @throws NotInDialectError */
export function translateProbe(statement: SqlStatement, target: Target): SqlStatement & { columns: ValueType[] } {
  const parameters = new TargetParameters();
  const { sql, columns } = new SelectTranslator(target, parameters).select(selectOf(statement), statement.parameters);
  return { ...alone(`${sql}\nLIMIT 0`, parameters, target), columns: [...columns.values()] };
}

/** For each SELECT of a key the number of its values that occur more than once, in one row. @throws NotInDialectError */
export function translateRepeats(statements: readonly SqlStatement[], target: Target): SqlStatement {
  const parameters = new TargetParameters();
  const translator = new SelectTranslator(target, parameters);
  const counts = statements.map(
    (statement, index) => `(${translator.countRepeats(statement)}) AS ${target.dialect.quote(`repeats${index}`)}`,
  );
  return alone(`SELECT ${counts.join(', ')}`, parameters, target);
}

/** A statement in which samples stand for what PostgreSQL would compute. */
function alone(sql: string, parameters: TargetParameters, { dialect }: Target): SqlStatement {
  const finished = parameters.finish(`${sql}${dialect.suffix}`, position => dialect.placeholder(position));
  return { sql: finished.sql, parameters: finished.parameters.map(each => ('value' in each ? each.value : each.sample)) };
}

function isDayText(node: unknown): boolean {
  const { FuncCall } = node as Node;
  return FuncCall !== undefined && functionName(FuncCall) === 'to_char';
}

function selectOf({ sql }: SqlStatement): NodeFields {
  const [statement] = parseSql(sql);
  return (statement!.stmt as { SelectStmt: NodeFields }).SelectStmt;
}

class SelectTranslator {
  readonly dialect: TargetDialect;
  private subqueries = 0;

  constructor(
    private readonly target: Target,
    private readonly parameters: TargetParameters,
  ) {
    this.dialect = target.dialect;
  }

  refuse(construct: string): never {
    throw new NotInDialectError(this.dialect.name, construct);
  }

  nullOf(type: Typed): string {
    // Without its type a NULL would decide that of the column in the first branch of a UNION.
    const value = `MIN(${type.sql})`;
    return `NULLIF(${value}, ${value})`;
  }

  expression(node: unknown, scope: Relation['scope'], values: readonly unknown[]): Typed {
    const find: FindColumn = (qualifier, name) => {
      if (qualifier !== null) return scope.get(qualifier)?.get(name);
      for (const columns of scope.values()) if (columns.has(name)) return columns.get(name);
      return undefined;
    };
    const { FuncCall } = node as Node;
    if (FuncCall?.over !== undefined) return this.window(FuncCall, each => this.expression(each, scope, values));
    const { A_Expr } = node as Node;
    // The only comparison with a window is that of a row's time with the end of its group.
    if (A_Expr?.kind === 'AEXPR_OP' && ((A_Expr.rexpr ?? {}) as Node).FuncCall?.over !== undefined) {
      const [left, right] = [A_Expr.lexpr, A_Expr.rexpr].map(each => this.expression(each, scope, values));
      return { kind: 'boolean', whole: 0, scale: 0, sql: `(${left!.sql} = ${right!.sql})` };
    }
    return translateExpression(node, { dialect: this.dialect, parameters: this.parameters, values, find });
  }

  select(select: NodeFields, values: readonly unknown[]): { sql: string; columns: Map<string, Typed> } {
    const { quote } = this.dialect;
    const { sql, scope } = this.from(select, values);
    const columns = new Map<string, Typed>();
    const list: string[] = [];
    for (const { ResTarget } of select.targetList as { ResTarget: { name?: string; val: unknown } }[]) {
      const fields = ((ResTarget.val as Node).ColumnRef?.fields ?? []) as object[];
      if (fields.some(field => 'A_Star' in field)) {
        for (const [name, column] of [...scope.values()].flatMap(each => [...each])) {
          columns.set(name, column);
          list.push(`${column.sql} AS ${quote(checkedName(name))}`);
        }
        continue;
      }
      const column = this.expression(ResTarget.val, scope, values);
      const name = ResTarget.name ?? (fields.at(-1) as { String?: { sval: string } } | undefined)?.String?.sval ?? `column${list.length}`;
      columns.set(name, column);
      list.push(`${column.sql} AS ${quote(checkedName(name))}`);
    }
    const where = select.whereClause === undefined ? '' : `\nWHERE ${this.expression(select.whereClause, scope, values).sql}`;
    return { sql: `SELECT ${list.join(', ')}\nFROM ${sql}${where}`, columns };
  }

  from(select: NodeFields, values: readonly unknown[]): Relation {
    const [item, another] = select.fromClause as unknown[];
    if (item === undefined || another !== undefined) throw new Error('A scan reads one FROM item');
    return this.fromItem(item, values);
  }

  /** `SELECT COUNT(*) FROM (the values of the key that occur more than once)`. */
  countRepeats(statement: SqlStatement): string {
    const { quote } = this.dialect;
    const { sql, columns } = this.select(selectOf(statement), statement.parameters);
    const names = [...columns.keys()].map(name => quote(name));
    const [keys, repeated] = [this.alias(), this.alias()];
    const groups = `SELECT 1 AS ${quote('one')} FROM (\n${sql}\n) AS ${keys} GROUP BY ${names.join(', ')} HAVING COUNT(*) > 1`;
    return `SELECT COUNT(*) FROM (${groups}) AS ${repeated}`;
  }

  private alias(): string {
    return this.dialect.quote(`q${this.subqueries++}`);
  }

  private fromItem(node: unknown, values: readonly unknown[]): Relation {
    const { RangeVar, RangeSubselect, JoinExpr } = node as Node;
    if (RangeVar) return this.table(RangeVar);
    if (RangeSubselect) {
      const { SelectStmt } = RangeSubselect.subquery as { SelectStmt: NodeFields };
      const { sql, columns } = this.select(SelectStmt, values);
      const alias = (RangeSubselect.alias as { aliasname: string }).aliasname;
      return {
        sql: `(\n${sql}\n) AS ${this.dialect.quote(checkedName(alias))}`,
        scope: new Map([[alias, this.qualified(alias, columns)]]),
      };
    }
    if (!JoinExpr) throw new Error('A scan reads tables');
    const [left, right] = [JoinExpr.larg, JoinExpr.rarg].map(each => this.fromItem(each, values)) as [Relation, Relation];
    const scope = new Map([...left.scope, ...right.scope]);
    const kind = JoinExpr.jointype === 'JOIN_LEFT' ? 'LEFT' : 'INNER';
    return { sql: `${left.sql}\n${kind} JOIN ${right.sql} ON ${this.expression(JoinExpr.quals, scope, values).sql}`, scope };
  }

  private table({ schemaname, relname, alias }: NodeFields): Relation {
    const { quote } = this.dialect;
    const columns = this.target.columnsOf(schemaname as string, relname as string);
    if (!columns) throw new Error('A scan reads tables of its binding');
    const name = (alias as { aliasname: string } | undefined)?.aliasname ?? (relname as string);
    const place = `${quote(checkedName(schemaname as string))}.${quote(checkedName(relname as string))}`;
    const typed = columns.map(({ name: column, type: of }): [string, Typed] => {
      const type = valueTypeOf(of);
      return [column, { ...type, sql: this.dialect.column(`${quote(checkedName(name))}.${quote(checkedName(column))}`, type) }];
    });
    return { sql: `${place} AS ${quote(name)}`, scope: new Map([[name, new Map(typed)]]) };
  }

  private qualified(alias: string, columns: Map<string, Typed>): Map<string, Typed> {
    const { quote } = this.dialect;
    return new Map([...columns].map(([name, type]) => [name, { ...type, sql: `${quote(alias)}.${quote(name)}` }]));
  }

  /** `MAX(time) FILTER (WHERE …) OVER (PARTITION BY …)`. */
  private window(call: NodeFields, expression: (node: unknown) => Typed): Typed {
    const name = functionName(call);
    const [argument] = call.args as unknown[];
    const value = expression(argument);
    const chosen = call.agg_filter === undefined ? value.sql : `CASE WHEN ${expression(call.agg_filter).sql} THEN ${value.sql} END`;
    const partition = ((call.over as NodeFields).partitionClause ?? []) as unknown[];
    const by = partition.length === 0 ? '' : `PARTITION BY ${partition.map(each => expression(each).sql).join(', ')}`;
    return { ...value, sql: `${name.toUpperCase()}(${this.dialect.argument(chosen)}) OVER (${by})` };
  }
}

interface Measure {
  name: string;
  columns: (Typed & { name: string })[];
  local: string;
}

const deviations = new Set(['stddev', 'stddev_samp', 'variance', 'var_samp']);

/** An aggregate as one that the target computes exactly, or as parts of which PostgreSQL computes it as it would itself. */
function measureOf(node: unknown, name: string, translator: SelectTranslator, expression: (node: unknown) => Typed): Measure {
  const { dialect } = translator;
  const { FuncCall } = node as Node;
  if (!FuncCall) return translator.refuse('an aggregate of this form');
  const fn = functionName(FuncCall);
  // `trim_scale((percentile_cont(…) …)::numeric)`.
  if (fn === 'trim_scale') {
    const { TypeCast } = (FuncCall.args as Node[])[0]!;
    const inner = measureOf(TypeCast!.arg, name, translator, expression);
    return { ...inner, local: `trim_scale((${inner.local})::numeric)` };
  }
  const filter = FuncCall.agg_filter === undefined ? null : expression(FuncCall.agg_filter).sql;
  const chosen = (sql: string): string => (filter === null ? sql : `(CASE WHEN ${filter} THEN ${sql} END)`);
  const args = (FuncCall.args ?? []) as unknown[];
  const column = (suffix: string, typed: Typed): Typed & { name: string } => ({ ...typed, name: `${name}${suffix}` });
  const one = (typed: Typed): Measure => ({ name, columns: [column('', typed)], local: `"${name}"` });
  const count = (sql: string): Typed => ({ ...numberType(19), sql: `COUNT(${sql})` });
  const number = (): Typed => {
    const value = expression(args[0]);
    if (value.kind !== 'number')
      translator.refuse(`${fn.toUpperCase()} of ${value.kind === 'float' ? 'floating-point numbers' : 'what is no number'}`);
    return value;
  };
  const sumOf = (value: Typed): Typed => {
    const type = numberType(value.whole + 20, value.scale);
    if (type.whole + type.scale > dialect.mostDigits) translator.refuse(`a sum of numbers of ${value.whole + value.scale} digits`);
    return { ...type, sql: dialect.sum({ ...value, sql: chosen(value.sql) }) };
  };

  if (FuncCall.agg_within_group) {
    const { node: sorted } = (FuncCall.agg_order as { SortBy: { node: unknown } }[])[0]!.SortBy;
    const fraction = fractionOf(args[0]);
    const value = expression(sorted);
    const mode = fn === 'percentile_cont' ? 'CONT' : 'DISC';
    const sql = value.kind === 'number' && fraction !== null && dialect.quantile({ ...value, sql: chosen(value.sql) }, fraction, mode);
    if (!sql) return translator.refuse(mode === 'CONT' ? 'MEDIAN and PERCENTILE' : 'PERCENTILE with DISC');
    return one(mode === 'CONT' ? { kind: 'float', whole: 0, scale: 0, sql } : { ...value, sql });
  }
  switch (fn) {
    case 'count':
      if (FuncCall.agg_star) return one(count(filter === null ? '*' : chosen('1')));
      return one(FuncCall.agg_distinct ? countDistinct(args[0]) : count(chosen(expression(args[0]).sql)));
    case 'sum':
      return one(sumOf(number()));
    case 'min':
    case 'max': {
      const value = expression(args[0]);
      if (value.kind === 'text' || value.kind === 'boolean')
        translator.refuse(`${fn.toUpperCase()} of texts, whose order depends on the database`);
      if (value.kind === 'float') translator.refuse('floating-point numbers');
      return one({ ...value, sql: `${fn.toUpperCase()}(${dialect.argument(chosen(value.sql))})` });
    }
    case 'avg': {
      const value = number();
      const [sum, n] = [column('s', sumOf(value)), column('n', count(chosen(value.sql)))];
      return { name, columns: [sum, n], local: `"${sum.name}" / NULLIF("${n.name}", 0)` };
    }
    default: {
      if (!deviations.has(fn)) return translator.refuse(fn.toUpperCase());
      const value = number();
      const decimal = dialect.toDecimal(value);
      const square: Typed = { ...numberType(2 * value.whole, 2 * value.scale), sql: `(${decimal} * ${decimal})` };
      if (square.scale > dialect.mostScale) translator.refuse(`${fn.toUpperCase()} of numbers of ${value.scale} decimals`);
      const [sum, squares, n] = [column('s', sumOf(value)), column('q', sumOf(square)), column('n', count(chosen(value.sql)))];
      // As numeric_stddev_internal does it, so that the digits are the same.
      const variance = `(GREATEST("${n.name}" * "${squares.name}" - "${sum.name}" * "${sum.name}", 0) / NULLIF("${n.name}" * ("${n.name}" - 1), 0))`;
      const isRoot = fn.startsWith('stddev');
      return { name, columns: [sum, squares, n], local: isRoot ? `round(sqrt(${variance} * 1.0000000000), scale(${variance}))` : variance };
    }
  }

  function countDistinct(argument: unknown): Typed {
    const { RowExpr } = argument as Node;
    const values = (RowExpr ? (RowExpr.args as unknown[]) : [argument]).map(expression);
    if (values.some(({ kind }) => kind === 'float')) translator.refuse('floating-point numbers');
    const complete = values.map(value => ({ ...value, sql: chosen(value.sql) }));
    return { ...numberType(19), sql: dialect.countDistinct(complete) };
  }
}

function fractionOf(node: unknown): string | null {
  const { A_Const } = node as Node;
  const written =
    (A_Const?.fval as { fval?: string } | undefined)?.fval ?? (A_Const?.ival ? String((A_Const.ival as { ival?: number }).ival ?? 0) : '');
  return /^\d*\.?\d+$|^\d+\.$/.test(written) ? String(Number(written)) : null;
}
