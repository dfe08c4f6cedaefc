import { SchemaError } from '../../../common/errors/api-error.js';
import { exceedsBackend } from '../../../common/errors/run-failure.js';
import { isTooLargeForAnyValue } from '../../../database/too-large-allocation.js';
import { sqlstateOf, sqlstates } from '../../../sql/sqlstate.js';
import { type Bilingual } from '../../../text/bilingual.js';
import { type CopyLines } from '../../files/copy-lines.js';
import { type FileFormat, fileProblem } from '../../files/file-problem.js';
import { wayOut } from '../csv/way-out.js';

export interface CopyContext {
  format: FileFormat;
  table: string;
  lines: CopyLines;
  columns: readonly string[];
  typeOf: (index: number) => string;
  /** Whether the types are those of a table that exists. */
  isFixed: boolean;
}

/** Classes of SQLSTATEs that the file causes: data exceptions (22), constraint violations (23) and rows that are too large (54). */
const rowFaults = /^(22|23|54)/;

const needsMemory = {
  zh: '读入这个文件所需的内存或临时磁盘空间超过上限，未导入任何数据；请分成几个文件，或缩短其中的值',
  en: 'reading the file needs more memory or temporary disk space than it may take, and nothing was loaded; load it in several files, or with shorter values',
};

/** Whether the rows of a file exceed the memory or temporary disk of one session, or the size of one value. */
export function isTooLarge(error: unknown): boolean {
  return exceedsBackend(error) || isTooLargeForAnyValue(error);
}

/**
 * 422: a step over all rows of a file needs more memory or temporary disk than one session may take. Such a step widens a type, looks for
 * repeated keys, or writes the rows into the table.
 */
export function tooLarge(format: FileFormat): SchemaError {
  return new SchemaError([{ loc: ['body'], text: needsMemory, type: `${format}_too_large` }]);
}

/**
 * Turns PostgreSQL's error about a row of a COPY into a 422 with the line of the file; any other error is returned unchanged. The place
 * comes from the error's context `COPY table, line 12, column price: "x"`. A server with messages in another language gives no place.
 */
export function toRowError(error: unknown, { format, table, lines, columns, typeOf, isFixed }: CopyContext): unknown {
  const { code, where } = error as { code?: unknown; where?: unknown };
  const isLarge = isTooLarge(error);
  if (typeof code !== 'string' || !(rowFaults.test(code) || isLarge)) return error;
  const context = typeof where === 'string' ? where : '';
  const start = context.indexOf(`COPY ${table}, line `);
  const place = start === -1 ? null : /^(\d+)(?:, column ([^]*))?/.exec(context.slice(start + `COPY ${table}, line `.length));
  const line = place ? lines.toFileLine(Number(place[1])) : lines.toFileLine(2);
  const index = columns.findIndex(name => place?.[2]?.startsWith(`${name}: `));
  if (isLarge || index === -1)
    return fileProblem(format, 'row_refused', { line }, isLarge ? needsMemory : reasonFor(code, error as object));
  const [column, type] = [columns[index]!, typeOf(index)];
  const shown = /: "([^]*)"$/.exec(place![2]!)?.[1] ?? '';
  const way = wayOut(column, type, shown, isFixed);
  return fileProblem(
    format,
    'value',
    { line, column },
    {
      zh: `列“${column}”的值 '${shown}' 不是有效的 ${type}；${way.zh}`,
      en: `column "${column}": '${shown}' is not a valid ${type}; ${way.en}`,
    },
  );
}

/** PostgreSQL moves each value of more than 24 bytes out of a row of more than 8 KB, so a row with so few columns always fits. */
export const mostSurelyFitting = 300;

const largeRow = {
  zh: `这一行过大，PostgreSQL 存不下：一行除长值外至多约 8 KB；至多 ${mostSurelyFitting} 列的行总能存下，请把列分到几张表导入`,
  en: `the row is too large for PostgreSQL, which keeps some 8 KB of a row besides long values; rows of ${mostSurelyFitting} columns always fit, so load the columns in several tables`,
};

export const largeKey = {
  zh: '有一行在主键或索引中的值过大：索引的一项至多约 2700 字节；请缩短该值，或导入没有主键和索引的表',
  en: 'a value of the row is too large for the primary key or an index of the table, which keeps some 2,700 bytes of it; shorten the value, or load into a table without them',
};

/** The functions of PostgreSQL that find a row too large. All other ones write an entry of an index. */
const rowWriters = ['RelationGetBufferForTuple', 'raw_heap_insert'];

function tooLargeReason(error: object): Bilingual {
  return 'routine' in error && rowWriters.includes(String(error.routine)) ? largeRow : largeKey;
}

/** Whether a value is too large for an index of its table. */
export function isKeyTooLarge(error: unknown): boolean {
  return sqlstateOf(error) === sqlstates.programLimitExceeded && tooLargeReason(error as object) === largeKey;
}

/** 422 for a row that was taken, and is too large in the types that the rest of the file needs; null for any other error. */
export function rowTooLarge(format: FileFormat, error: unknown): SchemaError | null {
  if (sqlstateOf(error) !== sqlstates.programLimitExceeded) return null;
  return new SchemaError([{ loc: ['body'], text: tooLargeReason(error as object), type: `${format}_row_refused` }]);
}

function reasonFor(code: string, error: object): Bilingual {
  if (code === sqlstates.programLimitExceeded) return tooLargeReason(error);
  if (code === sqlstates.uniqueViolation) {
    return {
      zh: '主键已属于表中的另一行，或文件中的前一行',
      en: 'the primary key is that of another row of the table, or of one before in the file',
    };
  }
  if (code === sqlstates.notNullViolation) {
    return { zh: '某一列为空，而表中该列不可为空', en: 'a column is empty that the table has NOT NULL' };
  }
  return { zh: 'PostgreSQL 无法读取这一行', en: 'PostgreSQL cannot read the row' };
}
