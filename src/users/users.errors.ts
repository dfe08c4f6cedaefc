import { ApiError, SchemaError } from '../common/errors/api-error.js';

export class UserNotFoundError extends ApiError {
  constructor(user: number | string) {
    super(404, 'user_not_found', { zh: `用户 ${user} 不存在`, en: `There is no user ${user}` });
  }
}

export class UsernameTakenError extends ApiError {
  constructor(username: string) {
    super(400, 'username_taken', { zh: `用户名 ${username} 已被占用`, en: `The username ${username} is taken` });
  }
}

export class WeakPasswordError extends SchemaError {
  constructor(field: string, zh: string, en: string) {
    super([{ loc: ['body', field], msg: `${zh} / ${en}`, type: 'weak_password' }]);
  }
}
