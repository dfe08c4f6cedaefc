import { addDays, type Span } from '../../text/calendar.js';
import { numeralPattern } from './numerals.js';
import { type FoundTime } from './found-time.js';

/** Joins ranges: `A 到 B`, `between A and B`, `since A`, `A 以来`, `before A`, `A 之前`. A range that ends before it begins has a null span. */
export function joinTimes(text: string, found: FoundTime[], today: string): FoundTime[] {
  const joined: FoundTime[] = [];
  for (const mention of found) {
    const last = joined.at(-1);
    const between = last ? text.slice(last.end, mention.start) : '';
    const isRange =
      /^\s*(到|至|[-~–—]|to|until|through)\s*$/.test(between) ||
      (/^\s*and\s*$/.test(between) && /\bbetween\s*$/.test(aheadOf(text, last?.start ?? 0)));
    if (last && isRange)
      joined[joined.length - 1] = {
        text: text.slice(last.start, mention.end),
        start: last.start,
        end: mention.end,
        span: rangeOf(last, mention),
        withYear: null,
        isYearAssumed: last.withYear !== null && mention.withYear !== null,
      };
    else joined.push(mention);
  }
  return joined.map(mention => widen(text, mention, !found.includes(mention), today));
}

function rangeOf(first: FoundTime, last: FoundTime): Span | null {
  if (!first.span || !last.span) return null;
  const start = first.withYear && !last.withYear ? first.withYear(Number(last.span.from.slice(0, 4))) : first.span;
  const end = last.withYear ? last.withYear(Number(first.span.from.slice(0, 4))) : last.span;
  return start && end && start.from < end.to ? { from: start.from, to: end.to } : null;
}

/** Lookahead after 前, 后, 起 and 止: the word must end there, because these characters may begin another word (`后视镜`, `止痛药`). */
const endsWord = '(?=\\s*(?:[的有共是]|[，。、；？！,.;?!]|$))';

/** Excludes a word before a time: in `after 2020 and before 2022` "before" belongs to 2022, not to 2020. */
const notBeforeTime =
  '(?!\\s+(?:\\d|q[1-4]|the|this|last|next|today|yesterday|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|winter))';

/** Patterns of words that extend a time: since, after, until, before. The first entry that fits the text around the time counts. */
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
  // Elsewhere 前, 后, 起 and 止 may extend the time or begin another word (前轮 in `2024年前轮`). `2024年前订单` can mean either, so the span becomes
  // null.
  {
    after: new RegExp(
      `^\\s*(?:前(?!\\s*${numeralPattern}|[后端台锋缀轴景半往来面任])|后(?![端台卫缀轴勤备来半面续])|起(?![飞点始降诉草运租售薪价步航重])|止)`,
    ),
    reach: () => null,
  },
  { before: /\bfrom\s*$/, after: /^\s*(?:on|onwards?|forward)\b/, reach: since },
  { after: new RegExp(`^\\s*(?:onwards?|(?:or|and) (?:later|after${notBeforeTime}))\\b`), reach: since },
  { after: new RegExp(`^\\s*(?:or|and) (?:earlier|before${notBeforeTime})\\b`), reach: until },
  { before: /(?:不早于|不小于|大于等于|>=|≥|\b(?:no|not) earlier than)\s*$/, reach: since },
  { before: /(?:不[晚迟大]于|小于等于|<=|≤|\b(?:no|not) later than)\s*$/, reach: until },
  { before: /(?:[晚迟大]于|>|\blater than)\s*$/, reach: after },
  { before: /(?:[早小]于|<|\bearlier than)\s*$/, reach: before },
  { before: /\b(?:since|(?:on|in) or after)\s*$/, reach: since },
  { before: /\b(?:up to|up until|until|till|through|by|as of|(?:on|in) or before)\s*$/, reach: until },
  { before: /\bafter\s*$/, reach: after },
  { before: /\bbefore\s*$/, reach: before },
  // A range with only one of its two times is meaningless.
  { before: /\b(?:between|to)\s*$/, reach: () => null },
];

function since({ from }: Span, tomorrow: string): Span {
  return { from, to: tomorrow, isOpen: true };
}

function after({ to }: Span, tomorrow: string): Span {
  return { from: to, to: tomorrow, isOpen: true };
}

/** The span from the first possible day up to and including the last day of a time. */
function until({ to }: Span): Span {
  return { from: '0001-01-01', to };
}

function before({ from }: Span): Span {
  return { from: '0001-01-01', to: from };
}

/** Maximum characters of a word that extends a time, with its spaces, so that a long text is not read again for each time. */
const longestWord = 24;

function aheadOf(text: string, at: number): string {
  return text.slice(Math.max(0, at - longestWord), at);
}

/** Extends a time by the word beside it (`since`, `before`). A range is not extended. */
function widen(text: string, mention: FoundTime, isRange: boolean, today: string): FoundTime {
  const [ahead, behind] = [aheadOf(text, mention.start), text.slice(mention.end, mention.end + longestWord)];
  const from = mention.start - ahead.length;
  const stretched = (before: RegExpExecArray | null, after: RegExpExecArray | null, span: Span | null): FoundTime => {
    const [start, end] = [before ? from + before.index : mention.start, mention.end + (after?.[0].length ?? 0)];
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
