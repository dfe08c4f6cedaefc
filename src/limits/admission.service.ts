import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { FairShare } from '../common/turns/fair-share.js';
import { callSignal } from '../http/call-signal.decorator.js';
import { ClientAddressService } from './client-address.service.js';
import { KnownCallersService } from './known-callers.service.js';
import { AdmissionBusyError } from './limits.errors.js';

/** Requests whose credentials are looked up at once. The event loop then never has more than a few to go on with in one turn. */
const places = 8;
/** Requests that may wait: of one caller, and of all. */
const waitingPerCaller = 1_000;
const waiting = 4_000;
const patienceMs = 10_000;

/**
 * Lets requests in to be authenticated, those of each caller in turn: a user who sends thousands at once, with many keys, does not
 * stand before everybody else. The caller is the user whose credentials the request is likely to show, else its address.
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

  /** @throws AdmissionBusyError, CallerGoneError, and what `authenticate` throws */
  run<T>(request: Request, authenticate: () => Promise<T>): Promise<T> {
    const known = this.callers.find(request);
    const caller = known ? known.userId : this.addresses.networkOf(request);
    return this.share.run({ caller, signal: callSignal(request.res!) }, authenticate);
  }
}
