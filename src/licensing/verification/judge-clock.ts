import { LicenceRefusedError } from '../licensing.errors.js';
import { dayMs, later } from './licence.js';

/**
 * The time in ms that the clock may lie behind a time already seen. A clock is less than a day off if its local time was taken for UTC (up
 * to 14 hours). Setting the clock back within this time gains nothing, because `judgeClock` then counts the latest time seen.
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
