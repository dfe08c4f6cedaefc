import { type IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../../access/principal.js';
import { type AuditEvent, AuditService } from '../../audit/audit.service.js';
import { AnswerTooLargeError } from '../../common/errors/answer-too-large.error.js';
import { type ApiError } from '../../common/errors/api-error.js';
import { invalidCursor, type PageQuery } from '../../http/paging/page.js';
import { type TableSummary, type WarehouseClient } from '../clients/warehouse.client.js';
import { MirrorUploadService, type UploadResult } from '../mirror/mirror-upload.service.js';
import { MirrorVersions } from '../mirror/mirror-versions.js';
import { type ListedTable, type TableDetail, type UploadQuery } from './tables.dto.js';
import { readUploadOptions, type UploadOptions } from '../mirror/upload-options.js';
import { TableReaders } from './table-readers.js';
import {
  ConnectionReadOnlyError,
  TableNotFoundError,
  UnreadableValueError,
  WarehouseQueryError,
  WarehouseTimeoutError,
} from '../warehouse.errors.js';
import { WarehouseService } from '../warehouse.service.js';

const sampleRows = 5;
const sampleTimeoutMs = 5_000;

/**
 * Lists, describes, loads and drops the tables of a connection. The guard of the routes has already found the connection and checked the
 * caller's right to it.
 */
@Injectable()
export class TablesService {
  constructor(
    private readonly warehouse: WarehouseService,
    private readonly uploads: MirrorUploadService,
    private readonly versions: MirrorVersions,
    private readonly audit: AuditService,
    private readonly readers: TableReaders,
  ) {}

  /** Lists one table more than the page has, if there is a next page. The cursor is the name of the last table, as base64url. */
  async list(principal: Principal, connectionId: number, { limit, cursor }: PageQuery): Promise<ListedTable[]> {
    const after = nameOf(cursor);
    const { client, catalog } = await this.warehouse.open(principal, connectionId);
    return this.withVersions(client, await catalog.list(after, limit + 1));
  }

  /** @throws TableNotFoundError, WarehouseBusyError */
  async describe(principal: Principal, connectionId: number, name: string): Promise<TableDetail> {
    const { client, catalog, claim } = await this.warehouse.open(principal, connectionId);
    const [found, description] = await Promise.all([catalog.find(name), catalog.describe(name)]);
    if (!found || !description) throw new TableNotFoundError();
    const [table] = await this.withVersions(client, [found]);
    const sample = { table: name, maxRows: sampleRows, timeoutMs: sampleTimeoutMs, claim };
    try {
      return { table: table!, ...description, sample: (await client.sample(sample)).rows, sampleNote: null };
    } catch (error) {
      // The columns are shown even if the rows cannot be read: the sample may be too large or too slow, or contain unreadable columns or
      // values.
      const isOfRows = [AnswerTooLargeError, UnreadableValueError, WarehouseQueryError, WarehouseTimeoutError].some(
        kind => error instanceof kind,
      );
      if (!isOfRows) throw error;
      return { table: table!, ...description, sample: [], sampleNote: (error as ApiError).detail };
    }
  }

  /**
   * Loads the body of the request into a table.
   * @param confirm throws if the caller has lost the right to write by the time the whole body was read
   * @throws ConnectionReadOnlyError; the errors of `readUploadOptions` and `MirrorUploadService.upload`
   */
  async upload(
    principal: Principal,
    connectionId: number,
    table: string,
    query: UploadQuery,
    request: IncomingMessage,
    confirm: () => Promise<void>,
  ): Promise<{ mode: UploadOptions['mode']; result: UploadResult }> {
    const options = readUploadOptions(query, request.headers['content-type'], request.headers['content-encoding']);
    await this.requireWritable(principal, connectionId);
    const { mode } = options;
    const uploader = {
      userId: principal.userId,
      confirm: async (client: PoolClient) => {
        await confirm();
        await this.audit.record({ ...event('table.loaded', principal, connectionId), context: { table, mode } }, client);
      },
    };
    return { mode, result: await this.uploads.upload(uploader, table, request, options) };
  }

  /**
   * @param isForced whether the table is dropped even if saved records read it
   * @throws ConnectionReadOnlyError, TableNotFoundError, TableInUseError, TableBusyError
   */
  async drop(principal: Principal, connectionId: number, table: string, isForced: boolean): Promise<void> {
    await this.requireWritable(principal, connectionId);
    if (!isForced) {
      await this.uploads.requireTable(table);
      await this.readers.requireNone(principal, table);
    }
    await this.uploads.drop(table, client =>
      this.audit.record(
        { ...event('table.dropped', principal, connectionId), context: isForced ? { table, forced: true } : { table } },
        client,
      ),
    );
  }

  /**
   * Adds the version of each table's rows. Versions are known only for the mirror, whose tables the service itself loads; for other
   * connections `dataVersion` is null.
   */
  private async withVersions({ local }: WarehouseClient, tables: TableSummary[]): Promise<ListedTable[]> {
    const versions = local ? await this.versions.of(tables.map(({ name }) => name)) : null;
    return tables.map(table => ({ ...table, dataVersion: versions?.get(table.name) ?? null }));
  }

  /** @throws ConnectionReadOnlyError if the connection's tables are not in the service's own database */
  private async requireWritable(principal: Principal, connectionId: number): Promise<void> {
    const { client } = await this.warehouse.open(principal, connectionId);
    if (!client.local) throw new ConnectionReadOnlyError();
  }
}

function event(action: AuditEvent['action'], actor: Principal, connectionId: number): AuditEvent {
  return { action, actor, target: 'connection', targetId: connectionId };
}

/** The page cursor that continues after the table `name`. */
export function cursorAfter(name: string): string {
  return Buffer.from(name).toString('base64url');
}

/**
 * Returns the table name of a cursor.
 * @throws SchemaError for a cursor that `cursorAfter` did not make
 */
function nameOf(cursor: string | undefined): string {
  if (cursor === undefined) return '';
  const name = Buffer.from(cursor, 'base64url').toString();
  if (name === '' || name.includes('\0') || cursorAfter(name) !== cursor) throw invalidCursor();
  return name;
}
