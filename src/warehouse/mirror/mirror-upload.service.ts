import { randomBytes } from 'node:crypto';
import { type Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { SchemaError } from '../../common/errors/api-error.js';
import { FairShare } from '../../common/turns/fair-share.js';
import { Settings } from '../../config/settings.js';
import { DatabaseLink } from '../../database/database-link.js';
import { quoteIdentifier, quoteTable } from '../../sql/quote-identifier.js';
import { ServicePool } from '../../database/service-pool.js';
import { DiskReserve } from '../../database/disk-reserve.js';
import { type WatchedPool } from '../../database/watched-pool.js';
import { type OpenedFile, openFile } from './body/open-file.js';
import { Received } from './body/received.js';
import { tableNameProblem } from '../files/csv-header.js';
import { CopyTarget, lineColumn } from './copy/copy-target.js';
import { isTooLarge, rowTooLarge, tooLarge } from './copy/copy-errors.js';
import { type FileFormat, fileProblem } from '../files/file-problem.js';
import { type FieldRewrite, formOfType, listForm } from '../files/field-rewrite.js';
import { typeForm } from './csv/type-form.js';
import { wayOut } from './csv/way-out.js';
import { type LoadedTable, loadTable } from './load-table.js';
import {
  requireAllColumns,
  requireForms,
  requireKeyColumns,
  requireKnownColumns,
  requireRoomForLine,
  requireTypesOfTable,
  requireTypedColumns,
} from './check-columns.js';
import { ParquetLoader } from './parquet/parquet-loader.js';
import { MirrorCatalog } from './mirror-catalog.js';
import { type DataVersion, MirrorVersions } from './mirror-versions.js';
import { askForTableMs, dropBetweenReaders, isLockTimeout, lockMirrorTable } from './replace-tables.js';
import { mirrorSchema } from './mirror-schema.js';
import { requireEffect, type UploadOptions } from './upload-options.js';
import { requireUniqueKeys, upsertRows } from './upsert-rows.js';
import { TableBusyError, TableNotFoundError, UploadsBusyError } from '../warehouse.errors.js';

export interface UploadResult extends LoadedTable {
  /** True if the upload created the table. */
  created: boolean;
  inserted: number;
  updated: number;
  /** Version of the table after the upload. */
  dataVersion: DataVersion;
  /** Bytes of the body as received, before any decoding. */
  bytes: number;
  seconds: number;
}

export interface Uploader {
  userId: number;
  /** Throws unless the user may still write the table. It is called after the upload, which may take an hour. */
  confirm: (client: PoolClient) => Promise<void>;
}

/** Uploads that run at once. An upload holds a database connection as long as its client sends, so uploads have a pool of their own. */
const uploadsAtOnce = 4;
const waitForTurnMs = 30_000;
const share = { places: uploadsAtOnce, waitingPerCaller: 4, waiting: 40, patienceMs: waitForTurnMs };
const gzipBounds = { ratio: 200, freeBytes: 64 * 1024 * 1024 };
const waitForTableMs = 600_000;
const waitToDropMs = 10_000;
/**
 * In this process one upload of a table runs at a time. An upload of the same table in another process holds an advisory lock on it; this
 * process waits for that lock after it has taken a place.
 */
const turnsOfTable = { places: 1, waitingPerCaller: 4, waiting: 40, patienceMs: waitForTableMs, refuse: () => new TableBusyError() };

/** Loads files into tables of the mirror, and drops tables. A table is replaced as a whole or not at all. */
@Injectable()
export class MirrorUploadService implements OnApplicationShutdown {
  private readonly pool: WatchedPool;
  private readonly share = new FairShare({ ...share, refuse: retryAfterS => new UploadsBusyError(retryAfterS) });

  /** By table name: the queue of the uploads that load the table. */
  private readonly turns = new Map<string, FairShare>();

  constructor(
    link: DatabaseLink,
    private readonly catalog: MirrorCatalog,
    private readonly versions: MirrorVersions,
    private readonly service: ServicePool,
    private readonly parquet: ParquetLoader,
    private readonly settings: Settings,
    private readonly disk: DiskReserve,
  ) {
    this.pool = link.open('mirror upload', {
      max: uploadsAtOnce,
      idle_in_transaction_session_timeout: waitForTableMs,
    });
  }

  /**
   * Loads `body` into the table. Uploads of one table wait for each other; readers see the old table until the new one is complete. On any
   * failure the table stays as it was, and the rest of `body` is read and dropped, so that the client gets the answer.
   * @throws SchemaError with the line of a broken record; StorageFullError, DiskReserveError, TableBusyError, UploadsBusyError,
   * UploadAbortedError, UploadStalledError
   */
  async upload(uploader: Uploader, table: string, body: Readable, options: UploadOptions): Promise<UploadResult> {
    const started = performance.now();
    try {
      requireTableName(table);
      await this.disk.require();
      const received = new Received(body, this.settings.uploadIdleSeconds * 1000, () => this.disk.requireNow());
      const loaded = await this.inTurn(uploader.userId, table, () =>
        this.share.run({ caller: uploader.userId }, () => this.loadFrom(received, uploader, table, options)),
      );
      return { ...loaded, bytes: received.bytes, seconds: Math.round(performance.now() - started) / 1000 };
    } finally {
      if (!body.destroyed) body.resume();
    }
  }

  /** @throws TableNotFoundError */
  async requireTable(table: string): Promise<void> {
    if ((await this.catalog.describe(table)) === null) throw new TableNotFoundError();
  }

  /** @throws TableNotFoundError, TableBusyError */
  async drop(table: string, record: (client: PoolClient) => Promise<void>): Promise<void> {
    try {
      await this.requireTable(table);
      await this.service.transaction(async client => {
        await dropBetweenReaders(client, [quoteTable(mirrorSchema, table)], {
          longestReadMs: this.settings.warehouseTimeoutMs,
          waitMs: waitToDropMs,
        });
        await client.query(`SET LOCAL lock_timeout = ${waitToDropMs}`);
        await this.versions.forget(client, table);
        await record(client);
      });
    } catch (error) {
      throw isLockTimeout(error) ? new TableBusyError() : error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }

  /**
   * Runs `work` when no other upload of the table runs in this process. Only then it takes one of the places, so that waiting uploads of
   * one table do not block those of other tables.
   */
  private async inTurn<T>(caller: number, table: string, work: () => Promise<T>): Promise<T> {
    const turns = this.turns.get(table) ?? new FairShare(turnsOfTable);
    this.turns.set(table, turns);
    try {
      return await turns.run({ caller }, work);
    } finally {
      if (turns.working + turns.waiting === 0) this.turns.delete(table);
    }
  }

  private async loadFrom(
    received: Received,
    uploader: Uploader,
    table: string,
    options: UploadOptions,
  ): Promise<Omit<UploadResult, 'bytes' | 'seconds'>> {
    const file = await openFile(received, options.body, { ...gzipBounds, ms: this.settings.maxUploadSeconds * 1000 });
    try {
      requireEffect(file.format, options);
      return await this.inTransaction(file.format, client => this.load(client, uploader, table, file, options));
    } finally {
      await file.close();
    }
  }

  private async load(
    client: PoolClient,
    { userId, confirm }: Uploader,
    table: string,
    { format, bytes }: OpenedFile,
    options: UploadOptions,
  ): Promise<Omit<UploadResult, 'bytes' | 'seconds'>> {
    await client.query(`SET LOCAL lock_timeout = ${waitForTableMs}`);
    await lockMirrorTable(client, table);
    await client.query(`SET LOCAL lock_timeout = ${askForTableMs}`);

    const existing = (await this.catalog.describe(table))?.columns ?? null;
    const append = options.mode === 'append' && existing !== null;
    const upsert = options.mode === 'upsert';
    const loadedTable = append ? table : `upload_${randomBytes(12).toString('hex')}`;
    // This lock keeps others from dropping the table during an upsert. A COPY into the table takes the same lock by itself.
    if (upsert && existing) await client.query(`LOCK TABLE ${quoteTable(mirrorSchema, table)} IN ROW EXCLUSIVE MODE`);
    const keepsTypes = existing !== null && options.mode !== 'replace';
    const types = keepsTypes ? new Map(existing.map(column => [column.name, column.type])) : options.types;
    const known = new Set(existing?.map(column => column.name));
    const room = await this.versions.roomFor(userId, [table]);
    const target = new CopyTarget(client, {
      format,
      table: loadedTable,
      exists: append,
      types,
      rewrites: rewritesOf(types, options.rewrites, keepsTypes),
      keepsTypes,
      hasLines: upsert,
      checkSize: size => room.requireForText(size),
      checkFormer: size => room.require(size),
      checkNames: (names, line) => {
        if (keepsTypes) requireKnownColumns(names, known, line);
      },
      checkAllNames: (names, renamed) => {
        requireTypedColumns(names, renamed, options.types);
        requireKeyColumns(names, renamed, options.key, types);
        if (upsert) requireRoomForLine(format, names);
        if (keepsTypes && upsert) requireAllColumns(names, existing);
      },
    });
    if (keepsTypes) requireTypesOfTable(options.types, options.rewrites, types);
    requireForms(options.rewrites, types);
    const loaded = await loadTable({ format, bytes, caller: userId }, options, target, this.parquet);

    const name = quoteTable(mirrorSchema, table);
    if (existing && !keepsTypes && loaded.rows === 0 && !options.empties) await requireNoRows(client, name, format);
    const loadedName = quoteTable(mirrorSchema, loadedTable);
    await client.query(`ANALYZE ${loadedName}`);
    // Loading may have waited minutes for readers of the table, so the right is confirmed right before the end of the transaction.
    const finish = async (): Promise<DataVersion> => {
      await confirm(client);
      const version = await this.versions.raise(client, table, userId);
      await this.versions.requireRoom(client, userId, [table]);
      return version;
    };
    if (upsert) {
      const required = (existing ?? []).filter(({ nullable }) => !nullable).map(column => column.name);
      await requireUniqueKeys(client, format, loadedName, { key: options.key, required });
    }
    if (upsert && existing) {
      const columns = loaded.columns.map(column => column.name);
      const counts = await upsertRows(client, { format, table: name, loaded: loadedName, columns, key: options.key, rows: loaded.rows });
      await client.query(`DROP TABLE ${loadedName}; ANALYZE ${name}`);
      return { ...loaded, ...counts, created: false, dataVersion: await finish() };
    }
    if (upsert) await client.query(`ALTER TABLE ${loadedName} DROP COLUMN ${quoteIdentifier(lineColumn)}`);
    if (!append) {
      if (existing) await dropBetweenReaders(client, [name], { longestReadMs: this.settings.warehouseTimeoutMs });
      await client.query(`ALTER TABLE ${loadedName} RENAME TO ${quoteIdentifier(table)}`);
    }
    const dataVersion = await finish();
    return { ...loaded, inserted: loaded.rows, updated: 0, created: existing === null, dataVersion };
  }

  /**
   * Runs `work` in a transaction that writes dates and times in ISO form. A column that is widened to text then gets back the text of the
   * file.
   */
  private async inTransaction<T>(format: FileFormat, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    const { processID } = client as unknown as { processID: number };
    let broken: Error | boolean = false;
    const end = (): void => {
      // A cancellation that arrives late would reach the next user of the connection, so the connection is closed.
      broken = true;
      void this.service.cancel(processID);
    };
    try {
      return await this.disk.guard(end, async () => {
        await client.query(`BEGIN; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL TimeZone = 'UTC'; SET LOCAL statement_timeout = 0`);
        const result = await work(client);
        await client.query('COMMIT');
        return result;
      });
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
      throw toUploadError(format, error);
    } finally {
      client.release(broken);
    }
  }
}

/**
 * Converts a database error into an error for the caller: a lock time-out, or a file that needs more memory or temporary disk than one
 * session may take. Any other error is returned unchanged.
 */
function toUploadError(format: FileFormat, error: unknown): unknown {
  if (isLockTimeout(error)) return new TableBusyError();
  return isTooLarge(error) ? tooLarge(format) : (rowTooLarge(format, error) ?? error);
}

function requireTableName(table: string): void {
  const problem = tableNameProblem(table);
  if (problem) throw new SchemaError([{ loc: ['path', 'table'], text: { zh: problem.zh, en: problem.en }, type: problem.type }]);
}

/** @throws SchemaError if the table has rows, which a file without any would take away */
async function requireNoRows(client: PoolClient, name: string, format: FileFormat): Promise<void> {
  const { rows } = await client.query<{ full: boolean }>(`SELECT EXISTS (SELECT FROM ${name}) AS full`);
  if (!rows[0]!.full) return;
  throw fileProblem(
    format,
    'no_rows',
    { line: 1 },
    {
      zh: '文件没有数据行，而表中有数据；若要清空表，请加上 ?empty=true',
      en: 'the file has no rows, but the table has; say ?empty=true to empty the table',
    },
  );
}

/**
 * By column name: the form of its values, which is that of its type and before it the form of `given`. PostgreSQL itself judges the values
 * of other columns.
 * @param isFixed whether the types are those of a table that exists
 */
function rewritesOf(
  types: ReadonlyMap<string, string>,
  given: ReadonlyMap<string, FieldRewrite>,
  isFixed: boolean,
): Map<string, FieldRewrite> {
  const forms = new Map<string, FieldRewrite>();
  for (const [name, type] of types) {
    const asked = given.get(name);
    const typed = typeForm(type);
    const form = asked ? formOfType(asked, typed) : (typed ?? (type.endsWith('[]') ? listForm : null));
    if (form) forms.set(name, { ...form, wayOut: text => wayOut(name, type, text, isFixed) });
  }
  return forms;
}
