import { ApiError } from '../common/errors/api-error.js';

export class TooManyChangesError extends ApiError {
  /**
   * @param most the most changes within a day
   * @param retryAfterS seconds until the oldest of these changes no longer counts
   */
  constructor(most: number, retryAfterS: number) {
    super(
      429,
      'too_many_changes',
      {
        zh: `您在 24 小时内已作 ${most} 次须留痕的更改；请在 ${retryAfterS} 秒后重试，或由管理员代为更改`,
        en: `You made ${most} changes that are kept in the audit within 24 hours; retry after ${retryAfterS} seconds, or let an admin make them`,
      },
      { context: { most, retry_after_s: retryAfterS }, headers: { 'Retry-After': String(retryAfterS) } },
    );
  }
}
