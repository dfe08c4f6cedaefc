import { quoteIdentifier, quoteTable } from '../../sql/quote-identifier.js';
import { type Bilingual } from '../../text/bilingual.js';
import { fitOfNames, isKeyName, meaningOf, namesOfRow, wordsOf } from '../../text/key-names.js';
import { type ForeignKey, type TableColumn, type TableDescription } from '../../warehouse/clients/warehouse.client.js';
import { WarehouseTimeoutError } from '../../warehouse/warehouse.errors.js';
import { type UsableConnection } from '../../warehouse/warehouse.service.js';

/** A table, or some columns of it, that a draft does not use. */
export interface LeftOut {
  table: string;
  columns: string[];
  reason: Bilingual;
}

/** Values of the column that were looked up among the keys of the other table, and how many were found. */
export interface Evidence {
  sampled: number;
  found: number;
}

export interface GuessedReference extends ForeignKey {
  evidence: Evidence;
}

/** Values that are looked up of a column. */
const sampledValues = 1_000;
const statementTimeoutMs = 3_000;
/** Tables that are looked at, which takes some 10 ms for 1,000 names. */
const mostTables = 10_000;

/** A table that refers to others. */
type Referring = TableDescription & { name: string };

/**
 * The references of a table that declares none, as uploads do: columns that are named like the rows of another table, have the type
 * of its key, and hold only values that are keys there. Keys that repeat are none, since a join by them would repeat rows.
 * @param tables by what a row of theirs is called, see `tablesByRow`
 * @param deadline a moment of `performance.now()` after which nothing more is looked up
 */
export async function guessReferences(
  { client, catalog, claim }: UsableConnection,
  table: Referring,
  tables: ReadonlyMap<string, string[]>,
  deadline: number,
): Promise<{ references: GuessedReference[]; leftOut: LeftOut[] }> {
  const references: GuessedReference[] = [];
  const leftOut: LeftOut[] = [];
  for (const column of table.columns.filter(({ name }) => isKeyName(name))) {
    const meaning = meaningOf(column.name).join('');
    const alike = new Set(Array.from(meaning, (_, at) => tables.get(meaning.slice(at)) ?? []).flat());
    const fits = [...alike]
      .filter(name => name !== table.name && !client.nameProblem(name))
      .map(name => ({ name, fit: fitOfNames(column.name, client.place(name).table, 'id') }))
      .filter(({ fit }) => fit > 1);
    const best = fits.filter(({ fit }) => fit === Math.max(...fits.map(each => each.fit)));
    const leave = (reason: Bilingual) => leftOut.push({ table: table.name, columns: [column.name], reason });
    const [only] = best;
    if (!only) continue;
    if (best.length > 1) {
      leave(ambiguous(best.map(({ name }) => name)));
      continue;
    }
    const other = await catalog.describe(only.name);
    const key = other && keyOf(other, client.place(only.name).table, column);
    if (!key) continue;
    const evidence = performance.now() < deadline ? await lookUp(only.name, key) : null;
    if (evidence === null) leave(notChecked);
    else if (evidence === 'repeated') leave(repeated(only.name, key));
    else if (evidence.sampled === 0) leave(noValues);
    else if (evidence.found < evidence.sampled) leave(notFound(only.name, evidence));
    else references.push({ columns: [column.name], table: only.name, references: [key], evidence });

    async function lookUp(name: string, key: string): Promise<Evidence | 'repeated' | null> {
      const [from, to] = [table.name, name].map(each => quoteTable(client.place(each).schema, client.place(each).table));
      const [value, wanted] = [quoteIdentifier(column.name), quoteIdentifier(key)];
      const sql = `WITH s AS (SELECT DISTINCT ${value} AS v FROM ${from} WHERE ${value} IS NOT NULL LIMIT ${sampledValues})
        SELECT EXISTS (SELECT 1 FROM ${to} WHERE ${wanted} IS NOT NULL GROUP BY ${wanted} HAVING count(*) > 1),
          (SELECT count(*) FROM s), (SELECT count(*) FROM s WHERE v IN (SELECT ${wanted} FROM ${to} WHERE ${wanted} IS NOT NULL))`;
      try {
        const { rows } = await client.query({ claim, sql, parameters: [], timeoutMs: statementTimeoutMs, maxRows: 1 });
        const [repeats, sampled, found] = rows[0]!;
        return repeats === true ? 'repeated' : { sampled: Number(sampled), found: Number(found) };
      } catch (error) {
        if (error instanceof WarehouseTimeoutError) return null;
        throw error;
      }
    }
  }
  return { references, leftOut };
}

/** Tables by all names of their rows. The names of a column end in one of these, so that not every table is compared with it. */
export function tablesByRow({ client }: UsableConnection, names: readonly string[]): ReadonlyMap<string, string[]> {
  const tables = new Map<string, string[]>();
  for (const name of names.slice(0, mostTables))
    for (const row of namesOfRow(client.place(name).table)) tables.set(row, [...(tables.get(row) ?? []), name]);
  return tables;
}

/** Names of a key that say nothing of its table. */
const plainKeys = new Set(['id', 'uuid', 'guid', 'key', 'code', '编号', '代码', '编码', '主键']);

/** The column by which a table tells its rows apart: its declared key, else the one that is named like it, of the type of `referring`. */
function keyOf({ columns, keys }: TableDescription, table: string, referring: TableColumn): string | null {
  const declared = keys.find(({ primary }) => primary)?.columns;
  if (declared && declared.length > 1) return null;
  const rows = namesOfRow(table);
  const isNamed = ({ name }: TableColumn): boolean =>
    name === referring.name || plainKeys.has(wordsOf(name).join('')) || (isKeyName(name) && rows.has(meaningOf(name).join('')));
  const found = columns.filter(
    column => (declared ? declared[0] === column.name : isNamed(column)) && kindOf(column) === kindOf(referring),
  );
  return found[0] && kindOf(referring) !== null ? found[0].name : null;
}

/** Columns of one kind have equal values where they are the same key. */
function kindOf({ type }: TableColumn): string | null {
  const base = type.replace(/\(.*\)/, '');
  if (['smallint', 'integer', 'bigint'].includes(base)) return 'integer';
  if (['text', 'varchar', 'char', 'bpchar'].includes(base)) return 'text';
  return base === 'uuid' ? base : null;
}

function ambiguous(tables: string[]): Bilingual {
  const list = tables.slice(0, 5).join(', ');
  return {
    zh: `名称同样像是引用几张表：${list}；请自行连接`,
    en: `it is named like a reference to several tables: ${list}; join the right one`,
  };
}

function repeated(table: string, key: string): Bilingual {
  return {
    zh: `名称像是引用表 ${table}，但其 ${key} 有重复，连接会重复行`,
    en: `it is named like a reference to ${table}, but ${key} is there more than once, so a join would repeat rows`,
  };
}

function notFound(table: string, { found, sampled }: Evidence): Bilingual {
  return {
    zh: `名称像是引用表 ${table}，但抽查的 ${sampled} 个值中只有 ${found} 个是其键`,
    en: `it is named like a reference to ${table}, but only ${found} of ${sampled} values that were looked up are keys there`,
  };
}

const noValues = { zh: '名称像是引用，但没有值可以核对', en: 'it is named like a reference, but has no values to check that by' };
const notChecked = {
  zh: '名称像是引用，但未能在时限内核对',
  en: 'it is named like a reference, but that could not be checked in time',
};
