import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { inTurns } from '../common/turns/pace.js';
import { Settings } from '../config/settings.js';
import { ServicePool } from '../database/service-pool.js';
import { GraphsService } from '../graphs/graphs.service.js';
import { quoteIdentifier } from '../sql/quote-identifier.js';
import { type JobRow, JobsRepository } from './jobs.repository.js';
import { type Mapping } from './mapping/mapping.js';
import { readMapping } from './mapping/parse-mapping.js';
import { RejectedRowsRepository } from './rejected-rows.repository.js';
import { readRejected } from './run/rejected-rows.js';
import { RunFailure } from './run/run-failure.js';
import { addSamples, addTotals, emptyReport, type RunReport, type TargetReport } from './run/run-report.js';
import { type StagedTarget, stageTarget } from './run/stage-target.js';
import { analyzeTables, keepUp, rewrittenTables, type Upkeep } from './run/table-upkeep.js';
import { cutWarning, runWarnings } from './run/run-warnings.js';
import { writeEdges } from './run/write-edges.js';
import { writeElements } from './run/write-elements.js';
import { writeNodes } from './run/write-nodes.js';
import { type WriteScope, writeScope } from './run/write-scope.js';
import { type ClaimedRun, RunsRepository } from './runs.repository.js';
import { SourcesService, type StagingSource } from './sources.service.js';
import { compileStaging } from './staging/compile-staging.js';
import { type SourceShape, type Target, targetsOf } from './staging/target.js';

const rejectedKeptOfFailedRun = 1_000;
const charactersKeptOfFailedRun = 16 * 1024 * 1024;
const rateLookedAtAfterRows = 1_000;

/**
 * Does one run, from mapping to graph: it describes the sources, stages every target from one snapshot, and writes everything in
 * one transaction that also raises the graph's version. Until that commits, the graph does not change.
 */
@Injectable()
export class IngestionRunner {
  constructor(
    private readonly pool: ServicePool,
    private readonly jobs: JobsRepository,
    private readonly runs: RunsRepository,
    private readonly rejected: RejectedRowsRepository,
    private readonly graphs: GraphsService,
    private readonly sources: SourcesService,
    private readonly settings: Settings,
  ) {}

  /**
   * Marks the run as succeeded at its end, and returns the work that is left for `keepUp`. `onBackend` gets the id of the server
   * process that does the work, so that it can be interrupted.
   * @throws RunFailure, LeaseLostError, or any error of the database; the caller records it
   */
  async run(claimed: ClaimedRun, report: RunReport, onBackend: (pid: number) => void): Promise<Upkeep> {
    const startedAt = performance.now();
    const job = await this.jobs.get(claimed.jobId);
    const { mapping } = await inTurns(readMapping(job.mapping_yaml));
    // The ceiling may have been set after the job was saved.
    mapping.source.statementTimeoutMs = Math.min(mapping.source.statementTimeoutMs, this.settings.ingestionMaxStatementTimeoutMs);
    Object.assign(report, emptyReport(targetsOf(mapping)));
    const run: Run = { claimed, job, mapping, report, staged: [], startedAt, rejectedLeft: this.settings.rejectedKeptRows };
    await this.show(run, 'checking');
    const { source, shapes } = await this.describe(job, mapping);
    const client = await this.pool.connect();
    let broken: Error | boolean = false;
    try {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      onBackend(rows[0]!.pid);
      await this.stage(client, run, source, shapes);
      return await this.write(client, run, source);
    } catch (error) {
      // A failure that this run found itself leaves the transaction readable, so the rejected rows are kept for inspection.
      if (error instanceof RunFailure) await this.keepRejected(client, run);
      throw error;
    } finally {
      // The staged rows belong to this session; if the session dies they go with it.
      await client.query('ROLLBACK; DISCARD TEMP; RESET ALL').catch((failure: Error) => (broken = failure));
      client.release(broken);
    }
  }

  /** Does the upkeep of the tables after a committed run. The run's report lists what was done. */
  async keepUp(claimed: ClaimedRun, upkeep: Upkeep, onBackend: (pid: number) => void): Promise<void> {
    if (upkeep.analyze.length + upkeep.vacuum.length === 0) return;
    const client = await this.pool.connect();
    let broken: Error | boolean = true;
    try {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      onBackend(rows[0]!.pid);
      await keepUp(client, upkeep);
      await this.runs.addUpkeep(client, claimed, { analyzed: upkeep.analyze, vacuumed: upkeep.vacuum });
      broken = false;
    } finally {
      client.release(broken);
    }
  }

  /** Reads in the name of the user who saved the job. After this check the run may finish, even if the right is revoked meanwhile. */
  private async describe(
    { id, name, saved_by: savedBy }: JobRow,
    mapping: Mapping,
  ): Promise<{ source: StagingSource; shapes: SourceShape[] }> {
    const described = await this.sources.describe(mapping, { kind: 'job', id, name, savedBy });
    if ('source' in described) return described;
    const { text } = described.problems[0]!;
    throw new RunFailure('source_changed', {
      zh: `来源与映射不符：${text.zh}`,
      en: `the source does not fit the mapping: ${text.en}`,
    });
  }

  /** All targets use one snapshot, so that an order and its lines are read as of one moment. */
  private async stage(client: PoolClient, run: Run, source: StagingSource, shapes: SourceShape[]): Promise<void> {
    const { mapping, report, job } = run;
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await setForStaging(client, mapping, source);
    for (const [index, target] of targetsOf(mapping).entries()) {
      const targetReport = report.targets[index]!;
      targetReport.state = 'staging';
      await this.show(run, `staging ${target.name}`);
      const cursorFrom = cursorOf(job, target);
      const plan = await inTurns(compileStaging({ target, mapping, shape: shapes[index]!, schema: source.schema, cursorFrom }));
      const staged = await stageTarget(client, target, plan, targetReport, source.role);
      if (plan.hasCursor) report.cursors[target.name] = { from: cursorFrom?.value ?? null, to: staged.cursorTo };
      run.staged.push(staged);
      targetReport.state = 'staged';
      addTotals(report);
      this.requireFewErrors(run, targetReport);
    }
    await client.query('COMMIT');
  }

  private async write(client: PoolClient, run: Run, { schema }: StagingSource): Promise<Upkeep> {
    const { report, staged, job, claimed, mapping } = run;
    const scope = writeScope(job.graph_id, claimed.id);
    await client.query('BEGIN');
    await setForWriting(client, mapping);
    await this.show(run, 'waiting for the graph');
    // Readers go on; other runs of this graph wait. That makes this run the graph's only writer.
    await client.query(`LOCK TABLE ${scope.nodes}, ${scope.edges} IN SHARE ROW EXCLUSIVE MODE`);
    for (const each of staged) {
      each.report.state = 'writing';
      await this.show(run, `writing ${each.target.name}`);
      if (each.target.kind === 'node') await writeNodes(client, scope, each, each.target.element);
      else await writeEdges(client, scope, each, each.target.element);
      each.report.state = 'done';
      addTotals(report);
      this.requireFewErrors(run, each.report);
    }
    this.requireFewErrors(run, null);
    await this.show(run, 'recording');
    for (const each of staged) await this.insertRejected(client, run, each);
    const { id: jobId, connection_id: connectionId, connection } = job;
    await writeElements(client, scope, staged, { jobId, connectionId, connection, schema });
    const upkeep = await this.renewStatistics(client, run, scope);
    await this.finish(client, run);
    await client.query('COMMIT');
    return upkeep;
  }

  /** Checks the rate of errors once enough rows were read, and at the end (`current` null). @throws RunFailure */
  private requireFewErrors({ claimed, mapping: { defaults }, report: { totals } }: Run, current: TargetReport | null): void {
    if (defaults.onError === 'fail' && current && current.rejected > 0) {
      throw new RunFailure(
        'rows_rejected',
        {
          zh: `「${current.target}」有 ${current.rejected} 行不符合规则，而 on_error 为 fail；这些行与原因见 GET /api/ingestion/runs/${claimed.id}/rejected；defaults.on_error 为 quarantine 时，运行会略过它们继续`,
          en: `${current.rejected} ${current.rejected === 1 ? 'row' : 'rows'} of '${current.target}' break a rule, and on_error is fail; GET /api/ingestion/runs/${claimed.id}/rejected lists them with their reasons; with defaults.on_error: quarantine a run goes on without such rows`,
        },
        { target: current.target, rejected: current.rejected },
      );
    }
    const isRateDue = current === null || totals.read >= rateLookedAtAfterRows;
    const rate = totals.read === 0 ? 0 : totals.rejected / totals.read;
    if (totals.rejected <= defaults.maxErrorRows && (!isRateDue || rate <= defaults.maxErrorRate)) return;
    const limit = { rows: defaults.maxErrorRows, percent: Number((defaults.maxErrorRate * 100).toPrecision(6)) };
    throw new RunFailure(
      'too_many_errors',
      {
        zh: `${totals.read} 行中有 ${totals.rejected} 行被拒绝，超过上限（${limit.rows} 行或 ${limit.percent}%）；被拒绝的行与原因见 GET /api/ingestion/runs/${claimed.id}/rejected；上限由映射的 defaults.max_error_rows 与 defaults.max_error_rate 设定`,
        en: `${totals.rejected} of ${totals.read} rows were rejected, more than allowed (${limit.rows} rows or ${limit.percent} %); GET /api/ingestion/runs/${claimed.id}/rejected lists them with their reasons; the mapping sets the limits with defaults.max_error_rows and defaults.max_error_rate`,
      },
      { rejected: totals.rejected, read: totals.read },
    );
  }

  /** Keeps at most `REJECTED_KEPT_ROWS` rows of a run, over all its targets. */
  private async insertRejected(client: PoolClient, run: Run, staged: StagedTarget): Promise<void> {
    const { report, claimed } = run;
    if (staged.report.rejected === 0) return;
    let kept = 0;
    for await (const { rows, json } of readRejected(client, staged, run.rejectedLeft)) {
      await this.rejected.insert(client, claimed.id, json);
      kept += rows.length;
      addSamples(report, rows);
    }
    run.rejectedLeft -= kept;
    report.warnings.push(...cutWarning(staged.report, kept));
  }

  /** Writes only the first rejected rows of a failed run, which caused the failure. */
  private async keepRejected(client: PoolClient, { staged, report, claimed }: Run): Promise<void> {
    const kept: string[] = [];
    let left = rejectedKeptOfFailedRun;
    // The rows stay in memory until the transaction has ended.
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
    for (const json of kept) await this.rejected.insert(client, claimed.id, json);
  }

  /** Runs before the run counts as ended: without statistics the planner would take a large new graph for an empty one. */
  private async renewStatistics(client: PoolClient, { report, staged }: Run, { nodes, edges }: WriteScope): Promise<Upkeep> {
    const tables = { nodes, edges };
    report.warnings.push(...staged.flatMap(runWarnings));
    const { inserted, updated, deleted } = report.totals;
    if (inserted + updated + deleted === 0) return { tables, analyze: [], vacuum: [] };
    const failure = await analyzeTables(client, tables);
    if (failure) report.warnings.push(failure);
    return { tables, analyze: failure ? ['nodes', 'edges'] : [], vacuum: await rewrittenTables(client, tables, report) };
  }

  /**
   * The last statements of the writing transaction. They check the lease together with the write, so a worker that lost it commits
   * nothing.
   */
  private async finish(client: PoolClient, run: Run): Promise<void> {
    const { claimed, job, staged, report, startedAt } = run;
    const cursors = Object.fromEntries(staged.flatMap(({ target, cursorTo }) => (cursorTo === null ? [] : [[target.name, cursorTo]])));
    await this.jobs.moveCursors(client, job.id, cursors);
    report.graph_version = await this.graphs.raiseVersion(client, job.graph_id);
    report.duration_ms = Math.max(1, Math.round(performance.now() - startedAt));
    report.rows_per_s = Math.round((report.totals.read * 1000) / report.duration_ms);
    await this.runs.succeed(client, claimed, report);
  }

  private show({ claimed, report }: Run, phase: string): Promise<void> {
    return this.runs.show(claimed, phase, report);
  }
}

interface Run {
  claimed: ClaimedRun;
  job: JobRow;
  mapping: Mapping;
  report: RunReport;
  staged: StagedTarget[];
  startedAt: number;
  /** The number of rejected rows that this run may still keep. */
  rejectedLeft: number;
}

/** The start of an incremental read: `initial` the first time, later the last cursor less the lag. */
function cursorOf({ cursors }: JobRow, { name, element }: Target): { value: string; lag: number } | null {
  if (!element.incremental) return null;
  const last = cursors[name];
  if (last !== undefined) return { value: last, lag: element.incremental.lag };
  return element.incremental.initial === null ? null : { value: element.incremental.initial, lag: 0 };
}

/** Lets the mapping's own SQL find the tables of the source by their bare names, and none of the service's. */
async function setForStaging(client: PoolClient, { source }: Mapping, { schema }: StagingSource): Promise<void> {
  await client.query(
    `SELECT set_config('statement_timeout', $1, true), set_config('TimeZone', $2, true), set_config('DateStyle', 'ISO, YMD', true),
            set_config('search_path', $3, true), set_config('work_mem', '128MB', true),
            -- Row numbers are places in the table, so a scan must begin at its beginning.
            set_config('synchronize_seqscans', 'off', true)`,
    [String(source.statementTimeoutMs), source.timezone, `pg_catalog, ${quoteIdentifier(schema)}, pg_temp`],
  );
}

async function setForWriting(client: PoolClient, { source }: Mapping): Promise<void> {
  await client.query(
    `SELECT set_config('statement_timeout', $1, true), set_config('work_mem', '128MB', true), set_config('lock_timeout', '0', true)`,
    [String(source.statementTimeoutMs)],
  );
}
