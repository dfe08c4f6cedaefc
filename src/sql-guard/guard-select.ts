import { LRUCache } from 'lru-cache';
import { aggregateFunctions, rowFunctions, scalarFunctions, systemColumns, windowFunctions } from './allow-lists.js';
import { checkParts, checkText, locate } from './check-text.js';
import { checkCopies } from './check-copies.js';
import { checkGrowth } from './check-growth.js';
import { checkNames, functionName } from './check-names.js';
import { listTables, visitTables } from './list-tables.js';
import { selectNodes } from './node-rules.js';
import { parseSql, type SqlTree } from './sql-parser.js';
import { nameParts, type NodeFields, Refusal, walkTree } from './walk-tree.js';

export interface SelectScope {
  /** The schema of the tables that may be read. A query may qualify these tables with it. */
  schema: string;
  /** The bare names of the tables that may be read; absent means any table of the schema. */
  tables?: ReadonlySet<string>;
}

declare const admitted: unique symbol;

/** A query of a client, as the guard admitted it. Only the guard makes a GuardedSelect. */
export interface GuardedSelect {
  readonly [admitted]: true;
  /** The client's text without a final semicolon. */
  text: string;
  tree: SqlTree;
  /** The tables that the query reads, see list-tables.ts. */
  tables: string[];
  /** The factor by which the values of the query may be longer than a column of these tables, see check-growth.ts. */
  growth: number;
  /** The most nodes that PostgreSQL writes for a column of the query, see check-copies.ts. */
  copies: number;
}

const onlySelect = { zh: '只允许一条 SELECT', en: 'only one SELECT is allowed, no other statement' };

const maxQueryLength = 20_000;
/** Maximum names, numbers and operators of a query. The guard judges a query of this size in some 50 ms, in one go. */
const mostParts = 5_000;
/**
 * Maximum tables that a source names as those behind the rows of a query. The query may read more tables, but a source is repeated with
 * every row that is cited.
 */
export const mostTablesBehind = 100;

const callable: ReadonlySet<string> = new Set([...scalarFunctions.keys(), ...aggregateFunctions, ...windowFunctions]);

/**
 * Admitted queries. The cache is bounded by the characters of their texts, with which the trees grow. One execution of a metric asks for
 * its query several times.
 */
const kept = new LRUCache<string, GuardedSelect>({ maxSize: 100_000, sizeCalculation: ({ text }) => Math.max(1, text.length) });

/**
 * Admits one SELECT that reads tables of one schema: joins, sub-selects, CTEs that are SELECTs, set operations, grouping, aggregate and
 * window functions of the allow-list. Refuses everything else: other statements, INTO, row locks, recursion, functions in FROM, other
 * schemas, catalogue tables, parameters, comments. The last admitted queries are kept and shared, so callers must not change them.
 * @throws UnsafeFilterClauseError
 */
export function guardSelect(sql: string, { schema, tables }: SelectScope): GuardedSelect {
  const text = sql.replace(/;\s*$/, '').trimEnd();
  const name = JSON.stringify([schema, text]);
  const guarded = kept.get(name) ?? judge(text, schema);
  kept.set(name, guarded);
  if (tables) locate(text, '', () => visitTables(guarded.tree, table => refuseUnknown(table, tables)));
  return guarded;
}

/** @throws UnsafeFilterClauseError */
function judge(text: string, schema: string): GuardedSelect {
  const parts = checkText(text, maxQueryLength);
  checkParts(parts, mostParts, { zh: '查询', en: 'a query' });
  return locate(text, '', () => {
    const statements = parseSql(text);
    const [first, second] = statements;
    if (!first || second) throw new Refusal('statement', ';', second?.stmt_location, undefined, onlySelect);
    const type = Object.keys(first.stmt as object)[0];
    if (type !== 'SelectStmt') throw new Refusal('statement', type?.replace(/Stmt$/, '').toUpperCase(), 0, undefined, onlySelect);
    const ctes = /\bwith\b/i.test(text) ? cteNames(first.stmt) : new Set<string>();
    walkTree(first.stmt, selectNodes, (nodeType, node, offset) => {
      checkNames(nodeType, node, offset, callable);
      if (nodeType === 'CommonTableExpr') checkCte(node, offset);
      else if (nodeType === 'FuncCall') checkCall(node, offset);
      else if (nodeType === 'ColumnRef') checkColumn(node, offset);
      else if (nodeType === 'RangeVar') checkTable(node, offset, schema, ctes);
    });
    const growth = checkGrowth(first.stmt);
    const { copies } = checkCopies(first.stmt);
    return { text, tree: first.stmt, tables: listTables(first.stmt), growth, copies } as GuardedSelect;
  });
}

/** Every CTE name in the tree, in any scope. */
function cteNames(tree: SqlTree): ReadonlySet<string> {
  const names = new Set<string>();
  walkTree(tree, selectNodes, (type, node) => {
    if (type === 'CommonTableExpr') names.add(String(node.ctename));
  });
  return names;
}

function checkCte(node: NodeFields, offset: number | undefined): void {
  const name = String(node.ctename);
  // A few CTEs that are NOT MATERIALIZED and read each other twice are planned as thousands of scans.
  if (node.ctematerialized === 'CTEMaterializeNever') throw new Refusal('statement', 'NOT MATERIALIZED', offset);
  if (/^pg_/i.test(name)) throw new Refusal('column', name, offset);
  const query = Object.keys(node.ctequery as object)[0];
  if (query !== 'SelectStmt') throw new Refusal('statement', query?.replace(/Stmt$/, '').toUpperCase(), offset, undefined, onlySelect);
}

function checkCall(node: NodeFields, offset: number | undefined): void {
  const name = functionName(node, offset);
  const isAggregate = aggregateFunctions.has(name);
  const onlyAggregates = node.agg_order ?? node.agg_filter ?? node.agg_star ?? node.agg_distinct ?? node.agg_within_group;
  if (onlyAggregates !== undefined && !isAggregate) throw new Refusal('function', name, offset);
  if (windowFunctions.has(name) && node.over === undefined)
    throw new Refusal('function', name, offset, { zh: '需要 OVER (…)', en: 'it needs OVER (…)' });
  if (node.over !== undefined && !isAggregate && !windowFunctions.has(name)) throw new Refusal('function', name, offset);
}

function checkColumn(node: NodeFields, offset: number | undefined): void {
  const parts = nameParts(node.fields);
  const name = parts.at(-1);
  // A name of three parts would be schema.table.column, or functional notation on a column.
  if (parts.length > 2 || (name != null && systemColumns.has(name))) {
    throw new Refusal('column', parts.map(part => part ?? '*').join('.'), offset);
  }
  if (parts.length === 2 && name != null && rowFunctions.has(name))
    throw new Refusal('column', parts.join('.'), offset, {
      zh: `PostgreSQL 会把它读作整行的函数；如果是列，请只写“${name}”`,
      en: `PostgreSQL reads it as a function of the whole row; if it is a column, write "${name}" alone`,
    });
}

function checkTable(node: NodeFields, offset: number | undefined, schema: string, ctes: ReadonlySet<string>): void {
  const name = String(node.relname);
  const written = typeof node.schemaname === 'string' ? node.schemaname : null;
  if (written === null && ctes.has(name)) return;
  // Unqualified names are looked up in pg_catalog first, where every relation begins with pg_.
  if (/^pg_/i.test(name) || (written !== null && written !== schema)) {
    throw new Refusal('column', written === null ? name : `${written}.${name}`, offset);
  }
}

function refuseUnknown({ relname, location }: NodeFields, tables: ReadonlySet<string>): void {
  if (tables.has(String(relname))) return;
  throw new Refusal('column', String(relname), Number(location), { zh: '没有这张表', en: 'no such table' });
}
