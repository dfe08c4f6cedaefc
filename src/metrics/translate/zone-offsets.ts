import { LRUCache } from 'lru-cache';
import { atOnce, type Steps } from '../../text/steps.js';
import { offsetsIn } from '../../text/time-zone.js';

/** From the moment `from`, in seconds since 1970, local time is `offset` seconds ahead of UTC. */
export interface ZoneOffset {
  from: number;
  offset: number;
}

const [first, last] = [Date.UTC(1970, 0, 1) / 1000, Date.UTC(2106, 1, 8) / 1000];
const step = 20 * 86_400;
/** Number of search steps between two yields. They take some 2 ms. */
const searchedAtOnce = 64;
/** Cache of offsets by zone. It has room for all existing zones: some 600, each of at most 9 kB. */
const known = new LRUCache<string, ZoneOffset[]>({ max: 1_000 });

/** All offsets of a time zone from 1970 to 2106, the moments that fit into 32 bits. The first offset begins in 1970. */
export function zoneOffsets(zone: string): ZoneOffset[] {
  return atOnce(zoneOffsetsInSteps(zone));
}

/** `zoneOffsets` in steps. All of them take 0.07 to 0.2 s for a zone that is not known yet. */
export function* zoneOffsetsInSteps(zone: string): Steps<ZoneOffset[]> {
  const found = known.get(zone);
  if (found) return found;
  const offsetAt = offsetsIn(zone);
  const offsets: ZoneOffset[] = [{ from: first, offset: offsetAt(first) }];
  let searched = 0;
  for (let from = first; from < last; from += step) {
    if (++searched % searchedAtOnce === 0) yield;
    const to = Math.min(from + step, last);
    let [low, high] = [from, to];
    if (offsetAt(to) === offsets.at(-1)!.offset) continue;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === offsets.at(-1)!.offset) low = middle;
      else high = middle;
    }
    offsets.push({ from: high, offset: offsetAt(high) });
    // The offset changes again within this step, so the next search begins at the change just found.
    if (offsetAt(to) !== offsets.at(-1)!.offset) from = high - step;
  }
  known.set(zone, offsets);
  return offsets;
}

/**
 * SQL of the offset at a moment, as nested conditions that do a binary search.
 * @param literal returns the SQL of a moment from its text in UTC, such as `2024-03-31 10:00:00`
 */
export function offsetSql(moment: string, offsets: readonly ZoneOffset[], literal: (text: string) => string): string {
  if (offsets.length === 1) return String(offsets[0]!.offset);
  const middle = Math.ceil(offsets.length / 2);
  const from = new Date(offsets[middle]!.from * 1000).toISOString().slice(0, 19).replace('T', ' ');
  const [before, since] = [offsets.slice(0, middle), offsets.slice(middle)].map(half => offsetSql(moment, half, literal));
  return `IF(${moment} < ${literal(from)}, ${before}, ${since})`;
}
