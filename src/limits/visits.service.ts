import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { type Logger } from 'pino';
import { currentRequest } from '../common/logging/request-context.js';
import { LOG } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { type Caller } from './caller.js';
import { findClientAddress, unknownClient } from './client-address.js';

/** What the limits know of a request while it is served. */
export interface Visit {
  /** Address that it is counted under; see `findClientAddress`. */
  address: string;
  /** Whether a bucket has taken it; what ends without one counts as anonymous. */
  counted: boolean;
  /** Whom the credential stood for lately, before it is checked again. */
  caller?: Caller;
}

/** The client behind each request. */
@Injectable()
export class VisitsService {
  private readonly visits = new WeakMap<Request, Visit>();
  private forwardingSeen = false;

  constructor(
    private readonly settings: Settings,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  of(request: Request): Visit {
    let visit = this.visits.get(request);
    if (!visit) {
      const forwardedFor = request.headers['x-forwarded-for'];
      if (forwardedFor !== undefined) this.warnOfProxy();
      const header = Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor;
      visit = { address: findClientAddress(request.socket.remoteAddress, header, this.settings.trustProxy), counted: false };
      this.visits.set(request, visit);
    }
    return visit;
  }

  /** The address of the request being served, also for code that is not handed it. */
  currentAddress(): string {
    const current = currentRequest();
    return current ? this.of(current.request).address : unknownClient;
  }

  /** Behind a proxy that is not trusted all clients share its limits, which looks like a fault of the service. */
  private warnOfProxy(): void {
    const { trustProxy } = this.settings;
    if (this.forwardingSeen || !('hops' in trustProxy) || trustProxy.hops > 0) return;
    this.forwardingSeen = true;
    this.log.warn('A request came with X-Forwarded-For, which is ignored: TRUST_PROXY is unset, so clients behind a proxy share one limit');
  }
}
