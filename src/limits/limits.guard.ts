import { Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { type Request, type Response } from 'express';
import { accessOf } from '../access/access.decorator.js';
import { type Principal, principalOf } from '../access/principal.js';
import { RestingCallers } from '../common/turns/resting-callers.js';
import { routeOf } from '../http/server/route-of.js';
import { bucketOf } from './bucket.decorator.js';
import { anonymous, findCharge, type Route, toCaller } from './charge.js';
import { ClientAddressService } from './client-address.service.js';
import { KnownCallersService } from './known-callers.service.js';
import { LimiterService } from './limiter.service.js';

/** Routes whose requests are admitted even for a caller who must rest, because they end something or secure an account. */
const neverRests = /\/auth\/|\/(?:cancel|retire|reset-password)$/;

/**
 * The throttler's guard with a `handleRequest` of its own, because the throttler counts one key per handler, and its headers and exception
 * differ from those of the API. The guard runs twice for a request. Before the credentials are checked it counts by address, so that no
 * password is hashed and no key looked up beyond the limit. Right after the check it counts by user or API key, including requests that
 * later guards refuse, and refuses callers who must rest.
 */
@Injectable()
export class LimitsGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly limiter: LimiterService,
    private readonly addresses: ClientAddressService,
    private readonly callers: KnownCallersService,
    private readonly resting: RestingCallers,
  ) {
    super(options, storage, reflector);
  }

  protected override async handleRequest({ context }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    const route = { bucket: bucketOf(context), isPublic: accessOf(context).kind === 'public' };
    const principal = principalOf(context) as Principal | undefined;
    if (principal) await this.countCaller(route, principal, http.getRequest(), response);
    // A public route has no caller. Its request was already counted before the credentials were checked.
    else if (!this.limiter.hasCounted(response)) await this.countAddress(route, http.getRequest(), response);
    return true;
  }

  private async countCaller(route: Route, principal: Principal, request: Request, response: Response): Promise<void> {
    const caller = toCaller(principal);
    this.callers.remember(request, caller);
    const charge = findCharge(route, caller, this.limiter.limits);
    if (charge) await this.limiter.admit(charge, response);
    if (mayRest(request)) this.resting.admit(principal.userId);
  }

  /**
   * Counts a request by its address. It also refuses a caller or an address that is known to be blocked, before checking the credentials
   * costs a query.
   */
  private async countAddress(route: Route, request: Request, response: Response): Promise<void> {
    const address = this.addresses.of(request);
    const ceiling = anonymous(address, this.limiter.limits);
    if (!route.isPublic && this.limiter.isBlocked(ceiling) && !this.callers.isLikelyGood(request)) {
      this.limiter.refuseBlocked(ceiling, response);
    }
    const charge = findCharge(route, address, this.limiter.limits);
    if (charge) return this.limiter.admit(charge, response);
    const caller = this.callers.find(request);
    const expected = caller && findCharge(route, caller, this.limiter.limits);
    if (expected) this.limiter.refuseBlocked(expected, response);
  }
}

/**
 * Whether a request is refused while its caller must rest, and whether it counts towards a rest if it is ended for taking too long. False
 * for GET and DELETE. A GET may be slow because of texts that other users wrote.
 */
export function mayRest(request: Request): boolean {
  // A path may end with the name of a table, such as `cancel`; a route cannot.
  return request.method !== 'GET' && request.method !== 'DELETE' && !neverRests.test(routeOf(request) ?? '');
}
