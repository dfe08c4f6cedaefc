import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { RunFailure } from '../../common/errors/run-failure.js';
import { Settings } from '../../config/settings.js';
import { type Interruption } from '../../database/leased-worker.js';
import { ServicePool } from '../../database/service-pool.js';
import { StorageFullError, type StorageRoom } from '../../database/storage-room.js';
import { quoteIdentifier, quoteTable } from '../../sql/quote-identifier.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';
import { toCopyFailure } from '../clients/copy-failure.js';
import { copyLimitsOf } from '../clients/copy-limits.js';
import { requireSameTypes } from '../clients/same-types.js';
import { readOn } from '../clients/postgres/postgres-catalog.js';
import { type Reading } from '../clients/warehouse.client.js';
import { MirrorCatalog } from '../mirror/mirror-catalog.js';
import { mirrorSchema } from '../mirror/mirror-schema.js';
import { dataVersions, MirrorVersions } from '../mirror/mirror-versions.js';
import { askForTableMs, dropBetweenReaders, lockMirrorTable } from '../mirror/replace-tables.js';
import { TableNotFoundError } from '../warehouse.errors.js';
import { type UsableConnection, WarehouseService } from '../warehouse.service.js';
import { type CopyReport, emptyCopyReport } from './copy-report.js';
import { greatestCursor, sinceValue } from './cursor-range.js';
import { type ClaimedCopy, type CopyRow, MirrorCopiesRepository, type TableState } from './mirror-copies.repository.js';
import { MirrorForbiddenError, MirrorTableExistsError } from './mirror-copies.errors.js';
import { planTable, shapeOf, type TablePlan } from './plan-table.js';
import { stageTable, toKeyFailure } from './stage-table.js';
import { upsertDelta } from './upsert-delta.js';

/** The longest wait for the lock of a mirror table in ms. An upload locks its table for as long as its client sends. */
const waitForTableMs = 600_000;

interface Work extends Interruption {
  claimed: ClaimedCopy;
  copy: CopyRow;
  source: UsableConnection;
  report: CopyReport;
  /** The storage that is free in the mirror for the copy's tables. */
  room: StorageRoom;
  startedAt: number;
}

/**
 * Does one run of a copy, in one transaction. The run copies every table into a new one that nobody else sees, and then makes the rows of
 * all tables visible at one moment. If the run does not commit, nothing of it remains.
 */
@Injectable()
export class MirrorCopier {
  constructor(
    private readonly pool: ServicePool,
    private readonly copies: MirrorCopiesRepository,
    private readonly warehouse: WarehouseService,
    private readonly catalog: MirrorCatalog,
    private readonly versions: MirrorVersions,
    private readonly settings: Settings,
  ) {}

  /**
   * Runs a claimed copy, and marks it as succeeded at the end.
   * @throws RunFailure, LeaseLostError, an ApiError, or any error of the database; the caller records the error
   */
  async copy(claimed: ClaimedCopy, report: CopyReport, interruption: Interruption): Promise<void> {
    const startedAt = performance.now();
    const copy = await this.copies.get(claimed.id);
    Object.assign(report, emptyCopyReport(copy.tables.length));
    const source = await this.open(copy);
    const room = await this.versions.roomFor(copy.saved_by!.id, copy.tables.map(({ name }) => name)); // prettier-ignore
    const work: Work = { ...interruption, claimed, copy, source, report, room, startedAt };
    const plans = await this.plan(work);
    const client = await this.pool.connect();
    let broken: Error | boolean = false;
    try {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      work.onBackend(rows[0]!.pid);
      // This connection waits for the source, whose reads have time limits of their own, so it needs no statement timeout.
      await client.query(`
        BEGIN; SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL statement_timeout = 0;
        SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres'; SET LOCAL TimeZone = 'UTC'`);
      await this.stageAll(client, work, plans);
      const states = await this.publish(client, copy.saved_by!.id, plans);
      // Reading may take hours, and publishing minutes. The user who saved the copy may lose rights in this time, so they are checked last.
      await this.open(copy);
      report.seconds = secondsSince(startedAt);
      for (const table of report.tables) table.status = 'succeeded';
      await this.copies.succeed(client, claimed, report, states);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      // A late cancellation would hit the next user of the connection, so the connection of an aborted run is closed.
      client.release(broken || interruption.signal.aborted);
    }
  }

  /**
   * Opens the source in the name of the user who saved the copy. That user must still be allowed to write the mirror.
   * @throws MirrorForbiddenError, and the errors of `WarehouseService.open`
   */
  async open({ id, connection_id: connectionId, saved_by: savedBy }: CopyRow): Promise<UsableConnection> {
    const source = await this.warehouse.open({ kind: 'copy', id, name: String(id), savedBy }, connectionId);
    if (savedBy === null || !(await this.warehouse.mayWriteMirror(savedBy.id))) throw new MirrorForbiddenError();
    return source;
  }

  private async plan({ copy, source, report }: Work): Promise<TablePlan[]> {
    const versions = await this.versions.of(copy.tables.map(({ name }) => name));
    const plans: TablePlan[] = [];
    for (const [index, table] of copy.tables.entries()) {
      const own = report.tables[index]!;
      own.status = 'copying';
      try {
        const [description, summary] = [await source.catalog.describe(table.source), await source.catalog.find(table.source)];
        if (!description) throw new TableNotFoundError();
        plans.push(planTable(table, { description, comment: summary?.comment ?? null, version: versions.get(table.name) ?? null }, own));
      } catch (error) {
        throw toCopyFailure(error, { connection: source.name, table: { name: table.source, copy: '', used: [] } });
      }
      own.status = 'waiting';
    }
    return plans;
  }

  private async stageAll(client: PoolClient, work: Work, plans: readonly TablePlan[]): Promise<void> {
    const { source, report, signal } = work;
    let reading: Reading;
    try {
      const timeoutMs = this.settings.ingestionMaxStatementTimeoutMs;
      reading = await source.client.openReading({ claim: source.claim, timeoutMs, signal });
    } catch (error) {
      throw toCopyFailure(error, { connection: source.name, table: null });
    }
    try {
      report.guarantee = reading.guarantee;
      for (const plan of plans) await this.stage(client, reading, work, plan);
    } finally {
      await reading.close();
    }
  }

  private async stage(
    client: PoolClient,
    reading: Reading,
    { claimed, source, report, room, startedAt }: Work,
    plan: TablePlan,
  ): Promise<void> {
    const { report: own, cursor, from, columns, table } = plan;
    const began = { at: performance.now(), rows: report.rows, bytes: report.bytes };
    const show = async (): Promise<void> => {
      own.rows = report.rows - began.rows;
      own.bytes = report.bytes - began.bytes;
      own.seconds = secondsSince(began.at);
      report.seconds = secondsSince(startedAt);
      await this.copies.show(claimed, report);
      requireRoom(room, report.bytes);
    };
    own.status = 'copying';
    await show();
    const since = cursor && from && { column: cursor.column, value: await sinceValue(client, cursor.type, from.cursor, table.lag) };
    const place = { connection: source.name, table: { name: table.source, copy: plan.stagedName, used: columns } };
    await stageTable(client, reading, plan, {
      dialect: source.client.dialect,
      place,
      ...(since && { since }),
      limits: copyLimitsOf(this.settings),
      copied: report,
      show,
    });
    await requireSameTypes(source.catalog, source.name, place.table);
    own.status = 'copied';
    await show();
  }

  /**
   * Makes the staged rows of all tables visible at one moment. Uploads of these tables that begin later wait for the commit, and this
   * method waits for uploads that are under way.
   */
  private async publish(client: PoolClient, userId: number, plans: readonly TablePlan[]): Promise<TableState[]> {
    await client.query(`SET LOCAL search_path = pg_catalog, public, pg_temp; SET LOCAL lock_timeout = ${waitForTableMs}`);
    for (const name of plans.map(({ table }) => table.name).sort()) await lockMirrorTable(client, name);
    const versions = new Map<TablePlan, number>();
    for (const plan of plans.filter(({ isDelta }) => isDelta)) versions.set(plan, await this.update(client, userId, plan));

    await client.query(`SET LOCAL lock_timeout = ${askForTableMs}`);
    const full = plans.filter(({ isDelta }) => !isDelta);
    const existing: string[] = [];
    for (const { table, report } of full) {
      if ((await this.catalog.describe(table.name)) === null) continue;
      if (!table.replaces && table.state === null) {
        report.status = 'copying';
        throw new MirrorTableExistsError(table.name);
      }
      existing.push(quoteTable(mirrorSchema, table.name));
    }
    if (existing.length > 0) await dropBetweenReaders(client, existing, { longestReadMs: this.settings.warehouseTimeoutMs });
    for (const plan of full) {
      await client.query(`ALTER TABLE ${plan.staged} RENAME TO ${quoteIdentifier(plan.table.name)}`);
      plan.report.inserted = plan.report.rows;
      versions.set(plan, (await this.versions.raise(client, plan.table.name, userId)).version);
    }
    const states: TableState[] = [];
    for (const plan of plans) states.push(await this.stateOf(client, plan, versions.get(plan)!));
    await this.versions.requireRoom(client, userId, plans.map(({ table }) => table.name)); // prettier-ignore
    return states;
  }

  /**
   * Writes the rows that were read since the last cursor into the mirror table. @returns the version of the table, which stays the same if
   * no row was added or changed
   */
  private async update(
    client: PoolClient,
    userId: number,
    { table, staged, columns, key, cursor, from, report }: TablePlan,
  ): Promise<number> {
    const target = quoteTable(mirrorSchema, table.name);
    report.status = 'copying';
    // This lock keeps others from dropping the table before the transaction ends.
    await client.query(`LOCK TABLE ${target} IN ROW EXCLUSIVE MODE`).catch((error: unknown) => {
      throw sqlstateOf(error) === sqlstates.undefinedTable ? changedMeanwhile(table.name) : error;
    });
    const before = (await dataVersions([table.name], readOn(client))).get(table.name)?.version;
    if (before !== from?.version) throw changedMeanwhile(table.name);
    const names = columns.map(({ name }) => name);
    const rows = { target, delta: staged, columns: names, key, cursor: cursor!.column };
    const { inserted, updated } = await upsertDelta(client, rows).catch((error: unknown) => {
      throw toKeyFailure(error, key);
    });
    Object.assign(report, { inserted, updated });
    report.status = 'copied';
    if (inserted + updated === 0) return from!.version;
    await client.query(`ANALYZE ${target}`);
    return (await this.versions.raise(client, table.name, userId)).version;
  }

  private async stateOf(
    client: PoolClient,
    { table, staged, columns, key, cursor, from, isDelta }: TablePlan,
    version: number,
  ): Promise<TableState> {
    const rowsAt = isDelta ? staged : quoteTable(mirrorSchema, table.name);
    const greatest = cursor && (await greatestCursor(client, { table: rowsAt, ...cursor, before: from?.cursor ?? null }));
    return { version, columns: shapeOf(columns), key, cursor: greatest };
  }
}

/** @throws RunFailure for a full mirror: an error of another class would count as a failure of the source */
function requireRoom(room: StorageRoom, bytes: number): void {
  try {
    room.requireForText(bytes);
  } catch (error) {
    throw error instanceof StorageFullError ? error.toFailure() : error;
  }
}

function changedMeanwhile(table: string): RunFailure {
  return new RunFailure(
    'mirror_table_changed',
    {
      zh: `复制期间镜像中的表“${table}”被上传或删除；请再次运行，届时将完整复制`,
      en: `the table '${table}' in the mirror was loaded or dropped meanwhile; run the copy again, and it copies the whole table`,
    },
    { table },
  );
}

function secondsSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt) / 1000;
}
