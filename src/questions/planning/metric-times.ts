import { type Bilingual } from '../../text/bilingual.js';
import { type Grain } from '../../metrics/formula/formula-tree.js';
import { dateOf, monthSpan, quarterSpan, type Span, yearSpan } from '../../text/calendar.js';
import { type TimeTerm } from '../linking/question-terms.js';
import { type MetricCall } from '../vocabulary.js';

/** Joins two or more consecutive periods of one kind into one time with this kind as its grain: `2024年和2025年`. Null for other times. */
export function joinPeriods(times: Span[]): (Span & { grain: Grain }) | null {
  const sorted = [...times].sort((a, b) => a.from.localeCompare(b.from));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last || sorted.length < 2) return null;
  const grain = grainOf(first);
  const follow = sorted.every((time, i) => grainOf(time) === grain && (i === 0 || sorted[i - 1]?.to === time.from));
  return grain && follow ? { from: first.from, to: last.to, grain } : null;
}

export type PeriodGrain = 'year' | 'quarter' | 'month';

export function grainOf({ from, to, isOpen }: Span): PeriodGrain | null {
  if (isOpen) return null;
  const [year, month] = from.split('-').map(Number) as [number, number];
  const is = (span: Span): boolean => span.from === from && span.to === to;
  if (is(yearSpan(year))) return 'year';
  if (is(quarterSpan(year, Math.ceil(month / 3)))) return 'quarter';
  return is(monthSpan(year, month)) ? 'month' : null;
}

export function toTime(time: Span | undefined, grain: Grain | null): MetricCall['time'] {
  return {
    ...(time && time.from !== '0001-01-01' ? { from: time.from } : {}),
    ...(time && !time.isOpen ? { to: time.to } : {}),
    ...(grain ? { grain } : {}),
  };
}

const monthsOf = { year: 12, quarter: 3, month: 1 };

/**
 * The time whose change a question asks for, and the distance back to the time of comparison (`offset`, such as `1 year`).
 * @param since how far back the time of comparison lies: a year or one period; null if the question does not say
 * @param base the time of comparison that the question names as `去年同期`; null if it names none
 */
export function readChange(
  text: string,
  times: TimeTerm[],
  since: 'year' | 'period' | null,
  base: Span | null,
): { time: Span; offset: string } | { reason: Bilingual } {
  const [first, second, third] = [...times].sort((a, b) => a.from.localeCompare(b.from));
  const isEach = since === 'period' && first && second && !third && !base && first.to === second.from;
  if (third || (second && ((since !== null && !isEach) || base)))
    return { reason: { zh: '变化只能比较两个时段', en: 'a change is between two periods' } };
  const time = second ?? first;
  if (!time || time.isOpen || time.from === '0001-01-01')
    return { reason: { zh: '请说明是哪个时段的变化', en: 'name the period whose change is meant' } };
  const grain = grainOf(time);
  if (first && second) {
    const months = grain && grainOf(first) === grain ? monthsBetween(first, second) : 0;
    if (grain === null || months === 0)
      return { reason: { zh: '比较的两个时段须都是整年、整季或整月', en: 'the two periods must both be whole years, quarters or months' } };
    if (baseAmong(text, times) === second) return earlierThan(first, second);
    return { time, offset: `${months / monthsOf[grain]} ${grain}` };
  }
  if (base) {
    const isYearBefore = grainOf(base) === 'year' && Number(base.from.slice(0, 4)) === Number(time.from.slice(0, 4)) - 1;
    return isYearBefore
      ? { time, offset: '1 year' }
      : { reason: { zh: '同期须是前一年的', en: 'the same period must be that of the year before' } };
  }
  if (since === 'year' || (since === null && grain === 'year')) return { time, offset: '1 year' };
  if (grain !== null && since === 'period') return { time, offset: `1 ${grain}` };
  return {
    reason: {
      zh: '请说明与哪个时段相比，例如同比或环比',
      en: 'name what it is compared with, such as "year over year" or an earlier period',
    },
  };
}

/** Maximum characters of a comparing word with its spaces. */
const longestComparison = 40;
const before =
  /(?<![同环])(?:比起?|较|相较于?|相比于?|对比|\b(?:compared (?:with|to)|relative to|than|versus|vs\.?|against)\s*(?:in|of|that of|the)?)\s*$/;

/** The earlier time with which a question compares: 比2月, `compared with 2023`, 与2月相比. Undefined if the question does not say. */
function baseAmong(text: string, times: TimeTerm[]): TimeTerm | undefined {
  const ahead = ({ mention: { start } }: TimeTerm): string => text.slice(Math.max(0, start - longestComparison), start);
  const behind = ({ mention: { end } }: TimeTerm): string => text.slice(end, end + longestComparison);
  // `A和B相比` names neither as the earlier period.
  const isJoined = ({ mention: { start } }: TimeTerm): boolean =>
    times.some(
      ({ mention: { end } }) => end <= start && /^\s*[与和跟同]\s*$/.test(text.slice(Math.max(end, start - longestComparison), start)),
    );
  const isWith = (time: TimeTerm): boolean =>
    !isJoined(time) && /[与和跟同]\s*$/.test(ahead(time)) && /^(?:的\p{Script=Han}{0,10}?)?(?<![环同])相?比/u.test(behind(time));
  return times.find(isWith) ?? times.find(time => before.test(ahead(time)));
}

/**
 * The reason to refuse a change since a later time: `how much more in January than in February`. The sign of the change would be reversed.
 */
function earlierThan({ mention: now }: TimeTerm, { mention: base }: TimeTerm): { reason: Bilingual } {
  return {
    reason: {
      zh: `“${base.text}”晚于“${now.text}”，变化只能与较早的时段相比；请问“${base.text}比${now.text}”，或写明年份`,
      en: `"${base.text}" is later than "${now.text}", and a change is since an earlier period; ask for "${base.text}" compared with "${now.text}", or name the year`,
    },
  };
}

function monthsBetween(first: Span, second: Span): number {
  let months = 0;
  const [year, month] = first.from.split('-').map(Number) as [number, number];
  while (dateOf(year, month + months) < second.from && months < 9_999) months++;
  return months;
}
