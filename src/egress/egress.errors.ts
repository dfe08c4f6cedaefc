import { type Bilingual } from '../text/bilingual.js';

/** The host has an address to which the service does not connect. The address itself is not told. */
export class BlockedAddressError extends Error {
  readonly code = 'blocked_address';

  constructor(
    readonly host: string,
    readonly reason: Bilingual,
  ) {
    super(`Connections to the host '${host}' are not allowed: it leads to ${reason.en}`);
  }
}
