import { type Claim, FairShare } from '../../common/turns/fair-share.js';
import { lookingUpFor } from '../../egress/lookups.js';
import { WarehouseBusyError } from '../warehouse.errors.js';

/** The connections of a client, by the work that may take them. */
export interface Places {
  queries: number;
  shortQueries: number;
  readings: number;
}

/** Two of the connections serve short reads, such as the catalogue's. The others are shared by readings and statements. */
export function placesOf(max: number): Places {
  const shortQueries = 2;
  const readings = Math.floor((max - shortQueries) / 2);
  return { shortQueries, readings, queries: max - shortQueries - readings };
}

/** The lookups of hosts in the work count against its caller too. */
class WorkShare extends FairShare {
  override run<T>(claim: Claim, work: () => Promise<T>, remains?: () => Promise<void> | undefined): Promise<T> {
    return super.run(claim, () => lookingUpFor(claim.caller, work), remains);
  }
}

/** Shares the places of each kind among the callers, who wait some time for them. */
export function shareAmongCallers(places: Places): Record<keyof Places, FairShare> {
  const refuse = (retryAfterS: number): WarehouseBusyError => new WarehouseBusyError(retryAfterS);
  const shareOf = (count: number): FairShare =>
    new WorkShare({ waitingPerCaller: 32, waiting: 200, patienceMs: 30_000, places: count, refuse });
  return { queries: shareOf(places.queries), shortQueries: shareOf(places.shortQueries), readings: shareOf(places.readings) };
}
