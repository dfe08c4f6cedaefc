import { BusyError } from '../common/errors/api-error.js';
import { type Bilingual } from '../text/bilingual.js';

/** The host has an address to which the service does not connect. The error does not name the address. */
export class BlockedAddressError extends Error {
  readonly code = 'blocked_address';

  constructor(
    readonly host: string,
    readonly reason: Bilingual,
  ) {
    super(`Connections to the host '${host}' are not allowed: it leads to ${reason.en}`);
  }
}

/** 503: slow lookups occupy all places that one caller may use, or all places of the process. */
export class LookupsBusyError extends BusyError {
  constructor(retryAfterS: number) {
    super(
      'lookups_busy',
      {
        zh: '域名服务器应答缓慢，目前无法再为您解析一个主机名；请检查您各连接与 Webhook 的主机名，或稍后重试',
        en: 'Name servers answer slowly, so the name of another host cannot be looked up for you now; check the hosts of your connections and webhooks, or try again shortly',
      },
      retryAfterS,
    );
  }
}
