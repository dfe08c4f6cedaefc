import { nearestFirst } from '../text/nearest-name.js';
import { type Bilingual } from '../text/bilingual.js';
import { systemColumns, valueFunctions } from './allow-lists.js';
import { checkParts, checkText, locate } from './check-text.js';
import { checkCopies } from './check-copies.js';
import { checkGrowth } from './check-growth.js';
import { checkNames } from './check-names.js';
import { expressionNodes } from './node-rules.js';
import { applyRespellings, findWritten, isAlike, type NamesInScope, type Respelling, respell } from './respell-names.js';
import { parseSql, type SqlStatement, type SqlTree } from './sql-parser.js';
import { nameParts, type NodeFields, Refusal, walkTree } from './walk-tree.js';

type Columns = ReadonlySet<string> | ReadonlyMap<string, unknown>;

export interface GuardScope {
  /**
   * The allowed column names, as the database has them. `any` while the names are unknown: every name is then taken as PostgreSQL reads it.
   */
  columns: Columns | 'any';
  /** The qualifier that may stand before these columns: `o` in `o.amount`. */
  alias?: string;
  /** The columns of further tables in scope, by qualifier. These columns need the qualifier. */
  tables?: ReadonlyMap<string, Columns>;
  /** Gives the names of the columns that a refusal may list. If left out, a refusal may list all of `columns`. */
  listed?: () => readonly string[];
}

declare const admitted: unique symbol;

/**
 * An expression of a client, as the guard admitted it. Only the guard makes a GuardedExpression, and only guarded expressions reach a
 * statement.
 */
export interface GuardedExpression {
  readonly [admitted]: true;
  /** The client's text, with columns spelled as their tables have them. A statement embeds the text verbatim, on lines of its own. */
  text: string;
  /** The parse tree of the expression; the assembled statement must contain exactly this tree (see same-shape.ts). */
  tree: SqlTree;
  /** The columns that the expression reads, each once, as [qualifier or null, name]. */
  columns: [string | null, string][];
  /** The factor by which the values of the expression may be longer than a column, see check-growth.ts. */
  growth: number;
  /** How often PostgreSQL writes a column of the expression, see check-copies.ts. */
  copies: number;
  /** The nodes of its steps over whole values, see step-costs.ts. */
  cost: number;
}

/**
 * Admits an expression over columns that the guard knows.
 * @param isRewritten for a text that this service made from an admitted one: it may be longer than a client's text
 * @throws UnsafeFilterClauseError
 */
export type Guard = (text: string, isRewritten?: boolean) => GuardedExpression;

/** Maximum names, numbers and operators of one expression, which is judged in one go. */
const mostParts = 1_000;
/**
 * Maximum characters of a rewritten expression. Rewriting adds quotes and decimals, at most at every second character and several times
 * over.
 */
const maxRewritten = 50_000;

/** The text that stands before an expression when it is parsed. Places in the tree count from the beginning of this prefix. */
export const guardPrefix = 'SELECT 1 FROM t WHERE ';

/**
 * Admits one SQL expression over the columns of `scope` and nothing else: a predicate, the argument of an aggregate, a column of a
 * binding or a mapping. The grammar is PostgreSQL's own. Every node type, function, type, operator and column must be on an
 * allow-list (filter-guard.md, B.3).
 * @throws UnsafeFilterClauseError with the reason, the refused token and its 1-based character position
 */
export function guardExpression(text: string, scope: GuardScope, isRewritten = false): GuardedExpression {
  const parts = checkText(text, isRewritten ? maxRewritten : undefined);
  if (!isRewritten) checkParts(parts, mostParts, { zh: '表达式', en: 'an expression' });
  // No parentheses are added, so that `1=1) OR (1=1` does not parse. Any expression (`a_expr` of the grammar) may stand here, also one
  // that is not boolean.
  const sql = guardPrefix + text;
  return locate(sql, guardPrefix, () => {
    const statements = parseSql(sql);
    const where = onlyWhere(statements);
    const bytes = Buffer.from(sql);
    const seen = new Map<string, [string | null, string]>();
    const respellings: Respelling[] = [];
    walkTree(where, expressionNodes, (type, node, offset) => {
      if (type === 'SQLValueFunction') refuseColumnName(node, offset, scope);
      checkNames(type, node, offset);
      if (type !== 'ColumnRef') return;
      const reference = checkColumn(node, offset, scope, bytes);
      if ('sql' in reference) respellings.push(reference);
      else seen.set(JSON.stringify(reference), reference);
    });
    if (respellings.length > 0) return guardExpression(applyRespellings(bytes, respellings).slice(guardPrefix.length), scope, true);
    return {
      text,
      tree: where,
      columns: [...seen.values()],
      growth: checkGrowth(where),
      ...checkCopies(where),
    } as GuardedExpression;
  });
}

/** Refuses a name such as `User` that PostgreSQL reads as a function, even if a column has this name. @throws Refusal */
function refuseColumnName(node: NodeFields, offset: number | undefined, { columns }: GuardScope): void {
  const name = String(node.op).replace('SVFOP_', '');
  if (columns === 'any' || valueFunctions.has(String(node.op))) return;
  const column = [...columns.keys()].find(each => isAlike(each, name));
  if (column !== undefined) throw new Refusal('function', name, offset, inQuotes(column));
}

/** Checks that there is one statement, a SELECT to which the text added only its WHERE (rule 2 of filter-guard.md, B.3). */
function onlyWhere(statements: SqlStatement[]): SqlTree {
  const [first, second] = statements;
  // `stmt_len` is set only when a separator ends the statement, even if nothing follows the separator.
  const separatorAt = first?.stmt_len && (first.stmt_location ?? 0) + first.stmt_len;
  if (!first || second || separatorAt) throw new Refusal('statement', ';', separatorAt);
  const select = (first.stmt as { SelectStmt?: NodeFields }).SelectStmt;
  if (!select) throw new Refusal('statement', Object.keys(first.stmt as object)[0], undefined);
  const expected = new Set(['targetList', 'fromClause', 'whereClause', 'limitOption', 'op']);
  const extra = Object.keys(select).find(key => !expected.has(key));
  if (extra || select.op !== 'SETOP_NONE' || select.limitOption !== 'LIMIT_OPTION_DEFAULT' || !select.whereClause) {
    throw new Refusal('statement', extra ?? 'UNION', undefined);
  }
  return select.whereClause;
}

/**
 * Checks a reference to a column (rule 6 of filter-guard.md, B.3). System columns, whole rows, other tables and functional notation are all
 * refused, because the scope does not list them as columns.
 */
function checkColumn(node: NodeFields, offset: number | undefined, scope: GuardScope, text: Buffer): [string | null, string] | Respelling {
  const parts = nameParts(node.fields);
  const written = parts.map(part => part ?? '*').join('.');
  const [first, second] = parts;
  if (scope.columns === 'any') {
    if (first != null && parts.length <= 2 && parts.every(part => part !== null && !systemColumns.has(part))) {
      return second == null ? [null, first] : [first, second];
    }
    throw new Refusal('column', written, offset);
  }
  const columns = parts.length === 1 ? scope.columns : first === scope.alias ? scope.columns : scope.tables?.get(first ?? '');
  const name = parts.length > 2 ? null : (second ?? first);
  const inText = offset === undefined || name == null ? null : findWritten(text, offset, name);
  if (first != null && name != null && columns?.has(name)) {
    if (inText === null || inText.name === name || !columns.has(inText.name)) return [parts.length === 1 ? null : first, name];
    // If the columns "Amount" and "amount" exist, an unquoted Amount may mean either of them.
    throw new Refusal('column', inText.name, offset, inQuotes(inText.name));
  }
  const names = inText && tableIn(scope, inText.qualifier);
  const respelling = names && respell(inText, names);
  if (respelling) return respelling;
  const isQuoted = parts.length === 1 && offset !== undefined && text[offset] === '"'.charCodeAt(0);
  throw new Refusal('column', written, offset, suggestion(parts.at(-1) ?? '', columns ?? scope.columns, isQuoted, scope.listed));
}

/** The columns behind a qualifier. The qualifier may be written in another case than in the scope. */
function tableIn({ columns, alias, tables }: GuardScope, written: string | null): NamesInScope | undefined {
  if (columns === 'any') return undefined;
  if (written === null) return { qualifier: null, columns };
  const known = new Map([...(alias === undefined ? [] : [[alias, columns] as const]), ...(tables ?? [])]);
  const fitting = known.has(written) ? [written] : [...known.keys()].filter(name => isAlike(name, written));
  return fitting.length === 1 ? { qualifier: fitting[0]!, columns: known.get(fitting[0]!)! } : undefined;
}

function inQuotes(name: string): Bilingual {
  return { zh: `请用双引号写成 "${name}"`, en: `write "${name}" with double quotes` };
}

function suggestion(name: string, columns: Columns, isQuoted: boolean, listed?: GuardScope['listed']): Bilingual | undefined {
  const known = listed?.() ?? [...columns.keys()];
  const other = [...columns.keys()].find(each => isAlike(each, name));
  if (other !== undefined && other !== name) return inQuotes(other);
  if (known.length === 0) return undefined;
  const list = `${nearestFirst(name, known).slice(0, 20).join(', ')}${known.length > 20 ? ', …' : ''}`;
  // A name in double quotes, or in quotes such as ‘paid’, may be meant as a text.
  const text = isQuoted ? name : /^[“‘](.+)[”’]$/u.exec(name)?.[1];
  const [zh, en] = text === undefined ? ['', ''] : [`；文本用单引号：'${text}'`, `; a text stands in single quotes: '${text}'`];
  return { zh: `可用的列：${list}${zh}`, en: `known columns: ${list}${en}` };
}
