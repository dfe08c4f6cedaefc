import { ApiError } from '../common/errors/api-error.js';

/** 500: a stored secret cannot be decrypted, because its key is not configured, or its text was changed. */
export class SecretUnreadableError extends ApiError {
  constructor(cause: unknown) {
    super(
      500,
      'secret_unreadable',
      {
        zh: '保存的连接信息无法解密：请让运维恢复原来的 SECRET_ENCRYPTION_KEY（可与新密钥并列，以逗号分隔），或用 PATCH /api/warehouse/connections/{id} 重新提供 DSN',
        en: 'The stored secret cannot be opened: the operator can restore the former SECRET_ENCRYPTION_KEY (beside the new one, after a comma), or an admin can give the DSN again with PATCH /api/warehouse/connections/{id}',
      },
      cause === undefined ? {} : { cause },
    );
  }
}
