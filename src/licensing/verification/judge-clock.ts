import { LicenceRefusedError } from '../licensing.errors.js';
import { dayMs, later } from './licence.js';

/**
 * The time that the clock may lie behind a time already seen. A machine without a clock battery, or one whose local time was taken
 * for UTC (up to 14 hours), is less than a day off. Nobody gains by it, because the latest time seen counts, see below.
 */
export const clockBehindMs = dayMs;

/**
 * The time to judge a licence by: the clock's, or the latest time seen if the clock is a little behind that.
 * @throws LicenceRefusedError when the clock is further behind: it was set back.
 */
export function judgeClock(now: Date, latestSeen: Date | null): Date {
  if (latestSeen !== null && latestSeen.getTime() - now.getTime() > clockBehindMs) {
    throw new LicenceRefusedError('clock_behind', `${now.toISOString()} < ${latestSeen.toISOString()}`);
  }
  return later(now, latestSeen);
}
