import { LRUCache } from 'lru-cache';

/**
 * True for `UTC` and for an IANA zone of the form Area/City that this runtime knows. Abbreviations are not zones: CST is Chinese,
 * American or Cuban time.
 */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true;
  if (!/^[A-Z][A-Za-z_]*(\/[A-Za-z0-9_+-]+)+$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Text for error messages: what to write in place of a text that is not a time zone. */
export const timeZoneForm = {
  zh: '应为 UTC 或 IANA 时区名，如 Asia/Shanghai（不能用 CST 之类的缩写）',
  en: 'must be UTC or an IANA zone such as Asia/Shanghai, not an abbreviation such as CST',
};

/** Cache of date formats by time zone. Making a format takes a quarter of a millisecond, some fifty times as long as using it. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({
  max: 50,
  memoMethod: zone =>
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
});

/** Returns a function from a moment (seconds since 1970) to the offset of local time from UTC in seconds; positive is ahead. */
export function offsetsIn(zone: string): (second: number) => number {
  const format = formats.memo(zone);
  return second => {
    const part: Partial<Record<string, number>> = {};
    for (const { type, value } of format.formatToParts(second * 1000)) part[type] = Number(value);
    const local = Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute, part.second);
    return local / 1000 - second;
  };
}

const day = 86_400;
const month = 30 * day;

/**
 * Whether a local time occurs twice, because the clock goes back. In Havana and in the Azores the repeated hour begins at midnight.
 * @param local YYYY-MM-DD, with a time of day or without
 */
export function isRepeated(local: string, zone: string): boolean {
  const second = Math.floor(Date.parse(`${local.length > 10 ? local.replace(' ', 'T') : `${local}T00:00`}Z`) / 1000);
  const offsetAt = offsetsIn(zone);
  const [before, after] = [offsetAt(second - day), offsetAt(second + day)];
  return after < before && offsetAt(second - before) === before && offsetAt(second - after) === after;
}

/** Before the first of these moments no zone changes its clock. After the second each zone repeats the clock changes of one year. */
const [firstMove, lastChange] = [Date.UTC(1800) / 1000, Date.UTC(2100) / 1000];

/**
 * Whether a zone changes its clock by a part of an hour between two local times, as Lord Howe does by half an hour. In a range of thousands
 * of years, at most some 300 years are searched, in 0.04 s.
 */
export function movesByPartOfHour(zone: string, from: string, to: string): boolean {
  const offsetAt = offsetsIn(zone);
  const [begin, end] = [from, to].map(local => Math.floor(Date.parse(`${local.slice(0, 10)}T00:00Z`) / 1000)) as [number, number];
  const first = Math.max(begin, firstMove);
  const last = Math.min(end, Math.max(first + 14 * month, lastChange));
  let before = offsetAt(first - month);
  for (let second = first; second < last + 2 * month; second += month) {
    const offset = offsetAt(second);
    if ((offset - before) % 3_600 !== 0) return true;
    before = offset;
  }
  return false;
}

/** Returns a function from a moment (milliseconds since 1970) to the local hour with its UTC offset: `2024-10-27T02:00+01:00`. */
export function hourTextIn(zone: string): (ms: number) => string {
  const offsetAt = offsetsIn(zone);
  return ms => {
    const offset = offsetAt(Math.floor(ms / 1000));
    const minutes = Math.trunc(Math.abs(offset) / 60);
    const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, '0'));
    return `${new Date(ms + offset * 1000).toISOString().slice(0, 13)}:00${offset < 0 ? '-' : '+'}${hour}:${minute}`;
  };
}
