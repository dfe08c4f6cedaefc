import { Injectable } from '@nestjs/common';
import { accessOf } from '../access/access.decorator.js';
import { anonymous, buckets, type Policy } from './buckets.js';
import { policyFor } from './caller.js';
import { type Arrival, LimitsGuard } from './limits.guard.js';

/** Stands before the credentials: counts by address, so that no password is hashed and no key looked up beyond the limit. */
@Injectable()
export class ClientLimitsGuard extends LimitsGuard {
  protected override findCharge(arrival: Arrival): { policy: Policy; subject: string } | null {
    const { request, bucket, context } = arrival;
    const subject = this.visits.of(request).address;
    if (bucket !== undefined && buckets[bucket].scope === 'ip') return { policy: { name: bucket, limit: buckets[bucket].limit }, subject };
    if (accessOf(context).kind === 'public') return { policy: anonymous, subject };
    this.refuseBlockedCaller(arrival);
    return null;
  }

  /** A caller known to be blocked is refused here, before the credentials cost a query. */
  private refuseBlockedCaller({ request, response, bucket }: Arrival): void {
    const caller = this.callers.find(request);
    this.visits.of(request).caller = caller;
    const policy = caller && policyFor(caller, bucket);
    if (policy) this.limiter.refuseBlocked(policy, caller.subject, response);
  }
}
