import { type CalendarGrain } from '../../metrics/formula/formula-tree.js';
import { addDays, dateOf, dayOf, daySpan, lastUnits, monthSpan, quarterSpan, type Span, weekSpan, yearSpan } from '../../text/calendar.js';
import { numeralPattern, readNumeral } from './numerals.js';

/** A time named in a question, at the offsets `start` and `end`. `span` is null for a time that does not exist, such as 31 February. */
export interface TimeMention {
  text: string;
  start: number;
  end: number;
  span: Span | null;
}

interface Found extends TimeMention {
  /** Set for a part of a year that names no year: it takes the year of the span before it (`2024年1月到3月`). */
  withYear: PartOfYear | null;
}

type PartOfYear = (year: number) => Span | null;
type Read = Pick<Found, 'span' | 'withYear'>;

const months = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
const monthPattern = `(?:${months.map(month => `${month}|${month.slice(0, 3)}`).join('|')}|sept)`;
const ordinals = ['first', 'second', 'third', 'fourth'];
const yearPattern = '(?:19|20)\\d\\d';
const partPattern = `第?([一二三四1-4])季度|(${numeralPattern})月份?(?:(${numeralPattern})[日号])?|(上半年|下半年)`;

/** Finds the times that a question names, relative to `today` (YYYY-MM-DD). `text` is normalised (lower case). A range is one time. */
export function findTimes(text: string, today: string): TimeMention[] {
  const found = [...findChinese(text, today), ...findEnglish(text, today)].sort((a, b) => a.start - b.start || b.end - a.end);
  const separate: Found[] = [];
  for (const mention of found) {
    const last = separate.at(-1);
    if (!last || mention.start >= last.end) separate.push(mention);
  }
  return joinRanges(text, separate, today).map(({ text: own, start, end, span }) => ({ text: own, start, end, span }));
}

function findChinese(text: string, today: string): Found[] {
  const thisYear = Number(today.slice(0, 4));
  const thisMonth = Number(today.slice(5, 7));
  const quarter = Math.ceil(thisMonth / 3);
  const relative: Record<string, number> = { 今年: 0, 本年: 0, 去年: -1, 上年: -1, 前年: -2 };
  return [
    ...matches(text, new RegExp(`(?:(${yearPattern})年度?|(今年|本年|去年|上年|前年))的?(?:${partPattern})?`, 'g'), groups => {
      const year = groups[1] === undefined ? thisYear + (relative[groups[2] ?? ''] ?? 0) : Number(groups[1]);
      return plain(groups.slice(3).every(group => group === undefined) ? yearSpan(year) : partOfYear(groups.slice(3))(year));
    }),
    // The first year of `2024和2025年` and `2024、2025年`.
    ...matches(text, new RegExp(`(?<!\\d)(${yearPattern})(?=\\s*(?:[和与及、到至~-]|以及)\\s*${yearPattern}年)`, 'g'), groups =>
      plain(yearSpan(Number(groups[1]))),
    ),
    ...matches(text, new RegExp(`(?<!\\d)(?:${partPattern})`, 'g'), groups => {
      const part = partOfYear(groups.slice(1));
      return { span: part(thisYear), withYear: part };
    }),
    ...matches(text, /(上个?月|这个月|本月)|(上个?季度|这个季度|本季度)|(上周|上个?星期|本周|这周)|(今天|昨天)/g, groups => {
      const past = /^[上昨]/.test(groups[0]) ? 1 : 0;
      if (groups[1] !== undefined) return plain(monthSpan(thisYear, thisMonth - past));
      if (groups[2] !== undefined) return plain(quarterSpan(thisYear, quarter - past));
      if (groups[3] !== undefined) return plain(weekSpan(addDays(today, -7 * past)));
      return plain(daySpan(addDays(today, -past)));
    }),
    ...matches(text, new RegExp(`(?:最近|过去|近)的?(${numeralPattern})(天|日|个?星期|周|个月|个?季度|年)`, 'g'), groups => {
      const units: Record<string, CalendarGrain> = {
        天: 'day',
        日: 'day',
        周: 'week',
        星期: 'week',
        月: 'month',
        季度: 'quarter',
        年: 'year',
      };
      const count = readNumeral(groups[1] ?? '');
      const unit = units[(groups[2] ?? '').replace('个', '')];
      return count && unit ? plain(lastUnits(today, count, unit)) : null;
    }),
    ...matches(text, /(?<!\d)((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?(?!\d)/g, groups => {
      const [year, month] = [Number(groups[1]), Number(groups[2])];
      if (groups[3] !== undefined) return plain(spanOfDay(year, month, Number(groups[3])));
      return month < 1 || month > 12 ? null : plain(monthSpan(year, month));
    }),
  ];
}

function findEnglish(text: string, today: string): Found[] {
  const thisYear = Number(today.slice(0, 4));
  const thisMonth = Number(today.slice(5, 7));
  const quarter = Math.ceil(thisMonth / 3);
  const yearOf = (named: string | undefined, other: string | undefined): number | null =>
    named !== undefined ? Number(named) : other !== undefined ? thisYear + (other === 'last' ? -1 : 0) : null;
  const ofYear = `(?:[\\s,]+(?:of\\s+)?(?:(${yearPattern})|(last|this)\\s+year))?`;
  return [
    ...matches(text, new RegExp(`\\b(?:the\\s+)?(?:q([1-4])|(${ordinals.join('|')})\\s+quarter)${ofYear}\\b`, 'g'), groups => {
      const number = groups[1] === undefined ? ordinals.indexOf(groups[2] ?? '') + 1 : Number(groups[1]);
      return inYear(yearOf(groups[3], groups[4]), thisYear, year => quarterSpan(year, number));
    }),
    ...matches(text, new RegExp(`\\b(${yearPattern})\\s*q([1-4])\\b`, 'g'), groups =>
      plain(quarterSpan(Number(groups[1]), Number(groups[2]))),
    ),
    // "may" and "march" are also ordinary words, so a month without a year needs "in", "during", "since" or "of" before it.
    ...matches(
      text,
      new RegExp(
        `(?:\\b(${monthPattern})\\.?[\\s,]+(?:of\\s+)?(?:(${yearPattern})|(last|this)\\s+year)\\b|(?<=\\b(?:in|during|since|of|from|between|until|and|to)\\s+)(${monthPattern})\\b)`,
        'g',
      ),
      groups => {
        const month = months.findIndex(name => name.startsWith((groups[1] ?? groups[4] ?? '').slice(0, 3))) + 1;
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
    ...matches(text, new RegExp(`\\b(?:last|past|previous)\\s+(${numeralPattern})\\s+(day|week|month|quarter|year)s?\\b`, 'g'), groups => {
      const count = readNumeral(groups[1] ?? '');
      return count ? plain(lastUnits(today, count, groups[2] as CalendarGrain)) : null;
    }),
    ...matches(
      text,
      new RegExp(
        `(?<=\\b(?:in|during|for|of|since|year|from|between|and|to|until|till|through|by|before|after)\\s+)(${yearPattern})\\b(?!-)`,
        'g',
      ),
      groups => plain(yearSpan(Number(groups[1]))),
    ),
  ];
}

function matches(text: string, pattern: RegExp, read: (groups: string[] & { 0: string }) => Read | null): Found[] {
  return [...text.matchAll(pattern)].flatMap(match => {
    const time = read(match);
    return time ? [{ text: match[0], start: match.index, end: match.index + match[0].length, ...time }] : [];
  });
}

const plain = (span: Span | null): Read => ({ span, withYear: null });

function inYear(year: number | null, thisYear: number, part: PartOfYear): Read {
  return { span: part(year ?? thisYear), withYear: year === null ? part : null };
}

function spanOfDay(year: number, month: number, day: number): Span | null {
  const date = dayOf(year, month, day);
  return date === null ? null : daySpan(date);
}

/** Reads a quarter, month, month and day, or half of a year from the groups of `partPattern`. */
function partOfYear([quarter, month, day, half]: (string | undefined)[]): PartOfYear {
  if (quarter !== undefined) return year => quarterSpan(year, readNumeral(quarter) ?? 1);
  if (half !== undefined) return year => ({ from: dateOf(year, half === '上半年' ? 1 : 7), to: dateOf(year, half === '上半年' ? 7 : 13) });
  const monthNumber = readNumeral(month ?? '') ?? 0;
  if (monthNumber < 1 || monthNumber > 12) return () => null;
  return year => (day === undefined ? monthSpan(year, monthNumber) : spanOfDay(year, monthNumber, readNumeral(day) ?? 0));
}

/** Joins ranges: `A 到 B`, `between A and B`, `since A`, `A 以来`, `before A`, `A 之前`. A range that ends before it begins is no time. */
function joinRanges(text: string, found: Found[], today: string): Found[] {
  const joined: Found[] = [];
  for (const mention of found) {
    const last = joined.at(-1);
    const between = last ? text.slice(last.end, mention.start) : '';
    const isRange =
      /^\s*(到|至|[-~–—]|to|until|through)\s*$/.test(between) ||
      (/^\s*and\s*$/.test(between) && /\bbetween\s*$/.test(text.slice(0, last?.start)));
    if (last && isRange)
      joined[joined.length - 1] = {
        text: text.slice(last.start, mention.end),
        start: last.start,
        end: mention.end,
        span: rangeOf(last, mention),
        withYear: null,
      };
    else joined.push(mention);
  }
  return joined.map(mention => widen(text, mention, !found.includes(mention), today));
}

function rangeOf(first: Found, last: Found): Span | null {
  if (!first.span || !last.span) return null;
  const start = first.withYear && !last.withYear ? first.withYear(Number(last.span.from.slice(0, 4))) : first.span;
  const end = last.withYear ? last.withYear(Number(first.span.from.slice(0, 4))) : last.span;
  return start && end && start.from < end.to ? { from: start.from, to: end.to } : null;
}

/** Must follow 前, 后, 起 and 止 for them to be words of their own. Otherwise they may begin another word (`后视镜`, `止痛药`). */
const endsWord = '(?=\\s*(?:[的有共是]|[，。、；？！,.;?!]|$))';

/** The words that extend a time: since, after, until, before. The first that fits the text before and after the time counts. */
const reaches: { before?: RegExp; after?: RegExp; reach: (span: Span, tomorrow: string) => Span | null }[] = [
  { after: /^\s*的?[及或](?:以后|之后|后)/, reach: since },
  { after: /^\s*的?[及或](?:以前|之前|前)/, reach: until },
  { after: new RegExp(`^\\s*(?:的?以来|起${endsWord}|至今|[到至](?:现在|目前|今))`), reach: since },
  { before: /(?:自从?|从)\s*$/, after: /^\s*(?:开始|以来)/, reach: since },
  { after: new RegExp(`^\\s*(?:的?(?:之后|以后)|后${endsWord})`), reach: after },
  { after: new RegExp(`^\\s*(?:的?(?:之前|以前)|前${endsWord})`), reach: before },
  { after: new RegExp(`^\\s*(?:为止|止${endsWord})`), reach: until },
  { before: /(?:截至|截止到?|直到|^\s*到)\s*$/, reach: until },
  { before: /(?<![来取出源选摘])自从?\s*$/, reach: since },
  // Ambiguous: the word itself, or the beginning of another. `2024年前的` is told from `2024年前轮`, but `2024年前订单` is not.
  {
    after: new RegExp(
      `^\\s*(?:前(?!\\s*${numeralPattern}|[后端台锋缀轴景半往来面任])|后(?![端台卫缀轴勤备来半面续])|起(?![飞点始降诉草运租售薪价步航重])|止)`,
    ),
    reach: () => null,
  },
  { before: /\bfrom\s*$/, after: /^\s*(?:on|onwards?|forward)\b/, reach: since },
  { after: /^\s*(?:onwards?|(?:or|and) (?:later|after))\b/, reach: since },
  { after: /^\s*(?:or|and) (?:earlier|before)\b/, reach: until },
  { before: /\b(?:since|on or after)\s*$/, reach: since },
  { before: /\b(?:up to|up until|until|till|through|by|as of|on or before)\s*$/, reach: until },
  { before: /\bafter\s*$/, reach: after },
  { before: /\bbefore\s*$/, reach: before },
  // Half of a range has no meaning.
  { before: /\b(?:between|to)\s*$/, reach: () => null },
];

function since({ from }: Span, tomorrow: string): Span {
  return { from, to: tomorrow, isOpen: true };
}

function after({ to }: Span, tomorrow: string): Span {
  return { from: to, to: tomorrow, isOpen: true };
}

/** The last day is included. */
function until({ to }: Span): Span {
  return { from: '0001-01-01', to };
}

function before({ from }: Span): Span {
  return { from: '0001-01-01', to: from };
}

/** Extends a time by the word beside it (`since`, `before`). A range is not extended. */
function widen(text: string, mention: Found, isRange: boolean, today: string): Found {
  const [ahead, behind] = [text.slice(0, mention.start), text.slice(mention.end)];
  const stretched = (before: RegExpExecArray | null, after: RegExpExecArray | null, span: Span | null): Found => {
    const [start, end] = [before?.index ?? mention.start, mention.end + (after?.[0].length ?? 0)];
    return { ...mention, start, end, text: text.slice(start, end), span };
  };
  if (!mention.span) return mention;
  for (const rule of reaches) {
    const before = rule.before?.exec(isRange ? '' : ahead) ?? null;
    const after = rule.after?.exec(behind) ?? null;
    if ((rule.before && !before) || (rule.after && !after)) continue;
    return stretched(before, after, isRange ? null : rule.reach(mention.span, addDays(today, 1)));
  }
  return stretched(/\b(?:from|between)\s*$/.exec(ahead), null, mention.span);
}
