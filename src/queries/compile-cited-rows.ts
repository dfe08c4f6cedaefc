import { mapInLimitedTurns, inLimitedTurns } from '../common/turns/pace.js';
import { type LoadedRows } from '../ingestion/jobs.service.js';
import { sourceFamily } from '../ingestion/staging/source-type.js';
import { SqlBuilder } from '../ingestion/staging/sql-builder.js';
import { guardExpression } from '../sql-guard/guard-expression.js';
import { UnsafeFilterClauseError } from '../sql-guard/sql-guard.errors.js';
import { loadSqlParser } from '../sql-guard/sql-parser.js';
import { quoteIdentifier, quoteTable } from '../sql/quote-identifier.js';
import { type SqlStatement } from '../sql/sql-parameters.js';
import { withoutLength } from '../sql/without-length.js';
import { type TableColumn, type WarehouseClient } from '../warehouse/clients/warehouse.client.js';

/** A table with cited rows, and the parts of a mapping that load them. */
export interface CitedTable {
  client: WarehouseClient;
  table: string;
  loaded: LoadedRows[];
  columns: TableColumn[];
  /** The columns from which the parts make their elements. */
  used: TableColumn[];
}

/** Whether key columns are compared as the table has them, or as the mapping makes them. */
export type KeyForm = 'written' | 'made';

interface Join {
  sources: string[];
  selected: string[];
  /** The wanted rows, as one array of texts for each column to compare. */
  wanted: (string | null)[][];
  on: string[];
  maxRows: number;
}

/** Maximum characters of all conditions together under which a mapping reads one table. */
const mostOfConditions = 32_768;

/**
 * Compiles the statement for the rows that may make elements with the keys `wanted`. Its columns are the texts of the used columns and the
 * place of the key in `wanted`, counted from 1.
 */
export async function compileCandidates(table: CitedTable, form: KeyForm, wanted: string[][], maxRows: number): Promise<SqlStatement> {
  const { loaded, columns, used } = table;
  const sql = new SqlBuilder();
  const families = new Map(columns.map(({ name, type }) => [name, sourceFamily(type)]));
  const names = loaded[0]!.key;
  const keys = names.map((_, index) => wanted.map(key => key[index]!));
  const written = names.map((name, index) => writtenKey(table, name, keys[index]!));
  const sources: string[] = [];
  for (const alike of form === 'written' ? [loaded] : byForm(loaded)) {
    const [{ byKey, key: order }] = alike as [LoadedRows];
    const made = form === 'made' ? byKey.sql(sql, quoteIdentifier(table.table), column => families.get(column) ?? 'text') : null;
    const texts = made ? names.map(name => made.texts[order.indexOf(name)]!) : written.map(key => key.sql);
    sources.push(await loadedRowsSql(sql, table, alike, textsOf(table), { texts, from: made ? `, ${made.from}` : '' }));
  }
  const on = keys.map((_, i) => `source.${keyColumn(i)} = wanted.w${i}${form === 'written' ? `::${written[i]!.type}` : ''}`);
  return joined(sql, { sources, selected: used.map((_, index) => textColumn(index)), wanted: keys, on, maxRows });
}

/**
 * Compiles the statement for the rows whose used columns have the texts `wanted`. Its columns are `shown` and the place of the texts in
 * `wanted`, counted from 1.
 */
export async function compileShownRows(
  table: CitedTable,
  shown: string[],
  wanted: (string | null)[][],
  maxRows: number,
): Promise<SqlStatement> {
  const { loaded, used } = table;
  const sql = new SqlBuilder();
  const texts = used.map((_, index) => wanted.map(row => row[index] ?? null));
  // The texts tell the rows exactly, and keys beside them let the source use an index or a hash.
  const keys = loaded[0]!.key.flatMap(name => {
    const index = used.findIndex(column => column.name === name);
    const known = texts[index]!.filter(text => text !== null);
    return known.length < wanted.length ? [] : [{ index, ...writtenKey(table, name, known) }];
  });
  const alias = quoteIdentifier(table.table);
  const selected = shown.map(name => quoteIdentifier(name));
  const read = [...selected.map(name => `${alias}.${name}`), ...textsOf(table)];
  const source = await loadedRowsSql(sql, table, loaded, read, { texts: keys.map(key => key.sql), from: '' });
  const on = [
    ...keys.map(({ index, type }, place) => `source.${keyColumn(place)} = wanted.w${index}::${type}`),
    ...used.map((_, index) => `source.${textColumn(index)} IS NOT DISTINCT FROM wanted.w${index}`),
  ];
  return joined(sql, { sources: [source], selected, wanted: texts, on, maxRows });
}

/** The limit has no order, so that the source can stop at it; one row more tells the client that there are more. */
function joined(sql: SqlBuilder, { sources, selected, wanted, on, maxRows }: Join): Promise<SqlStatement> {
  const arrays = wanted.map(texts => `pg_catalog.unnest(${sql.bind(texts, 'text[]')})`);
  const template = `SELECT ${selected.map(name => `source.${name}, `).join('')}wanted.place FROM (
${sources.join('\nUNION ALL\n')}
) AS source
              JOIN ROWS FROM (${arrays.join(', ')}) WITH ORDINALITY AS wanted (${wanted.map((_, i) => `w${i}`).join(', ')}, place)
                ON ${on.join(' AND ')}
             LIMIT ${sql.bind(maxRows + 1, 'bigint')}`;
  return inLimitedTurns(sql.build(template));
}

/** SQL for the texts of the used columns. They are compared by their bytes, since the collation of a column may take other texts as equal. */
function textsOf({ table, used }: CitedTable): string[] {
  const alias = quoteIdentifier(table);
  return used.map(({ name }, i) => `(${alias}.${quoteIdentifier(name)})::text COLLATE pg_catalog."C" AS ${textColumn(i)}`);
}

/**
 * SQL for a key column as the table has it, and the type in which wanted keys are compared with it. The comparison can use an index of the
 * column if the column is of a common type and every wanted key is a value of it.
 */
function writtenKey({ table, columns }: CitedTable, name: string, keys: string[]): { sql: string; type: string } {
  const sql = `${quoteIdentifier(table)}.${quoteIdentifier(name)}`;
  const base = withoutLength(columns.find(column => column.name === name)?.type ?? '').trim();
  const type = base === 'smallint' || base === 'integer' ? 'bigint' : base === 'varchar' ? 'text' : base;
  return keys.every(key => indexed[type]?.test(key)) ? { sql, type } : { sql: `(${sql})::text`, type: 'text' };
}

const indexed: Record<string, RegExp> = {
  text: /^/,
  bigint: /^-?\d{1,18}$/,
  numeric: /^-?\d{1,100}(\.\d{1,100})?$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
};

/** The parts of a mapping, in groups of those that make their keys in the same way. */
function byForm(loaded: LoadedRows[]): LoadedRows[][] {
  const forms = new Map<string, LoadedRows[]>();
  for (const part of loaded) forms.set(part.byKey.form, [...(forms.get(part.byKey.form) ?? []), part]);
  return [...forms.values()];
}

/** The name of a key column in the statement. No column of a table has a control character in its name. */
function keyColumn(index: number): string {
  return quoteIdentifier(`key\u0002${index}`);
}

/** The name of the text of a used column in the statement. */
function textColumn(index: number): string {
  return quoteIdentifier(`text\u0002${index}`);
}

/** SQL for the rows of the table that the parts of a mapping load: the `selected` columns and those of `key`. */
async function loadedRowsSql(
  sql: SqlBuilder,
  { client, table }: CitedTable,
  loaded: LoadedRows[],
  selected: string[],
  key: { texts: string[]; from: string },
): Promise<string> {
  await loadSqlParser();
  const scope = { columns: 'any', alias: table } as const;
  const conditions = [...new Set(loaded.map(({ where }) => where ?? 'true'))];
  if (conditions.join('').length > mostOfConditions) throw tooLongConditions();
  const filters = await mapInLimitedTurns(conditions, condition => guardExpression(condition, scope));
  const made = key.texts.map((text, index) => `${text} AS ${keyColumn(index)}`);
  const place = client.place(table);
  const from = `${quoteTable(place.schema, place.table)} AS ${quoteIdentifier(table)}${key.from}`;
  return `SELECT ${[...selected, ...made].join(', ')} FROM ${from} WHERE ${filters.map(filter => sql.fragment(filter)).join(' OR ')}`;
}

function tooLongConditions(): UnsafeFilterClauseError {
  const hint = {
    zh: `映射中该表的 where 合计最多 ${mostOfConditions} 个字符`,
    en: `the where texts of this table in the mapping have at most ${mostOfConditions} characters together`,
  };
  return new UnsafeFilterClauseError({ reason: 'length', hint });
}
