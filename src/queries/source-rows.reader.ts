import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { ApiError } from '../common/errors/api-error.js';
import { RunFailure } from '../common/errors/run-failure.js';
import { LanguageError } from '../text/language-error.js';
import { Settings } from '../config/settings.js';
import { withoutLength } from '../sql/without-length.js';
import { quoteIdentifier, quoteTable } from '../sql/quote-identifier.js';
import { RecordNotFoundError } from '../graphs/graphs.errors.js';
import { type JobReader, JobsService, type LoadedRows } from '../ingestion/jobs.service.js';
import { type DescribedPart, LoadedElements } from '../ingestion/loaded-elements.service.js';
import { sourceFamily } from '../ingestion/staging/source-type.js';
import { SqlBuilder } from '../ingestion/staging/sql-builder.js';
import { type Citation } from '../retrieval/protocol.js';
import { type Language } from '../text/language.js';
import { inLimitedTurns, mapInLimitedTurns } from '../common/turns/pace.js';
import { TimeLeft } from '../common/turns/time-left.js';
import { guardExpression } from '../sql-guard/guard-expression.js';
import { UnsafeFilterClauseError } from '../sql-guard/sql-guard.errors.js';
import { sqlstates } from '../sql/sqlstate.js';
import { WarehouseQueryError } from '../warehouse/warehouse.errors.js';
import { loadSqlParser } from '../sql-guard/sql-parser.js';
import { requirePostgresSql } from '../warehouse/require-postgres-sql.js';
import { type QueryResult, type TableColumn, type TablePlace, type WarehouseClient } from '../warehouse/clients/warehouse.client.js';
import { type UsableConnection, WarehouseService } from '../warehouse/warehouse.service.js';

export interface SourceRow {
  /** The index of the row's citation in the answer's citations. */
  citation: number;
  row: Record<string, unknown>;
}

interface Cited {
  citation: Citation;
  index: number;
}

interface TableRead {
  connection: UsableConnection;
  job: JobReader;
  graphId: number;
  table: string;
  loaded: LoadedRows[];
  /** The columns to show; null for all columns. */
  shown: string[] | null;
  time: TimeLeft;
}

interface CandidateRequest extends Pick<TableRead, 'table' | 'shown'> {
  /** Whether the columns of the key are compared as the table has them, or as the mapping makes them. */
  form: 'written' | 'made';
  client: WarehouseClient;
  parts: DescribedPart[];
  columns: TableColumn[];
  /** The columns of the key, and for each of them the wanted texts. */
  names: string[];
  keys: string[][];
}

const mostRows = 100;
/** The most rows of one statement that are compared with the graph: several rows may have the key of an element. */
const mostCandidates = 1_000;
const whyMissing = {
  changed: [
    '没有一行得出图中现有的值，载入后行或图已改变',
    'no row makes what the graph has now, so rows or the graph have changed since the load',
  ],
  many: [`同键的行太多，只比较了 ${mostCandidates} 行`, `so many rows have their keys that only ${mostCandidates} were compared`],
  old: [
    '版本低于 16 的 PostgreSQL 只能找到键的写法与图中相同的行',
    'a server before PostgreSQL 16 finds only rows whose keys are written as in the graph',
  ],
} as const;
type Reason = keyof typeof whyMissing;
/** Maximum characters of all conditions together under which a mapping reads one table. */
const mostOfConditions = 32_768;

/**
 * Reads the current state of the cited rows from the warehouse, with one statement for each table. A reader of the graph needs no right on
 * the connection: the rows are read in the name of the user who saved the mapping that loaded them. Rows are found by their keys, which no
 * request can name, and a row is shown only if the mapping makes of it what the graph has: rejected rows and repeats may have the same key,
 * and no graph shows them. Only callers who have a right on the connection see columns that the mapping does not show.
 */
@Injectable()
export class SourceRowsReader {
  constructor(
    private readonly jobs: JobsService,
    private readonly elements: LoadedElements,
    private readonly warehouse: WarehouseService,
    private readonly settings: Settings,
  ) {}

  async read(
    principal: Principal,
    graphId: number,
    citations: Citation[],
    language: Language,
  ): Promise<{ rows: SourceRow[]; warnings: string[] }> {
    const claim = { caller: principal.userId, group: graphId };
    const warnings: string[] = [];
    const warn = (zh: string, en: string): number => warnings.push(language === 'zh' ? zh : en);
    if (citations.length > mostRows)
      warn(`只读取前 ${mostRows} 条引用的源行`, `Source rows are read for the first ${mostRows} citations only`);
    const warnOfQuery = (tables: string[]): void => {
      const [zh, en] = tables.length > 0 ? [`；查询读取的表：${tables.join('、')}`, `; the query reads ${tables.join(', ')}`] : ['', ''];
      warn(`SQL 查询的结果没有单独的源行${zh}`, `Results of an SQL query have no source row of their own${en}`);
    };
    const byTable = new Map<string, Cited[]>();
    citations.slice(0, mostRows).forEach((citation, index) => {
      const { job_id: jobId, label, kind, table, query_tables: queryTables, key } = citation;
      const source = JSON.stringify([jobId, label, kind, table, queryTables, Object.keys(key)]);
      byTable.set(source, [...(byTable.get(source) ?? []), { citation, index }]);
    });
    const jobIds = new Set(citations.slice(0, mostRows).flatMap(citation => citation.job_id ?? []));
    const jobs = new Map((await this.jobs.listReaders(principal.userId, graphId, [...jobIds])).map(job => [job.id, job]));
    const rows: SourceRow[] = [];
    let bytesLeft = this.settings.answerMaxBytes;
    const whole = new Set<string>();
    // The reads of all tables share the time-out of one statement, because the citations of an answer may come from 100 tables.
    const time = new TimeLeft(this.settings.warehouseTimeoutMs);
    for (const cited of byTable.values()) {
      const { table, key, job_id: jobId, query_tables: queryTables } = cited[0]!.citation;
      if (queryTables) {
        warnOfQuery(queryTables);
        continue;
      }
      if (Object.keys(key).length === 0) {
        whole.add(table);
        continue;
      }
      if (time.isOver) {
        warn(`时限已到，未读取表 ${table} 的源行`, `The time was over before the source rows of ${table} were read`);
        continue;
      }
      try {
        const job = jobs.get(jobId ?? 0);
        if (!job) throw new RecordNotFoundError('job');
        const loaded = await loadedRows(job, cited[0]!.citation);
        // The mapping reads the element with a query, but an earlier release loaded it and did not record which tables the query reads.
        if (loaded === 'query') {
          warnOfQuery([]);
          continue;
        }
        const connection = await this.warehouse.open(job, cited[0]!.citation.connection_id, claim);
        const shown = (await this.warehouse.mayRead(principal, connection.id)) ? null : shownColumns(loaded);
        if (shown !== null && loaded.some(({ byKey }) => byKey.isHidden)) {
          warn(
            `映射隐去了键的一部分，因此不显示表 ${table} 的源行`,
            `Source rows of ${table} are not shown, because the mapping hides a part of their keys`,
          );
          continue;
        }
        const { found, bytes, reasons } = await this.readTable({ connection, job, graphId, table, loaded, shown, time }, cited, bytesLeft);
        bytesLeft -= bytes;
        for (const [citation, each] of found) if (each.size === 1) rows.push({ citation, row: [...each.values()][0]! });
        const open = [...found.values()].filter(each => each.size > 1).length;
        if (open > 0)
          warn(
            `表 ${table} 中有 ${open} 条引用各对应多行，这些行得出同样的节点或关系而其他列不同，因此不显示`,
            `${open} cited rows of ${table} are not shown: several rows make the same node or edge and differ in other columns`,
          );
        const missing = cited.length - found.size;
        if (missing > 0) {
          const [zh, en] = [...reasons].map(reason => whyMissing[reason])[0] ?? whyMissing.changed;
          warn(`表 ${table} 中找不到 ${missing} 条引用的源行：${zh}`, `${missing} cited rows of ${table} were not found: ${en}`);
        }
      } catch (error) {
        // The answer stays valid if its source rows cannot be read: the warehouse may have changed since.
        if (!(error instanceof ApiError || error instanceof RunFailure || error instanceof LanguageError)) throw error;
        warn(`无法读取表 ${table} 的源行：${error.text.zh}`, `Source rows of ${table} cannot be read: ${error.text.en}`);
      }
    }
    if (whole.size > 0)
      warn(
        `结果依据整张表（${[...whole].join('、')}），没有单独的源行`,
        `The result rests on whole tables (${[...whole].join(', ')}), not on single rows`,
      );
    return { rows: rows.sort((a, b) => a.citation - b.citation), warnings: [...new Set(warnings)] };
  }

  /**
   * Reads the rows of cited elements. Rows whose columns have the written key are read first, since the source may find them with an index.
   * Only then the keys are made of all rows, for the elements that were not found.
   */
  private async readTable({ connection, job, graphId, table, loaded, shown, time }: TableRead, cited: Cited[], maxBytes: number) {
    const { client, claim } = connection;
    requirePostgresSql(client);
    const parts: DescribedPart[] = [];
    for (const part of loaded) parts.push(await this.elements.describe(job, graphId, part));
    const { columns = [] } = (await client.catalog(claim).describe(table)) ?? {};
    const [{ key: keyOfPart, mapping }] = loaded as [LoadedRows];
    const found = new Map<number, Map<string, Record<string, unknown>>>();
    const reasons = new Set<Reason>();
    let bytes = 0;
    for (const form of ['written', 'made'] as const) {
      const open = cited.filter(({ index }) => !found.has(index));
      if (open.length === 0) break;
      const sql = new SqlBuilder();
      const keys = keyOfPart.map(column => open.map(({ citation }) => citation.key[column] ?? ''));
      const statement = await this.candidates(sql, { form, client, table, parts, shown, columns, keys, names: keyOfPart });
      const limits = { maxBytes: maxBytes - bytes, timeoutMs: time.ms };
      const request = { claim, ...statement, maxRows: mostCandidates, ...limits, timeZone: mapping.source.timezone };
      const read = await client.query(request).catch((error: unknown) => {
        // An old server lacks functions that make keys of texts. Its rows with the written key were read without them.
        if (form === 'written' || !(error instanceof WarehouseQueryError) || error.sqlstate !== sqlstates.undefinedFunction) throw error;
        return null;
      });
      if (read === null) {
        reasons.add('old');
        break;
      }
      bytes += read.bytes;
      if (read.truncated) reasons.add('many');
      if (read.rows.length === 0) continue;
      const rows = read.rows.map(values => splitRow(read.columns, values));
      const citing = new Map<string, number[]>();
      for (const { citation, index } of open) {
        const key = JSON.stringify(keyOfPart.map(column => citation.key[column]));
        citing.set(key, [...(citing.get(key) ?? []), index]);
      }
      for (const part of parts) {
        const used = columns.flatMap((column, index) => (part.uses.has(column.name) ? [{ column, index }] : []));
        const texts = rows.map(({ texts: all }) => used.map(({ index }) => all.get(textName(index)) ?? null));
        const made = { columns: used.map(({ column }) => column), rows: texts };
        // The parts of one table may name the columns of their keys in another order.
        const inOrder = keyOfPart.map(column => part.loaded.key.indexOf(column));
        for (const { row, key } of await this.elements.find(part, graphId, made, { claim, ...limits })) {
          for (const index of citing.get(JSON.stringify(inOrder.map(place => key[place]))) ?? []) {
            const { shown: values } = rows[row]!;
            found.set(index, (found.get(index) ?? new Map<string, Record<string, unknown>>()).set(JSON.stringify(values), values));
          }
        }
      }
    }
    return { found, bytes, reasons };
  }

  /** The statement for the rows that may make the cited elements: for each element one row before the second of any. */
  private async candidates(sql: SqlBuilder, { form, client, table, parts, shown, columns, keys, names }: CandidateRequest) {
    const families = new Map(columns.map(({ name, type }) => [name, sourceFamily(type)]));
    const alias = quoteIdentifier(table);
    const written = names.map((name, i) =>
      writtenKey(
        alias,
        columns.find(column => column.name === name),
        name,
        keys[i]!,
      ),
    );
    const loaded = parts.map(part => part.loaded);
    const uses = columns.flatMap(({ name }, index) => (parts.some(part => part.uses.has(name)) ? [{ name, index }] : []));
    const texts = uses.map(({ name, index }) => `(${alias}.${quoteIdentifier(name)})::text AS ${quoteIdentifier(textName(index))}`);
    const sources: string[] = [];
    for (const alike of form === 'written' ? [loaded] : byForm(loaded)) {
      const made = form === 'written' ? null : alike[0]!.byKey.sql(sql, alias, column => families.get(column) ?? 'text');
      const inOrder = (all: string[]): string[] => names.map(name => all[alike[0]!.key.indexOf(name)]!);
      const key = made ? { texts: inOrder(made.texts), from: `, ${made.from}` } : { texts: written.map(each => each.sql), from: '' };
      sources.push(await loadedRowsSql(sql, alike, { shown, texts, key }, table, client.place(table)));
    }
    const arrays = keys.map(texts => `pg_catalog.unnest(${sql.bind(texts, 'text[]')})`);
    const wanted = keys.map((_, i) => `k${i}`);
    const on = keys
      .map((_, i) => `source.${keyColumn(i)} = wanted.k${i}${form === 'written' ? `::${written[i]!.type}` : ''}`)
      .join(' AND ');
    const template = `SELECT source.* FROM (
${sources.join('\nUNION ALL\n')}
) AS source
              JOIN ROWS FROM (${arrays.join(', ')}) WITH ORDINALITY AS wanted (${wanted.join(', ')}, place) ON ${on}
             ORDER BY pg_catalog.row_number() OVER (PARTITION BY wanted.place), wanted.place`;
    return inLimitedTurns(sql.build(template));
  }
}

/**
 * SQL for a key column as the table has it, and the type in which wanted keys are compared with it. The comparison can use an index of the
 * column if the column is of a common type and every wanted key is a value of it.
 */
function writtenKey(alias: string, column: TableColumn | undefined, name: string, keys: string[]): { sql: string; type: string } {
  const sql = `${alias}.${quoteIdentifier(name)}`;
  const base = withoutLength(column?.type ?? '').trim();
  const type = base === 'smallint' || base === 'integer' ? 'bigint' : base === 'varchar' ? 'text' : base;
  return keys.every(key => indexed[type]?.test(key)) ? { sql, type } : { sql: `(${sql})::text`, type: 'text' };
}

const indexed: Record<string, RegExp> = {
  text: /^/,
  bigint: /^-?\d{1,18}$/,
  numeric: /^-?\d{1,100}(\.\d{1,100})?$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
};

/** The values of a row to show, and its texts to stage by their names. */
function splitRow(columns: QueryResult['columns'], values: unknown[]) {
  const named = columns.map(({ name }, index) => [name, values[index] ?? null] as const);
  return {
    shown: Object.fromEntries(named.filter(([name]) => !name.includes('\u0002'))),
    texts: new Map(named.filter(([name]) => name.includes('\u0002')) as [string, string | null][]),
  };
}

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

/** The name of the text of a column in the statement. */
function textName(index: number): string {
  return `text\u0002${index}`;
}

/**
 * The parts of a job's mapping that read the cited table and make the cited kind of element from it; 'query' if the mapping reads the
 * element with a query. One type of edge may be mapped several times from one table.
 */
async function loadedRows({ loads }: JobReader, { label, kind, table, key }: Citation): Promise<LoadedRows[] | 'query'> {
  // An object names columns like whole numbers first, so the columns of a key are compared without their order.
  const columns = sortedNames(Object.keys(key));
  const loaded = (await loads()).filter(
    each => each.name === label && (kind === undefined || each.target.kind === kind) && sortedNames(each.key) === columns,
  );
  const ofTable = loaded.filter(each => each.table === table);
  if (ofTable.length > 0) return ofTable;
  if (loaded.some(each => each.table === null)) return 'query';
  throw new RecordNotFoundError('job');
}

function sortedNames(names: string[]): string {
  return JSON.stringify([...names].sort());
}

/**
 * The columns that every one of these parts of a mapping shows. Any of the parts may have loaded the row, so a column counts as shown only
 * if all of them show it.
 */
function shownColumns([first, ...others]: LoadedRows[]): string[] {
  return (first?.shown ?? []).filter(column => others.every(each => each.shown.includes(column)));
}

/**
 * SQL for the rows of `table` that the parts of a mapping load, with their keys.
 * @param shown the columns to show; null for all columns
 * @param texts SQL of further columns
 */
async function loadedRowsSql(
  sql: SqlBuilder,
  loaded: LoadedRows[],
  { shown, texts, key }: { shown: string[] | null; texts: string[]; key: { texts: string[]; from: string } },
  table: string,
  place: TablePlace,
): Promise<string> {
  await loadSqlParser();
  const alias = quoteIdentifier(table);
  const scope = { columns: 'any', alias: table } as const;
  const conditions = [...new Set(loaded.map(({ where }) => where ?? 'true'))];
  if (conditions.join('').length > mostOfConditions) throw tooLongConditions();
  const filters = await mapInLimitedTurns(conditions, condition => guardExpression(condition, scope));
  const columns = shown?.map(column => `${alias}.${quoteIdentifier(column)}`) ?? [`${alias}.*`];
  const made = key.texts.map((text, index) => `${text} AS ${keyColumn(index)}`);
  const from = `${quoteTable(place.schema, place.table)} AS ${alias}${key.from}`;
  return `SELECT ${[...columns, ...texts, ...made].join(', ')} FROM ${from} WHERE ${filters.map(filter => sql.fragment(filter)).join(' OR ')}`;
}

function tooLongConditions(): UnsafeFilterClauseError {
  const hint = {
    zh: `映射中该表的 where 合计最多 ${mostOfConditions} 个字符`,
    en: `the where texts of this table in the mapping have at most ${mostOfConditions} characters together`,
  };
  return new UnsafeFilterClauseError({ reason: 'length', hint });
}
