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
    const byTable = new Map<string, { citation: Citation; index: number }[]>();
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
        const missing = new Map(cited.map(({ citation, index }) => [index, citation.key]));
        for await (const look of lookUps(connection, table, loaded)) {
          const limits = { maxBytes: bytesLeft, timeoutMs: time.ms };
          const read = await this.readTable(connection, look, { table, columns: Object.keys(key), shown }, missing, limits);
          rows.push(...read.rows);
          for (const { citation } of read.rows) missing.delete(citation);
          bytesLeft -= read.bytes;
          if (missing.size === 0 || time.isOver) break;
        }
        if (missing.size > 0)
          warn(
            `表 ${table} 中找不到 ${missing.size} 条引用的源行：它们在载入后已改变或被删除`,
            `${missing.size} cited rows of ${table} were not found: they were changed or deleted since they were loaded`,
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

  /** @param wanted the keys of rows, by the indexes of their citations */
  private async readTable(
    { client, claim }: UsableConnection,
    { loaded, keysOf }: LookUp,
    { table, columns, shown }: { table: string; columns: string[]; shown: string[] | null },
    wanted: ReadonlyMap<number, Record<string, string>>,
    limits: { maxBytes: number; timeoutMs: number },
  ): Promise<{ rows: SourceRow[]; bytes: number }> {
    requirePostgresSql(client);
    const sql = new SqlBuilder();
    const source = await loadedRowsSql(
      sql,
      loaded,
      { columns: shown, keys: keysOf(sql, quoteIdentifier(table)) },
      table,
      client.place(table),
    );
    const arrays = columns.map(
      column =>
        `pg_catalog.unnest(${sql.bind(
          [...wanted.values()].map(key => key[column] ?? ''),
          'text[]',
        )})`,
    );
    const on = columns.map((_, i) => `source.${keyColumn(i)} = wanted.k${i}`).join(' AND ');
    const template = `SELECT wanted.place, source.* FROM (
${source}
) AS source
              JOIN ROWS FROM (${arrays.join(', ')}) WITH ORDINALITY AS wanted (${columns.map((_, i) => `k${i}`).join(', ')}, place) ON ${on}
             ORDER BY wanted.place`;
    const statement = await inLimitedTurns(sql.build(template));
    const read = await client.query({ claim, ...statement, maxRows: mostRows, ...limits });
    const citations = [...wanted.keys()];
    const keyColumns = new Set(columns.map((_, i) => `#key${i}`));
    const rows = read.rows.map(([place, ...values]) => ({
      citation: citations[Number(place) - 1] ?? -1,
      row: Object.fromEntries(
        read.columns.slice(1).flatMap(({ name }, i) => (keyColumns.has(name) ? [] : [[name, values[i] ?? null] as const])),
      ),
    }));
    return { rows, bytes: read.bytes };
  }
}

/** One way to find rows: parts of a mapping, and SQL for the keys of their rows, to be joined with the table from `from`. */
interface LookUp {
  loaded: LoadedRows[];
  keysOf: (sql: SqlBuilder, alias: string) => { texts: string[]; from: string | null };
}

/**
 * The ways to find the rows of a table by their keys. First the key columns are compared as they are, which an index of the table may
 * serve. For rows that are not found so, the keys are made as the mapping makes them: a text ` 007` may have become the key `7`.
 */
async function* lookUps({ client, claim }: UsableConnection, table: string, loaded: LoadedRows[]): AsyncGenerator<LookUp> {
  const asWritten = loaded.filter(({ byKey }) => byKey.keepsKeys);
  const written = (alias: string, column: string): string => `${alias}.${quoteIdentifier(column)}::text`;
  if (asWritten.length > 0) {
    yield { loaded: asWritten, keysOf: (_, alias) => ({ texts: asWritten[0]!.key.map(column => written(alias, column)), from: null }) };
  }
  const columns = new Map((await client.catalog(claim).describe(table))?.columns.map(({ name, type }) => [name, sourceFamily(type)]));
  const forms = new Map<string, LoadedRows[]>();
  for (const part of loaded) forms.set(part.byKey.form, [...(forms.get(part.byKey.form) ?? []), part]);
  for (const parts of forms.values()) {
    yield { loaded: parts, keysOf: (sql, alias) => parts[0]!.byKey.sql(sql, alias, column => columns.get(column) ?? 'text') };
  }
}

function keyColumn(index: number): string {
  return quoteIdentifier(`#key${index}`);
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
 * @param read.columns the columns to read; null for all columns
 */
async function loadedRowsSql(
  sql: SqlBuilder,
  loaded: LoadedRows[],
  read: { columns: string[] | null; keys: { texts: string[]; from: string | null } },
  table: string,
  place: TablePlace,
): Promise<string> {
  await loadSqlParser();
  const alias = quoteIdentifier(table);
  const scope = { columns: 'any', alias: table } as const;
  const conditions = [...new Set(loaded.map(({ where }) => where ?? 'true'))];
  if (conditions.join('').length > mostOfConditions) throw tooLongConditions();
  const filters = await mapInLimitedTurns(conditions, condition => guardExpression(condition, scope));
  const columns = read.columns?.map(column => `${alias}.${quoteIdentifier(column)}`) ?? [`${alias}.*`];
  const keys = read.keys.texts.map((text, index) => `${text} AS ${keyColumn(index)}`);
  const from = [`${quoteTable(place.schema, place.table)} AS ${alias}`, ...(read.keys.from === null ? [] : [read.keys.from])];
  return `SELECT ${[...columns, ...keys].join(', ')} FROM ${from.join(', ')} WHERE ${filters.map(filter => sql.fragment(filter)).join(' OR ')}`;
}

function tooLongConditions(): UnsafeFilterClauseError {
  const hint = {
    zh: `映射中该表的 where 合计最多 ${mostOfConditions} 个字符`,
    en: `the where texts of this table in the mapping have at most ${mostOfConditions} characters together`,
  };
  return new UnsafeFilterClauseError({ reason: 'length', hint });
}
