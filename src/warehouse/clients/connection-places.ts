import { type Claim, FairShare } from '../../common/turns/fair-share.js';
import { lookingUpFor } from '../../egress/lookups.js';
import { WarehouseBusyError } from '../warehouse.errors.js';

/** The number of a client's connections for each kind of work. */
export interface Places {
  queries: number;
  shortQueries: number;
  readings: number;
}

/**
 * Divides `max` connections by kind of work: two for short reads, such as those of the catalogue, half of the others for readings, and the
 * rest for statements.
 */
export function placesOf(max: number): Places {
  const shortQueries = 2;
  const readings = Math.floor((max - shortQueries) / 2);
  return { shortQueries, readings, queries: max - shortQueries - readings };
}

/** A fair share. A host lookup that the work makes also counts against the limits of the caller. */
class WorkShare extends FairShare {
  override run<T>(claim: Claim, work: () => Promise<T>, remains?: () => Promise<void> | undefined): Promise<T> {
    return super.run(claim, () => lookingUpFor(claim.caller, work), remains);
  }
}

/** Shares the places of each kind of work among the callers, who wait up to 30 s for a place. */
export function shareAmongCallers(places: Places): Record<keyof Places, FairShare> {
  const refuse = (retryAfterS: number): WarehouseBusyError => new WarehouseBusyError(retryAfterS);
  const shareOf = (count: number): FairShare =>
    new WorkShare({ waitingPerCaller: 32, waiting: 200, patienceMs: 30_000, places: count, refuse });
  return { queries: shareOf(places.queries), shortQueries: shareOf(places.shortQueries), readings: shareOf(places.readings) };
}
