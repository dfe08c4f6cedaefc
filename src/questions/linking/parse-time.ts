import { addDays, dateOf, daySpan, type Grain, lastUnits, monthSpan, quarterSpan, type Span, weekSpan, yearSpan } from './calendar.js';
import { NUMERAL, readNumeral } from './numerals.js';

/** A time named in a question; `start` and `end` are offsets in it. */
export interface TimeMention extends Span {
  text: string;
  start: number;
  end: number;
}

interface Found extends TimeMention {
  /** A part of a year that names none takes the year of the span before it (`2024年1月到3月`). */
  withYear: ((year: number) => Span) | null;
}

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
const MONTH_EN = `(?:${MONTHS.map(month => `${month}|${month.slice(0, 3)}`).join('|')}|sept)`;
const ORDINALS = ['first', 'second', 'third', 'fourth'];
const YEAR = '(?:19|20)\\d\\d';
const PART_ZH = `第?([一二三四1-4])季度|(${NUMERAL})月份?(?:(${NUMERAL})[日号])?|(上半年|下半年)`;

/** Finds the times a question names, relative to `today` (YYYY-MM-DD); `text` is normalised (lower case). Ranges come as one. */
export function findTimes(text: string, today: string): TimeMention[] {
  const found = [...findChinese(text, today), ...findEnglish(text, today)].sort((a, b) => a.start - b.start || b.end - a.end);
  const separate: Found[] = [];
  for (const mention of found) {
    const last = separate.at(-1);
    if (!last || mention.start >= last.end) separate.push(mention);
  }
  return joinRanges(text, separate, today).map(({ text: own, start, end, from, to }) => ({ text: own, start, end, from, to }));
}

function findChinese(text: string, today: string): Found[] {
  const thisYear = Number(today.slice(0, 4));
  const thisMonth = Number(today.slice(5, 7));
  const quarter = Math.ceil(thisMonth / 3);
  const relative: Record<string, number> = { 今年: 0, 本年: 0, 去年: -1, 上年: -1, 前年: -2 };
  return [
    ...matches(text, new RegExp(`(?:(${YEAR})年度?|(今年|本年|去年|上年|前年))的?(?:${PART_ZH})?`, 'g'), groups => {
      const year = groups[1] === undefined ? thisYear + (relative[groups[2] ?? ''] ?? 0) : Number(groups[1]);
      return { span: partOfYear(groups.slice(3))?.(year) ?? yearSpan(year), withYear: null };
    }),
    // The first of `2024和2025年` and `2024、2025年`.
    ...matches(text, new RegExp(`(?<!\\d)(${YEAR})(?=\\s*(?:[和与及、到至~-]|以及)\\s*${YEAR}年)`, 'g'), groups =>
      plain(yearSpan(Number(groups[1]))),
    ),
    ...matches(text, new RegExp(`(?<!\\d)(?:${PART_ZH})`, 'g'), groups => {
      const part = partOfYear(groups.slice(1));
      return part && { span: part(thisYear), withYear: part };
    }),
    ...matches(text, /(上个?月|这个月|本月)|(上个?季度|这个季度|本季度)|(上周|上个?星期|本周|这周)|(今天|昨天)/g, groups => {
      const past = /^[上昨]/.test(groups[0]) ? 1 : 0;
      if (groups[1] !== undefined) return plain(monthSpan(thisYear, thisMonth - past));
      if (groups[2] !== undefined) return plain(quarterSpan(thisYear, quarter - past));
      if (groups[3] !== undefined) return plain(weekSpan(addDays(today, -7 * past)));
      return plain(daySpan(addDays(today, -past)));
    }),
    ...matches(text, new RegExp(`(?:最近|过去|近)的?(${NUMERAL})(天|日|个?星期|周|个月|个?季度|年)`, 'g'), groups => {
      const units: Record<string, Grain> = { 天: 'day', 日: 'day', 周: 'week', 星期: 'week', 月: 'month', 季度: 'quarter', 年: 'year' };
      const count = readNumeral(groups[1] ?? '');
      const unit = units[(groups[2] ?? '').replace('个', '')];
      return count && unit ? plain(lastUnits(today, count, unit)) : null;
    }),
    ...matches(text, /(?<!\d)((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?(?!\d)/g, groups => {
      const [year, month, day] = [Number(groups[1]), Number(groups[2]), Number(groups[3] ?? 0)];
      if (month < 1 || month > 12 || day > 31) return null;
      return plain(day ? daySpan(dateOf(year, month, day)) : monthSpan(year, month));
    }),
  ];
}

function findEnglish(text: string, today: string): Found[] {
  const thisYear = Number(today.slice(0, 4));
  const thisMonth = Number(today.slice(5, 7));
  const quarter = Math.ceil(thisMonth / 3);
  const yearOf = (named: string | undefined, other: string | undefined): number | null =>
    named !== undefined ? Number(named) : other !== undefined ? thisYear + (other === 'last' ? -1 : 0) : null;
  const ofYear = `(?:[\\s,]+(?:of\\s+)?(?:(${YEAR})|(last|this)\\s+year))?`;
  return [
    ...matches(text, new RegExp(`\\b(?:the\\s+)?(?:q([1-4])|(${ORDINALS.join('|')})\\s+quarter)${ofYear}\\b`, 'g'), groups => {
      const number = groups[1] === undefined ? ORDINALS.indexOf(groups[2] ?? '') + 1 : Number(groups[1]);
      return inYear(yearOf(groups[3], groups[4]), thisYear, year => quarterSpan(year, number));
    }),
    ...matches(text, new RegExp(`\\b(${YEAR})\\s*q([1-4])\\b`, 'g'), groups => plain(quarterSpan(Number(groups[1]), Number(groups[2])))),
    // "may" and "march" are words of their own: without a year a month needs "in", "during", "since" or "of" before it.
    ...matches(
      text,
      new RegExp(
        `(?:\\b(${MONTH_EN})\\.?[\\s,]+(?:of\\s+)?(?:(${YEAR})|(last|this)\\s+year)\\b|(?<=\\b(?:in|during|since|of|from|between|until|and|to)\\s+)(${MONTH_EN})\\b)`,
        'g',
      ),
      groups => {
        const month = MONTHS.findIndex(name => name.startsWith((groups[1] ?? groups[4] ?? '').slice(0, 3))) + 1;
        return inYear(yearOf(groups[2], groups[3]), thisYear, year => monthSpan(year, month));
      },
    ),
    ...matches(text, /\b(last|this|previous|current)\s+(week|month|quarter|year)\b|\b(today|yesterday)\b/g, groups => {
      const past = /^(last|previous|yesterday)/.test(groups[0]) ? 1 : 0;
      switch (groups[2]) {
        case 'week':
          return plain(weekSpan(addDays(today, -7 * past)));
        case 'month':
          return plain(monthSpan(thisYear, thisMonth - past));
        case 'quarter':
          return plain(quarterSpan(thisYear, quarter - past));
        case 'year':
          return plain(yearSpan(thisYear - past));
        default:
          return plain(daySpan(addDays(today, -past)));
      }
    }),
    ...matches(text, new RegExp(`\\b(?:last|past|previous)\\s+(${NUMERAL})\\s+(day|week|month|quarter|year)s?\\b`, 'g'), groups => {
      const count = readNumeral(groups[1] ?? '');
      return count ? plain(lastUnits(today, count, groups[2] as Grain)) : null;
    }),
    ...matches(
      text,
      new RegExp(`(?<=\\b(?:in|during|for|of|since|year|from|between|and|to|until|before|after)\\s+)(${YEAR})\\b(?!-)`, 'g'),
      groups => plain(yearSpan(Number(groups[1]))),
    ),
  ];
}

function matches(
  text: string,
  pattern: RegExp,
  read: (groups: string[] & { 0: string }) => { span: Span; withYear: Found['withYear'] } | null,
): Found[] {
  return [...text.matchAll(pattern)].flatMap(match => {
    const read1 = read(match);
    return read1
      ? [{ text: match[0], start: match.index, end: match.index + match[0].length, ...read1.span, withYear: read1.withYear }]
      : [];
  });
}

const plain = (span: Span): { span: Span; withYear: null } => ({ span, withYear: null });

function inYear(year: number | null, thisYear: number, part: (year: number) => Span): { span: Span; withYear: Found['withYear'] } {
  return { span: part(year ?? thisYear), withYear: year === null ? part : null };
}

/** Quarter, month, month and day, or half of a year, from the groups of PART_ZH. */
function partOfYear([quarter, month, day, half]: (string | undefined)[]): ((year: number) => Span) | null {
  if (quarter !== undefined) return year => quarterSpan(year, readNumeral(quarter) ?? 1);
  if (half !== undefined) return year => ({ from: dateOf(year, half === '上半年' ? 1 : 7), to: dateOf(year, half === '上半年' ? 7 : 13) });
  const monthNumber = month === undefined ? null : readNumeral(month);
  if (monthNumber === null || monthNumber < 1 || monthNumber > 12) return null;
  const dayNumber = day === undefined ? null : readNumeral(day);
  return year => (dayNumber === null ? monthSpan(year, monthNumber) : daySpan(dateOf(year, monthNumber, dayNumber)));
}

/** `A 到 B`, `between A and B`, `since A`, `A 以来`, `before A`, `A 之前`. */
function joinRanges(text: string, found: Found[], today: string): Found[] {
  const joined: Found[] = [];
  for (const mention of found) {
    const last = joined.at(-1);
    const between = last ? text.slice(last.end, mention.start) : '';
    if (last && /^\s*(到|至|[-~–—]|and|to|until|through)\s*$/.test(between)) {
      const year = last.from.slice(0, 4);
      const end = mention.withYear ? mention.withYear(Number(year)) : mention;
      const start = last.withYear && !mention.withYear ? last.withYear(Number(mention.from.slice(0, 4))) : last;
      const isRange = !/and/.test(between) || /\bbetween\s*$/.test(text.slice(0, last.start));
      if (isRange && start.from < end.to) {
        joined[joined.length - 1] = {
          ...last,
          from: start.from,
          to: end.to,
          end: mention.end,
          text: text.slice(last.start, mention.end),
          withYear: null,
        };
        continue;
      }
    }
    joined.push(mention);
  }
  return joined.map(mention => {
    const before = /\b(since|after|from|before|until|between)\s*$/.exec(text.slice(0, mention.start));
    const after = /^的?(以来|之后|以后|之前|以前)/.exec(text.slice(mention.end));
    const start = before ? before.index : mention.start;
    const end = after ? mention.end + after[0].length : mention.end;
    const widened = { ...mention, start, end, text: text.slice(start, end) };
    const word = after?.[1] ?? before?.[1];
    switch (word) {
      case 'since':
      case '以来':
        return { ...widened, to: addDays(today, 1) };
      case 'after':
      case '之后':
      case '以后':
        return { ...widened, from: mention.to, to: addDays(today, 1) };
      case 'before':
      case '之前':
      case '以前':
        return { ...widened, from: '0001-01-01', to: mention.from };
      default:
        return widened;
    }
  });
}
