import { Injectable } from '@nestjs/common';
import { principalOf } from '../access/principal.js';
import { type Policy } from './buckets.js';
import { policyFor, toCaller } from './caller.js';
import { type Arrival, LimitsGuard } from './limits.guard.js';

/** Stands right behind the credentials: counts by user or API key, also what later guards refuse. */
@Injectable()
export class CallerLimitsGuard extends LimitsGuard {
  protected override findCharge({ request, bucket, context }: Arrival): { policy: Policy; subject: string } | null {
    const principal = principalOf(context);
    if (!principal) return null;
    const caller = toCaller(principal);
    const expected = this.visits.of(request).caller;
    if (expected?.subject !== caller.subject || expected.rateLimit !== caller.rateLimit) this.callers.remember(request, caller);
    const policy = policyFor(caller, bucket);
    return policy && { policy, subject: caller.subject };
  }
}
