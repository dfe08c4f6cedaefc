import { ApiError, BusyError, SchemaError } from '../common/errors/api-error.js';

export class UserNotFoundError extends ApiError {
  constructor(user: number | string) {
    // Validation turns an id that is out of range into 0. A message about user 0 would not repeat the id that the client sent.
    const text =
      user === 0 ? { zh: '没有这个用户', en: 'There is no such user' } : { zh: `用户 ${user} 不存在`, en: `There is no user ${user}` };
    super(404, 'user_not_found', text);
  }
}

export class UsernameTakenError extends ApiError {
  constructor(username: string) {
    super(400, 'username_taken', { zh: `用户名 ${username} 已被占用`, en: `The username ${username} is taken` });
  }
}

/** The caller's token ended while the request was served. */
export class TokenEndedError extends ApiError {
  constructor() {
    super(
      401,
      'not_authenticated',
      { zh: '令牌刚刚失效，请重新登录', en: 'The token has just ended; log in again' },
      { headers: { 'WWW-Authenticate': 'Bearer' } },
    );
  }
}

export class LastAdminError extends ApiError {
  constructor() {
    super(400, 'last_admin', { zh: '必须至少保留一个可用的管理员', en: 'At least one active admin must remain' });
  }
}

export class UserOwnsGraphsError extends ApiError {
  constructor(graphIds: number[]) {
    super(
      400,
      'user_owns_graphs',
      {
        zh: `该用户仍拥有图 ${graphIds.join('、')}，请先删除这些图`,
        en: `The user still owns graphs ${graphIds.join(', ')}; delete them first`,
      },
      { context: { graph_ids: graphIds } },
    );
  }
}

/** 400: a request names its user by both id and name, or by neither. */
export class OneUserExpectedError extends ApiError {
  constructor() {
    super(400, 'one_user_expected', { zh: '请只给出 user_id 或 username 之一', en: 'Give exactly one of user_id and username' });
  }
}

/** 503: too many passwords from one address wait to be hashed, or this password has waited too long. */
export class HashingBusyError extends BusyError {
  constructor(retryAfterS: number) {
    super(
      'login_busy',
      {
        zh: '目前没有位置处理来自您地址的又一次登录，请稍后重试',
        en: 'There is no place for another login from your address now; retry shortly',
      },
      retryAfterS,
    );
  }
}

export class WeakPasswordError extends SchemaError {
  constructor(field: string, zh: string, en: string) {
    super([{ loc: ['body', field], text: { zh, en }, type: 'weak_password' }]);
  }
}
