import { LicenceRefusedError } from '../licensing.errors.js';
import { DAY_MS, later } from './licence.js';

/**
 * How far the clock may lie behind a time that has been before. A machine without a clock battery, or one whose local time
 * was taken for UTC (up to 14 hours), is less than a day off; and nothing is gained by it, see below.
 */
export const CLOCK_BEHIND_MS = DAY_MS;

/**
 * The time to judge a licence by: the clock's, or the latest that has been seen where the clock is a little behind that.
 * @throws LicenceRefusedError when it is more than a little: the clock was set back.
 */
export function judgeClock(now: Date, latestSeen: Date | null): Date {
  if (latestSeen !== null && latestSeen.getTime() - now.getTime() > CLOCK_BEHIND_MS) {
    throw new LicenceRefusedError('clock_behind', `${now.toISOString()} < ${latestSeen.toISOString()}`);
  }
  return later(now, latestSeen);
}
