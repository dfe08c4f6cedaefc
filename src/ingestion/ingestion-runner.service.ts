import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { RunFailure } from '../common/errors/run-failure.js';
import { inTurns } from '../common/turns/pace.js';
import { Settings } from '../config/settings.js';
import { type Interruption } from '../database/leased-worker.js';
import { ServicePool } from '../database/service-pool.js';
import { graphTables } from '../database/graph-tables.js';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { GraphsService } from '../graphs/graphs.service.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { copyLimitsOf } from '../warehouse/clients/copy-limits.js';
import { changesSinceLastRun } from './changes-since-last-run.js';
import { type JobRow, JobsRepository } from './jobs.repository.js';
import { jobKind } from './run-message.js';
import { readMapping } from './mapping/parse-mapping.js';
import { RejectedRowsRepository } from './rejected-rows.repository.js';
import { nextCursors, openSnapshot, type Source, stageAll, type Undertaking, writeAll } from './run/carry-out.js';
import { takePlace } from './run/load-apart.js';
import { readRejected } from './run/rejected-rows.js';
import { DeleteGuard } from './run/removal.js';
import { type LastSuccess, repeatReport } from './run/repeat-run.js';
import { requireFewLabelSets } from './run/require-few-label-sets.js';
import { type RunInputs } from './run/run-inputs.js';
import { addSamples, emptyReport, type RunReport, sampleBytes } from './run/run-report.js';
import { RunProgress } from './run/run-progress.js';
import { type StagedTarget } from './run/stage-target.js';
import { analyzeTables, keepUp, outdatedTables, rewrittenTables, type Upkeep } from './run/table-upkeep.js';
import { cutWarning, runWarnings } from './run/run-warnings.js';
import { countLabels, writeElements } from './run/write-elements.js';
import { type WriteScope, writeScope } from './run/write-scope.js';
import { type ClaimedRun, RunsRepository } from './runs.repository.js';
import { SourcesService } from './sources.service.js';
import { targetsOf } from './staging/target.js';
import { UnchangedRunsService } from './unchanged-runs.service.js';

const rejectedKeptOfFailedRun = 1_000;
const charactersKeptOfFailedRun = 16 * 1024 * 1024;

/**
 * Does one run, from mapping to graph. It describes the source, stages every target from one snapshot, and writes everything in one
 * transaction, which also raises the graph's version. The graph does not change before that transaction commits.
 */
@Injectable()
export class IngestionRunner {
  private readonly committing: ((graphId: number) => Promise<void>)[] = [];

  constructor(
    private readonly pool: ServicePool,
    private readonly jobs: JobsRepository,
    private readonly runs: RunsRepository,
    private readonly rejected: RejectedRowsRepository,
    private readonly graphs: GraphsService,
    private readonly access: GraphAccessService,
    private readonly sources: SourcesService,
    private readonly schedules: SchedulesService,
    private readonly unchanged: UnchangedRunsService,
    private readonly settings: Settings,
  ) {}

  private get mostRejectedBytes(): number {
    return this.settings.rejectedMaxMbPerUser * 1024 * 1024;
  }

  onCommitting(listener: (graphId: number) => Promise<void>): void {
    this.committing.push(listener);
  }

  /**
   * Does the run and marks it as succeeded. @returns the work that is left for `keepUp`
   * @throws RunFailure, StorageFullError, LeaseLostError, or any error of the database; the caller records it
   */
  async run(claimed: ClaimedRun, report: RunReport, { onBackend, signal }: Interruption): Promise<Upkeep> {
    const session = { pid: 0 };
    const run = await this.begin(claimed, report, signal, session);
    try {
      await run.progress.watch();
      const source = claimed.retires ? null : await this.describe(run);
      return await this.work(run, source, { onBackend: pid => onBackend((session.pid = pid)), signal });
    } finally {
      run.progress.end();
    }
  }

  private async work(run: Run, described: Source | null, { onBackend, signal }: Interruption): Promise<Upkeep> {
    const { claimed } = run;
    const client = await this.pool.connect();
    let broken: Error | boolean = false;
    try {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      onBackend(rows[0]!.pid);
      const opened = described && (await openSnapshot(client, run, described, () => this.describe(run)));
      if (opened) {
        const { source, digests } = opened;
        const { inputs } = Object.assign(run.report, { inputs: await this.unchanged.readInputs(client, run, source, digests) });
        const last = inputs && !claimed.isFull ? await this.unchanged.findRepeated(client, claimed, inputs) : null;
        if (last && inputs) return await this.repeat(client, run, last, inputs);
        await stageAll(client, run, source);
      }
      return await this.write(client, run, opened?.source ?? null);
    } catch (error) {
      // The transaction is lost, including the rejected rows that it inserted. After a `RunFailure`, which the run has found itself, the
      // staged rows can still be read. The rejected rows among them are then stored for inspection.
      run.report.rejected_sample = [];
      if (error instanceof RunFailure) await this.keepRejected(client, run);
      throw error;
    } finally {
      // The staged rows are temporary tables of this session, so they go even if the session dies before this statement.
      await client.query('ROLLBACK; DISCARD TEMP; RESET ALL').catch((failure: Error) => (broken = failure));
      // A cancellation that is still on its way would reach the next user of this connection, so the connection is closed.
      client.release(broken || signal.aborted);
    }
  }

  /** Does the upkeep of the graph's tables after a committed run. The run's report then lists the tables. */
  async keepUp(claimed: ClaimedRun, upkeep: Upkeep, { onBackend, signal }: Interruption): Promise<void> {
    if (upkeep.analyze.length + upkeep.vacuum.length === 0) return;
    const client = await this.pool.connect();
    let broken: Error | boolean = true;
    try {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      onBackend(rows[0]!.pid);
      await keepUp(client, upkeep);
      await this.runs.addUpkeep(client, claimed, { analyzed: upkeep.analyze, vacuumed: upkeep.vacuum });
      broken = signal.aborted;
    } finally {
      client.release(broken);
    }
  }

  private async begin(claimed: ClaimedRun, report: RunReport, signal: AbortSignal, session: { pid: number }): Promise<Run> {
    const startedAt = performance.now();
    const job = await this.jobs.get(claimed.jobId);
    const { mapping_yaml: yaml, saved_by: savedBy } = await this.jobs.getRevision(job.id, claimed.revision);
    const { mapping } = await inTurns(readMapping(yaml));
    // The administrator may have lowered the ceiling after the job was saved.
    mapping.source.statementTimeoutMs = Math.min(mapping.source.statementTimeoutMs, this.settings.ingestionMaxStatementTimeoutMs);
    const targets = claimed.retires ? [] : targetsOf(mapping);
    Object.assign(report, emptyReport(targets));
    await this.requireRequester(claimed);
    const changes = await changesSinceLastRun(this.jobs, this.runs, job.id, mapping);
    const progress = new RunProgress(report, {
      publish: (phase, state) => this.runs.show(claimed, phase, report, state),
      lookAt: counted => this.runs.findShownCount(session.pid, counted),
      past: await this.runs.findLastSteps(job.id, claimed.revision),
    });
    const { cursors } = job;
    const rejectedLeft = this.settings.rejectedKeptRows;
    const rejectedAt = `GET /api/ingestion/runs/${claimed.id}/rejected`;
    const copyLimits = copyLimitsOf(this.settings);
    const room = await this.graphs.roomFor(job.graph_id);
    const rereads = await this.jobs.findRereads(job, targets);
    const found = { graphId: job.graph_id, jobId: job.id, mapping, targets, changes, rereads, cursors, report, progress };
    const work = { ...found, staged: [], keys: new Map(), rejectedAt, copyLimits, room, signal };
    return { ...work, claimed, job, savedBy, startedAt, rejectedLeft, rejectedBytes: 0 };
  }

  /**
   * Makes sure that the user who asked for the run may still edit the graph. A run may wait and read for hours, in which the user may lose
   * that right. @throws RunFailure
   */
  private async requireRequester({ userId, graphId }: ClaimedRun): Promise<void> {
    if (await this.access.mayStill(userId, graphId, 'editor')) return;
    throw new RunFailure('requester_access_lost', {
      zh: '要求运行的用户已不能编辑该图谱，或已被停用、删除，或须先修改密码；请由可编辑的用户再次运行',
      en: 'the user who asked for the run may not edit the graph any more, is disabled or deleted, or must change the password first; somebody who may edit it can run the job again',
    });
  }

  /**
   * Describes the source with the rights of the user who saved the mapping. After this check the run may finish, even if that user's right
   * to read the source is revoked meanwhile.
   */
  private async describe({ job: { id, name }, savedBy, mapping }: Run): Promise<Source> {
    const described = await this.sources.describe(mapping, { kind: 'job', id, name, savedBy });
    if ('source' in described) return described.source;
    const { text } = 'problems' in described ? described.problems[0]! : { text: described.unchecked.reason };
    throw new RunFailure('source_changed', {
      zh: `来源与映射不符：${text.zh}`,
      en: `the source does not fit the mapping: ${text.en}`,
    });
  }

  private async write(client: PoolClient, run: Run, source: Source | null): Promise<Upkeep> {
    const { staged, job, claimed } = run;
    const scope = writeScope(job.graph_id, job.id, claimed.id);
    // A run that retires its job removes everything the job made. That is the purpose of the run, so the limit on removals does not apply.
    const written = await writeAll(client, scope, run, new DeleteGuard(claimed.allowsDeletes));
    await run.progress.begin('recording');
    await this.requireRequester(claimed);
    for (const each of staged) await this.insertRejected(client, run, each);
    if (source) {
      // Other jobs may have added to the graph's schema since the mapping was saved.
      await this.jobs.requireRoomInSchema(client, job.graph_id, job.id, run.targets);
      await writeElements(client, scope, written, source);
    }
    const labelSets = await countLabels(client, scope);
    // The check applies only to jobs with further labels, because only they make sets of labels. A retiring job only removes labels, which
    // is always allowed.
    if (!claimed.retires && run.targets.some(({ kind, element }) => kind === 'node' && element.labels.length > 0))
      requireFewLabelSets(labelSets);
    const upkeep = await this.renewStatistics(client, run, scope);
    await Promise.all(this.committing.map(told => told(job.graph_id)));
    await takePlace(client, scope);
    await this.finish(client, run, scope);
    await client.query('COMMIT');
    await this.countRejected(run);
    return upkeep;
  }

  /**
   * Keeps the first rejected rows of a target: at most `REJECTED_KEPT_ROWS` of the run over all its targets, and no more bytes than all
   * runs of the user together may keep.
   */
  private async insertRejected(client: PoolClient, run: Run, staged: StagedTarget): Promise<void> {
    const { report, claimed } = run;
    if (staged.report.rejected === 0) return;
    let kept = 0;
    for await (const { rows, json } of readRejected(client, staged, run.rejectedLeft)) {
      await this.rejected.insert(client, claimed.id, json);
      kept += rows.length;
      addSamples(report, rows);
      run.rejectedBytes += Buffer.byteLength(json);
      if (run.rejectedBytes >= this.mostRejectedBytes) break;
    }
    run.rejectedLeft = run.rejectedBytes >= this.mostRejectedBytes ? 0 : run.rejectedLeft - kept;
    report.warnings.push(...cutWarning(staged.report, kept));
  }

  /**
   * Adds the bytes of the run's committed rejected rows to the user's total, and removes rejected rows of older runs beyond the user's
   * bound. If this fails, the rejected rows are still removed once they are old enough.
   */
  private async countRejected({ claimed, report, rejectedBytes }: Run): Promise<void> {
    const bytes = rejectedBytes + sampleBytes(report);
    if (bytes === 0) return;
    const count = this.pool.transaction(async client => {
      const dropped = await this.runs.noteRejectedBytes(client, claimed.id, bytes, this.mostRejectedBytes);
      await this.rejected.remove(client, dropped);
    });
    await count.catch(() => undefined);
  }

  /** Rolls back a failed run and keeps only its first rejected rows, because they caused the failure. */
  private async keepRejected(client: PoolClient, run: Run): Promise<void> {
    const { staged, report, claimed } = run;
    const kept: string[] = [];
    let left = rejectedKeptOfFailedRun;
    // The rejected rows stay in memory until the failed transaction has been rolled back, so their characters are bounded.
    let room = charactersKeptOfFailedRun;
    for (const each of staged) {
      for await (const { rows, json } of readRejected(client, each, left)) {
        kept.push(json);
        addSamples(report, rows);
        room -= json.length;
        left = room > 0 ? left - rows.length : 0;
        if (left === 0) break;
      }
    }
    await client.query('ROLLBACK');
    run.rejectedBytes = 0;
    for (const json of kept) {
      await this.rejected.insert(client, claimed.id, json);
      run.rejectedBytes += Buffer.byteLength(json);
    }
    await this.countRejected(run);
  }

  /**
   * Renews the statistics of the graph's tables before the run counts as ended. Without them the planner would take a large new graph for
   * an empty one. @returns the work that is left for `keepUp`
   */
  private async renewStatistics(client: PoolClient, { report, staged }: Run, scope: WriteScope): Promise<Upkeep> {
    const tables = graphTables(scope.graphId);
    report.warnings.push(...staged.flatMap(runWarnings));
    const outdated = await outdatedTables(client, scope, report);
    const failure = await analyzeTables(client, scope, outdated);
    if (failure) report.warnings.push(failure);
    return { tables, analyze: failure ? outdated : [], vacuum: await rewrittenTables(client, tables, report) };
  }

  /**
   * The last statements of the writing transaction. The lease is checked in the same transaction as the writes, so a worker that lost the
   * lease commits nothing.
   */
  private async finish(client: PoolClient, run: Run, scope: WriteScope): Promise<void> {
    const { claimed, job, report } = run;
    if (claimed.retires) {
      await this.schedules.removeWith(client, jobKind, job.id);
      await this.jobs.retire(client, job.id);
    } else await this.jobs.setCursors(client, job.id, nextCursors(run));
    await scope.changes.write(client, job.graph_id);
    // The bound on bytes does not apply to a retiring job: removing rows is always allowed, although rows that other jobs also yield are
    // rewritten.
    if (!claimed.retires) await this.graphs.requireRoom(client, job.graph_id);
    report.graph_version = await this.graphs.raiseVersion(client, job.graph_id);
    run.progress.end();
    report.duration_ms = durationOf(run);
    report.rows_per_s = Math.round((report.totals.read * 1000) / report.duration_ms);
    await this.runs.succeed(client, claimed, report);
  }

  /** Ends a run that would only repeat the job's last success. The job's cursors and the graph's version do not change. */
  private async repeat(client: PoolClient, run: Run, last: LastSuccess, inputs: RunInputs): Promise<Upkeep> {
    const { claimed, job, report, targets } = run;
    await client.query('COMMIT');
    await client.query('BEGIN');
    repeatReport(report, last, targets, inputs);
    run.progress.end();
    report.duration_ms = durationOf(run);
    await this.runs.succeed(client, claimed, report);
    await client.query('COMMIT');
    return { tables: graphTables(job.graph_id), analyze: [], vacuum: [] };
  }
}

interface Run extends Undertaking {
  claimed: ClaimedRun;
  job: JobRow;
  savedBy: JobRow['saved_by'];
  startedAt: number;
  /** The number of rejected rows that this run may still keep. */
  rejectedLeft: number;
  /** The bytes of the rejected rows that the run keeps. */
  rejectedBytes: number;
}

function durationOf({ startedAt }: Run): number {
  return Math.max(1, Math.round(performance.now() - startedAt));
}
