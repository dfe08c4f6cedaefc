import { type SqlStatement } from '../../sql/sql-parameters.js';
import { parseSql } from '../../sql-guard/sql-parser.js';
import { type NodeFields } from '../../sql-guard/walk-tree.js';
import { type Node } from './constant-sql.js';
import { type HandedLists, readList } from './handed-list.js';
import { indexCondition } from './index-condition.js';
import { NotInDialectError } from './not-in-dialect.error.js';
import { type Target, type TargetDialect, type Typed, valueTypeOf } from './target-dialect.js';
import { checkedName, type TargetParameters } from './target-parameters.js';
import { type ExpressionContext, type FindColumn } from './expression-context.js';
import { translateExpression, translatorFor } from './translate-expression.js';

export interface Relation {
  sql: string;
  /** The columns by the alias of their table, then by their name. */
  scope: Map<string, Map<string, Typed>>;
  /** WHERE conditions of the sub-selects that were merged into this relation. */
  conditions: string[];
}

/** Translates PostgreSQL SELECTs, given as trees of PostgreSQL's parser. @throws NotInDialectError */
export class SelectTranslator {
  readonly dialect: TargetDialect;
  private subqueries = 0;
  /** The SQL of a column that can use an index, by the SQL of the column as a value. */
  private readonly plain = new Map<string, string>();

  constructor(
    private readonly target: Target,
    private readonly parameters: TargetParameters,
    private readonly lists: HandedLists = new Map(),
  ) {
    this.dialect = target.dialect;
  }

  refuse(construct: string): never {
    throw new NotInDialectError(this.dialect.name, construct);
  }

  nullOf(type: Typed): string {
    // NULLIF gives the column its type. In the first branch of a UNION, the type of a bare NULL would become the type of the column.
    const value = `MIN(${type.sql})`;
    return `NULLIF(${value}, ${value})`;
  }

  expression(node: unknown, scope: Relation['scope'], values: readonly unknown[], find = findIn(scope)): Typed {
    return translateExpression(node, { ...this.context(scope, values), find });
  }

  private context(scope: Relation['scope'], values: readonly unknown[]): ExpressionContext {
    return { dialect: this.dialect, parameters: this.parameters, lists: this.lists, values, find: findIn(scope) };
  }

  select(select: NodeFields, values: readonly unknown[]): { sql: string; columns: Map<string, Typed> } {
    if (select.op === 'SETOP_UNION') return this.union(select, values);
    const relation = this.from(select, values);
    const columns = this.columns(select, relation, values);
    return { sql: this.selectSql(columns, relation, this.where(select, relation, values)), columns };
  }

  /** Translates UNION ALL of two SELECTs. Each column gets a type that holds the values of both branches. */
  private union({ larg, rarg }: NodeFields, values: readonly unknown[]): { sql: string; columns: Map<string, Typed> } {
    const branches = [larg, rarg].map(branch => {
      const select = branch as NodeFields;
      const relation = this.from(select, values);
      return { relation, columns: this.columns(select, relation, values), where: this.where(select, relation, values) };
    });
    const [first, second] = branches.map(({ columns }) => [...columns.values()]) as [Typed[], Typed[]];
    const { unify } = translatorFor(this.context(new Map(), values));
    const alike = first.map((column, index) => {
      const other = second[index]!;
      if (other.kind === 'null') return [column, { ...column, sql: other.sql }];
      const isInteger = column.integer !== undefined && column.integer === other.integer;
      return isInteger ? [column, other] : unify([column, other], `${column.kind} and ${other.kind} as one entity`);
    });
    const names = [...branches[0]!.columns.keys()];
    const [columns, others] = [0, 1].map(branch => new Map(names.map((name, index) => [name, alike[index]![branch]!])));
    const sqls = [columns!, others!].map((each, branch) => this.selectSql(each, branches[branch]!.relation, branches[branch]!.where));
    return { sql: sqls.join('\nUNION ALL\n'), columns: columns! };
  }

  private selectSql(columns: Map<string, Typed>, { sql }: Relation, where: string): string {
    const list = [...columns].map(([name, column]) => `${column.sql} AS ${this.dialect.quote(checkedName(name))}`);
    return `SELECT ${list.join(', ')}\nFROM ${sql}${where}`;
  }

  /** The WHERE clause, with additional conditions that hold for the same rows and let the database use an index. */
  where({ whereClause }: NodeFields, { scope, conditions }: Relation, values: readonly unknown[]): string {
    const all = [...conditions, ...(whereClause === undefined ? [] : this.conditionsOf(whereClause, scope, values))];
    return all.length === 0 ? '' : `\nWHERE ${all.join('\n  AND ')}`;
  }

  private conditionsOf(whereClause: unknown, scope: Relation['scope'], values: readonly unknown[]): string[] {
    const { BoolExpr } = whereClause as Node;
    if (BoolExpr?.boolop === 'AND_EXPR') return (BoolExpr.args as unknown[]).flatMap(each => this.conditionsOf(each, scope, values));
    const { sql } = this.expression(whereClause, scope, values);
    const implied = indexCondition(whereClause, this.context(scope, values), exact => this.plain.get(exact));
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

  /** SELECT of the number of key values that occur more than once, in the column `name`. */
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
    // Some databases cannot join without an equality, so a list is cross-joined and its condition goes to WHERE.
    const isList = this.lists.has(((JoinExpr.rarg as Node).RangeVar?.relname ?? '') as string);
    if (isList) return { sql: `${left.sql}\nCROSS JOIN ${right.sql}`, scope, conditions: [...left.conditions, on] };
    return { sql: `${left.sql}\n${kind} JOIN ${right.sql} ON ${on}`, scope, conditions: left.conditions };
  }

  /**
   * Merges a sub-select into the outer SELECT: references to its columns become their expressions, so that no database has to merge it.
   * A sub-select with windows or UNION stays a SELECT of its own.
   */
  private subselect(select: NodeFields, alias: string, values: readonly unknown[]): Relation {
    if (select.op === 'SETOP_UNION' || hasField(select.targetList, 'over')) {
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

  /** @param outer the alias for a table without an alias: that of the sub-select around the table, or the table's own name */
  private table({ schemaname, relname, alias }: NodeFields, outer = relname as string): Relation {
    const { quote } = this.dialect;
    const list = schemaname === undefined ? this.lists.get(relname as string) : undefined;
    if (list) {
      const name = (alias as { aliasname: string }).aliasname;
      const typed = new Map(list.columns.map(column => [column.name, { ...valueTypeOf(column.type), sql: '' }]));
      const sql = `${readList(list, this.context(new Map(), []))} AS ${quote(name)}`;
      return { sql, scope: new Map([[name, this.qualified(name, typed)]]), conditions: [] };
    }
    const columns = this.target.columnsOf(schemaname as string, relname as string);
    if (!columns) throw new Error('A scan reads tables of its binding');
    const name = (alias as { aliasname: string } | undefined)?.aliasname ?? outer;
    const place = `${quote(checkedName(schemaname as string))}.${quote(checkedName(relname as string))}`;
    const typed = columns.map(({ name: column, type: of }): [string, Typed] => {
      const type = valueTypeOf(of);
      const plain = `${quote(checkedName(name))}.${quote(checkedName(column))}`;
      const sql = this.dialect.column(plain, type, column);
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
}

export function selectOf({ sql }: SqlStatement): NodeFields {
  const [statement] = parseSql(sql);
  return (statement!.stmt as { SelectStmt: NodeFields }).SelectStmt;
}

export function findIn(scope: Relation['scope']): FindColumn {
  return (qualifier, name) => {
    if (qualifier !== null) return scope.get(qualifier)?.get(name);
    for (const columns of scope.values()) if (columns.has(name)) return columns.get(name);
    return undefined;
  };
}

/** Whether any node of a tree has a field of this name. */
export function hasField(node: unknown, name: string): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return Object.entries(node).some(([key, value]) => key === name || hasField(value, name));
}
