import { type Bilingual } from '../../text/bilingual.js';
import { addDays, type Span } from '../../text/calendar.js';
import { findChineseTimes } from './chinese-times.js';
import { findEnglishTimes } from './english-times.js';
import { joinTimes } from './extend-times.js';
import { type FoundTime, type PartOfYear, type TimeMention } from './found-time.js';

/** Finds the times that a question names, relative to `today` (YYYY-MM-DD). `text` is normalised (lower case). A range is one time. */
export function findTimes(text: string, today: string): TimeMention[] {
  const found = [...findChineseTimes(text, today), ...findEnglishTimes(text, today)].sort((a, b) => a.start - b.start || b.end - a.end);
  const separate: FoundTime[] = [];
  for (const mention of found) {
    const last = separate.at(-1);
    if (!last || mention.start >= last.end) separate.push(mention);
  }
  return joinTimes(text, withYears(text, separate, today), today).map(
    ({ text: own, start, end, span, withYear, isUnclear = false, isYearAssumed = withYear !== null, hint }) => ({
      text: own,
      start,
      end,
      span: isUnclear ? null : span,
      isYearAssumed,
      hint: isUnclear ? ofWhichYear(own, today.slice(0, 4)) : span ? null : (hint ?? notExact(own)),
    }),
  );
}

function ofWhichYear(time: string, year: string): Bilingual {
  return {
    zh: `“${time}”没有写明是哪一年，请写出年份，例如“${year}年${time}”`,
    en: `"${time}" does not say of which year it is; name the year, such as "${time} ${year}"`,
  };
}

function notExact(time: string): Bilingual {
  return {
    zh: `“${time}”不是有效且确切的时间，请写成“2025年11月”“2025年第四季度”或“2025-11-30”这样`,
    en: `"${time}" is not a valid and exact time; write it like "November 2025", "Q4 2025" or "2025-11-30"`,
  };
}

/**
 * Dates each part of a year, such as 7月, by the year of the time that a conjunction or comparison joins to it: 7月 in `2025年8月比7月`, and July
 * and August in `July, August and September 2025`. January behind December lies in the next year. A time becomes unclear if its year is
 * ambiguous, as in `2025年11月和1月`, or if the question states a year that nothing joins to the time.
 */
function withYears(text: string, times: FoundTime[], today: string): FoundTime[] {
  const dated: FoundTime[] = [];
  const isDated = times.map(({ withYear }) => !withYear);
  for (const [i, time] of times.entries()) {
    const before = dated.at(-1);
    const joint = before && isDated[i - 1] ? jointOf(text, before, time) : null;
    const taken = joint && time.withYear ? spanBeside(time.withYear, before?.span, joint === 'list', today) : undefined;
    if (taken !== undefined) isDated[i] = true;
    dated.push(taken === undefined ? time : withSpan(time, taken));
  }
  for (let i = dated.length - 2; i >= 0; i--) {
    const [time, next] = [dated[i]!, dated[i + 1]!];
    const joint = !isDated[i] && isDated[i + 1] ? jointOf(text, time, next) : null;
    const taken = joint && time.withYear ? spanBeside(time.withYear, next.span, joint !== 'list', today) : undefined;
    if (taken === undefined) continue;
    isDated[i] = true;
    dated[i] = withSpan(time, taken);
  }
  const namesYear = times.some(({ text: own }) => writtenYear.test(own));
  return dated.map((time, i) => (namesYear && !isDated[i] ? { ...time, isUnclear: true } : time));
}

/** Sets the span of a time. A null span makes the time unclear, because its year is open, unless the time had no span before either. */
function withSpan(time: FoundTime, span: Span | null): FoundTime {
  return { ...time, span, ...(span === null && time.span !== null && { isUnclear: true }) };
}

const writtenYear = /\d{4}|[〇零一二三四五六七八九]{4}年/;
const listing = /^\s*(?:,?\s*and|[,，、/]|和|与|跟|同|及|以及|还有|或者?|or)?(?: in)?\s*$/;
const comparing = /^[^,，。;；?？!！]*(?:比|较|相对于?|[高低多少]于|\b(?:vs\.?|versus|compared (?:with|to)|than))(?: in)?\s*$/;
/** Maximum characters between two times that a conjunction or a comparison joins: `2025年8月的销售额比7月`. */
const longestJoint = 40;

/** How two times are joined. Null if they belong to different parts of the question: `hired in 1998 who sold in March`. */
function jointOf(text: string, first: FoundTime, second: FoundTime): 'list' | 'comparison' | null {
  if (second.start - first.end > longestJoint) return null;
  const between = text.slice(first.end, second.start);
  return listing.test(between) ? 'list' : comparing.test(between) ? 'comparison' : null;
}

/**
 * The span of a part of a year in the year of the time beside it, or in the neighbouring year if both times then adjoin: January 2026
 * behind December 2025. Null if the year is unclear; undefined if the other time does not lie in a single year.
 * @param isLater whether the part comes after the other time, if it is written in the usual order
 */
function spanBeside(part: PartOfYear, beside: Span | null | undefined, isLater: boolean, today: string): Span | null | undefined {
  const year = beside && yearOf(beside);
  if (!beside || year === null || year === undefined) return undefined;
  const [same, near] = [part(year), part(isLater ? year + 1 : year - 1)];
  if (!same || !near || (isLater ? same.from >= beside.from : same.from <= beside.from)) return same;
  // The neighbouring year is not meant if it lies in the future: 1月 beside December of this year is January of this year.
  if (near.from > today) return same;
  const meets = (other: Span): boolean => other.from === beside.to || other.to === beside.from;
  if (meets(same)) return same;
  if (meets(near)) return near;
  const distance = ({ from }: Span): number => Math.abs(Date.parse(from) - Date.parse(beside.from));
  return isLater && distance(near) < distance(same) ? null : same;
}

/** The year in which a time lies; null for a whole year, and for a time that spans several years. */
function yearOf({ from, to }: Span): number | null {
  const year = Number(from.slice(0, 4));
  const isWhole = from.endsWith('-01-01') && to === addDays(`${from.slice(0, 4)}-12-31`, 1);
  return !isWhole && addDays(to, -1).startsWith(from.slice(0, 4)) ? year : null;
}
