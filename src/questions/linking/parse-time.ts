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
  return joinTimes(text, separate, today).map(({ text: own, start, end, span, withYear, isYearAssumed = withYear !== null }) => ({
    text: own,
    start,
    end,
    span,
    isYearAssumed,
  }));
}
