import { offsetsIn } from '../../text/time-zone.js';

/** A moment in seconds since 1970, and what local time is ahead of UTC from then on, in seconds. */
export interface ZoneOffset {
  from: number;
  offset: number;
}

const [first, last] = [Date.UTC(1970, 0, 1) / 1000, Date.UTC(2106, 1, 8) / 1000];
const step = 20 * 86_400;
const known = new Map<string, ZoneOffset[]>();
const mostKnown = 100;

/** All offsets of a zone over the moments that 32 bits hold. The first begins with them. */
export function zoneOffsets(zone: string): ZoneOffset[] {
  const found = known.get(zone);
  if (found) return found;
  const offsetAt = offsetsIn(zone);
  const offsets: ZoneOffset[] = [{ from: first, offset: offsetAt(first) }];
  for (let from = first; from < last; from += step) {
    const to = Math.min(from + step, last);
    let [low, high] = [from, to];
    if (offsetAt(to) === offsets.at(-1)!.offset) continue;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === offsets.at(-1)!.offset) low = middle;
      else high = middle;
    }
    offsets.push({ from: high, offset: offsetAt(high) });
    // A second change within a step.
    if (offsetAt(to) !== offsets.at(-1)!.offset) from = high - step;
  }
  if (known.size >= mostKnown) known.clear();
  known.set(zone, offsets);
  return offsets;
}
