import { type Bilingual } from '../../text/bilingual.js';
import { type Mention, meaningOf, type MetricWord } from '../linking/meaning.js';
import { type QuestionTerms, type TimeTerm } from '../linking/question-terms.js';
import { isMeasuredIn, unitIn, unitsNamed } from '../linking/units.js';
import { type MetricCall, type MetricEntry } from '../vocabulary.js';

/** A mention of a word that says what the question wants of the metric, such as a share or a bound. */
export interface Measure {
  mention: Mention;
  word: MetricWord;
}

export function measuresOf(mentions: Mention[]): Measure[] {
  return mentions.flatMap(mention =>
    mention.meanings[0]?.as === 'measure'
      ? mention.meanings.flatMap(meaning => (meaning.as === 'measure' ? [{ mention, word: meaning.word }] : []))
      : [],
  );
}

const light = /^[\s,，]*(?:在|是|为|的|值|都|均|已|已经|(?:is|was|were|are|of|that|which|a|an)\b[\s,]*)*$/;

/**
 * Reads the bounds of the metric's value. A bound must stand beside the metric, with only light words between. Elsewhere it may bound a
 * property or a number of things, so the reason is returned instead.
 */
export function findBounds(
  { text, compares, texts, labels }: QuestionTerms,
  named: Mention,
  metric: MetricEntry,
  measures: Measure[],
  passed: Mention[],
): { having: MetricCall['having'] } | { reason: Bilingual } {
  const unclear = (of: Mention): { reason: Bilingual } => ({
    reason: { zh: `不清楚“${of.text}”比较的是什么`, en: `It is not clear what "${of.text}" compares` },
  });
  const [other] = [...compares, ...texts];
  if (other) return unclear(other.mention);
  const having: MetricCall['having'] = [];
  for (const { mention, word } of measures) {
    if (word.kind !== 'bound') continue;
    const isBeside =
      light.test(between(text, named.end, mention.start, passed)) ||
      (mention.end <= named.start && /^\s*(?:in|of|的)\s*(?:the\s+)?$/.test(text.slice(mention.end, named.start)));
    const counts = labels.some(term => term.mention.start >= mention.end && /^\s*$/.test(text.slice(mention.end, term.mention.start)));
    if (!isBeside || counts) return unclear(mention);
    // The amount of a bound ends with its scale, as in `over 5m`, so that a unit is looked for behind the mention only.
    const own = unitsNamed(word.unit);
    const unit = own ? { text: word.unit ?? '', end: mention.end, fits: own } : unitIn(text, { ...mention, text: '' });
    if (unit && !isMeasuredIn(unit, metric.unit === null ? null : (unitsNamed(metric.unit) ?? [metric.unit])))
      return { reason: inOtherUnit(metric, unit.text) };
    having.push({ op: word.operator, value: word.value });
  }
  return { having };
}

/** Words that say which way something changed. A noun such as `growth` asks for the change of all. */
const changed =
  /^(?:grow[ns]?|grew|(?:increas|declin|decreas)es?d?|dropped|rise|risen|rose|fell|(?:增长|增加|上升|上涨|下降|下跌|减少)了?)$/;

/** The word by whose direction a question selects groups: `cities where revenue fell`, 收入下降的城市. Null if it asks for all changes. */
export function changeThatSelects(text: string, measures: readonly Measure[]): string | null {
  const words = measures.flatMap(({ mention, word }) => (word.kind === 'growth' && changed.test(mention.text) ? [mention] : []));
  const selects = ({ text: own, start, end }: Mention): boolean => {
    const before = text.slice(0, start);
    if (/^[a-z]/.test(own)) return /\b(?:where|whose|which|that)\b/.test(before) && !/\b(?:how much|by what)\b/.test(before);
    return (
      /^了?的(?!多少|情况|幅度|比例)\p{Script=Han}/u.test(text.slice(end)) ||
      (/哪/.test(before) && /^了?吗?[?？。]?$/.test(text.slice(end)))
    );
  };
  return words.find(selects)?.text ?? null;
}

function inOtherUnit({ name, unit }: MetricEntry, said: string): Bilingual {
  return {
    zh: `指标“${name}”的单位${unit === null ? '没有说明' : `是 ${unit}`}，不能按“${said}”比较`,
    en: `The unit of the metric "${name}" is ${unit ?? 'not told'}, so it cannot be compared in "${said}"`,
  };
}

/** The text between two offsets, with spaces for the `passed` mentions; a null character, which matches no words, if `to` < `from`. */
function between(text: string, from: number, to: number, passed: Mention[]): string {
  if (to < from) return '\0';
  let rest = '';
  for (let at = from; at < to; at++) rest += passed.some(({ start, end }) => start <= at && at < end) ? ' ' : (text[at] ?? '');
  return rest;
}

/** The time beside a word for the same period of an earlier year, such as 去年 in 去年同期; null if the question has none. */
export function baseOf({ text, times }: QuestionTerms, measures: Measure[]): TimeTerm | null {
  const marks = measures.filter(({ word }) => word.kind === 'samePeriod').map(({ mention }) => mention);
  return (
    times.find(({ mention }) =>
      marks.some(mark =>
        mark.start >= mention.end
          ? /^\s*$/.test(text.slice(mention.end, mark.start))
          : mark.end <= mention.start && /^\s*(?:of\s+|in\s+)?$/.test(text.slice(mark.end, mention.start)),
      ),
    ) ?? null
  );
}

/** Whether a word such as "each", "by" or "which" stands right before a mention: 各地区, "by region", 哪个地区. */
export function isAskedFor({ text, groups, whichs }: QuestionTerms, mention: Mention): boolean {
  return [...groups, ...whichs].some(
    word =>
      word.end <= mention.start && /^\s*(?:(?:of\s+)?(?:the|our|different)\s+|的|不同的?)?$/.test(text.slice(word.end, mention.start)),
  );
}

/** The first label of a mention, if it names one. */
export function labelOf(mention: Mention): string | undefined {
  return meaningOf(mention, 'label')?.label;
}
