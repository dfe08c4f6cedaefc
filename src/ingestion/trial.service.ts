import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { DiskReserveError, TurnEndedError, TurnTooLongError } from '../common/errors/common-errors.js';
import { isDatabaseAway, RunFailure } from '../common/errors/run-failure.js';
import { FairShare } from '../common/turns/fair-share.js';
import { Settings } from '../config/settings.js';
import { DiskReserve } from '../database/disk-reserve.js';
import { ServicePool } from '../database/service-pool.js';
import { GraphsService } from '../graphs/graphs.service.js';
import { copyLimitsOf } from '../warehouse/clients/copy-limits.js';
import { changesSinceLastRun } from './changes-since-last-run.js';
import { TooManyTrialsError } from './ingestion.errors.js';
import { type JobRow, JobsRepository } from './jobs.repository.js';
import { type Mapping } from './mapping/mapping.js';
import { type Opened, openSnapshot, type Source, stageAll, type Undertaking, writeAll } from './run/carry-out.js';
import { readRejected } from './run/rejected-rows.js';
import { DeleteGuard, type Exceeded } from './run/removal.js';
import { toFailure } from './run/run-failure.js';
import { addSamples, emptyReport, type RunReport, withoutWrites } from './run/run-report.js';
import { RunProgress, unwatched } from './run/run-progress.js';
import { writeScope } from './run/write-scope.js';
import { RunsRepository } from './runs.repository.js';
import { targetsOf } from './staging/target.js';

const trialMs = 60_000;
const interruptEveryMs = 200;
const sampledRows = 100;
const places = { places: 2, mostPerCaller: 1, waitingPerCaller: 0, patienceMs: 0 };
/** Errors that are not the mapping's fault. They are thrown as they are, instead of reported as the outcome of the trial. */
const answeredAsTheyAre = [DiskReserveError, TurnEndedError, TurnTooLongError];
/** The run id of the rows that a trial writes and rolls back. No run has this id. */
const noRun = 0;

/** The outcome and the counts that a run of a mapping would have now. */
export interface Trial {
  outcome: 'succeeds' | 'fails' | 'unfinished';
  failure: RunFailure | null;
  report: RunReport;
  /** The targets in which the run would remove more than half of the job's nodes or edges. */
  exceeded: Exceeded[];
}

interface Deadline {
  isOver: boolean;
  wasCut: boolean;
  /** Cancels the statements of the session now. */
  cut: () => void;
  stop: () => void;
}

/**
 * Runs a mapping to count what it would write, within a minute, and rolls everything back. Readers of the graph see no change. Runs of the
 * same graph wait until the trial has ended.
 */
@Injectable()
export class TrialService {
  private readonly share = new FairShare({ ...places, refuse: retryAfterS => new TooManyTrialsError(retryAfterS) });

  constructor(
    private readonly pool: ServicePool,
    private readonly jobs: JobsRepository,
    private readonly runs: RunsRepository,
    private readonly graphs: GraphsService,
    private readonly settings: Settings,
    private readonly disk: DiskReserve,
  ) {}

  /**
   * Tries out a mapping of a job.
   * @param describe describes the source in its present state
   * @throws TooManyTrialsError, DiskReserveError, what `describe` throws, and errors that are not the mapping's fault
   */
  async run(userId: number, job: JobRow, mapping: Mapping, source: Source, describe: () => Promise<Source>): Promise<Trial> {
    await this.disk.require();
    const leave = await this.share.enter({ caller: userId });
    try {
      const targets = targetsOf(mapping);
      const changes = await changesSinceLastRun(this.jobs, this.runs, job.id, mapping);
      const report = emptyReport(targets);
      const { cursors } = job;
      const progress = new RunProgress(report, unwatched);
      const stop = new AbortController();
      const copyLimits = copyLimitsOf(this.settings);
      const room = await this.graphs.roomFor(job.graph_id);
      const { signal } = stop;
      const rereads = await this.jobs.findRereads(job, targets);
      const found = { graphId: job.graph_id, jobId: job.id, mapping, targets, changes, rereads, cursors, report, progress };
      const work: Undertaking = { ...found, staged: [], keys: new Map(), rejectedAt: 'rejected_sample', copyLimits, room, signal };
      return await this.carryOut(job, work, client => openSnapshot(client, work, source, describe), stop);
    } finally {
      leave();
    }
  }

  private async carryOut(
    job: JobRow,
    work: Undertaking,
    open: (client: PoolClient) => Promise<Opened>,
    stop: AbortController,
  ): Promise<Trial> {
    const { report } = work;
    const guard = new DeleteGuard(true);
    const client = await this.pool.connect();
    let broken: Error | boolean = false;
    let deadline: Deadline | null = null;
    try {
      deadline = await this.interruptAfter(client, trialMs, stop);
      await this.disk.guard(deadline.cut, async () => {
        const { source } = await open(client);
        await stageAll(client, work, source);
        await writeAll(client, writeScope(job.graph_id, job.id, noRun), work, guard);
      });
      await sampleRejected(client, work);
      return { outcome: 'succeeds', failure: null, report, exceeded: guard.exceeded };
    } catch (error) {
      if (deadline?.isOver) return { outcome: 'unfinished', failure: null, report, exceeded: guard.exceeded };
      // A RunFailure comes from a check of the service, not from a failed statement, so the transaction can still read the staged rows.
      if (error instanceof RunFailure) await sampleRejected(client, work);
      const failure = toFailure(error);
      const isNoFailure = answeredAsTheyAre.some(kind => error instanceof kind);
      if (failure.code === 'internal_error' || isDatabaseAway(error) || isNoFailure) throw error;
      return { outcome: 'fails', failure, report: withoutWrites(report), exceeded: guard.exceeded };
    } finally {
      deadline?.stop();
      await client.query('ROLLBACK; DISCARD TEMP; RESET ALL').catch((failure: Error) => (broken = failure));
      // A cancellation that is still on its way would hit the next user of this connection, so the connection is closed.
      client.release(deadline?.wasCut || broken);
    }
  }

  /**
   * Stops the statements of a session after `ms` milliseconds. A cancellation that arrives between two statements is lost, so it is sent
   * repeatedly.
   */
  private async interruptAfter(client: PoolClient, ms: number, stop: AbortController): Promise<Deadline> {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const { pid } = rows[0]!;
    const cut = (): void => {
      state.wasCut = true;
      stop.abort();
      void this.pool.cancel(pid);
    };
    const state = { isOver: false, wasCut: false, cut, stop: () => clearTimeout(timer) };
    const interrupt = (): void => {
      state.isOver = true;
      cut();
      timer = setTimeout(interrupt, interruptEveryMs);
    };
    let timer = setTimeout(interrupt, ms);
    return state;
  }
}

async function sampleRejected(client: PoolClient, { staged, report }: Undertaking): Promise<void> {
  for (const each of staged) {
    if (each.report.rejected === 0) continue;
    for await (const { rows } of readRejected(client, each, sampledRows)) addSamples(report, rows);
  }
}
