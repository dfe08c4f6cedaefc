import { ApiError, BusyError } from '../../common/errors/api-error.js';

/** Seconds after which a client should retry: about the time that a check takes. */
const retryAfterS = 2;

export class WatchNotFoundError extends ApiError {
  constructor() {
    super(404, 'watch_not_found', { zh: '该指标没有这个监视', en: 'The metric has no such watch' });
  }
}

/** 409: the metric or the user already has the maximum number of watches. */
export class TooManyWatchesError extends ApiError {
  constructor(of: 'metric' | 'user', most: number) {
    const [zh, en] = of === 'metric' ? ['该指标', 'The metric has'] : ['您', 'You have'];
    super(
      409,
      'too_many_metric_watches',
      { zh: `${zh}已有 ${most} 个监视；请先删除不再使用的`, en: `${en} ${most} watches already; delete one that is no longer used` },
      { context: { most } },
    );
  }
}

/** 503: the watch or another watch of its user is being checked, or the process already runs as many checks as it can. */
export class ChecksBusyError extends BusyError {
  constructor() {
    super(
      'checks_busy',
      {
        zh: '该监视、其用户的另一个监视，或足够多的其他监视正在检查中，请稍后重试',
        en: 'This watch, another one of its user or as many others as are checked at once are being checked just now; try again shortly',
      },
      retryAfterS,
    );
  }
}

/** 409: a check of the watch is queued or running. */
export class CheckActiveError extends ApiError {
  constructor() {
    super(409, 'check_active', {
      zh: '上一次检查仍在排队或进行中',
      en: 'The last check of this watch is still waiting or going on',
    });
  }
}
