import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Principal } from '../../access/principal.js';
import { type AuditEvent, AuditService } from '../../audit/audit.service.js';
import { SchemaError } from '../../common/errors/api-error.js';
import { Watchers } from '../../common/stopping/watchers.js';
import { DiskReserve } from '../../database/disk-reserve.js';
import { afterId, pageOfRows, type Page, type PageQuery } from '../../http/paging/page.js';
import { MirrorCatalog } from '../mirror/mirror-catalog.js';
import {
  MirrorCopyEndedError,
  MirrorCopyForbiddenError,
  MirrorForbiddenError,
  MirrorIntoItselfError,
  MirrorTableExistsError,
} from './mirror-copies.errors.js';
import { within } from '../source-patience.js';
import { TableReaders } from '../tables/table-readers.js';
import { WarehouseService } from '../warehouse.service.js';
import { findSourceProblems } from './check-source.js';
import { type CopyRunResponse, toCopyRunResponse } from './copy-runs.dto.js';
import { CopyRunsRepository } from './copy-runs.repository.js';
import { type CopyTablesRequest, type MirrorCopyResponse, toMirrorCopyResponse } from './mirror-copies.dto.js';
import { type CopyRow, MirrorCopiesRepository, type TableDefinition } from './mirror-copies.repository.js';
import { MirrorCopiesWorker } from './mirror-copies.worker.js';
import { readCopyRequest } from './read-copy-request.js';

/** The kind of copies in the table of schedules. The database removes schedules of this kind with their copy. */
export const copyKind = 'mirror_copy';

/** The longest time in ms that a request waits for the source of the copy. */
const sourcePatienceMs = 3_000;

/** Saves, starts, shows and stops copies of foreign tables into the mirror. MirrorCopiesWorker runs the copies. */
@Injectable()
export class MirrorCopiesService implements OnModuleInit {
  constructor(
    private readonly copies: MirrorCopiesRepository,
    private readonly runs: CopyRunsRepository,
    private readonly warehouse: WarehouseService,
    private readonly catalog: MirrorCatalog,
    private readonly worker: MirrorCopiesWorker,
    private readonly audit: AuditService,
    private readonly disk: DiskReserve,
    private readonly watchers: Watchers,
    private readonly readers: TableReaders,
  ) {}

  /** Registers each copy as a reader of the tables that it fills: a copy by cursor continues from the rows in its table. */
  onModuleInit(): void {
    this.readers.register('mirror_copies', async ({ userId, isAdmin, apiKey }, table) => {
      const copies = await this.copies.listFilling(table);
      return copies.map(({ id, savedBy }) => ({
        id,
        isVisible: !apiKey && (isAdmin || savedBy === userId),
        reads: () => Promise.resolve(true),
      }));
    });
  }

  /**
   * Saves a copy and starts it. Repeating the request starts the saved copy again. The source is checked for at most `sourcePatienceMs`,
   * because the run checks it again. Then waits at most `waitSeconds` for the end of the run.
   * @throws MirrorIntoItselfError, MirrorForbiddenError, MirrorTableExistsError, SchemaError, DiskReserveError; the errors of
   *   `MirrorCopiesRepository.create` and `queue`; TooManyWatchersError
   */
  async create(
    principal: Principal,
    connectionId: number,
    { tables }: CopyTablesRequest,
    waitSeconds: number,
  ): Promise<MirrorCopyResponse> {
    const { client, catalog } = await this.warehouse.open(principal, connectionId);
    if (client.local) throw new MirrorIntoItselfError();
    if (!(await this.warehouse.mayWriteMirror(principal.userId))) throw new MirrorForbiddenError();
    const definitions = readCopyRequest(tables, client);
    await this.disk.require();
    const same = await this.copies.findSame(principal.userId, connectionId, definitions);
    if (same === null) await this.requireFree(definitions);
    const problems = await within(sourcePatienceMs, findSourceProblems(catalog, definitions, performance.now() + sourcePatienceMs));
    if (Array.isArray(problems) && problems.length > 0) throw new SchemaError(problems);
    if (same !== null) return this.start(principal, same, waitSeconds);
    const context = { connection_id: connectionId, tables: definitions.map(({ name }) => name) };
    return this.startAndWait(principal, waitSeconds, () =>
      this.copies.create(principal.userId, connectionId, definitions, (client, created) =>
        this.audit.record({ ...event('mirror_copy.created', principal, created), context }, client),
      ),
    );
  }

  /**
   * Starts a saved copy again, and waits at most `waitSeconds` for its end. The copy always reads in the name of the user who saved it.
   * @throws MirrorCopyNotFoundError, MirrorCopyForbiddenError, MirrorCopyActiveError, TooManyCopiesWaitingError, DiskReserveError,
   *   TooManyWatchersError
   */
  async run(principal: Principal, id: number, waitSeconds: number): Promise<MirrorCopyResponse> {
    await this.require(principal, id);
    await this.disk.require();
    return this.start(principal, id, waitSeconds);
  }

  /** @throws MirrorCopyNotFoundError, MirrorCopyForbiddenError */
  async get(principal: Principal, id: number): Promise<MirrorCopyResponse> {
    return toMirrorCopyResponse(await this.require(principal, id));
  }

  /**
   * Lists the last run of a copy and the earlier runs that are kept, the newest first. @throws MirrorCopyNotFoundError,
   * MirrorCopyForbiddenError
   */
  async listRuns(principal: Principal, id: number, { limit, cursor }: PageQuery): Promise<Page<CopyRunResponse>> {
    const { tables } = await this.require(principal, id);
    const before = afterId(cursor);
    const rows = await this.runs.list(id, before === 0 ? null : before, limit);
    return pageOfRows(
      rows,
      ({ run }) => run,
      row => toCopyRunResponse(tables, row),
    );
  }

  /** Lists the copies that the caller saved; for an admin the copies of all users. */
  async list({ userId, isAdmin }: Principal, { limit, cursor }: PageQuery): Promise<Page<MirrorCopyResponse>> {
    const copies = await this.copies.list(isAdmin ? null : userId, afterId(cursor), limit);
    return pageOfRows(copies, copy => copy.id, toMirrorCopyResponse);
  }

  /** @throws MirrorCopyNotFoundError, MirrorCopyForbiddenError, MirrorCopyEndedError */
  async cancel(principal: Principal, id: number): Promise<MirrorCopyResponse> {
    await this.require(principal, id);
    if (!(await this.copies.requestCancel(id))) throw new MirrorCopyEndedError();
    await this.worker.beat();
    return toMirrorCopyResponse(await this.copies.get(id));
  }

  /**
   * Deletes the saved copy; the tables that it filled stay in the mirror. @throws MirrorCopyNotFoundError, MirrorCopyForbiddenError,
   * MirrorCopyActiveError
   */
  async delete(principal: Principal, id: number): Promise<void> {
    await this.require(principal, id);
    await this.audit.recordWith(
      client => this.copies.delete(client, id),
      () => event('mirror_copy.deleted', principal, id),
    );
  }

  /** @throws MirrorTableCopiedError, MirrorTableExistsError */
  private async requireFree(tables: readonly TableDefinition[]): Promise<void> {
    await this.copies.requireFree(tables.map(({ name }) => name));
    for (const { name, replaces } of tables) {
      if (!replaces && (await this.catalog.describe(name)) !== null) throw new MirrorTableExistsError(name);
    }
  }

  private start(principal: Principal, id: number, waitSeconds: number): Promise<MirrorCopyResponse> {
    return this.startAndWait(principal, waitSeconds, async () => {
      await this.audit.recordWith(
        client => this.copies.queue(client, id, principal.userId, 'user'),
        () => event('mirror_copy.started', principal, id),
      );
      return id;
    });
  }

  /** @param queue queues a run of a copy, and resolves to the copy's id */
  private async startAndWait(principal: Principal, waitSeconds: number, queue: () => Promise<number>): Promise<MirrorCopyResponse> {
    const read = async (id: number): Promise<MirrorCopyResponse> => toMirrorCopyResponse(await this.copies.get(id));
    return this.watchers.startAndWait(principal.userId, waitSeconds, {
      start: async () => {
        const id = await queue();
        void this.worker.wake();
        return read(id);
      },
      read: ({ id }) => read(id),
      hasEnded: hasCopyEnded,
      untilEnd: ({ id }, longestMs) => this.worker.untilEnd(id, longestMs),
    });
  }

  /** @throws MirrorCopyNotFoundError, MirrorCopyForbiddenError */
  async require({ userId, isAdmin }: Principal, id: number): Promise<CopyRow> {
    const copy = await this.copies.get(id);
    if (!isAdmin && copy.saved_by?.id !== userId) throw new MirrorCopyForbiddenError();
    return copy;
  }
}

export function hasCopyEnded({ status }: Pick<MirrorCopyResponse, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}

function event(action: AuditEvent['action'], actor: Principal, id: number): AuditEvent {
  return { action, actor, target: copyKind, targetId: id };
}
