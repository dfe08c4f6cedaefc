import { ApiError } from '../common/errors/api-error.js';

export class ApiKeyNotFoundError extends ApiError {
  constructor() {
    super(404, 'api_key_not_found', { zh: 'API 密钥不存在', en: 'There is no such API key' });
  }
}

export class ApiKeyRevokedError extends ApiError {
  constructor() {
    super(400, 'api_key_revoked', { zh: '该密钥已吊销，请新建一个', en: 'The key is revoked; create a new one' });
  }
}

export class ApiKeyExpiredError extends ApiError {
  constructor() {
    super(400, 'api_key_expired', { zh: '该密钥已过期，请新建一个', en: 'The key has expired; create a new one' });
  }
}

export class ApiKeyRotatedError extends ApiError {
  constructor() {
    super(409, 'api_key_rotated', { zh: '该密钥刚刚被另一个请求轮换', en: 'Another request has just rotated this key' });
  }
}

export class PermissionNotHeldError extends ApiError {
  constructor() {
    super(
      403,
      'permission_not_held',
      {
        zh: 'tables:write 只能由对某个数仓连接有 write 权限的人授予密钥，请管理员用 POST /api/permissions/connections/{id}/users 授权',
        en: 'Only someone who may write a warehouse connection can give tables:write to a key; ask an admin for POST /api/permissions/connections/{id}/users',
      },
      { context: { permission: 'tables:write' } },
    );
  }
}
