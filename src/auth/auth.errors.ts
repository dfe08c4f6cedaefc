import { ApiError } from '../common/errors/api-error.js';

export class NotAuthenticatedError extends ApiError {
  constructor() {
    super(
      401,
      'not_authenticated',
      { zh: '未登录，或令牌无效、已过期', en: 'No valid credential: the token is missing, invalid or expired' },
      { headers: { 'WWW-Authenticate': 'Bearer' } },
    );
  }
}

/** One answer for an unknown user, a disabled one and a wrong password. */
export class WrongLoginError extends ApiError {
  constructor() {
    super(401, 'wrong_login', { zh: '用户名或密码错误', en: 'Wrong username or password' });
  }
}

export class WrongOldPasswordError extends ApiError {
  constructor() {
    super(400, 'wrong_old_password', { zh: '旧密码错误', en: 'The old password is wrong' });
  }
}

export class PasswordChangeRequiredError extends ApiError {
  constructor() {
    super(403, 'password_change_required', {
      zh: '请先通过 PUT /api/auth/password 修改密码',
      en: 'Change your password first, by PUT /api/auth/password',
    });
  }
}

export class AdminOnlyError extends ApiError {
  constructor() {
    super(403, 'admin_only', { zh: '仅管理员可以执行此操作', en: 'Only an admin may do this' });
  }
}

export class RegistrationClosedError extends ApiError {
  constructor() {
    super(403, 'registration_closed', { zh: '注册已关闭，请联系管理员', en: 'Registration is closed; ask an admin for an account' });
  }
}

export class ClosedRouteError extends ApiError {
  constructor() {
    super(403, 'closed_route', { zh: '该接口未开放', en: 'This endpoint is not open' });
  }
}
