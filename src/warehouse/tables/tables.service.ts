import { type IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { type Principal } from '../../access/principal.js';
import { AnswerTooLargeError } from '../../common/errors/answer-too-large.error.js';
import { invalidCursor, type PageQuery } from '../../http/paging/page.js';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { MirrorCatalog, type MirrorTable } from '../mirror/mirror-catalog.js';
import { MirrorReader } from '../mirror/mirror-reader.js';
import { MirrorUploadService, type UploadResult } from '../mirror/mirror-upload.service.js';
import { type TableDetail, type UploadQuery } from './tables.dto.js';
import { readUploadOptions, type UploadOptions } from '../mirror/upload-options.js';
import { TableNotFoundError } from '../warehouse.errors.js';

const sampleRows = 5;
const sampleTimeoutMs = 5_000;

/** The tables of the mirror, which is behind every connection built so far; the guard has found the one in the path. */
@Injectable()
export class TablesService {
  constructor(
    private readonly catalog: MirrorCatalog,
    private readonly reader: MirrorReader,
    private readonly uploads: MirrorUploadService,
  ) {}

  /** One more than the page holds. The cursor is the name of the last table, as base64url. */
  list({ limit, cursor }: PageQuery): Promise<MirrorTable[]> {
    return this.catalog.list(nameOf(cursor), limit + 1);
  }

  /** @throws TableNotFoundError, WarehouseBusyError */
  async describe({ userId: caller }: Principal, name: string): Promise<TableDetail> {
    const [table, columns, keys] = await Promise.all([
      this.catalog.find(name),
      this.catalog.findColumns(name),
      this.catalog.listKeys(name),
    ]);
    if (!table || !columns) throw new TableNotFoundError();
    const select = {
      sql: `SELECT ${columns.map(column => quoteIdentifier(column.name)).join(', ')} FROM mirror.${quoteIdentifier(name)} LIMIT ${sampleRows}`,
      parameters: [],
      timeoutMs: sampleTimeoutMs,
      maxRows: sampleRows,
      claim: { caller },
      isShort: true,
    };
    try {
      return { table, columns, keys, sample: (await this.reader.read(select)).rows, sampleNote: null };
    } catch (error) {
      // The columns of a table can be read however large its values are.
      if (!(error instanceof AnswerTooLargeError)) throw error;
      return { table, columns, keys, sample: [], sampleNote: error.detail };
    }
  }

  /** Loads the body of the request into a table. @throws what `readUploadOptions` and `MirrorUploadService.upload` throw */
  async upload(
    principal: Principal,
    table: string,
    query: UploadQuery,
    request: IncomingMessage,
  ): Promise<{ mode: UploadOptions['mode']; result: UploadResult }> {
    const options = readUploadOptions(query, request.headers['content-type'], request.headers['content-encoding']);
    return { mode: options.mode, result: await this.uploads.upload(principal.userId, table, request, options) };
  }

  /** @throws TableNotFoundError, TableBusyError */
  async drop(table: string): Promise<void> {
    if (!(await this.catalog.drop(table))) throw new TableNotFoundError();
  }
}

/** The cursor after the table of that name. */
export function cursorAfter(name: string): string {
  return Buffer.from(name).toString('base64url');
}

/** @throws SchemaError for a cursor that `cursorAfter` cannot have made */
function nameOf(cursor: string | undefined): string {
  if (cursor === undefined) return '';
  const name = Buffer.from(cursor, 'base64url').toString();
  if (name === '' || name.includes('\0') || cursorAfter(name) !== cursor) throw invalidCursor();
  return name;
}
