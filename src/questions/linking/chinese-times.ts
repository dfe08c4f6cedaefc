import { type CalendarGrain } from '../../metrics/formula/formula-tree.js';
import { type Bilingual } from '../../text/bilingual.js';
import { addDays, dateOf, daySpan, lastUnits, monthSpan, quarterSpan, type Span, weekSpan, yearSpan } from '../../text/calendar.js';
import { edgeOfYear, findMatches, type FoundTime, type PartOfYear, plain, spanOfDay, yearPattern } from './found-time.js';
import { numeralPattern, readNumeral } from './numerals.js';

const digits = '零一二三四五六七八九';
const spelledYear = '[一二][零〇一二三四五六七八九]{3}';
/** Pattern of the text between months or quarters that share one noun: `7、8月`, `一到三季度`. */
const joint = '\\s*(?:以及|[和与及到至、,，~–—-])\\s*';
const monthNumber = '(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])';
const quarterNumber = '[一二三四1-4]';
const partPattern =
  `(?:(?:第|(?=${quarterNumber}季度))(${quarterNumber})季度?|q([1-4])(?![0-9a-z]))|` +
  `(${numeralPattern})月份?(?:(${numeralPattern})(?:[日号]?\\s*[到至~–—-]\\s*(${numeralPattern}))?[日号]|([上中下])旬)?|` +
  `(上半年|下半年)|([底末初])(?![级次始中层部盘价端班尾])|` +
  `第?(${quarterNumber})(?=(?:${joint}第?${quarterNumber}){1,3}季度)|(?<![月份]\\s?)(${monthNumber})(?=(?:${joint}${monthNumber}){1,11}月(?!份?${numeralPattern}[日号]))`;
/** Pattern of the first or last months, or the first or last quarters, of a year: 前三个月, 最后两个季度. */
const edgePattern = `(前|头|最后)(${numeralPattern})(个月|个?季度)`;
const years: Record<string, number> = { 今年: 0, 本年: 0, 本年度: 0, 去年: -1, 上年: -1, 上年度: -1, 前年: -2, 明年: 1, 后年: 2 };
/** Pattern of a year by its number or by its distance from this year, in two groups. */
const namedYear = `(?:(?<!\\d)(${yearPattern}|${spelledYear})(?:年度?|(?=q[1-4]))|(今年|本年度?|去年|上年度?|前年|明年|后年))`;
const days: Record<string, number> = { 今天: 0, 今日: 0, 昨天: -1, 昨日: -1, 前天: -2, 明天: 1, 明日: 1, 后天: 2 };
const units: Record<string, CalendarGrain> = { 天: 'day', 日: 'day', 周: 'week', 星期: 'week', 月: 'month', 季度: 'quarter', 年: 'year' };

/** Finds times in Chinese. Words for a vague part of a span (`年底`) get a null span, because they have no exact bounds. */
export function findChineseTimes(text: string, today: string): FoundTime[] {
  const [thisYear, thisMonth] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  const quarter = Math.ceil(thisMonth / 3);
  const tomorrow = addDays(today, 1);
  const yearOf = (groups: (string | undefined)[]): number =>
    groups[1] === undefined ? thisYear + (years[groups[2] ?? ''] ?? 0) : readYear(groups[1]);
  const inUnit = (unit: string, steps: number): Span => {
    if (unit === '月') return monthSpan(thisYear, thisMonth + steps);
    if (unit === '季度') return quarterSpan(thisYear, quarter + steps);
    return weekSpan(addDays(today, 7 * steps));
  };
  return [
    ...findMatches(text, /(?:今年|本年度?|年初)(?:至今|以来)|年初到(?:现在|今天)/g, () => plain({ from: dateOf(thisYear), to: tomorrow })),
    ...findMatches(text, /(?:本月|这个月|月初)(?:至今|以来)|月初到(?:现在|今天)/g, () =>
      plain({ from: dateOf(thisYear, thisMonth), to: tomorrow }),
    ),
    ...findMatches(text, new RegExp(`${namedYear}的?(?:${partPattern})?`, 'g'), groups => {
      const year = yearOf(groups);
      return plain(groups.slice(3).every(group => group === undefined) ? yearSpan(year) : partOfYear(groups.slice(3))(year));
    }),
    ...findMatches(text, new RegExp(`${namedYear}的?${edgePattern}`, 'g'), groups => plain(edgeOf(groups.slice(3))(yearOf(groups)))),
    ...findMatches(text, new RegExp(`(?<!最\\p{Script=Han}{1,2}的?|排名)(?:${edgePattern})`, 'gu'), groups => {
      if (groups[1] === '最后') return null;
      const part = edgeOf(groups.slice(1));
      // `前三季度` means the first three quarters of the year, but `前三个月` may also mean the last three months.
      return groups[3] === '季度' ? { span: part(thisYear), withYear: part } : { span: null, withYear: null, hint: ofYearOrLast(groups) };
    }),
    // The first year of `2024和2025年` and `2024、2025年`, which has no 年 of its own.
    ...findMatches(text, new RegExp(`(?<!\\d)(${yearPattern})(?=\\s*(?:[和与及、到至~-]|以及)\\s*${yearPattern}年)`, 'g'), groups =>
      plain(yearSpan(Number(groups[1]))),
    ),
    ...findMatches(text, /(?:(?:上世纪|20世纪|二十世纪)([1-9一二三四五六七八九])[0十]|(?<!\d)((?:19|20)\d)0)年代/g, groups => {
      const decade = groups[2] === undefined ? 190 + (Number(groups[1]) || digits.indexOf(groups[1] ?? '')) : Number(groups[2]);
      return plain({ from: dateOf(decade * 10), to: dateOf(decade * 10 + 10) });
    }),
    ...findMatches(text, new RegExp(`(?<![\\da-z])(?:${partPattern})`, 'g'), groups => {
      // A bare 底 or 初, without a year or month before it, is an ordinary word.
      if (/^[底末初]$/.test(groups[0])) return null;
      const part = partOfYear(groups.slice(1));
      return { span: part(thisYear), withYear: part };
    }),
    ...findMatches(text, /(?:(这个?|本|下个?)|(上上?)个?)(月|季度|(?:周|星期|礼拜)([一二三四五六日天末])?)/g, groups => {
      const steps = groups[2] === undefined ? (groups[1]?.startsWith('下') ? 1 : 0) : -groups[2].length;
      const span = inUnit(groups[3] ?? '', steps);
      return plain(groups[4] === undefined ? span : dayOfWeek(span, groups[4]));
    }),
    ...findMatches(text, new RegExp(Object.keys(days).join('|'), 'g'), groups => plain(daySpan(addDays(today, days[groups[0]] ?? 0)))),
    ...findMatches(
      text,
      new RegExp(`(?:最近|过去|近)的?(${numeralPattern}|半)(天|日|个?星期|周|个月|个?季度|年)(?:内|里|以?来)?`, 'g'),
      groups => {
        const unit = units[(groups[2] ?? '').replace('个', '')];
        if (groups[1] === '半') return unit === 'year' ? plain(lastUnits(today, 6, 'month')) : null;
        const count = readNumeral(groups[1] ?? '');
        return count && unit ? plain(lastUnits(today, count, unit)) : null;
      },
    ),
    ...findMatches(text, /(?<![\d.])((?:19|20)\d\d)([-/.])(\d\d?)(?:\2(\d\d?))?(?![\d-/])(?!\.\d)/g, groups => {
      const [year, month] = [Number(groups[1]), Number(groups[3])];
      if (groups[4] !== undefined) return plain(spanOfDay(year, month, Number(groups[4])));
      // `2024.5` may be a number, and `2024-5` a code.
      if (groups[2] === '.' || groups[3]?.length !== 2) return null;
      return month < 1 || month > 12 ? null : plain(monthSpan(year, month));
    }),
  ];
}

/** The span of a named day in a week: 一 is Monday, 末 is Saturday and Sunday. */
function dayOfWeek({ from }: Span, day: string): Span {
  if (day === '末') return daySpan(addDays(from, 5), 2);
  return daySpan(addDays(from, '一二三四五六日'.indexOf(day === '天' ? '日' : day)));
}

function readYear(text: string): number {
  return Number(text.replaceAll('〇', '零').replaceAll(/[零一二三四五六七八九]/g, digit => String(digits.indexOf(digit))));
}

/** Reads a quarter, month, part of a month, days, or half of a year from the groups of `partPattern`. */
function partOfYear([quarter, letter, month, day, lastDay, third, half, edge, ofQuarters, ofMonths]: (string | undefined)[]): PartOfYear {
  if (edge !== undefined) return () => null;
  const ofYear = quarter ?? letter ?? ofQuarters;
  if (ofYear !== undefined) return year => quarterSpan(year, readNumeral(ofYear) ?? 1);
  if (half !== undefined) return year => ({ from: dateOf(year, half === '上半年' ? 1 : 7), to: dateOf(year, half === '上半年' ? 7 : 13) });
  const number = readNumeral(month ?? ofMonths ?? '') ?? 0;
  if (number < 1 || number > 12) return () => null;
  if (third === '上') return year => ({ from: dateOf(year, number), to: dateOf(year, number, 11) });
  if (third === '中') return year => ({ from: dateOf(year, number, 11), to: dateOf(year, number, 21) });
  if (third === '下') return year => ({ from: dateOf(year, number, 21), to: dateOf(year, number + 1) });
  if (day === undefined) return year => monthSpan(year, number);
  return year => {
    const [first, last] = [day, lastDay ?? day].map(each => spanOfDay(year, number, readNumeral(each) ?? 0));
    return first && last && first.from <= last.from ? { from: first.from, to: last.to } : null;
  };
}

/** Reads the first or last months or quarters of a year from the groups of `edgePattern`. */
function edgeOf([side, count, unit]: (string | undefined)[]): PartOfYear {
  return edgeOfYear(side !== '最后', readNumeral(count ?? '') ?? 0, unit === '个月' ? 1 : 3);
}

function ofYearOrLast([own, , count, unit]: (string | undefined)[]): Bilingual {
  return {
    zh: `“${own}”可以是一年的${own}，也可以是最近${count}${unit}，请写明，例如“今年${own}”或“最近${count}${unit}”`,
    en: `"${own}" may be the first of a year or the last ones; write "今年${own}" or "最近${count}${unit}"`,
  };
}
