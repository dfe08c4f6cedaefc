import { type Bilingual } from '../../text/bilingual.js';
import { dateOf, dayOf, daySpan, type Span } from '../../text/calendar.js';

/** A time named in a question, at the offsets `start` and `end`. `span` is null for a time that does not exist, such as 31 February. */
export interface TimeMention {
  text: string;
  start: number;
  end: number;
  span: Span | null;
  /** Whether the year was assumed, because the time does not name one. */
  isYearAssumed: boolean;
  /** How to write a time without a span, as part of a sentence; null for a time with a span. */
  hint: Bilingual | null;
}

export interface FoundTime extends Omit<TimeMention, 'isYearAssumed' | 'hint'> {
  /** Set for a part of a year that names no year: the part then gets the year of the time before it (`2024年1月到3月`). Otherwise null. */
  withYear: PartOfYear | null;
  /** Set for a range: whether both ends of the range lack a year. */
  isYearAssumed?: boolean;
  /** True for a part of a year that names no year, if the question names a year that is not joined to the part. */
  isUnclear?: boolean;
  /** How to write a time without a span, if this follows from the words of the time alone. */
  hint?: Bilingual;
}

export type PartOfYear = (year: number) => Span | null;
export type Read = Pick<FoundTime, 'span' | 'withYear' | 'hint'>;

export const yearPattern = '(?:19|20)\\d\\d';

/** Finds the times that a pattern matches. `read` returns null for a match that is not a time. */
export function findMatches(text: string, pattern: RegExp, read: (groups: string[] & { 0: string }) => Read | null): FoundTime[] {
  return [...text.matchAll(pattern)].flatMap(match => {
    const time = read(match);
    return time ? [{ text: match[0], start: match.index, end: match.index + match[0].length, ...time }] : [];
  });
}

export function plain(span: Span | null): Read {
  return { span, withYear: null };
}

export function inYear(year: number | null, thisYear: number, part: PartOfYear): Read {
  return { span: part(year ?? thisYear), withYear: year === null ? part : null };
}

/** The first or last `count` units of a year, each of `monthsOfUnit` months. Null if a year has fewer. */
export function edgeOfYear(isFirst: boolean, count: number, monthsOfUnit: 1 | 3): PartOfYear {
  const months = count * monthsOfUnit;
  if (months < 1 || months > 12) return () => null;
  return year =>
    isFirst ? { from: dateOf(year), to: dateOf(year, months + 1) } : { from: dateOf(year, 13 - months), to: dateOf(year + 1) };
}

export function spanOfDay(year: number, month: number, day: number): Span | null {
  const date = dayOf(year, month, day);
  return date === null ? null : daySpan(date);
}
