import { type Bilingual } from '../../text/bilingual.js';
import { sqlstates } from '../../sql/sqlstate.js';

/**
 * Text of the error that a metric's SQL raises for a floating-point number that has too many digits for the database's decimal types. The
 * clients recognize the error by this text.
 */
export const tooManyFloatDigits = 'A floating-point number has more digits than are computed with';

/** DuckDB SQL that raises an error because a value of a column cannot be read. `unreadableColumn` finds the column in the error's text. */
export function unreadableValue(column: string): string {
  return `error('${unreadable}${JSON.stringify(column).replaceAll("'", "''")}')`;
}

const unreadable = 'unreadable value ';

/** The column of an error that the SQL of `unreadableValue` raised. Null for other errors. */
export function unreadableColumn(message: string): string | null {
  const named = new RegExp(`${unreadable}("(?:[^"\\\\]|\\\\.)*")`).exec(message)?.[1];
  return named === undefined ? null : (JSON.parse(named) as string);
}

/** The reason that the caller sees, by SQLSTATE or its first characters. The server's own text may quote data, so users never see it. */
const reasons: [prefix: string, reason: Bilingual][] = [
  [sqlstates.divisionByZero, { zh: '除数为零；请把除数写成 NULLIF(…, 0)', en: 'a division by zero; write the divisor as NULLIF(…, 0)' }],
  [
    sqlstates.numericOutOfRange,
    { zh: '数值超出其类型的范围，如位数过多的乘积', en: 'a number is out of range of its type, such as a product of too many digits' },
  ],
  [
    sqlstates.datetimeOverflow,
    {
      zh: '某个日期或时间超出范围：请缩短所比较的时段，或换更短的窗口',
      en: 'a date or time is out of range: compare with a time less far away, or take a shorter window',
    },
  ],
  [
    sqlstates.dataException,
    {
      zh: '某个浮点数的位数超过所能精确计算的位数；请用条件排除，或把该列存为 DECIMAL',
      en: 'a floating-point number has more digits than are computed with; exclude it by a condition, or store the column as DECIMAL',
    },
  ],
  [sqlstates.invalidText, { zh: '某个值不符合所需的类型', en: 'a value does not fit the type it is needed as' }],
  ['22', { zh: '某个值无法处理', en: 'a value cannot be processed' }],
  [sqlstates.undefinedTable, { zh: '查询用到的表不存在', en: 'a table it names does not exist' }],
  [sqlstates.undefinedColumn, { zh: '查询用到的列不存在', en: 'a column it names does not exist' }],
  [sqlstates.undefinedFunction, { zh: '运算或函数不适用于这些类型', en: 'an operator or function does not fit these types' }],
  [sqlstates.datatypeMismatch, { zh: '类型不匹配', en: 'types do not match' }],
  [sqlstates.insufficientPrivilege, { zh: '没有读取权限', en: 'it may not read what it names' }],
  [sqlstates.readOnlyTransaction, { zh: '只允许读取', en: 'only reading is allowed' }],
  [sqlstates.cardinalityViolation, { zh: '子查询返回了多行', en: 'a sub-query gave more than one row' }],
  ['42', { zh: '语句无效', en: 'the statement is not valid' }],
  [
    sqlstates.configurationLimitExceeded,
    {
      zh: '所需的临时磁盘空间超过一个查询的上限，请缩小范围',
      en: 'it needs more temporary disk space than one query may take; narrow its range',
    },
  ],
  [
    sqlstates.outOfMemory,
    { zh: '所需的内存超过一个查询的上限，请缩小范围', en: 'it needs more memory than one query may take; narrow its range' },
  ],
  [
    sqlstates.dataCorrupted,
    {
      zh: '某个文件无法按其扩展名所示的格式读取，或某个值无法处理',
      en: 'a file cannot be read as the format that its name says, or a value cannot be processed',
    },
  ],
  ['54', { zh: '语句过于复杂', en: 'the statement is too complex' }],
];

/** The reason why a query was refused, by PostgreSQL's SQLSTATE. Undefined if the query is not at fault. */
export function queryFailure(sqlstate: string): Bilingual | undefined {
  return reasons.find(([prefix]) => sqlstate !== '' && sqlstate.startsWith(prefix))?.[1];
}
