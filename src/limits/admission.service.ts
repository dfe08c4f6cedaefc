import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { FairShare } from '../common/turns/fair-share.js';
import { callSignal } from '../http/call-signal.decorator.js';
import { ClientAddressService } from './client-address.service.js';
import { KnownCallersService } from './known-callers.service.js';
import { AdmissionBusyError } from './limits.errors.js';

/**
 * Maximum number of requests whose credentials are checked at the same time. Their look-ups share one statement: with 8 places and 50
 * connections a request would cost 1.5 times as much. The maximum keeps each turn of the event loop short.
 */
const places = 64;
/** The most requests that may wait: `waitingPerCaller` of one caller, and `waiting` of all callers. */
const waitingPerCaller = 1_000;
const waiting = 4_000;
const patienceMs = 10_000;

/**
 * Admits requests to authentication, with callers taking turns: a user who sends thousands of requests at once, with many keys, does not
 * delay all others. The caller is the user whose credentials the request probably has, otherwise the network of its address.
 */
@Injectable()
export class AdmissionService {
  private readonly share = new FairShare({
    places,
    waitingPerCaller,
    waiting,
    patienceMs,
    refuse: retryAfterS => new AdmissionBusyError(retryAfterS),
  });

  constructor(
    private readonly callers: KnownCallersService,
    private readonly addresses: ClientAddressService,
  ) {}

  /** @throws AdmissionBusyError, CallerGoneError, and the errors of `authenticate` */
  run<T>(request: Request, authenticate: () => Promise<T>): Promise<T> {
    const known = this.callers.find(request);
    const caller = known ? known.userId : this.addresses.networkOf(request);
    return this.share.run({ caller, signal: callSignal(request.res!) }, authenticate);
  }
}
