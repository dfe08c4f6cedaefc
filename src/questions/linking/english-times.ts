import { type CalendarGrain } from '../../metrics/formula/formula-tree.js';
import { addDays, dateOf, daySpan, lastUnits, monthSpan, quarterSpan, type Span, weekSpan, yearSpan } from '../../text/calendar.js';
import { edgeOfYear, findMatches, type FoundTime, inYear, plain, type Read, spanOfDay, yearPattern } from './found-time.js';
import { numeralPattern, readNumeral } from './numerals.js';

const months = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
const monthPattern = `(?:${months.map(month => `${month}|${month.slice(0, 3)}`).join('|')}|sept)`;
const dayPattern = '(\\d{1,2})(?:st|nd|rd|th)?';
const ordinals = ['first', 'second', 'third', 'fourth'];
const days: Record<string, number> = { today: 0, yesterday: -1, tomorrow: 1 };
/**
 * "may" and "march" are also ordinary words, so a month without a year needs a word such as "in" or "since" before it. The number of
 * spaces is bounded, because a long run of spaces would be read again from each of its positions.
 */
const beforeMonth = '(?<=\\b(?:in|during|since|of|from|between|until|till|and|to|before|after|by|through)\\s{1,3})';
const beforeDay = '(?<=\\b(?:on|since|from|between|until|till|and|to|before|after|by|through)\\s{1,3}(?:the\\s{1,3})?)';

/** Finds times in English. */
export function findEnglishTimes(text: string, today: string): FoundTime[] {
  const [thisYear, thisMonth] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  const quarter = Math.ceil(thisMonth / 3);
  const tomorrow = addDays(today, 1);
  const yearOf = (named: string | undefined, other: string | undefined): number | null =>
    named !== undefined ? Number(named) : other !== undefined ? thisYear + (other === 'last' ? -1 : 0) : null;
  const ofYear = `(?:[\\s,]+(?:(?:of|in)\\s+)?(?:(${yearPattern})|(last|this)\\s+year))`;
  const monthOf = (name: string | undefined): number => months.findIndex(month => month.startsWith((name ?? '').slice(0, 3))) + 1;
  const dayIn = (month: string | undefined, day: string | undefined, year: number | null): Read =>
    inYear(year, thisYear, own => spanOfDay(own, monthOf(month), Number(day)));
  const inUnit = (unit: string | undefined, steps: number): Span => {
    if (unit === 'week') return weekSpan(addDays(today, 7 * steps));
    if (unit === 'month') return monthSpan(thisYear, thisMonth + steps);
    return unit === 'quarter' ? quarterSpan(thisYear, quarter + steps) : yearSpan(thisYear + steps);
  };
  const toDate: [RegExp, string][] = [
    [/\b(?:(?:this\s+)?year[\s-]to[\s-]date|ytd|so far this year|this year so far)\b/g, dateOf(thisYear)],
    [/\b(?:(?:this\s+)?quarter[\s-]to[\s-]date|qtd|so far this quarter)\b/g, quarterSpan(thisYear, quarter).from],
    [/\b(?:(?:this\s+)?month[\s-]to[\s-]date|mtd|so far this month)\b/g, dateOf(thisYear, thisMonth)],
  ];
  return [
    ...toDate.flatMap(([pattern, from]) => findMatches(text, pattern, () => plain({ from, to: tomorrow }))),
    ...findMatches(text, new RegExp(`\\b(?:the\\s+)?(?:q([1-4])|(${ordinals.join('|')})\\s+quarter)${ofYear}?\\b`, 'g'), groups => {
      const number = groups[1] === undefined ? ordinals.indexOf(groups[2] ?? '') + 1 : Number(groups[1]);
      return inYear(yearOf(groups[3], groups[4]), thisYear, year => quarterSpan(year, number));
    }),
    // `the first three quarters of 2025`, `last 2 months of this year`.
    ...findMatches(
      text,
      new RegExp(
        `\\b(?:the\\s+)?(?:(first)|last|final)\\s+(${numeralPattern})\\s+(month|quarter)s?${ofYear}\\b(?!\\s*(?:,|and|&)\\s*(?:19|20)\\d\\d)`,
        'g',
      ),
      groups => {
        const part = edgeOfYear(groups[1] !== undefined, readNumeral(groups[2] ?? '') ?? 0, groups[3] === 'month' ? 1 : 3);
        return plain(part(yearOf(groups[4], groups[5]) ?? thisYear));
      },
    ),
    ...findMatches(text, new RegExp(`\\b(?:the\\s+)?(?:last|final)\\s+quarter${ofYear}\\b`, 'g'), groups =>
      inYear(yearOf(groups[1], groups[2]), thisYear, year => quarterSpan(year, 4)),
    ),
    ...findMatches(
      text,
      new RegExp(`\\b(?:the\\s+)?(?:h([12])|(first|second)\\s+half)${ofYear}\\b|\\b(${yearPattern})\\s*h([12])\\b`, 'g'),
      groups => {
        const isFirst = (groups[1] ?? groups[6] ?? groups[2]) === '1' || groups[2] === 'first';
        return inYear(yearOf(groups[3] ?? groups[5], groups[4]), thisYear, year => ({
          from: dateOf(year, isFirst ? 1 : 7),
          to: dateOf(year, isFirst ? 7 : 13),
        }));
      },
    ),
    ...findMatches(text, new RegExp(`\\b(${yearPattern})\\s*q([1-4])\\b`, 'g'), groups =>
      plain(quarterSpan(Number(groups[1]), Number(groups[2]))),
    ),
    ...findMatches(text, new RegExp(`\\b(?:the\\s+)?((?:19|20)\\d)0'?s\\b`, 'g'), groups =>
      plain({ from: dateOf(Number(groups[1]) * 10), to: dateOf(Number(groups[1]) * 10 + 10) }),
    ),
    // April 1, 1998; april 1st; 1 April 1998; the 4th of July 1996.
    ...findMatches(
      text,
      new RegExp(
        `(?:\\b(${monthPattern})\\.?\\s+${dayPattern}${ofYear}|${beforeDay}(${monthPattern})\\.?\\s+${dayPattern})(?![\\d-])\\b`,
        'g',
      ),
      groups => dayIn(groups[1] ?? groups[5], groups[2] ?? groups[6], yearOf(groups[3], groups[4])),
    ),
    ...findMatches(
      text,
      new RegExp(
        `(?:\\b(?:the\\s+)?${dayPattern}\\s+(?:of\\s+)?(${monthPattern})\\.?${ofYear}|${beforeDay}${dayPattern}\\s+(?:of\\s+)?(${monthPattern}))\\b`,
        'g',
      ),
      groups => dayIn(groups[2] ?? groups[6], groups[1] ?? groups[5], yearOf(groups[3], groups[4])),
    ),
    // 12/31/1997, where only one order of month and day is a date.
    ...findMatches(text, new RegExp(`(?<![\\d/])(\\d\\d?)/(\\d\\d?)/(${yearPattern})(?![\\d/])`, 'g'), groups => {
      const [first, second, year] = groups.slice(1).map(Number) as [number, number, number];
      const readings = [spanOfDay(year, first, second), spanOfDay(year, second, first)].filter(span => span !== null);
      return plain(readings.length === 2 && first !== second ? null : (readings[0] ?? null));
    }),
    ...findMatches(
      text,
      new RegExp(
        `(?:\\b(${monthPattern})\\.?${ofYear}\\b|${beforeMonth}(${monthPattern})\\b|\\b(${monthPattern})(?=(?:,\\s{1,3}${monthPattern}){0,11}(?:\\s*(?:-|–|to|through|until)|,?\\s*and)\\s*${monthPattern}\\.?,?\\s+${yearPattern}\\b))`,
        'g',
      ),
      groups => inYear(yearOf(groups[2], groups[3]), thisYear, year => monthSpan(year, monthOf(groups[1] ?? groups[4] ?? groups[5]))),
    ),
    ...findMatches(text, /\b(?:the\s+)?(last|this|previous|current|next)\s+(week|month|quarter|year)\b/g, ([, word, unit]) =>
      plain(inUnit(unit, word === 'next' ? 1 : word === 'last' || word === 'previous' ? -1 : 0)),
    ),
    ...findMatches(text, /\b(?:(?:over|within|in|during|for)\s+)?(?:the\s+)?past\s+(day|week|month|quarter|year)\b/g, ([, unit]) =>
      plain(lastUnits(today, 1, unit as CalendarGrain)),
    ),
    ...findMatches(text, /\b(?:today|yesterday|tomorrow)\b/g, groups => plain(daySpan(addDays(today, days[groups[0]] ?? 0)))),
    ...findMatches(
      text,
      new RegExp(
        `\\b(?:(?:over|within|in|during|for)\\s+)?(?:the\\s+)?(?:last|past|previous|most recent)\\s+(${numeralPattern})\\s+(day|week|month|quarter|year)s?\\b`,
        'g',
      ),
      groups => {
        const count = readNumeral(groups[1] ?? '');
        return count ? plain(lastUnits(today, count, groups[2] as CalendarGrain)) : null;
      },
    ),
    ...findMatches(
      text,
      new RegExp(
        `(?<=\\b(?:in|during|for|of|since|year|from|between|and|to|until|till|through|by|before|after|vs\\.?|versus|compared with|(?:earlier|later) than)\\s{1,3})(${yearPattern})\\b(?!-\\d\\d?\\b(?!\\d\\d))` +
          `|\\b(${yearPattern})(?=\\s*[-–]\\s*${yearPattern}\\b)|(?<=\\b${yearPattern}\\s{0,3}[-–]\\s{0,3})(${yearPattern})\\b(?!-)`,
        'g',
      ),
      groups => plain(yearSpan(Number(groups[0]))),
    ),
  ];
}
