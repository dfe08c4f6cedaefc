import { randomBytes } from 'node:crypto';
import { RunFailure } from '../../common/errors/run-failure.js';
import { quoteTable } from '../../sql/quote-identifier.js';
import { type TableColumn, type TableDescription } from '../clients/warehouse.client.js';
import { mostColumns } from '../files/csv-header.js';
import { type DataVersion } from '../mirror/mirror-versions.js';
import { mirrorSchema } from '../mirror/mirror-schema.js';
import { copiedColumns } from './copied-columns.js';
import { type TableReport, warn } from './copy-report.js';
import { findCursorFailure } from './cursor-range.js';
import { type CopyTable, type TableState } from './mirror-copies.repository.js';

/** Plan for one table in one run of a copy. */
export interface TablePlan {
  table: CopyTable;
  columns: TableColumn[];
  comment: string | null;
  /** The columns of the primary key that the mirror table gets; empty for none. */
  key: string[];
  cursor: { column: string; type: string } | null;
  /** The state after the last run, from which a copy by cursor continues; null if all rows are read. */
  from: TableState | null;
  isDelta: boolean;
  /** The quoted name of the new table that receives the rows, and this name without schema and quotes. */
  staged: string;
  stagedName: string;
  report: TableReport;
}

export interface Found {
  description: TableDescription;
  comment: string | null;
  /** The current version of the table in the mirror; null if it has none. */
  version: DataVersion | null;
}

/** @throws RunFailure for a table that cannot be copied as its definition asks */
export function planTable(table: CopyTable, { description, comment, version }: Found, report: TableReport): TablePlan {
  const { kept: columns, leftOut, leftOutCount } = copiedColumns(description);
  report.left_out = leftOut;
  report.left_out_count = leftOutCount;
  const unfit = findColumnsFailure(columns.length);
  if (unfit) throw unfit;
  if (leftOut.length > 0) {
    const list = leftOut.map(({ column }) => `'${column}'`).join(', ');
    const more = leftOutCount - leftOut.length;
    warn(report, 'columns_left_out', {
      zh: `没有复制的列：${list}${more > 0 ? ` 等 ${leftOutCount} 列` : ''}`,
      en: `columns that were not copied: ${list}${more > 0 ? ` and ${more} more` : ''}`,
    });
  }
  const cursor = table.cursor === null ? null : cursorOf(table.cursor, table.lag, columns, description);
  const key = keyOf(table, columns, description);
  const from = cursor === null ? null : goesOn(table, { columns, key, version }, report);
  const isDelta = from !== null;
  report.reads = isDelta ? 'since' : 'all';
  if (cursor !== null) {
    warn(report, 'deletes_not_seen', {
      zh: '按游标复制看不到来源中已删除的行；要清除它们，请删除此复制并重新完整复制',
      en: 'a copy by cursor does not see rows that were deleted at the source; to be rid of them, delete this copy and copy the whole table again',
    });
  }
  const stagedName = `copy_${randomBytes(12).toString('hex')}`;
  const staged = quoteTable(isDelta ? 'pg_temp' : mirrorSchema, stagedName);
  return { table, columns, comment, key, cursor, from, isDelta, staged, stagedName, report };
}

function cursorOf(
  name: string,
  lag: string | null,
  columns: TableColumn[],
  { columns: all }: TableDescription,
): { column: string; type: string } {
  const column = all.find(each => each.name === name);
  if (!column) {
    throw new RunFailure(
      'cursor_column_gone',
      {
        zh: `来源的表没有游标列 '${name}'；请删除此复制，并用现有的列另建`,
        en: `the table at the source has no cursor column '${name}'; delete this copy and save another with a column that it has`,
      },
      { column: name },
    );
  }
  const type = columns.find(each => each.name === name)?.type ?? column.nativeType;
  const failure = findCursorFailure(name, type, lag);
  if (failure) throw failure;
  return { column: name, type };
}

function keyOf({ mode, key }: CopyTable, columns: TableColumn[], { keys }: TableDescription): string[] {
  const names = new Set(columns.map(({ name }) => name));
  const primary = keys.find(each => each.primary)?.columns ?? [];
  if (mode === 'full') return primary.every(name => names.has(name)) ? primary : [];
  const wanted = key.length > 0 ? key : primary;
  if (wanted.length === 0) throw new RunFailure('key_needed', keyNeeded);
  const missing = wanted.find(name => !names.has(name));
  if (missing === undefined) return wanted;
  throw new RunFailure(
    'key_column_missing',
    {
      zh: `来源的表没有可复制的 key 列 '${missing}'`,
      en: `the table at the source has no column '${missing}' of the key that can be copied`,
    },
    { column: missing },
  );
}

/**
 * @returns the state from which a copy by cursor continues; null if the mirror table was changed after the last run, or if the columns or
 *   key of the source have changed
 */
function goesOn(
  { state }: CopyTable,
  { columns, key, version }: { columns: TableColumn[]; key: string[]; version: DataVersion | null },
  report: TableReport,
): TableState | null {
  if (!state) return null;
  const inFull = (zh: string, en: string): null => {
    warn(report, 'copied_in_full', { zh: `${zh}，因此完整复制`, en: `${en}, so the whole table was copied` });
    return null;
  };
  if (state.version !== version?.version) {
    return inFull(
      '镜像中的表在上次复制之后被上传、更改或删除过',
      'the table in the mirror was loaded, changed or dropped after the last copy',
    );
  }
  const shape = JSON.stringify(shapeOf(columns));
  if (shape !== JSON.stringify(state.columns)) return inFull('来源的列或类型有变化', 'the columns or types at the source have changed');
  return JSON.stringify(key) === JSON.stringify(state.key)
    ? state
    : inFull('来源的主键有变化', 'the primary key at the source has changed');
}

export function shapeOf(columns: readonly TableColumn[]): TableState['columns'] {
  return columns.map(({ name, type, nullable }) => ({ name, type, nullable }));
}

export const keyNeeded = {
  zh: 'mode=cursor 需要 key：来源的表没有主键，请用 key 写出能区分各行的列',
  en: 'mode=cursor needs a key: the table at the source has no primary key, so name the columns that tell rows apart with `key`',
};

/** The failure of a table in which `count` columns can be copied, if these are none or too many; otherwise null. */
export function findColumnsFailure(count: number): RunFailure | null {
  if (count > 0 && count <= mostColumns) return null;
  if (count === 0) {
    return new RunFailure('no_columns', {
      zh: '这张表没有可复制的列；请在来源库中用视图转换它们（文件夹的表请改文件）',
      en: 'the table has no column that can be copied; convert them in a view of the source, or in the file of a folder',
    });
  }
  return new RunFailure('too_many_columns', {
    zh: `这张表有 ${count} 列，至多 ${mostColumns} 列`,
    en: `the table has ${count} columns; at most ${mostColumns} can be copied`,
  });
}
