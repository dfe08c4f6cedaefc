import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { ApiError } from '../common/errors/api-error.js';
import { LanguageError } from '../text/language-error.js';
import { Settings } from '../config/settings.js';
import { quoteIdentifier, quoteTable } from '../sql/quote-identifier.js';
import { RecordNotFoundError } from '../graphs/graphs.errors.js';
import { type JobReader, JobsService, type LoadedRows } from '../ingestion/jobs.service.js';
import { sourceFamily } from '../ingestion/staging/source-type.js';
import { SqlBuilder } from '../ingestion/staging/sql-builder.js';
import { type Citation } from '../retrieval/protocol.js';
import { type Language } from '../text/language.js';
import { inLimitedTurns, mapInLimitedTurns } from '../common/turns/pace.js';
import { TimeLeft } from '../common/turns/time-left.js';
import { guardExpression } from '../sql-guard/guard-expression.js';
import { UnsafeFilterClauseError } from '../sql-guard/sql-guard.errors.js';
import { loadSqlParser } from '../sql-guard/sql-parser.js';
import { requirePostgresSql } from '../warehouse/require-postgres-sql.js';
import { type TablePlace } from '../warehouse/clients/warehouse.client.js';
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

const mostRows = 100;
/** Maximum characters of all conditions together under which a mapping reads one table. */
const mostOfConditions = 32_768;

/**
 * Reads the current state of the cited rows from the warehouse, with one statement for each table. A reader of the graph needs no right on
 * the connection: the rows are read in the name of the user who saved the job that loaded them. Rows are found by their keys, which no
 * request can name, and through the job's own filter, since a row that was never loaded may have the same key. Only callers who have a
 * right on the connection see columns that the mapping does not show.
 */
@Injectable()
export class SourceRowsReader {
  constructor(
    private readonly jobs: JobsService,
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
      const source = JSON.stringify([citation.job_id, citation.label, citation.table, citation.query_tables, Object.keys(citation.key)]);
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
        const connection = await this.warehouse.open(job, job.connectionId, claim);
        const shown = (await this.warehouse.mayRead(principal, connection.id)) ? null : shownColumns(loaded);
        if (shown !== null && loaded.some(({ byKey }) => byKey.isHidden)) {
          warn(
            `映射隐去了键的一部分，因此不显示表 ${table} 的源行`,
            `Source rows of ${table} are not shown, because the mapping hides a part of their keys`,
          );
          continue;
        }
        const read = await this.readTable(connection, { table, loaded, shown }, cited, { maxBytes: bytesLeft, timeoutMs: time.ms });
        rows.push(...read.rows);
        bytesLeft -= read.bytes;
        const found = new Set(read.rows.map(({ citation }) => citation));
        const missing = cited.filter(({ index }) => !found.has(index)).length;
        if (missing > 0)
          warn(
            `表 ${table} 中找不到 ${missing} 条引用的源行：它们在载入后已改变或被删除`,
            `${missing} cited rows of ${table} were not found: they were changed or deleted since they were loaded`,
          );
      } catch (error) {
        // The answer stays valid if its source rows cannot be read: the warehouse may have changed since.
        if (!(error instanceof ApiError || error instanceof LanguageError)) throw error;
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

  /** Reads the rows of cited elements, first one row of each: several rows may have made one node. */
  private async readTable(
    { client, claim }: UsableConnection,
    { table, loaded, shown }: { table: string; loaded: LoadedRows[]; shown: string[] | null },
    cited: Cited[],
    limits: { maxBytes: number; timeoutMs: number },
  ): Promise<{ rows: SourceRow[]; bytes: number }> {
    requirePostgresSql(client);
    const described = await client.catalog(claim).describe(table);
    const families = new Map(described?.columns.map(({ name, type }) => [name, sourceFamily(type)]));
    const sql = new SqlBuilder();
    const place = client.place(table);
    const sources: string[] = [];
    for (const parts of byForm(loaded)) {
      const keys = parts[0]!.byKey.sql(sql, quoteIdentifier(table), column => families.get(column) ?? 'text');
      sources.push(await loadedRowsSql(sql, parts, { shown, keys }, table, place));
    }
    const columns = Object.keys(cited[0]!.citation.key);
    const keysIn = (column: string): string[] => cited.map(({ citation }) => citation.key[column] ?? '');
    const arrays = columns.map(column => `pg_catalog.unnest(${sql.bind(keysIn(column), 'text[]')})`);
    const wanted = columns.map((_, i) => `k${i}`);
    const on = columns.map((_, i) => `source.${keyColumn(i)} = wanted.k${i}`).join(' AND ');
    const template = `SELECT wanted.place, source.* FROM (
${sources.join('\nUNION ALL\n')}
) AS source
              JOIN ROWS FROM (${arrays.join(', ')}) WITH ORDINALITY AS wanted (${wanted.join(', ')}, place) ON ${on}
             ORDER BY pg_catalog.row_number() OVER (PARTITION BY wanted.place), wanted.place`;
    const statement = await inLimitedTurns(sql.build(template));
    const { columns: named, rows, bytes } = await client.query({ claim, ...statement, maxRows: mostRows, ...limits });
    const isOfKey = new Set(columns.map((_, i) => keyName(i)));
    const sourceRows = rows.map(([at, ...values]) => ({
      citation: cited[Number(at) - 1]?.index ?? -1,
      row: Object.fromEntries(named.slice(1).flatMap(({ name }, i) => (isOfKey.has(name) ? [] : [[name, values[i] ?? null] as const]))),
    }));
    return { rows: sourceRows, bytes };
  }
}

/** The parts of a mapping, in groups of those that make their keys in the same way. */
function byForm(loaded: LoadedRows[]): LoadedRows[][] {
  const forms = new Map<string, LoadedRows[]>();
  for (const part of loaded) forms.set(part.byKey.form, [...(forms.get(part.byKey.form) ?? []), part]);
  return [...forms.values()];
}

/** The name of a key column in the statement. No column of a table has a control character in its name. */
function keyName(index: number): string {
  return `key\u0002${index}`;
}

function keyColumn(index: number): string {
  return quoteIdentifier(keyName(index));
}

/**
 * The parts of a job's mapping that read the cited table and make the cited kind of element from it; 'query' if the mapping reads the
 * element with a query. One type of edge may be mapped several times from one table.
 */
async function loadedRows({ loads }: JobReader, { label, table, key }: Citation): Promise<LoadedRows[] | 'query'> {
  const columns = Object.keys(key).join('\0');
  const loaded = (await loads()).filter(each => each.name === label && each.key.join('\0') === columns);
  const ofTable = loaded.filter(each => each.table === table);
  if (ofTable.length > 0) return ofTable;
  if (loaded.some(each => each.table === null)) return 'query';
  throw new RecordNotFoundError('job');
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
 * @param shown the columns to read; null for all columns
 */
async function loadedRowsSql(
  sql: SqlBuilder,
  loaded: LoadedRows[],
  { shown, keys }: { shown: string[] | null; keys: { texts: string[]; from: string } },
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
  const made = keys.texts.map((text, index) => `${text} AS ${keyColumn(index)}`);
  const from = `${quoteTable(place.schema, place.table)} AS ${alias}, ${keys.from}`;
  return `SELECT ${[...columns, ...made].join(', ')} FROM ${from} WHERE ${filters.map(filter => sql.fragment(filter)).join(' OR ')}`;
}

function tooLongConditions(): UnsafeFilterClauseError {
  const hint = {
    zh: `映射中该表的 where 合计最多 ${mostOfConditions} 个字符`,
    en: `the where texts of this table in the mapping have at most ${mostOfConditions} characters together`,
  };
  return new UnsafeFilterClauseError({ reason: 'length', hint });
}
