import { ApiError } from '../common/errors/api-error.js';
import { TurnTooLongError } from '../common/errors/common-errors.js';
import { offsetInPiece, tokenAt } from '../sql/embedded-sql.js';
import { sqlstates } from '../sql/sqlstate.js';
import { type GuardedSelect } from '../sql-guard/guard-select.js';
import { tablesCalled } from '../sql-guard/list-tables.js';
import { type MovedSelect } from '../sql-guard/move-tables.js';
import { UnsafeFilterClauseError } from '../sql-guard/sql-guard.errors.js';
import { isSystemColumn } from '../sql/quote-identifier.js';
import { type Bilingual } from '../text/bilingual.js';
import { nearestName } from '../text/nearest-name.js';
import { offsetAt, positionAt } from '../text/place.js';
import { type TableColumn } from '../warehouse/clients/warehouse.client.js';
import { isReadable } from '../warehouse/references/key-kind.js';
import { type UsableConnection } from '../warehouse/warehouse.service.js';
import { WarehouseQueryError } from '../warehouse/warehouse.errors.js';
import { type ElementSource, type MappingPath } from './mapping/mapping.js';
import { type SourceProblem } from './staging/target.js';

const shownColumns = 40;
const shownTables = 20;

/** A piece of a mapping's SQL, and the statement in which the database read the piece. */
export interface ProbedSql {
  piece: string;
  sql: string;
  /** The piece as its author wrote it; set if `piece` was changed to read its tables in another schema. */
  written?: { text: string; toWritten: MovedSelect['toWritten'] };
}

/** For each unreadable column, by name: a function that returns the problem for one place of the mapping that names the column. */
export type UnreadableColumns = ReadonlyMap<string, (path: MappingPath, at?: number) => SourceProblem>;

export interface ColumnsOf {
  source: ElementSource;
  columns: ReadonlyMap<string, unknown>;
}

/**
 * The problem of a column that the source lacks.
 * @param at the place of the column's name in a `where` or an `expression`, as a character counted from 1
 */
export function unknownColumn(column: string, path: MappingPath, { source, columns }: ColumnsOf, at?: number): SourceProblem {
  const known = [...columns.keys()];
  const place = characterOf(at);
  const owner = source.kind === 'table' ? { zh: `表 '${source.table}' `, en: `table '${source.table}'` } : { zh: '查询', en: 'the query' };
  return {
    type: 'unknown_column',
    path,
    text: { zh: `${owner.zh}没有列 '${column}'${place.zh}`, en: `${owner.en} has no column '${column}'${place.en}` },
    ...didYouMean(nearestName(column, known)),
    hint: known.slice(0, shownColumns).join(', '),
  };
}

/**
 * The problem of an unreadable column: the connection's user may not read it, PostgreSQL lacks its type, or PostgreSQL cuts or reserves its
 * name.
 * @param at the place of the column's name in a piece of SQL, as a character counted from 1
 */
export function unreadableColumn(column: TableColumn, path: MappingPath, at?: number): SourceProblem {
  const { name, nativeType } = column;
  const { reason, hint, isOfType } = unreadable(column);
  const place = characterOf(at);
  return {
    type: 'unreadable_column',
    path,
    text: {
      zh: `无法读取列 '${name}'${place.zh}：${reason.zh}`,
      en: `the column '${name}'${place.en} cannot be read: ${reason.en}`,
    },
    ...(isOfType && { suggestion: { zh: `（${nativeType}）`, en: ` (${nativeType})` } }),
    hint,
  };
}

function unreadable({ name, type, denied }: TableColumn): { reason: Bilingual; hint: Bilingual; isOfType?: true } {
  if (denied)
    return {
      reason: { zh: '连接的用户没有读取它的权限', en: "the connection's user has no right to read it" },
      hint: { zh: '在来源库中 GRANT SELECT，或不用该列', en: 'GRANT SELECT on it at the source, or leave it out' },
    };
  if (type === 'other')
    return {
      reason: { zh: '其类型没有对应的 PostgreSQL 类型', en: 'its type has no counterpart in PostgreSQL' },
      hint: { zh: '在来源库中用视图转换它（文件夹的表请改文件）', en: 'convert it in a view of the source, or in the file of a folder' },
      isOfType: true,
    };
  const rename = {
    zh: '在来源库中用视图另取名称（文件夹的表请改文件）',
    en: 'give it another name in a view of the source, or in the file of a folder',
  };
  if (name === '') return { reason: { zh: '其名称为空', en: 'its name is empty' }, hint: rename };
  if (isSystemColumn(name))
    return { reason: { zh: '其名称是 PostgreSQL 的系统列', en: 'its name is that of a system column of PostgreSQL' }, hint: rename };
  return {
    reason: { zh: '列名超过 63 字节（21 个汉字），PostgreSQL 会截断', en: 'its name has more than 63 bytes, which PostgreSQL cuts' },
    hint: rename,
  };
}

export function unknownTable(table: string, path: MappingPath, tables: string[], at?: number): SourceProblem {
  const place = characterOf(at);
  return {
    type: 'unknown_table',
    path,
    text: { zh: `没有表 '${table}'${place.zh}`, en: `there is no table '${table}'${place.en}` },
    ...didYouMean(nearestName(table, tables)),
    hint: tables.length === 0 ? { zh: '先上传 CSV', en: 'upload a CSV first' } : tables.slice(0, shownTables).join(', '),
  };
}

/**
 * The problem of SQL that the guard refused or the database could not read. Any other error is rethrown, because it is not the mapping's
 * fault.
 */
export function sqlProblem(error: unknown, path: MappingPath, probed?: ProbedSql): SourceProblem {
  if (error instanceof TurnTooLongError) throw error;
  if (error instanceof ApiError && error.status < 500) {
    const fault = probed && faultIn(error, probed);
    const [zh, en] = fault ? [`：'${fault.token}'${fault.place.zh}`, `: '${fault.token}'${fault.place.en}`] : ['', ''];
    return { type: 'unsafe_sql', path, text: { zh: error.text.zh + zh, en: error.text.en + en } };
  }
  if (!(error instanceof UnsafeFilterClauseError)) throw error;
  // The guard's hint lists columns of the source, so it becomes a `suggestion`, which only users of the connection see.
  const { hint } = error.refused;
  const suggestion = hint && { zh: `；${hint.zh}`, en: `; ${hint.en}` };
  return { type: 'unsafe_sql', path, text: error.sentence, ...(suggestion && { suggestion }) };
}

/**
 * The problem of a `where`, an `expression` or a rule that the guard refused. An unknown or unreadable column gets the same problem as in
 * any other part of a mapping.
 */
export function refusedProblem(
  error: unknown,
  path: MappingPath,
  { source, columns, unreadable }: ColumnsOf & { unreadable: UnreadableColumns },
  alias: string,
): SourceProblem {
  if (error instanceof UnsafeFilterClauseError && error.refused.reason === 'column') {
    const { token = '', position } = error.refused;
    const name = token.startsWith(`${alias}.`) ? token.slice(alias.length + 1) : token;
    const unread = unreadable.get(name);
    if (unread) return unread(path, position);
    const differsByCase = [...columns.keys()].some(column => column.toLowerCase() === name.toLowerCase());
    if (!differsByCase && !/[.*]/.test(name)) return unknownColumn(name, path, { source, columns }, position);
  }
  return sqlProblem(error, path);
}

/**
 * The problem of a query that the guard admitted and the database refused. A missing column or table is named, with a list of the existing
 * ones.
 */
export async function queryProblem(
  error: unknown,
  path: MappingPath,
  { guarded, ...probed }: ProbedSql & { guarded: GuardedSelect },
  { client, catalog }: UsableConnection,
): Promise<SourceProblem> {
  const fault = error instanceof WarehouseQueryError ? faultIn(error, probed) : null;
  if (!fault || !(error instanceof WarehouseQueryError)) return sqlProblem(error, path, probed);
  const parts = fault.token.split('.').map(part => (part.startsWith('"') ? part.slice(1, -1) : part.toLowerCase()));
  const [name, qualifier] = [parts.at(-1)!, parts.at(-2)];
  if (error.sqlstate === sqlstates.undefinedTable && guarded.tables.includes(name)) {
    return unknownTable(name, path, await catalog.listNames(), fault.at);
  }
  if (error.sqlstate !== sqlstates.undefinedColumn) return sqlProblem(error, path, probed);
  const tables = qualifier === undefined ? guarded.tables : tablesCalled(guarded.tree, qualifier);
  const known = new Map<string, string[]>();
  for (const table of tables.slice(0, shownTables)) {
    const columns = (await catalog.describe(table))?.columns;
    const other = client.local === null && columns?.find(column => column.name === name && !isReadable(column));
    if (other) return unreadableColumn(other, path, fault.at);
    if (columns) known.set(table, columns.map(column => column.name).slice(0, shownColumns));
  }
  const { zh, en } = fault.place;
  return {
    type: 'unknown_column',
    path,
    text: { zh: `查询用到的列 '${fault.token}' 不存在${zh}`, en: `the query names a column that does not exist: '${fault.token}'${en}` },
    ...didYouMean(nearestName(name, [...known.values()].flat())),
    ...(known.size > 0 && { hint: [...known].map(([table, columns]) => `${table}: ${columns.join(', ')}`).join('; ') }),
  };
}

/** The token at which the database found the error. Null if this place is outside of the author's piece of SQL. */
function faultIn(error: ApiError, { piece, sql, written }: ProbedSql): { token: string; at: number; place: Bilingual } | null {
  if (!(error instanceof WarehouseQueryError) || error.position === null) return null;
  const offset = offsetInPiece(piece, sql, offsetAt(sql, error.position));
  if (offset === null) return null;
  const at = written ? positionAt(written.text, written.toWritten(offset)) : positionAt(piece, offset);
  return { token: tokenAt(piece, offset), at, place: characterOf(at) };
}

function characterOf(at: number | undefined): Bilingual {
  return at === undefined ? { zh: '', en: '' } : { zh: `（第 ${at} 个字符）`, en: ` at character ${at}` };
}

function didYouMean(meant: string | null): Pick<SourceProblem, 'suggestion'> {
  return meant === null ? {} : { suggestion: { zh: `，是否想写 '${meant}'？`, en: `; did you mean '${meant}'?` } };
}
