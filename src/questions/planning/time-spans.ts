import { type Mention } from '../linking/meaning.js';
import { type QuestionTerms, type TimeTerm } from '../linking/question-terms.js';
import { joinsTimes } from './joining-words.js';
import { UnplannableError } from './question-plan.js';

/** The days from `from` (inclusive) to `to` (exclusive). `to` is null if the span has no end. */
export interface LimitSpan {
  from: string;
  to: string | null;
}

const firstDay = '0001-01-01';
/** Joins two conditions that both hold: no day lies in both 2023 and 2025. */
const atOnce = /且/;
const either = /\bor\b|或|还是/;

/**
 * The time spans of a question. A date must lie in one of them: `2023年和2025年的订单`. Two times that are open at opposite ends become one span:
 * `after 2020 but before 2022`.
 * @throws UnplannableError if it is not clear whether a date must meet both times or one of them
 */
export function joinSpans(terms: QuestionTerms): LimitSpan[] {
  const { text, times } = terms;
  const spans = times.map(({ from, to, isOpen }): LimitSpan => ({ from, to: isOpen ? null : to }));
  const [first, second, ...more] = times;
  if (!first || !second) return spans;
  const between = times.slice(1).map((time, i) => ({ start: times[i]?.mention.end ?? 0, end: time.mention.start }));
  if (between.some(gap => saysMore(terms, gap))) throw unclear(times);
  const words = between.map(({ start, end }) => text.slice(start, end));
  const isOpenEnded = (time: TimeTerm): boolean => time.isOpen === true || time.from === firstDay;
  if (!times.some(isOpenEnded) && words.some(own => atOnce.test(own))) throw unclear(times);
  if (!times.some(isOpenEnded) || words.every(own => either.test(own))) return spans;
  const since = [first, second].find(time => time.isOpen);
  const until = [first, second].find(time => time.from === firstDay);
  if (more.length === 0 && since && until && since.from < until.to && joinsTimes.test(words[0] ?? ''))
    return [{ from: since.from, to: until.to }];
  throw unclear(times);
}

/** Whether two times limit different things: `registered in 2023 who placed orders in 2024`, but not `2023年订单和2024年订单`. */
function saysMore({ relations, properties, labels, times }: QuestionTerms, { start, end }: { start: number; end: number }): boolean {
  const isIn = ({ mention }: { mention: Mention }): boolean => start <= mention.start && mention.end <= end;
  const last = times.at(-1)?.mention.end ?? 0;
  // In 2025年借出、2026年归还的借阅 the first verb means a loan too, but is another word.
  const isAgain = ({ text }: Mention): boolean => labels.some(({ mention }) => mention.text === text && mention.start >= last);
  return [...relations, ...properties].some(isIn) || labels.some(term => isIn(term) && !isAgain(term.mention));
}

function unclear(times: TimeTerm[]): UnplannableError {
  const names = times.map(({ mention }) => mention.text);
  return new UnplannableError(
    `不清楚“${names.join('”和“')}”怎样一起限定：请写成“2020年到2022年”这样的一段时间、用“或”连接，或分开问`,
    `It is not clear how "${names.join('" and "')}" limit together: write one period such as "from 2020 to 2022", join them with "or", or ask apart`,
  );
}
