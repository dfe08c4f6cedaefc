import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { ApiError } from '../common/errors/api-error.js';
import { RunFailure } from '../common/errors/run-failure.js';
import { LanguageError } from '../text/language-error.js';
import { Settings } from '../config/settings.js';
import { RecordNotFoundError } from '../graphs/graphs.errors.js';
import { type JobReader, JobsService, type LoadedRows } from '../ingestion/jobs.service.js';
import { type Citation } from '../retrieval/protocol.js';
import { type Language } from '../text/language.js';
import { TimeLeft } from '../common/turns/time-left.js';
import { WarehouseService } from '../warehouse/warehouse.service.js';
import { CitedRowsReader, type MissingReason, mostCandidates } from './cited-rows.reader.js';

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
const whyMissing: Record<MissingReason, [zh: string, en: string]> = {
  changed: [
    '没有一行得出图中现有的值，载入后行或图已改变',
    'no row makes what the graph has now, so rows or the graph have changed since the load',
  ],
  clock: [
    '没有一行现在得出图中的值；映射读取当前时间，其值、行或图在载入后已改变',
    'no row makes now what the graph has: the mapping reads the clock, so its values, rows or the graph have changed since the load',
  ],
  large: ['行的字节数超过一个答案的上限', 'their rows have more bytes than an answer may have'],
  many: [`同键的行太多，只比较了 ${mostCandidates} 行`, `so many rows have their keys that only ${mostCandidates} were compared`],
  old: [
    '版本低于 16 的 PostgreSQL 只能找到键的写法与图中相同的行',
    'a server before PostgreSQL 16 finds only rows whose keys are written as in the graph',
  ],
};

/**
 * Reads the current state of the cited rows from the warehouse, table by table. A reader of the graph needs no right on the connection: the
 * rows are read in the name of the user who saved the mapping that loaded them. Rows are found by their keys, which no
 * request can name, and a row is shown only if the mapping makes of it what the graph has: rejected rows and repeats may have the same key,
 * and no graph shows them. Only callers who have a right on the connection see columns that the mapping does not show.
 */
@Injectable()
export class SourceRowsReader {
  constructor(
    private readonly jobs: JobsService,
    private readonly cited: CitedRowsReader,
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
      const warnOfTime = (): number =>
        warn(`时限已到，未读取表 ${table} 的源行`, `The time was over before the source rows of ${table} were read`);
      if (time.isOver) {
        warnOfTime();
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
        const seesAll = await this.warehouse.mayRead(principal, connection.id);
        if (!seesAll && loaded.some(({ byKey }) => byKey.isHidden)) {
          warn(
            `映射隐去了键的一部分，因此不显示表 ${table} 的源行`,
            `Source rows of ${table} are not shown, because the mapping hides a part of their keys`,
          );
          continue;
        }
        const citing = new Map<string, number[]>();
        for (const { citation, index } of cited) {
          const text = JSON.stringify(loaded[0]!.key.map(column => citation.key[column] ?? ''));
          citing.set(text, [...(citing.get(text) ?? []), index]);
        }
        const read = { connection, job, graphId, table, loaded, mapped: shownColumns(loaded), seesAll, time, maxBytes: bytesLeft };
        const found = await this.cited.read(
          read,
          [...citing.keys()].map(text => JSON.parse(text) as string[]),
        );
        bytesLeft -= found.bytes;
        const indexes = [...citing.values()];
        const count = (places: Iterable<number>): number => [...places].reduce((sum, place) => sum + indexes[place]!.length, 0);
        for (const [place, row] of found.rows) for (const citation of indexes[place]!) rows.push({ citation, row });
        const [ambiguous, narrowed] = [count(found.ambiguous), count(found.narrowed)];
        if (ambiguous > 0)
          warn(
            `表 ${table} 中有 ${ambiguous} 条引用各对应多行，这些行的值不同而得出同样的节点或关系，因此不显示`,
            `${ambiguous} cited rows of ${table} are not shown: several rows with different values make the same node or edge`,
          );
        if (narrowed > 0)
          warn(
            `表 ${table} 中有 ${narrowed} 条引用各对应多行，这些行只在图不显示的列上不同，因此只显示图所显示的列`,
            `${narrowed} cited rows of ${table} show only the columns that the graph shows: several rows differ in their other columns`,
          );
        const missing = cited.length - ambiguous - count(found.rows.keys());
        if (missing > 0) {
          const [zh, en] = [...found.reasons].map(reason => whyMissing[reason])[0]!;
          warn(`表 ${table} 中找不到 ${missing} 条引用的源行：${zh}`, `${missing} cited rows of ${table} were not found: ${en}`);
        }
      } catch (error) {
        // The answer stays valid if its source rows cannot be read: the warehouse may have changed since.
        if (!(error instanceof ApiError || error instanceof RunFailure || error instanceof LanguageError)) throw error;
        if (time.isOver) warnOfTime();
        else warn(`无法读取表 ${table} 的源行：${error.text.zh}`, `Source rows of ${table} cannot be read: ${error.text.en}`);
      }
    }
    if (whole.size > 0)
      warn(
        `结果依据整张表（${[...whole].join('、')}），没有单独的源行`,
        `The result rests on whole tables (${[...whole].join(', ')}), not on single rows`,
      );
    return { rows: rows.sort((a, b) => a.citation - b.citation), warnings: [...new Set(warnings)] };
  }
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
