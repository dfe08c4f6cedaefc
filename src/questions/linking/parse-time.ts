import { addDays } from '../../text/calendar.js';
import { findChineseTimes } from './chinese-times.js';
import { findEnglishTimes } from './english-times.js';
import { joinTimes } from './extend-times.js';
import { type FoundTime, type TimeMention } from './found-time.js';

/** Finds the times that a question names, relative to `today` (YYYY-MM-DD). `text` is normalised (lower case). A range is one time. */
export function findTimes(text: string, today: string): TimeMention[] {
  const found = [...findChineseTimes(text, today), ...findEnglishTimes(text, today)].sort((a, b) => a.start - b.start || b.end - a.end);
  const separate: FoundTime[] = [];
  for (const mention of found) {
    const last = separate.at(-1);
    if (!last || mention.start >= last.end) separate.push(mention);
  }
  return joinTimes(text, withYears(text, separate), today).map(
    ({ text: own, start, end, span, withYear, isYearAssumed = withYear !== null }) => ({
      text: own,
      start,
      end,
      span,
      isYearAssumed,
    }),
  );
}

/**
 * Gives a part of a year without its year the year of the nearest time before it, else of the time behind it that a conjunction joins:
 * 7月 in `2025年8月比7月`, July in `July and August 2025`.
 */
function withYears(text: string, times: FoundTime[]): FoundTime[] {
  return times.map((time, i) => {
    if (!time.withYear) return time;
    const [earlier, next] = [times.slice(0, i).findLast(({ withYear }) => !withYear), times[i + 1]];
    const year = yearOf(earlier) ?? (next && joining.test(text.slice(time.end, next.start)) ? yearOf(next) : null);
    return year === null ? time : { ...time, span: time.withYear(year) };
  });
}

const joining = /^\s*(?:[,，、]|和|与|及|以及|或|比|(?:and|or|vs\.?|versus|compared (?:with|to)|than)(?: in)?)\s*$/;

/** The year in which a time lies; null if it names no year or more than one. */
function yearOf(time: FoundTime | undefined): number | null {
  if (!time?.span || time.withYear) return null;
  const { from, to } = time.span;
  const year = Number(from.slice(0, 4));
  return addDays(to, -1).startsWith(from.slice(0, 4)) ? year : null;
}
