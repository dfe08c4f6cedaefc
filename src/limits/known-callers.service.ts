import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { type Caller } from './caller.js';
import { RecentMap } from './recent-map.js';

const keepMs = 10 * 60_000;
const capacity = 20_000;

/**
 * Whose credentials were found good lately, and which were found bad. It opens nothing: every request is still authenticated.
 * It tells, before any query, which limit a request will meet, and keeps good callers in service while their address is
 * flooded by others.
 */
@Injectable()
export class KnownCallersService {
  private readonly callers = new RecentMap<string, Caller | null>(keepMs, capacity, () => performance.now());

  /** Null for a credential that was last seen in a flood; undefined for one not seen lately. */
  find(request: Request): Caller | null | undefined {
    const key = credentialKey(request);
    return key === null ? undefined : this.callers.get(key);
  }

  remember(request: Request, caller: Caller): void {
    this.set(request, caller);
  }

  distrust(request: Request): void {
    this.set(request, null);
  }

  private set(request: Request, caller: Caller | null): void {
    const key = credentialKey(request);
    if (key !== null) this.callers.set(key, caller);
  }
}

/** A hash, so that no credential stays in memory. */
function credentialKey({ headers }: Request): string | null {
  const { authorization = '', 'x-api-key': apiKey = '' } = headers;
  return authorization === '' && apiKey === '' ? null : hash('sha256', `${authorization}\n${String(apiKey)}`, 'base64');
}
