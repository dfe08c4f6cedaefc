import { type UnsafeReason } from './sql-guard.errors.js';

/**
 * The allowed content of a key of a parse node: a plain value, one node, a list of nodes, a list of nodes or of one empty node, or a
 * node without its wrapper (libpg-query writes `withClause: {ctes: …}`, not `withClause: {WithClause: {ctes: …}}`).
 */
export type KeyRule = 'plain' | 'node' | 'nodes' | 'nodes or empty' | `bare:${string}`;
export type NodeRules = Readonly<Record<string, Readonly<Record<string, KeyRule>>>>;

/** The nodes of one scalar expression. A node or a key that a later PostgreSQL adds is refused until this list has it. */
export const expressionNodes: NodeRules = {
  A_Expr: { kind: 'plain', name: 'nodes', lexpr: 'node', rexpr: 'node', rexpr_list_start: 'plain', rexpr_list_end: 'plain' },
  A_Const: { ival: 'plain', fval: 'plain', boolval: 'plain', sval: 'plain', bsval: 'plain', isnull: 'plain' },
  String: { sval: 'plain' },
  Integer: { ival: 'plain' },
  ColumnRef: { fields: 'nodes' },
  List: { items: 'nodes' },
  BoolExpr: { boolop: 'plain', args: 'nodes' },
  NullTest: { arg: 'node', nulltesttype: 'plain' },
  BooleanTest: { arg: 'node', booltesttype: 'plain' },
  A_ArrayExpr: { elements: 'nodes', list_start: 'plain', list_end: 'plain' },
  TypeCast: { arg: 'node', typeName: 'bare:TypeName' },
  TypeName: { names: 'nodes', typmods: 'nodes', typemod: 'plain', arrayBounds: 'nodes' },
  RowExpr: { args: 'nodes', row_format: 'plain' },
  FuncCall: { funcname: 'nodes', args: 'nodes', funcformat: 'plain' },
  SQLValueFunction: { op: 'plain', typmod: 'plain' },
  CoalesceExpr: { args: 'nodes' },
  MinMaxExpr: { op: 'plain', args: 'nodes' },
  CaseExpr: { arg: 'node', args: 'nodes', defresult: 'node' },
  CaseWhen: { expr: 'node', result: 'node' },
  A_Indirection: { arg: 'node', indirection: 'nodes' },
  A_Indices: { is_slice: 'plain', lidx: 'node', uidx: 'node' },
};

/**
 * The nodes of one SELECT that only reads named tables: no INTO, no locking clause, no function in FROM, no recursion, no table sample.
 */
export const selectNodes: NodeRules = {
  ...expressionNodes,
  SelectStmt: {
    // The parser gives DISTINCT without ON as a list of one empty node.
    distinctClause: 'nodes or empty',
    targetList: 'nodes',
    fromClause: 'nodes',
    whereClause: 'node',
    groupClause: 'nodes',
    groupDistinct: 'plain',
    havingClause: 'node',
    windowClause: 'nodes',
    valuesLists: 'nodes',
    sortClause: 'nodes',
    limitOffset: 'node',
    limitCount: 'node',
    limitOption: 'plain',
    withClause: 'bare:WithClause',
    op: 'plain',
    all: 'plain',
    larg: 'bare:SelectStmt',
    rarg: 'bare:SelectStmt',
  },
  WithClause: { ctes: 'nodes' },
  CommonTableExpr: { ctename: 'plain', aliascolnames: 'nodes', ctematerialized: 'plain', ctequery: 'node' },
  ResTarget: { name: 'plain', val: 'node' },
  RangeVar: { schemaname: 'plain', relname: 'plain', inh: 'plain', relpersistence: 'plain', alias: 'bare:Alias' },
  RangeSubselect: { lateral: 'plain', subquery: 'node', alias: 'bare:Alias' },
  JoinExpr: {
    jointype: 'plain',
    isNatural: 'plain',
    larg: 'node',
    rarg: 'node',
    usingClause: 'nodes',
    quals: 'node',
    alias: 'bare:Alias',
    join_using_alias: 'bare:Alias',
  },
  Alias: { aliasname: 'plain', colnames: 'nodes' },
  SubLink: { subLinkType: 'plain', testexpr: 'node', operName: 'nodes', subselect: 'node' },
  GroupingFunc: { args: 'nodes' },
  GroupingSet: { kind: 'plain', content: 'nodes' },
  SortBy: { node: 'node', sortby_dir: 'plain', sortby_nulls: 'plain' },
  A_Star: {},
  FuncCall: {
    funcname: 'nodes',
    args: 'nodes',
    funcformat: 'plain',
    agg_order: 'nodes',
    agg_filter: 'node',
    agg_star: 'plain',
    agg_distinct: 'plain',
    agg_within_group: 'plain',
    over: 'bare:WindowDef',
  },
  WindowDef: {
    name: 'plain',
    refname: 'plain',
    partitionClause: 'nodes',
    orderClause: 'nodes',
    frameOptions: 'plain',
    startOffset: 'node',
    endOffset: 'node',
  },
};

/** The reason for refusing a node type that the rules do not list. */
export function reasonForNode(type: string): UnsafeReason {
  if (type === 'SubLink' || type === 'SelectStmt' || type === 'RangeSubselect') return 'subquery';
  if (type === 'ParamRef') return 'parameter';
  if (type === 'A_Star') return 'column';
  if (/^(Range|CommonTableExpr|IntoClause|LockingClause|With)/.test(type) || type.endsWith('Stmt')) return 'statement';
  if (/^(Xml|Json|NamedArgExpr|GroupingFunc)/.test(type)) return 'function';
  return 'operator';
}

/** The word in a user's text for a refused node or key whose own name means little to a user; undefined if the name is clear enough. */
export function writtenWord(name: string): string | undefined {
  const words: Readonly<Record<string, string>> = {
    CollateClause: 'COLLATE',
    RangeTableSample: 'TABLESAMPLE',
    GroupingFunc: 'GROUPING',
    lockingClause: 'FOR UPDATE / FOR SHARE',
    intoClause: 'INTO',
    recursive: 'RECURSIVE',
  };
  return words[name];
}
