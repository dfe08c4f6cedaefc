import { type Bilingual } from '../text/bilingual.js';
import { type SqlTree } from './sql-parser.js';
import { costOf } from './step-costs.js';
import { childNodes, nameParts, type NodeFields, Refusal } from './walk-tree.js';

/**
 * Maximum nodes beyond those that are written: nodes of steps over whole values, and nodes that PostgreSQL adds to a tree before it runs it, by copying the
 * operands of BETWEEN and IN and the columns of sub-selects to each place that names them. Nested, they double or quadruple with each
 * level: 30 levels take gigabytes, and a row of them cannot be interrupted.
 */
const mostCopied = 8_000;
/**
 * Maximum nodes of the columns and steps in all pieces of a statement together. Pieces that stand in each other multiply: the query of a
 * source, expressions over it, and those over these.
 */
export const mostOfStatement = 16_000;
/** Nodes that go to memory only, for each node that a row goes through. */
const nodesOfMemory = 12;
/** Maximum columns of a query, as in PostgreSQL. Nested, `SELECT t.*, t.*` doubles them with each level. */
const mostColumns = 1_664;
/** Maximum columns in all USING clauses of a statement. The planner compares each of them with those of all joins. */
const mostJoined = 200;

interface Column {
  name: string;
  /** The nodes that stand for the column once its sub-select has become a part of the query around it. */
  nodes: number;
}

/** The columns of a sub-select, of a name of a WITH list, or of a table; those of a join are in its sides. */
interface Relation {
  columns: readonly Column[];
  /** The sides of a join. Their columns are not copied, because a query may join wide relations many times. */
  sides: readonly Relation[];
  /** Number of columns, with those of the sides. */
  width: number;
  /** Nodes of all columns together. */
  nodes: number;
  /** Whether it has more columns, which are not known here, such as those of a table. Each of them is one node. */
  isOpen: boolean;
  /** Number of queries that UNION ALL joins. A query over it is repeated for each of them. */
  branches: number;
}

/**
 * How often a query over so many branches counts. A row goes through one branch, so the others take memory and no passes. 60,000 such nodes
 * take half a gigabyte.
 */
function repeatsOf(branches: number): number {
  return Math.max(1, branches / nodesOfMemory);
}

const aTable = relationOf([], true);
const emptyScope: Scope = { ctes: new Map(), relations: new Map() };

interface Scope {
  /** The relations of the WITH lists, by their names. */
  ctes: ReadonlyMap<string, Relation>;
  /** The relations in FROM by their names, also those of the queries around this one. */
  relations: ReadonlyMap<string, Relation>;
}

/**
 * Limits the copies that PostgreSQL makes of parts of user SQL. `tree` must have passed `walkTree`.
 * @returns `copies`: the most nodes that stand for one column of a query; for an expression, how often it names a column after all copies,
 *   and `cost` besides. `cost`: the nodes of the steps over whole values in an expression; 0 for a query, whose columns hold them
 * @throws Refusal
 */
export function checkCopies(tree: SqlTree): { copies: number; cost: number } {
  let using = 0;
  const written = countNodes(tree);
  const { SelectStmt: query } = tree as { SelectStmt?: NodeFields };
  if (query) {
    const { relation } = select(query, emptyScope, undefined);
    return { copies: Math.ceil(repeatsOf(relation.branches) * most(columnsOf(relation))), cost: 0 };
  }
  count(tree, emptyScope, undefined);
  const { columns, cost } = weigh(tree);
  return { copies: columns + cost, cost };

  function bounded(nodes: number, offset: number | undefined): number {
    if (nodes > written + mostCopied) throw new Refusal('length', undefined, offset, undefined, tooManyCopies);
    return nodes;
  }

  /** The nodes of an expression after all copies. */
  function count(wrapped: unknown, scope: Scope, parentOffset: number | undefined): number {
    const [[type, fields] = ['', {}]] = Object.entries(wrapped as Record<string, NodeFields>);
    const offset = typeof fields.location === 'number' && fields.location >= 0 ? fields.location : parentOffset;
    if (type === 'ColumnRef') return columnNodes(fields, scope);
    if (type === 'SelectStmt') {
      const { relation, nodes } = select(fields, scope, offset);
      return bounded(nodes + relation.nodes, offset);
    }
    const sum = (nodes: unknown[]): number => nodes.reduce<number>((total, each) => total + count(each, scope, offset), 0);
    const own = 1 + costOf(type, fields) + nodesOfRow(type, fields, scope);
    if (type !== 'A_Expr') return bounded(own + sum(childNodes(fields)), offset);
    const [operand, others] = [sum(childNodes({ lexpr: fields.lexpr })), sum(childNodes({ rexpr: fields.rexpr }))];
    const [ofOperand, ofOthers] = copiesOf(fields);
    return bounded(own + ofOperand * operand + ofOthers * others, offset);
  }

  /** @returns `nodes` of all clauses but the columns, which PostgreSQL works out where the query around this one names them */
  function select(node: NodeFields, outer: Scope, offset: number | undefined): { relation: Relation; nodes: number } {
    let { ctes } = outer;
    let nodes = 1;
    for (const { CommonTableExpr: cte } of ((node.withClause as NodeFields | undefined)?.ctes ?? []) as { CommonTableExpr: NodeFields }[]) {
      const query = select((cte.ctequery as { SelectStmt: NodeFields }).SelectStmt, { ...outer, ctes }, offset);
      nodes += query.nodes;
      ctes = new Map([...ctes, [String(cte.ctename), renamed(query.relation, cte.aliascolnames)]]);
    }
    const inner = { ...outer, ctes };
    if (node.larg && node.rarg) {
      const [left, right] = [select(node.larg as NodeFields, inner, offset), select(node.rarg as NodeFields, inner, offset)];
      const { larg: _, rarg: __, withClause: ___, ...clauses } = node;
      for (const clause of childNodes(clauses)) nodes += count(clause, inner, offset);
      const relation = eitherOf(left.relation, right.relation, node.op === 'SETOP_UNION' && node.all === true);
      return { relation: staysApart(node) ? asOne(relation) : relation, nodes: bounded(nodes + left.nodes + right.nodes, offset) };
    }
    let scope: Scope = inner;
    const read: Relation[] = [];
    for (const item of (node.fromClause ?? []) as unknown[]) {
      const found = source(item, scope, offset);
      nodes += found.nodes;
      read.push(found.relation);
      scope = found.scope;
    }
    const { withClause: _, fromClause: __, targetList = [], ...clauses } = node;
    const branches = Math.max(1, ...read.map(relation => relation.branches));
    for (const clause of childNodes(clauses)) nodes += repeatsOf(branches) * count(clause, scope, offset);
    const columns: Column[] = [];
    let isOpen = false;
    for (const { ResTarget: target } of targetList as { ResTarget: NodeFields }[]) {
      const added = targetOf(target, read, scope, offset);
      if (columns.length + added.width > mostColumns) throw new Refusal('length', undefined, offset, undefined, tooManyColumns);
      columns.push(...columnsOf(added));
      isOpen ||= added.isOpen;
    }
    columns.push(...columnsOfValues(node, each => count(each, scope, offset)));
    const relation = relationOf(columns, isOpen, branches);
    bounded(nodes + repeatsOf(branches) * relation.nodes, offset);
    return { relation: staysApart(node) ? asOne(relation) : relation, nodes };
  }

  /** The columns that one item of a SELECT list adds to the result: one column, or for `*` the columns of relations. */
  function targetOf({ name, val }: NodeFields, read: readonly Relation[], scope: Scope, offset: number | undefined): Relation {
    const { ColumnRef: reference } = val as { ColumnRef?: NodeFields };
    const parts = reference ? nameParts(reference.fields) : [];
    if (parts.length > 0 && parts.at(-1) === null) return parts.length > 1 ? (scope.relations.get(parts.at(-2)!) ?? aTable) : joined(read);
    const column = typeof name === 'string' ? name : (parts.at(-1) ?? '');
    return relationOf([{ name: column, nodes: count(val, scope, offset) }], false);
  }

  function source(item: unknown, scope: Scope, offset: number | undefined): { relation: Relation; scope: Scope; nodes: number } {
    const { RangeVar: table, JoinExpr: join, RangeSubselect: nested } = item as Record<string, NodeFields | undefined>;
    const alias = (table ?? nested ?? join)?.alias as { aliasname: string; colnames?: unknown } | undefined;
    if (join) {
      if (join.isNatural) throw new Refusal('statement', 'NATURAL', offset, writeCondition);
      using += ((join.usingClause ?? []) as unknown[]).length;
      if (using > mostJoined) throw new Refusal('length', 'USING', offset, undefined, tooManyJoined);
      const left = source(join.larg, scope, offset);
      const right = source(join.rarg, left.scope, offset);
      const ofCondition = join.quals ? count(join.quals, right.scope, offset) : 0;
      const sides = joined([left.relation, right.relation]);
      if (alias?.colnames && sides.width > mostColumns) throw new Refusal('length', undefined, offset, undefined, tooManyColumns);
      const relation = renamed(sides, alias?.colnames);
      return { relation, scope: withRelation(right.scope, alias?.aliasname, relation), nodes: left.nodes + right.nodes + ofCondition };
    }
    const query = nested && select((nested.subquery as { SelectStmt: NodeFields }).SelectStmt, scope, offset);
    const cte = table?.schemaname === undefined && table ? scope.ctes.get(String(table.relname)) : undefined;
    const relation = renamed(query?.relation ?? cte ?? aTable, alias?.colnames);
    const name = alias?.aliasname ?? (table ? String(table.relname) : undefined);
    return { relation, scope: withRelation(scope, name, relation), nodes: query?.nodes ?? 1 };
  }
}

/**
 * How often PostgreSQL writes the operand of an operator, and what stands behind the operator. `a BETWEEN b AND c` becomes `a >= b AND a <=
 * c`, SYMMETRIC the same once more with b and c exchanged, and `a IN (b, c)` becomes `a = b OR a = c` for all that are not constants.
 */
function copiesOf({ kind, lexpr, rexpr }: NodeFields): [number, number] {
  if (/^AEXPR_(?:NOT_)?BETWEEN_SYM$/.test(String(kind))) return [4, 2];
  if (/^AEXPR_(?:NOT_)?BETWEEN$/.test(String(kind))) return [2, 1];
  if (kind !== 'AEXPR_IN') return [1, 1];
  const items = ((rexpr as { List?: NodeFields }).List?.items ?? []) as unknown[];
  const isRow = Object.hasOwn(lexpr as object, 'RowExpr');
  return [1 + items.filter(each => isRow || !isConstant(each)).length, 1];
}

function isConstant(node: unknown): boolean {
  const { A_Const: constant, TypeCast: cast } = node as Record<string, NodeFields | undefined>;
  return constant !== undefined || (cast !== undefined && isConstant(cast.arg));
}

/** How often an expression names a column, and the nodes of its steps over whole values, after all copies of BETWEEN and IN. */
function weigh(wrapped: unknown): { columns: number; cost: number } {
  const [[type, fields] = ['', {}]] = Object.entries(wrapped as Record<string, NodeFields>);
  if (type === 'ColumnRef') return { columns: 1, cost: 0 };
  const weight = { columns: 0, cost: costOf(type, fields) + nodesOfRow(type, fields, emptyScope) };
  const add = (nodes: unknown[], times: number): void => {
    for (const { columns, cost } of nodes.map(weigh)) {
      weight.columns += times * columns;
      weight.cost += times * cost;
    }
  };
  if (type !== 'A_Expr') add(childNodes(fields), 1);
  else {
    const [ofOperand, ofOthers] = copiesOf(fields);
    add(childNodes({ lexpr: fields.lexpr }), ofOperand);
    add(childNodes({ rexpr: fields.rexpr }), ofOthers);
  }
  return weight;
}

/** The nodes of the columns that stand for each `t.*` in ROW(t.*). */
function nodesOfRow(type: string, { args }: NodeFields, { relations }: Scope): number {
  if (type !== 'RowExpr') return 0;
  return ((args ?? []) as { ColumnRef?: NodeFields }[]).reduce((sum, { ColumnRef: column }) => {
    const [name, star] = nameParts(column?.fields ?? []);
    if (star !== null) return sum;
    const relation = relations.get(name!) ?? aTable;
    return sum + relation.nodes + (relation.isOpen ? mostColumns : 0);
  }, 0);
}

/** The nodes that stand for a column. The name of a relation may mean its whole row. */
function columnNodes({ fields }: NodeFields, { relations }: Scope): number {
  const [first, second] = nameParts(fields);
  const relation = relations.get(first!);
  if (second !== undefined) return (relation && nodesOf(relation, second!)) || 1 + (relation?.nodes ?? 0);
  const named = mostOf(relations.values(), first!);
  return named > 0 ? named : 1 + (relation?.nodes ?? 0);
}

/** The most nodes of a column of this name; 0 without such a column. A name is looked for once in a join, whose sides may be joins too. */
function nodesOf(relation: Relation, name: string): number {
  const byName = nodesByName(relation);
  const found = byName.get(name);
  if (found !== undefined) return found;
  const nodes = mostOf(relation.sides, name);
  byName.set(name, nodes);
  return nodes;
}

function mostOf(relations: Iterable<Relation>, name: string): number {
  let most = 0;
  for (const relation of relations) if (relation.width > 0) most = Math.max(most, nodesOf(relation, name));
  return most;
}

const known = new WeakMap<Relation, Map<string, number>>();

/** The nodes of each own column by its name, and of the names that `nodesOf` has looked for. */
function nodesByName(relation: Relation): Map<string, number> {
  const found = known.get(relation);
  if (found) return found;
  const nodes = new Map<string, number>();
  for (const column of relation.columns) nodes.set(column.name, Math.max(nodes.get(column.name) ?? 0, column.nodes));
  known.set(relation, nodes);
  return nodes;
}

/**
 * Whether PostgreSQL works out a query by itself, so that the query around it reads its columns and does not repeat them. GROUP BY and
 * DISTINCT do not keep a query apart: conditions on its columns are moved into it.
 */
function staysApart({ limitCount, limitOffset }: NodeFields): boolean {
  return Boolean(limitCount ?? limitOffset);
}

/** The columns of VALUES. PostgreSQL repeats those of a single row. */
function columnsOfValues({ valuesLists }: NodeFields, count: (node: unknown) => number): Column[] {
  const [first] = (valuesLists ?? []) as { List: { items: unknown[] } }[];
  return (first?.List.items ?? []).map((item, i) => ({ name: `column${i + 1}`, nodes: count(item) }));
}

function relationOf(columns: readonly Column[], isOpen: boolean, branches = 1): Relation {
  return { columns, sides: [], width: columns.length, nodes: columns.reduce((sum, { nodes }) => sum + nodes, 0), isOpen, branches };
}

function columnsOf({ columns, sides }: Relation): Column[] {
  return [...columns, ...sides.flatMap(columnsOf)];
}

function most(columns: readonly Column[]): number {
  return columns.reduce((nodes, column) => Math.max(nodes, column.nodes), 1);
}

function asOne(relation: Relation): Relation {
  return relationOf(columnsOf(relation).map(({ name }) => ({ name, nodes: 1 })), relation.isOpen); // prettier-ignore
}

/** The columns of a set operation, which have the names of the left query. */
function eitherOf(left: Relation, right: Relation, isPulledUp: boolean): Relation {
  const all = most([...left.columns, ...right.columns]);
  const isOpen = left.isOpen || right.isOpen;
  const columns = left.columns.map(({ name, nodes }, i) => ({
    name,
    nodes: isOpen ? all : Math.max(nodes, right.columns[i]?.nodes ?? 1),
  }));
  return relationOf(columns, isOpen, isPulledUp ? left.branches + right.branches : 1);
}

/** One relation with the columns of several relations, side by side. */
function joined(sides: readonly Relation[]): Relation {
  const sum = (valueOf: (side: Relation) => number): number => sides.reduce((total, side) => total + valueOf(side), 0);
  const isOpen = sides.some(side => side.isOpen);
  const branches = Math.max(1, ...sides.map(side => side.branches));
  return { columns: [], sides, width: sum(({ width }) => width), nodes: sum(({ nodes }) => nodes), isOpen, branches };
}

/** A relation with its first columns renamed, as by the alias `t (a, b)`. If not all columns are known, any of them may have a new name. */
function renamed(relation: Relation, colnames: unknown): Relation {
  if (colnames === undefined) return relation;
  const columns = columnsOf(relation);
  const names = nameParts(colnames).map(String);
  const { isOpen, branches } = relation;
  if (isOpen) return relationOf([...names.map(name => ({ name, nodes: most(columns) })), ...columns], true, branches);
  return relationOf(columns.map(({ name, nodes }, i) => ({ name: names[i] ?? name, nodes })), false, branches); // prettier-ignore
}

function withRelation(scope: Scope, name: string | undefined, relation: Relation): Scope {
  return name === undefined ? scope : { ...scope, relations: new Map([...scope.relations, [name, relation]]) };
}

function countNodes(wrapped: unknown): number {
  const [fields = {}] = Object.values(wrapped as Record<string, NodeFields>);
  return childNodes(fields).reduce<number>((sum, each) => sum + countNodes(each), 1);
}

const tooManyCopies: Bilingual = {
  zh: `它对一行的步骤过多（至多比写出的多 ${mostCopied} 步）：读完整个值的一步算作多步（lower、::text 十余步，LIKE '%…%' 每个字符 5 步）；BETWEEN 与 IN 会重复左边，子查询的列在每处引用时都会重复，UNION ALL 之上的部分会按分支重复；请少写几项或只取 left(…, 200)，少嵌套，或在子查询末尾写 OFFSET 0`,
  en: `it would take too many steps for one row (at most ${mostCopied} more than are written): a step through a whole value counts as many (lower or ::text as 12 to 16, LIKE '%…%' as 5 for each character); BETWEEN and IN repeat what stands before them, each use of a column of a sub-select repeats that column, and what stands over UNION ALL is repeated for its branches; write fewer items or take left(…, 200), nest fewer, or write OFFSET 0 at the end of a sub-select`,
};
export const statementTooLarge: Bilingual = {
  zh: `查询、其上的表达式与公式一起会被 PostgreSQL 展开成过多的部分（至多 ${mostOfStatement} 处，读完整个值的一步算作多处）；请在来源的查询末尾写 OFFSET 0，或把公式写短`,
  en: `PostgreSQL would expand the query, the expressions over it and the formula to too many parts together (at most ${mostOfStatement}, where a step through a whole value counts as many); write OFFSET 0 at the end of the query of the source, or shorten the formula`,
};
const tooManyColumns: Bilingual = { zh: `一个查询至多 ${mostColumns} 列`, en: `a query has at most ${mostColumns} columns` };
const tooManyJoined: Bilingual = {
  zh: `USING 中一共至多 ${mostJoined} 列`,
  en: `at most ${mostJoined} columns may stand in USING`,
};
const writeCondition: Bilingual = { zh: '请写 JOIN … USING (…)，或用 ON 写出条件', en: 'write JOIN … USING (…), or the condition with ON' };
