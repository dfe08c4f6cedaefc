import { LicenceRefusedError } from '../licensing.errors.js';
import { dayMs, later } from './licence.js';

/**
 * Maximum ms that the clock may be behind the latest time seen. One day covers a clock that takes local time for UTC, which is up to 14
 * hours off. Setting the clock back by less gains nothing, because `judgeClock` then counts the latest time seen.
 */
export const clockBehindMs = dayMs;

/**
 * The time by which a licence is judged: the clock's time, or the latest time seen if the clock is up to `clockBehindMs` behind it.
 * @throws LicenceRefusedError when the clock is further behind: it was set back.
 */
export function judgeClock(now: Date, latestSeen: Date | null): Date {
  if (latestSeen !== null && latestSeen.getTime() - now.getTime() > clockBehindMs) {
    throw new LicenceRefusedError('clock_behind', `${now.toISOString()} < ${latestSeen.toISOString()}`);
  }
  return later(now, latestSeen);
}
