import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { ApiError, SchemaError } from '../../../common/errors/api-error.js';
import { FairShare } from '../../../common/turns/fair-share.js';
import { inTurns, Pace } from '../../../common/turns/pace.js';
import { Settings } from '../../../config/settings.js';
import { type Bilingual } from '../../../text/bilingual.js';
import { TableTooWideError } from '../../clients/require-few-columns.js';
import { DuckdbClient } from '../../clients/duckdb/duckdb.client.js';
import { DuckdbProcesses } from '../../clients/duckdb/duckdb-processes.js';
import { FailedWorkError, ProcessEndedError } from '../../clients/duckdb/duckdb-process.js';
import { type TableColumn } from '../../clients/warehouse.client.js';
import {
  DriverNotInstalledError,
  ParquetDriverMissingError,
  UnreadableValueError,
  UploadsBusyError,
  WarehouseQueryError,
  WarehouseTimeoutError,
  WarehouseUnavailableError,
} from '../../warehouse.errors.js';
import { type CopyTarget } from '../copy/copy-target.js';
import { checkColumnNames, mostColumns } from '../../files/csv-header.js';
import { ColumnNames, type RenamedColumn, renameHint } from '../rename-columns.js';
import { RowLines } from './row-lines.js';
import { type SpooledFile, SpoolFolder } from './spool-folder.js';

/**
 * A process of its own reads a Parquet file and may take a gigabyte of memory. So at most two files are read at once, one for each caller.
 */
const share = { places: 2, waitingPerCaller: 4, waiting: 20, patienceMs: 60_000 };
/**
 * Bounds on the text that a file yields: `ratio` bytes for each byte of the file, and in any case `freeBytes`. A small Parquet dictionary
 * can stand for an endless number of rows.
 */
const densest = { ratio: 200, freeBytes: 64 * 1024 * 1024 };
const table = 'file';

interface LoadedParquet {
  rows: number;
  columns: { name: string; type: string }[];
  renamed: RenamedColumn[];
}

/**
 * Loads Parquet files. The index of a Parquet file is at its end, so the upload is first saved to disk. A DuckDB process that can open no
 * other file reads it.
 */
@Injectable()
export class ParquetLoader implements OnModuleInit, OnApplicationShutdown {
  private readonly processes = new DuckdbProcesses();
  private readonly share = new FairShare({ ...share, refuse: retryAfterS => new UploadsBusyError(retryAfterS) });
  private readonly folder: SpoolFolder;

  constructor(private readonly settings: Settings) {
    this.folder = new SpoolFolder(settings.dataDirectory, settings.uploadParquetMaxMb * 1024 * 1024);
  }

  async onModuleInit(): Promise<void> {
    await this.folder.sweep();
  }

  onApplicationShutdown(): void {
    this.processes.close();
  }

  /**
   * @param renames whether column names that a table cannot have are replaced
   * @throws SchemaError for a file that cannot be read, with the row if PostgreSQL refuses one; DriverNotInstalledError, UploadsBusyError
   */
  async load(caller: number, bytes: AsyncIterable<Buffer>, renames: boolean, target: CopyTarget): Promise<LoadedParquet> {
    return this.share.run({ caller }, async () => {
      await this.processes.loadDriver().catch(toParquetError);
      const file = await this.folder.write(bytes, `${table}.parquet`);
      try {
        return await this.copy(file, caller, renames, target);
      } finally {
        await file.remove();
      }
    });
  }

  private async copy(
    { folder, directory, size }: SpooledFile,
    caller: number,
    renames: boolean,
    target: CopyTarget,
  ): Promise<LoadedParquet> {
    const timeoutMs = this.settings.maxUploadSeconds * 1000;
    const source = { directory, path: [folder], isFolder: true };
    const client = new DuckdbClient({ processes: this.processes, source, maxBytes: 0, maxTimeoutMs: timeoutMs });
    const description = await client.catalog({ caller }).describe(table).catch(toParquetError);
    const found = description?.columns ?? [];
    const made = renames && found.length <= mostColumns ? new ColumnNames() : null;
    requireReadable(found, made !== null);
    const namesInFile = found.map(({ name }) => name);
    const names = made?.ofAll(namesInFile) ?? namesInFile;
    const columns = found.map((column, index) => ({ ...column, name: names[index]! }));
    target.checkNames(names, 1);
    target.checkAllNames(names, made?.renamed ?? []);
    await target.shape(names, columns.map(({ type }) => type)); // prettier-ignore
    target.startCopy(1, 'FORMAT text');
    const reading = await client.openReading({ claim: { caller }, timeoutMs }).catch(toParquetError);
    try {
      const lines = new RowLines(columns, target);
      const most = Math.max(densest.freeBytes, densest.ratio * size);
      const pace = new Pace();
      let read = 0;
      const rows = reading.rows({ table, columns: namesInFile })[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
      for (;;) {
        const next = await rows.next().catch((error: unknown) => {
          if (error instanceof WarehouseTimeoutError) throw tooSlow(this.settings.maxUploadSeconds);
          return toParquetError(error);
        });
        if (next.done) break;
        read += next.value.length;
        if (read > most) throw tooDense();
        await target.write(await inTurns(lines.of(next.value), pace), []);
      }
      return { rows: await target.endCopy(), columns: target.columns, renamed: made?.renamed ?? [] };
    } catch (error) {
      await target.abortCopy();
      throw error;
    } finally {
      await reading.close();
    }
  }
}

/** @throws SchemaError naming every column whose name or type the table cannot have: no column is left out silently */
function requireReadable(columns: readonly TableColumn[], renames: boolean): void {
  const names = columns.map(({ name }) => name);
  if (!renames) checkColumnNames(names, index => ['body', names[index]!], undefined, renameHint);
  const others = columns.filter(({ type }) => type === 'other');
  if (others.length === 0) return;
  throw new SchemaError(
    others.map(({ name, nativeType }) => ({
      loc: ['body', name],
      text: {
        zh: `列“${name}”的类型 ${nativeType.slice(0, 100)} 没有对应的 PostgreSQL 类型；请在写文件时转换或去掉它`,
        en: `column "${name}": the type ${nativeType.slice(0, 100)} has no counterpart in PostgreSQL; convert it or leave it out when the file is written`,
      },
      type: 'parquet_column_type',
    })),
  );
}

/** Turns a failure that the file causes into a sentence about the file. DuckDB's own text may hold a path, so it is not shown. */
function toParquetError(error: unknown): never {
  if (error instanceof DriverNotInstalledError) throw new ParquetDriverMissingError(error);
  if (error instanceof TableTooWideError) {
    throw problem('parquet_too_many_columns', { zh: `列数超过 ${mostColumns}`, en: `there are more than ${mostColumns} columns` });
  }
  if (error instanceof UnreadableValueError) {
    const column = String(error.context?.column);
    throw problem('parquet_value', {
      zh: `列“${column}”中有 PostgreSQL 存不下的值（如含零字节的文本、超出范围的日期，或带纳秒的时间）`,
      en: `column "${column}" has a value that PostgreSQL cannot hold, such as a text with a zero byte, a date out of range, or a time with nanoseconds`,
    });
  }
  const cause = error instanceof ApiError ? error.cause : null;
  if (cause instanceof ProcessEndedError && cause.isOutOfMemory) throw tooLarge();
  if (error instanceof WarehouseQueryError) throw error.sqlstate === '53200' ? tooLarge() : broken();
  if (error instanceof WarehouseTimeoutError) throw broken();
  // A broken file can also crash DuckDB's process.
  const isOfFile = cause instanceof FailedWorkError || cause instanceof ProcessEndedError;
  throw error instanceof WarehouseUnavailableError && isOfFile ? broken() : error;
}

function broken(): SchemaError {
  return problem('parquet_broken', {
    zh: '无法读取这个 Parquet 文件：可能不完整、已损坏或已加密；未导入任何数据',
    en: 'the Parquet file cannot be read: it may be cut off, broken or encrypted; nothing was loaded',
  });
}

function tooLarge(): SchemaError {
  return problem('parquet_row_group_too_large', {
    zh: '读取这个文件所需的内存超过上限；请用较小的行组（如每组十万行）重写它',
    en: 'reading the file needs more memory than it may take; write it with smaller row groups, such as 100,000 rows each',
  });
}

function tooSlow(seconds: number): SchemaError {
  return problem('parquet_too_slow', {
    zh: `读取这个文件超过了 ${seconds} 秒（MAX_UPLOAD_SECONDS）；请分成几个文件上传`,
    en: `reading the file took longer than ${seconds} s (MAX_UPLOAD_SECONDS); upload it in several files`,
  });
}

function tooDense(): SchemaError {
  return problem('parquet_too_dense', {
    zh: `文件展开后超过其 ${densest.ratio} 倍；请分成几个文件，或以 CSV 上传`,
    en: `the file grows to more than ${densest.ratio} times its size; upload it in several files, or as CSV`,
  });
}

function problem(type: string, text: Bilingual): SchemaError {
  return new SchemaError([{ loc: ['body'], text, type }]);
}
