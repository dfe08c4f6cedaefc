import { ApiError } from '../../common/errors/api-error.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';
import { type Bilingual } from '../../text/bilingual.js';
import {
  ColumnDeniedError,
  ColumnNotFoundError,
  ConnectionFailedError,
  TableNotFoundError,
  TableRewrittenError,
  UnreadableColumnError,
  UnreadableValueError,
  WarehouseBusyError,
  WarehouseQueryError,
  WarehouseTimeoutError,
  WarehouseUnavailableError,
} from '../warehouse.errors.js';
import { RunFailure } from '../../common/errors/run-failure.js';
import { type CopyLimits } from './copy-limits.js';

/**
 * SQLSTATEs of a missing table or column. Statements of a copy are made from the catalogue, so the missing object is the table that is
 * copied.
 */
const goneStates: string[] = [sqlstates.undefinedTable, sqlstates.undefinedColumn];

/** The source sent nothing for `silenceMs` in the middle of a table. */
export class SourceSilentError extends Error {
  constructor(readonly silenceMs: number) {
    super(`The source was silent for ${silenceMs} ms`);
  }
}

export interface CopyPlace {
  connection: string;
  /** The table that is being copied; null before the first one. */
  table: SourceTable | null;
}

/**
 * A table of the source (`name`), the table of the service's own database that receives its rows (`copy`), and the copied columns (`used`).
 */
export interface SourceTable {
  name: string;
  copy: string;
  used: readonly { name: string; type: string }[];
}

export function tooLarge({ maxBytes, maxRows }: CopyLimits): RunFailure {
  return new RunFailure(
    'source_too_large',
    {
      zh: `来源超过一次运行的上限（${maxBytes} 字节或 ${maxRows} 行）；请用增量读取、较少的列或视图缩小它，或由运维调高 INGESTION_MAX_SOURCE_BYTES、INGESTION_MAX_SOURCE_ROWS`,
      en: `the source is larger than one run may copy (${maxBytes} bytes or ${maxRows} rows); read it incrementally, read fewer columns or a view, or let the operator raise INGESTION_MAX_SOURCE_BYTES or INGESTION_MAX_SOURCE_ROWS`,
    },
    { max_bytes: maxBytes, max_rows: maxRows },
  );
}

/**
 * Turns the error that ended a copy into a RunFailure about the source, or about a value that does not fit its column. Every reader of the
 * graph sees the text of a RunFailure, so the text contains only names from the mapping. Errors of the service's own database are returned
 * unchanged.
 */
export function toCopyFailure(error: unknown, place: CopyPlace): unknown {
  if (error instanceof RunFailure) return error;
  const { connection, table } = place;
  const facts = { connection, ...(table && { table: table.name }) };
  const fail = (code: string, text: Bilingual, more: Record<string, unknown> = {}): RunFailure => {
    const at = table ? { zh: `的表 '${table.name}'`, en: `, table '${table.name}'` } : { zh: '', en: '' };
    return new RunFailure(
      code,
      { zh: `连接 '${connection}'${at.zh}：${text.zh}`, en: `connection '${connection}'${at.en}: ${text.en}` },
      { ...facts, ...more },
    );
  };
  if (error instanceof SourceSilentError) {
    const seconds = error.silenceMs / 1000;
    return fail(
      'source_silent',
      { zh: `来源 ${seconds} 秒没有送来任何一行`, en: `no row came from the source for ${seconds} s` },
      { seconds },
    );
  }
  if (error instanceof ConnectionFailedError) return fail('source_unreachable', error.text, error.context);
  if (error instanceof WarehouseUnavailableError) {
    return fail('source_lost', { zh: '来源中断了连接，请稍后重新运行', en: 'the source dropped the connection; run again later' });
  }
  if (error instanceof WarehouseBusyError) return fail('source_busy', error.text);
  if (error instanceof WarehouseTimeoutError) {
    return fail('source_timeout', {
      zh: '读取超过了时限（映射的 source.statement_timeout、连接的 statement_timeout_ms，或 INGESTION_MAX_STATEMENT_TIMEOUT_MS）',
      en: 'reading it took longer than allowed by source.statement_timeout of a mapping, statement_timeout_ms of the connection, or INGESTION_MAX_STATEMENT_TIMEOUT_MS',
    });
  }
  if (error instanceof TableNotFoundError) {
    return fail('source_changed', { zh: '这张表已不存在或不可读', en: 'the table is gone, or it may no longer be read' });
  }
  if (error instanceof TableRewrittenError) return fail('source_changed', error.text);
  if (error instanceof ColumnNotFoundError || error instanceof UnreadableColumnError) {
    const { column } = error.context as { column: string };
    return error instanceof ColumnNotFoundError
      ? fail('source_changed', { zh: `列 '${column}' 已不存在`, en: `the column '${column}' is gone` }, { column })
      : fail(
          'source_changed',
          {
            zh: `无法读取列 '${column}'：其类型没有对应的 PostgreSQL 类型`,
            en: `the type of the column '${column}' has no counterpart in PostgreSQL`,
          },
          { column },
        );
  }
  if (error instanceof ColumnDeniedError) {
    const { column } = error.context as { column: string };
    return fail(
      'source_forbidden',
      { zh: `连接的用户没有读取列 '${column}' 的权限`, en: `the user of the connection may not read the column '${column}'` },
      { column },
    );
  }
  if (error instanceof UnreadableValueError) {
    const { column } = error.context as { column: string };
    return fail('source_value_unreadable', error.text, { column });
  }
  if (error instanceof WarehouseQueryError && error.sqlstate === sqlstates.insufficientPrivilege) {
    return fail('source_forbidden', { zh: '连接的用户没有读取权限', en: 'the user of the connection may not read it' });
  }
  if (error instanceof WarehouseQueryError && goneStates.includes(error.sqlstate)) {
    return fail('source_changed', {
      zh: '这张表或它的某一列在读取之前被删除或改名；请再次运行',
      en: 'the table, or a column of it, was dropped or renamed before it was read; run again',
    });
  }
  if (error instanceof ApiError) return fail('source_failed', error.text, { cause: error.code });
  return toValueFailure(error, table, fail) ?? error;
}

/**
 * Turns PostgreSQL's error about a value that does not fit its column into a RunFailure. Examples are a NaN in a JSON document, and a value
 * of a column whose type was changed after the table was described. Null for other errors.
 */
function toValueFailure(
  error: unknown,
  table: SourceTable | null,
  fail: (code: string, text: Bilingual, more?: Record<string, unknown>) => RunFailure,
): RunFailure | null {
  if (!table) return null;
  if (sqlstateOf(error) === sqlstates.notNullViolation) {
    const { column } = error as { column?: string };
    const text = {
      zh: `列 '${column}' 有空值，而来源说它从不为空（NOT NULL）`,
      en: `the column '${column}' has rows without a value, and the source says that it never has (NOT NULL)`,
    };
    return fail('source_value_unreadable', text, { column });
  }
  if (!/^(22|54)/.test(sqlstateOf(error))) return null;
  // PostgreSQL's context is "COPY source_0, line 12, column price: …". For an error inside a JSON document, lines about the place in the
  // document come first. A server with messages in another language has another context, so no place is found.
  const { where = '' } = error as { where?: string };
  const [, copied, written = ''] = /(?:^|\n)COPY (\S+), line (.*)$/s.exec(where) ?? [];
  const place = copied === table.copy ? written : '';
  const row = /^\d+/.exec(place)?.[0];
  const column = table.used.find(({ name }) => place.startsWith(`${row}, column ${name}: `));
  const text = column
    ? {
        zh: `第 ${row} 行列 '${column.name}' 的值无法作为 ${column.type}（检查来源时该列的类型）存入 PostgreSQL`,
        en: `row ${row} has a value of the column '${column.name}' that PostgreSQL cannot hold as ${column.type}, its type when the source was checked`,
      }
    : { zh: '某个值不符合检查来源时该列的类型', en: 'a value does not fit the type that its column had when the source was checked' };
  return fail('source_value_unreadable', text, { ...(column && { column: column.name }), ...(row !== undefined && { row: Number(row) }) });
}
