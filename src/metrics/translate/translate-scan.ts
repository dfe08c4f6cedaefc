import { type SqlStatement } from '../../sql/sql-parameters.js';
import { parseSql } from '../../sql-guard/sql-parser.js';
import { type NodeFields } from '../../sql-guard/walk-tree.js';
import { functionName, type Node } from './constant-sql.js';
import { measureOf } from './measure-of.js';
import { NotInDialectError } from './not-in-dialect.error.js';
import { columnTypeOf, numberType, type Target, type TargetDialect, type Typed, type ValueType, valueTypeOf } from './target-dialect.js';
import { checkedName, TargetParameters, type TargetParameter } from './target-parameters.js';
import { indexCondition } from './index-condition.js';
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
  /** Conditions of SELECTs that it was put together from. */
  conditions: string[];
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
      group: isDayText(node) ? expression(((node as Node).FuncCall!.args as unknown[])[0]).sql : String(index + 1),
    };
  });
  const measures = targets
    .slice(keys + dimensions)
    .map((node, index) => measureOf(node, names[keys + dimensions + index]!, translator, expression));
  const all = [...plain, ...measures.flatMap(({ columns }) => columns)];
  const level = isLevelled ? [{ ...numberType(10), name: 'level', sql: '' }] : [];
  const typed = [...plain, ...level, ...measures.flatMap(({ columns }) => columns)];
  const where = translator.where(select, relation, template.statement.parameters);

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
  // Joined, and not a value of its own: ClickHouse computes those even when it only explains a statement.
  const repeats = template.uniqueKeys.map(
    (statement, index) => `\nCROSS JOIN (${translator.countRepeats(statement, `repeats${index}`)}) AS ${quote(`p${index}`)}`,
  );
  const shown = typed.map(column => dialect.toText({ ...column, sql: `${quote('g')}.${quote(column.name)}` }));
  const list = [...shown, ...repeats.map((_, index) => `${quote(`p${index}`)}.${quote(`repeats${index}`)}`)];
  const named = list.map((sql, index) => `${sql} AS ${quote(`c${index}`)}`);
  const finished = parameters.finish(
    `SELECT ${named.join(', ')}\nFROM (\n${grouped}\n) AS ${quote('g')}${repeats.join('')}${dialect.suffix}`,
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
    (statement, index) => `(${translator.countRepeats(statement, 'repeats')}) AS ${target.dialect.quote(`repeats${index}`)}`,
  );
  return alone(`SELECT ${counts.join(', ')}`, parameters, target);
}

/** A statement in which samples stand for what PostgreSQL would compute. */
function alone(sql: string, parameters: TargetParameters, { dialect }: Target): SqlStatement {
  const finished = parameters.finish(`${sql}${dialect.suffix}`, position => dialect.placeholder(position));
  return { sql: finished.sql, parameters: finished.parameters.map(each => ('value' in each ? each.value : each.sample)) };
}

function findIn(scope: Relation['scope']): FindColumn {
  return (qualifier, name) => {
    if (qualifier !== null) return scope.get(qualifier)?.get(name);
    for (const columns of scope.values()) if (columns.has(name)) return columns.get(name);
    return undefined;
  };
}

function hasWindow(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return Object.entries(node).some(([key, value]) => key === 'over' || hasWindow(value));
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
  /** By the SQL of a column the one that an index knows. */
  private readonly plain = new Map<string, string>();

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
    const { FuncCall } = node as Node;
    if (FuncCall?.over !== undefined) return this.window(FuncCall, each => this.expression(each, scope, values));
    const { A_Expr } = node as Node;
    // The only comparison with a window is that of a row's time with the end of its group.
    if (A_Expr?.kind === 'AEXPR_OP' && ((A_Expr.rexpr ?? {}) as Node).FuncCall?.over !== undefined) {
      const [left, right] = [A_Expr.lexpr, A_Expr.rexpr].map(each => this.expression(each, scope, values));
      return { kind: 'boolean', whole: 0, scale: 0, sql: `(${left!.sql} = ${right!.sql})` };
    }
    return translateExpression(node, { dialect: this.dialect, parameters: this.parameters, values, find: findIn(scope) });
  }

  select(select: NodeFields, values: readonly unknown[]): { sql: string; columns: Map<string, Typed> } {
    const { quote } = this.dialect;
    const relation = this.from(select, values);
    const columns = this.columns(select, relation, values);
    const list = [...columns].map(([name, column]) => `${column.sql} AS ${quote(checkedName(name))}`);
    return { sql: `SELECT ${list.join(', ')}\nFROM ${relation.sql}${this.where(select, relation, values)}`, columns };
  }

  /** `WHERE`, with what lets an index be used besides. */
  where({ whereClause }: NodeFields, { scope, conditions }: Relation, values: readonly unknown[]): string {
    const all = [...conditions, ...(whereClause === undefined ? [] : this.conditionsOf(whereClause, scope, values))];
    return all.length === 0 ? '' : `\nWHERE ${all.join('\n  AND ')}`;
  }

  private conditionsOf(whereClause: unknown, scope: Relation['scope'], values: readonly unknown[]): string[] {
    const { BoolExpr } = whereClause as Node;
    if (BoolExpr?.boolop === 'AND_EXPR') return (BoolExpr.args as unknown[]).flatMap(each => this.conditionsOf(each, scope, values));
    const { sql } = this.expression(whereClause, scope, values);
    const context = { dialect: this.dialect, parameters: this.parameters, values, find: findIn(scope) };
    const implied = indexCondition(whereClause, context, exact => this.plain.get(exact));
    return implied === null ? [sql] : [implied, sql];
  }

  private columns(select: NodeFields, { scope }: Relation, values: readonly unknown[]): Map<string, Typed> {
    const columns = new Map<string, Typed>();
    for (const { ResTarget } of select.targetList as { ResTarget: { name?: string; val: unknown } }[]) {
      const fields = ((ResTarget.val as Node).ColumnRef?.fields ?? []) as object[];
      if (fields.some(field => 'A_Star' in field)) {
        for (const [name, column] of [...scope.values()].flatMap(each => [...each])) columns.set(name, column);
        continue;
      }
      const name = ResTarget.name ?? (fields.at(-1) as { String?: { sval: string } } | undefined)?.String?.sval ?? `column${columns.size}`;
      columns.set(name, this.expression(ResTarget.val, scope, values));
    }
    return columns;
  }

  from(select: NodeFields, values: readonly unknown[]): Relation {
    const [item, another] = select.fromClause as unknown[];
    if (item === undefined || another !== undefined) throw new Error('A scan reads one FROM item');
    return this.fromItem(item, values);
  }

  /** `SELECT COUNT(*) FROM (the values of the key that occur more than once)`. */
  countRepeats(statement: SqlStatement, name: string): string {
    const { quote } = this.dialect;
    const { sql, columns } = this.select(selectOf(statement), statement.parameters);
    const names = [...columns.keys()].map(name => quote(name));
    const [keys, repeated] = [this.alias(), this.alias()];
    const groups = `SELECT 1 AS ${quote('one')} FROM (\n${sql}\n) AS ${keys} GROUP BY ${names.join(', ')} HAVING COUNT(*) > 1`;
    return `SELECT COUNT(*) AS ${quote(name)} FROM (${groups}) AS ${repeated}`;
  }

  private alias(): string {
    return this.dialect.quote(`q${this.subqueries++}`);
  }

  private fromItem(node: unknown, values: readonly unknown[], alias?: string): Relation {
    const { RangeVar, RangeSubselect, JoinExpr } = node as Node;
    if (RangeVar) return this.table(RangeVar, alias);
    if (RangeSubselect) {
      const { SelectStmt } = RangeSubselect.subquery as { SelectStmt: NodeFields };
      return this.subselect(SelectStmt, (RangeSubselect.alias as { aliasname: string }).aliasname, values);
    }
    if (!JoinExpr) throw new Error('A scan reads tables');
    const [left, right] = [JoinExpr.larg, JoinExpr.rarg].map(each => this.fromItem(each, values)) as [Relation, Relation];
    if (right.conditions.length > 0) throw new Error('A joined table has no conditions');
    const scope = new Map([...left.scope, ...right.scope]);
    const kind = JoinExpr.jointype === 'JOIN_LEFT' ? 'LEFT' : 'INNER';
    const on = this.expression(JoinExpr.quals, scope, values).sql;
    return { sql: `${left.sql}\n${kind} JOIN ${right.sql} ON ${on}`, scope, conditions: left.conditions };
  }

  /** Its columns stand for what they are computed of, so that no database has to merge it. One with windows is a SELECT of its own. */
  private subselect(select: NodeFields, alias: string, values: readonly unknown[]): Relation {
    const targets = select.targetList as { ResTarget: { val: unknown } }[];
    if (targets.some(({ ResTarget }) => hasWindow(ResTarget.val))) {
      const { sql, columns } = this.select(select, values);
      const scope = new Map([[alias, this.qualified(alias, columns)]]);
      return { sql: `(\n${sql}\n) AS ${this.dialect.quote(checkedName(alias))}`, scope, conditions: [] };
    }
    const [item] = select.fromClause as unknown[];
    const relation = this.fromItem(item, values, alias);
    const { whereClause } = select;
    const conditions = whereClause === undefined ? [] : this.conditionsOf(whereClause, relation.scope, values);
    const columns = this.columns(select, relation, values);
    return { sql: relation.sql, scope: new Map([[alias, columns]]), conditions: [...relation.conditions, ...conditions] };
  }

  /** @param outer its alias where it has none */
  private table({ schemaname, relname, alias }: NodeFields, outer = relname as string): Relation {
    const { quote } = this.dialect;
    const columns = this.target.columnsOf(schemaname as string, relname as string);
    if (!columns) throw new Error('A scan reads tables of its binding');
    const name = (alias as { aliasname: string } | undefined)?.aliasname ?? outer;
    const place = `${quote(checkedName(schemaname as string))}.${quote(checkedName(relname as string))}`;
    const typed = columns.map(({ name: column, type: of }): [string, Typed] => {
      const type = valueTypeOf(of);
      const plain = `${quote(checkedName(name))}.${quote(checkedName(column))}`;
      const sql = this.dialect.column(plain, type);
      const indexed = this.dialect.indexed(plain, type);
      if (indexed !== null) this.plain.set(sql, indexed);
      return [column, { ...type, sql }];
    });
    return { sql: `${place} AS ${quote(name)}`, scope: new Map([[name, new Map(typed)]]), conditions: [] };
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
