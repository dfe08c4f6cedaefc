import { ApiError } from '../common/errors/api-error.js';

export class NotAuthenticatedError extends ApiError {
  constructor() {
    super(
      401,
      'not_authenticated',
      {
        zh: '未登录，或令牌无效、已过期；请用 POST /api/auth/login 登录，并发送 Authorization: Bearer <token>',
        en: 'No valid credential: the token is missing, invalid or expired; log in with POST /api/auth/login and send Authorization: Bearer <token>',
      },
      { headers: { 'WWW-Authenticate': 'Bearer' } },
    );
  }
}

/**
 * 401 for an API key that is unknown, wrong, revoked or expired, and for an API key whose user is disabled or must change the password. The
 * answer is the same in all these cases.
 */
export class BadApiKeyError extends ApiError {
  constructor() {
    super(
      401,
      'not_authenticated',
      {
        zh: 'API 密钥未知、已吊销或已过期，或其用户已停用、须先修改密码；请登录后用 POST /api/api-keys 新建密钥',
        en: 'The API key is unknown, revoked or expired, or its user is disabled or has to change the password; log in and create a key with POST /api/api-keys',
      },
      { headers: { 'WWW-Authenticate': 'Bearer' } },
    );
  }
}

export class TwoCredentialsError extends ApiError {
  constructor() {
    super(401, 'two_credentials', {
      zh: '请只发送一个凭证：Authorization 或 X-API-Key，且只出现一次',
      en: 'Send one credential only: Authorization or X-API-Key, and only once',
    });
  }
}

/** 401 for an unknown user, a disabled user and a wrong password. The answer is the same in all three cases. */
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

export class KeyNotAllowedError extends ApiError {
  constructor() {
    super(403, 'api_key_not_allowed', {
      zh: '此接口不接受 API 密钥，请用登录令牌',
      en: 'This endpoint does not take an API key; use a login token',
    });
  }
}

export class KeyPermissionError extends ApiError {
  constructor(permission: string) {
    super(
      403,
      'api_key_permission',
      {
        zh: `该 API 密钥没有 ${permission} 权限；请用登录令牌，或用 POST /api/api-keys 以 permissions: ["${permission}"] 新建密钥`,
        en: `This API key lacks ${permission}; use a login token, or create a key with POST /api/api-keys and permissions: ["${permission}"]`,
      },
      { context: { permission } },
    );
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
