import { SchemaError } from '../../common/errors/api-error.js';
import { type TableColumn } from '../clients/warehouse.client.js';
import { type Bilingual } from '../../text/bilingual.js';
import { type FileFormat } from '../files/file-problem.js';
import { isNumberType } from './copy/number-type.js';
import { mostColumns } from '../files/csv-header.js';
import { type FieldRewrite } from '../files/field-rewrite.js';
import { isDateType } from './csv/way-out.js';
import { type RenamedColumn } from './rename-columns.js';

/* Checks of the columns of a file against its table and the options of its upload. Each throws SchemaError with all problems. */

/** @param known the columns of the table. An NDJSON file is checked key by key, so the caller makes the set once. */
export function requireKnownColumns(names: readonly string[], known: ReadonlySet<string>, line: number): void {
  const problems = names
    .filter(name => !known.has(name))
    .map(name => ({
      loc: ['body', line, name],
      text: { zh: `表中没有列“${name}”`, en: `the table has no column "${name}"` },
      type: 'unknown_column',
      line,
    }));
  if (problems.length > 0) throw new SchemaError(problems);
}

export function requireAllColumns(names: readonly string[], existing: readonly TableColumn[]): void {
  const given = new Set(names);
  const problems = existing
    .filter(({ name }) => !given.has(name))
    .map(({ name }) => ({
      loc: ['body', 1],
      text: { zh: `文件缺少表中的列“${name}”`, en: `the file lacks the column "${name}" of the table` },
      type: 'missing_column',
      line: 1,
    }));
  if (problems.length > 0) throw new SchemaError(problems);
}

/** @throws SchemaError for a type that `given` has for a column which has another one in the table, unless a form gives it */
export function requireTypesOfTable(
  given: ReadonlyMap<string, string>,
  forms: ReadonlyMap<string, FieldRewrite>,
  types: ReadonlyMap<string, string>,
): void {
  const problems = [...given]
    .filter(([name, type]) => !forms.has(name) && types.has(name) && types.get(name) !== type)
    .map(([name]) => ({
      loc: ['query', 'types'],
      text: {
        zh: `表的列“${name}”是 ${types.get(name)}，追加不改变类型；这里只能写日期和数字的形式，如 day:date(DD/MM/YYYY)、price:decimal(.,)，或者导入为另一张表`,
        en: `the table has the column "${name}" as ${types.get(name)}, which stays so; only forms of dates and numbers have an effect here, such as day:date(DD/MM/YYYY) or price:decimal(.,); or load the file as another table`,
      },
      type: 'no_effect',
    }));
  if (problems.length > 0) throw new SchemaError(problems);
}

/** The text about a column that the file does not have, or has under a name that `renamed` tells. */
function notInFile(name: string, renamed: readonly RenamedColumn[]): Bilingual {
  const made = renamed.find(({ from }) => from === name)?.to;
  if (made === undefined) return { zh: `文件中没有列“${name}”`, en: `the file has no column "${name}"` };
  return { zh: `列“${name}”换了名称，请写“${made}”`, en: `the column "${name}" is renamed; write "${made}"` };
}

export function requireKeyColumns(
  names: readonly string[],
  renamed: readonly RenamedColumn[],
  key: readonly string[],
  types: ReadonlyMap<string, string>,
): void {
  const problems = key.flatMap(name => {
    const at = { loc: ['query', 'key'] };
    if (!names.includes(name)) {
      return [{ ...at, text: notInFile(name, renamed), type: 'unknown_column' }];
    }
    // PostgreSQL can compare jsonb values, but not json values.
    if (types.get(name) !== 'json') return [];
    return [{ ...at, text: { zh: `json 列“${name}”不能作主键`, en: `the json column "${name}" cannot be a key` }, type: 'key_type' }];
  });
  if (problems.length > 0) throw new SchemaError(problems);
}

/**
 * Checks that forms of dates or numbers are given only for columns of dates or numbers. In a column of another type, the rewritten spelling
 * would be stored in place of the file's own.
 * @throws SchemaError
 */
export function requireForms(rewrites: ReadonlyMap<string, FieldRewrite>, types: ReadonlyMap<string, string>): void {
  const problems = [...rewrites]
    .filter(([name, { decimalSign }]) => !(decimalSign ? isNumberType : isDateType)(types.get(name) ?? ''))
    .map(([name, { decimalSign }]) => ({
      loc: ['query', 'types'],
      text: {
        zh: `列“${name}”的类型是 ${types.get(name)}，不是${decimalSign ? '数字' : '日期'}`,
        en: `the column "${name}" is ${types.get(name)} and holds no ${decimalSign ? 'numbers' : 'dates'}`,
      },
      type: 'column_type',
    }));
  if (problems.length > 0) throw new SchemaError(problems);
}

/** @throws SchemaError for a file that has as many columns as a table may have, so that `lineColumn` cannot be added */
export function requireRoomForLine(format: FileFormat, names: readonly string[]): void {
  if (names.length < mostColumns) return;
  const text = {
    zh: `mode=upsert 至多 ${mostColumns - 1} 列`,
    en: `mode=upsert takes at most ${mostColumns - 1} columns`,
  };
  throw new SchemaError([{ loc: ['body', 1], text, type: `${format}_too_many_columns`, line: 1 }]);
}

export function requireTypedColumns(names: readonly string[], renamed: readonly RenamedColumn[], types: ReadonlyMap<string, string>): void {
  const problems = [...types.keys()]
    .filter(name => !names.includes(name))
    .map(name => ({
      loc: ['query', 'types'],
      text: notInFile(name, renamed),
      type: 'unknown_column',
    }));
  if (problems.length > 0) throw new SchemaError(problems);
}
