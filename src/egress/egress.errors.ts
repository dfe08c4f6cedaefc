import { type Bilingual } from '../text/bilingual.js';
import { ApiError } from '../common/errors/api-error.js';

/** 422: the host has an address to which the service does not connect. The address itself is not told. */
export class BlockedAddressError extends ApiError {
  constructor(host: string, reason: Bilingual) {
    super(
      422,
      'blocked_address',
      {
        zh: `不允许连接到主机“${host}”：它指向${reason.zh}；如确需连接，请让运维把该地址加入 WAREHOUSE_ALLOWED_ADDRESSES`,
        en: `Connections to the host '${host}' are not allowed: it leads to ${reason.en}; if it is needed, the operator can add the address to WAREHOUSE_ALLOWED_ADDRESSES`,
      },
      { context: { host } },
    );
  }
}
