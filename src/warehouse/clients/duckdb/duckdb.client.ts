import { type Claim } from '../../../common/turns/fair-share.js';
import { type Bilingual } from '../../../text/bilingual.js';
import { WarehouseTimeoutError } from '../../warehouse.errors.js';
import { type NameProblem } from '../../files/name-problem.js';
import {
  type ConnectionTest,
  type QueryRequest,
  type QueryResult,
  type Reading,
  type ReadingRequest,
  type SampleRequest,
  type TableCatalog,
  type TableDescription,
  type TablePlace,
  type TableSummary,
  type WarehouseClient,
} from '../warehouse.client.js';
import { type Reached } from '../connection-failure.js';
import { shareAmongCallers } from '../connection-places.js';
import { requireFewColumns } from '../require-few-columns.js';
import { type Doing, toDuckdbError } from './duckdb-errors.js';
import { ProcessEndedError } from './duckdb-process.js';
import { type DuckdbProcesses } from './duckdb-processes.js';
import { DuckdbReading } from './duckdb-reading.js';
import { type FileSource, type QueryAnswer, type TestAnswer, type Work } from './protocol.js';
import { toQueryResult } from './query-values.js';
import { unreadableFiles } from './unreadable-file.js';

const catalogTimeoutMs = 10_000;
/** Describing a new version of a text file reads the whole file once: 100 MB of CSV take 2 s on two busy cores, of JSON 8 s. */
const describeTimeoutMs = 60_000;
const testTimeoutMs = 4_000;

export interface DuckdbClientOptions {
  processes: DuckdbProcesses;
  source: FileSource;
  maxBytes: number;
  maxTimeoutMs: number;
}

/** The tables of a DuckDB database file, or the files of a folder. Each place for work is a process, so there are few places. */
export class DuckdbClient implements WarehouseClient {
  readonly dialect = 'duckdb';
  readonly schema = 'main';
  readonly local = null;
  private readonly places = shareAmongCallers({ queries: 1, shortQueries: 1, readings: 1 });

  constructor(private readonly options: DuckdbClientOptions) {}

  place(table: string): TablePlace {
    return { schema: this.schema, table };
  }

  nameProblem(): NameProblem | null {
    return null;
  }

  /** Tests a connection. DuckDB opens and reads a file in one step, so only the stage `login` is reported. */
  async test(claim: Claim, reached?: Reached): Promise<ConnectionTest> {
    reached?.('login');
    const answer = await this.run<TestAnswer>(claim, { do: 'test' }, testTimeoutMs);
    return { serverVersion: answer.version, user: 'duckdb', isReadOnly: true, canWrite: false, warnings: warningsOf(answer) };
  }

  catalog(claim: Claim): TableCatalog {
    const read = <T>(work: Work): Promise<T> => this.run(claim, work, catalogTimeoutMs);
    return {
      listNames: () => read({ do: 'names' }),
      list: (after, limit) => this.list(claim, after, limit),
      find: table => read({ do: 'find', table }),
      describe: async table => {
        const description = await this.run<TableDescription | null>(claim, { do: 'describe', table }, describeTimeoutMs);
        if (description) requireFewColumns(description.columns);
        return description;
      },
    };
  }

  async sample({ claim, table, maxRows, timeoutMs }: SampleRequest): Promise<QueryResult> {
    const limitBytes = this.options.maxBytes;
    const work: Work = { do: 'sample', table, maxRows, maxBytes: limitBytes };
    return toQueryResult(
      await this.run<QueryAnswer>(claim, work, timeoutMs, { reading: { table }, answer: { source: 'rows', limitBytes } }),
    );
  }

  async query({ claim, isShort, sql, parameters, timeoutMs, maxRows, maxBytes, source = 'rows' }: QueryRequest): Promise<QueryResult> {
    const limitBytes = maxBytes ?? this.options.maxBytes;
    const work: Work = { do: 'query', sql, parameters, maxRows, maxBytes: limitBytes };
    const share = isShort ? this.places.shortQueries : this.places.queries;
    return toQueryResult(await this.run<QueryAnswer>(claim, work, timeoutMs, { answer: { source, limitBytes } }, share));
  }

  async openReading({ claim, timeoutMs, signal }: ReadingRequest): Promise<Reading> {
    const { processes, source } = this.options;
    const leave = await this.places.readings.enter(signal ? { ...claim, signal } : claim);
    try {
      const process = await processes.take();
      return new DuckdbReading({
        process,
        source,
        timeoutMs: this.limitOf(timeoutMs),
        signal,
        leave: isWorking => {
          if (isWorking) processes.kill(process);
          else processes.giveBack(process);
          leave();
        },
      });
    } catch (error) {
      leave();
      throw toDuckdbError(error, {});
    }
  }

  close(): Promise<void> {
    this.options.processes.retire();
    return Promise.resolve();
  }

  /**
   * Lists tables. A file of a folder may crash DuckDB's process or take too long to open. The files are then listed without their columns,
   * so that one file does not hide the others.
   */
  private async list(claim: Claim, after: string, limit: number): Promise<TableSummary[]> {
    try {
      return await this.run(claim, { do: 'list', after, limit }, catalogTimeoutMs);
    } catch (error) {
      const isEnded = error instanceof WarehouseTimeoutError || (error as Error).cause instanceof ProcessEndedError;
      if (!isEnded || !this.options.source.isFolder) throw error;
      return this.run(claim, { do: 'list', after, limit, unopened: true }, catalogTimeoutMs);
    }
  }

  private run<T>(claim: Claim, work: Work, timeoutMs: number, doing: Doing = {}, share = this.places.shortQueries): Promise<T> {
    return share.run(claim, () => this.runNow<T>(work, this.limitOf(timeoutMs), doing, claim.signal));
  }

  /** Runs one piece of work in a process. The process is killed after `limitMs`, or when the caller's signal aborts. */
  private async runNow<T>(work: Work, limitMs: number, doing: Doing, signal?: AbortSignal): Promise<T> {
    const { processes, source } = this.options;
    let isLate = false;
    let timer: NodeJS.Timeout | undefined;
    let end = (): void => undefined;
    try {
      const process = await processes.take();
      end = () => processes.kill(process);
      timer = setTimeout(() => {
        isLate = true;
        end();
      }, limitMs);
      signal?.addEventListener('abort', end, { once: true });
      try {
        signal?.throwIfAborted();
        return (await process.do(source, work)) as T;
      } finally {
        processes.giveBack(process);
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw isLate ? new WarehouseTimeoutError(limitMs, error) : toDuckdbError(error, doing);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  private limitOf(timeoutMs: number): number {
    return Math.max(1, Math.min(Math.ceil(timeoutMs), this.options.maxTimeoutMs, 2_147_483_647));
  }
}

function warningsOf({ leftOut, leftOutCount, unreadable, unreadableCount, otherSchemas }: TestAnswer): Bilingual[] {
  const warnings: Bilingual[] = [];
  if (leftOutCount > 0) {
    warnings.push({
      zh: `有 ${leftOutCount} 个文件因名称不可用或重复（不分大小写）而不是表：${leftOut.join('、')}`,
      en: `Files that are not tables, because of characters in their names or because only case tells them apart (${leftOutCount}): ${leftOut.join(', ')}`,
    });
  }
  if (unreadableCount > 0) {
    const named = (language: 'zh' | 'en') =>
      unreadable.map(({ file, reason }) => `${file} (${unreadableFiles[reason][language]})`).join(', ');
    warnings.push({
      zh: `有 ${unreadableCount} 个文件无法读取：${named('zh')}`,
      en: `Files that cannot be read (${unreadableCount}): ${named('en')}`,
    });
  }
  if (otherSchemas.length > 0) {
    warnings.push({
      zh: `只显示模式 main 的表；不显示：${otherSchemas.join('、')}`,
      en: `Only tables of the schema main are shown; these schemas are not: ${otherSchemas.join(', ')}`,
    });
  }
  return warnings;
}
