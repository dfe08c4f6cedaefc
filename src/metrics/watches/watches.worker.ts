import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Principal } from '../../access/principal.js';
import { SchemaError } from '../../common/errors/api-error.js';
import { RunFailure } from '../../common/errors/run-failure.js';
import { toApiError } from '../../common/errors/to-api-error.js';
import { logToken } from '../../common/logging/log.js';
import { inTurns, Pace } from '../../common/turns/pace.js';
import { Settings } from '../../config/settings.js';
import { type Interruption, LeasedWorker, type WorkEnd } from '../../database/leased-worker.js';
import { ServicePool } from '../../database/service-pool.js';
import { GraphAccessService } from '../../graphs/graph-access.service.js';
import { Telemetry } from '../../telemetry/telemetry.service.js';
import { UsersService } from '../../users/users.service.js';
import { WebhooksService } from '../../webhooks/webhooks.service.js';
import { MetricRunsService } from '../metric-runs.service.js';
import { judgeRows, orderFor } from './judge-rows.js';
import { eventOf, watchMessage, watchTarget } from './watch-message.js';
import { ChecksBusyError } from './watches.errors.js';
import { type CheckEnd, type CheckFound, type ClaimedWatch, WatchesRepository, type WatchRow } from './watches.repository.js';

const shownProblems = 3;

/**
 * Runs the queued checks of watches, taking turns between their users. The transaction that records a check also queues the webhook
 * delivery of its event.
 */
@Injectable()
export class WatchesWorker extends LeasedWorker<ClaimedWatch, object> {
  constructor(
    private readonly database: ServicePool,
    private readonly watches: WatchesRepository,
    private readonly runs: MetricRunsService,
    private readonly webhooks: WebhooksService,
    private readonly users: UsersService,
    private readonly access: GraphAccessService,
    settings: Settings,
    @Inject(logToken) log: Logger,
    private readonly telemetry: Telemetry,
  ) {
    super('check of a watch', database, settings, log);
  }

  /**
   * Checks a watch now, in the name of its user, as its schedule would.
   * @throws ChecksBusyError while the watch or another watch of that user is being checked, if this process has no place for a check,
   * and if the check is interrupted before it ends
   */
  async checkNow(id: number): Promise<CheckFound> {
    const claimed = this.hasPlace ? await this.watches.claimNow(id) : null;
    if (!claimed) throw new ChecksBusyError();
    // The place may be lost since the claim: another request took it, or the worker is stopping and would not wait for this check.
    if (!this.hasPlace) {
      await this.watches.release(claimed, 1);
      throw new ChecksBusyError();
    }
    return new Promise((resolve, reject) => {
      void this.start({ ...claimed, onEnd: resolve }).then(() => reject(new ChecksBusyError()));
    });
  }

  protected claimNext(): ReturnType<WatchesRepository['claim']> {
    return this.watches.claim();
  }

  protected renewLease(claimed: ClaimedWatch): Promise<{ isCancelled: boolean } | null> {
    return this.watches.renewLease(claimed);
  }

  protected async carryOut(claimed: ClaimedWatch, _: object, { signal }: Interruption): Promise<void> {
    const watch = await this.watches.find(claimed.id);
    if (!watch) return;
    const { metric_id: metricId, request, condition } = watch;
    const principal = await this.owner(watch);
    const result = await this.runs.execute(principal, metricId, { ...request, ...orderFor(condition) }, signal, false);
    await this.record(claimed, { verdict: await inTurns(judgeRows(result, condition), new Pace(signal)) });
  }

  protected async end(claimed: ClaimedWatch, _status: string, _report: object | null, failure: RunFailure | null): Promise<void> {
    if (failure) await this.write(() => this.record(claimed, { error: { code: failure.code, ...failure.text } }));
  }

  protected async release(claimed: ClaimedWatch, returned: 0 | 1): Promise<'released'> {
    await this.write(() => this.watches.release(claimed, returned));
    return 'released';
  }

  protected count(end: WorkEnd): void {
    this.telemetry.workEnded('check', end);
  }

  protected toFailure(error: unknown): RunFailure {
    if (error instanceof RunFailure) return error;
    const { code, text } = toApiError(error);
    if (!(error instanceof SchemaError)) return new RunFailure(code, text);
    const problems = error.problems.slice(0, shownProblems).map(problem => problem.text);
    return new RunFailure(code, {
      zh: `${text.zh}：${problems.map(({ zh }) => zh).join('；')}`,
      en: `${text.en}: ${problems.map(({ en }) => en).join('; ')}`,
    });
  }

  private async record(claimed: ClaimedWatch, end: CheckEnd): Promise<void> {
    const found = await this.database.transaction(async (client): Promise<CheckFound | null> => {
      const change = await this.watches.end(client, claimed, end);
      if (!change) return null;
      const { before, after: watch } = change;
      const event = eventOf(before, watch);
      const told = event ? await this.webhooks.tell(client, watchTarget(claimed.id), event, watch.checked_at!, watchMessage(watch)) : [];
      return { watch, event, deliveryId: told[0] ?? null };
    });
    if (found) claimed.onEnd?.(found);
  }

  /** The user in whose name the check runs. The user may have lost the right to edit the graph while the check was queued. */
  private async owner({ saved_by: savedBy, graph_id: graphId }: WatchRow): Promise<Principal> {
    const account = savedBy === null ? null : await this.users.findAccountState(savedBy);
    if (!account || !(await this.access.mayStill(account.id, graphId, 'editor'))) {
      throw new RunFailure('requester_access_lost', {
        zh: '保存该监视的用户已不能编辑该图谱，或已被停用、删除，或须先修改密码；请由可编辑的用户用 PATCH 重新保存',
        en: 'the user who saved the watch may not edit the graph any more, is disabled or deleted, or must change the password first; somebody who may edit it can save the watch again with PATCH',
      });
    }
    const { id: userId, username, is_admin: isAdmin, token_version: tokenVersion } = account;
    return { userId, username, isAdmin, mustChangePassword: false, tokenVersion };
  }
}
