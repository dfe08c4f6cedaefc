import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { extractBearer } from '../access/extract-bearer.js';
import { hasSigned, TokenKey } from '../access/token-key.js';
import { type Caller } from './charge.js';
import { RecentMap } from './recent-map.js';

const keepMs = 10 * 60_000;
const capacity = 20_000;

/**
 * Remembers callers whose credentials were recently valid. It does not authenticate: the credentials of every request are still checked.
 * Without a query to the database, it finds the limit that a request will count against, and lets known callers through while others flood
 * from the same address.
 */
@Injectable()
export class KnownCallersService {
  private readonly callers = new RecentMap<string, Caller>(keepMs, capacity, () => performance.now());
  /**
   * Hashes of tokens that this service has signed and that were used in a flood: expired tokens, or valid ones whose holder takes part.
   * Only users who logged in have such a token, so junk cannot fill this memory.
   */
  private readonly flooding = new RecentMap<string, true>(keepMs, capacity, () => performance.now());

  constructor(private readonly key: TokenKey) {}

  find(request: Request): Caller | undefined {
    const key = credentialKey(request);
    return key === null ? undefined : this.callers.get(key);
  }

  /**
   * Whether a request has a recently valid credential or a token that this service has signed, even an expired one. Makes no query to the
   * database.
   */
  isLikelyGood(request: Request): boolean {
    if (this.find(request)) return true;
    const token = this.findToken(request);
    return token !== null && !this.flooding.get(hashOf(token));
  }

  remember(request: Request, caller: Caller): void {
    const key = credentialKey(request);
    if (key !== null) this.callers.set(key, caller);
  }

  /**
   * Stops trusting the credential of a request. Only tokens that this service has signed are remembered as flooding, so that junk cannot
   * fill the memory.
   */
  distrust(request: Request): void {
    const key = credentialKey(request);
    if (key !== null) this.callers.delete(key);
    const token = this.findToken(request);
    if (token !== null) this.flooding.set(hashOf(token), true);
  }

  /** The bearer token of a request without an API key, if this service has signed it; otherwise null. */
  private findToken(request: Request): string | null {
    const token = request.headers['x-api-key'] === undefined ? extractBearer(request) : null;
    return token !== null && hasSigned(this.key.object, token) ? token : null;
  }
}

/**
 * A hash of the credentials in a request. It leaves out the spelling of the scheme (`Bearer` or `bearer`), so that a caller has one entry.
 */
function credentialKey(request: Request): string | null {
  const { authorization: header = '', 'x-api-key': apiKey = '' } = request.headers;
  const authorization = extractBearer(request) ?? header;
  return authorization === '' && apiKey === '' ? null : hashOf(`${authorization}\n${String(apiKey)}`);
}

/** Credentials are kept as hashes, so that no credential stays in memory. */
const hashOf = (credential: string) => hash('sha256', credential, 'base64');
