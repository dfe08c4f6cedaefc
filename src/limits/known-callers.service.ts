import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { hasSigned, TokenKey } from '../access/token-key.js';
import { type Caller } from './charge.js';
import { RecentMap } from './recent-map.js';

const keepMs = 10 * 60_000;
const capacity = 20_000;

/**
 * The callers with recently good credentials. It lets nobody in: every request is still authenticated. It tells, before any query,
 * which limit a request will meet, and lets good callers through while others flood from their address.
 */
@Injectable()
export class KnownCallersService {
  private readonly callers = new RecentMap<string, Caller>(keepMs, capacity, () => performance.now());
  /**
   * Tokens of ours that were shown in a flood: ended ones, or good ones whose holder takes part. Only users who logged in have one,
   * so junk cannot fill this memory.
   */
  private readonly flooding = new RecentMap<string, true>(keepMs, capacity, () => performance.now());

  constructor(private readonly key: TokenKey) {}

  find(request: Request): Caller | undefined {
    const key = credentialKey(request);
    return key === null ? undefined : this.callers.get(key);
  }

  /** Tells without a query whether a request shows a recently good credential, or a token of ours, which may have ended. */
  isLikelyGood(request: Request): boolean {
    if (this.find(request)) return true;
    const token = this.findToken(request);
    return token !== null && !this.flooding.get(hashOf(token));
  }

  remember(request: Request, caller: Caller): void {
    const key = credentialKey(request);
    if (key !== null) this.callers.set(key, caller);
  }

  /** Remembers only tokens of ours and forgets the rest, so that nobody can fill this memory with junk. */
  distrust(request: Request): void {
    const key = credentialKey(request);
    if (key !== null) this.callers.delete(key);
    const token = this.findToken(request);
    if (token !== null) this.flooding.set(hashOf(token), true);
  }

  /** The token of a request that shows no other credential, if we have signed it. */
  private findToken({ headers: { authorization, 'x-api-key': apiKey } }: Request): string | null {
    if (apiKey !== undefined || authorization?.startsWith('Bearer ') !== true) return null;
    const token = authorization.slice('Bearer '.length);
    return hasSigned(this.key.object, token) ? token : null;
  }
}

function credentialKey({ headers }: Request): string | null {
  const { authorization = '', 'x-api-key': apiKey = '' } = headers;
  return authorization === '' && apiKey === '' ? null : hashOf(`${authorization}\n${String(apiKey)}`);
}

/** Credentials are hashed, so that none stays in memory. */
const hashOf = (credential: string) => hash('sha256', credential, 'base64');
