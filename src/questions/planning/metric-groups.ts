import { type CalendarGrain } from '../../metrics/formula/formula-tree.js';
import { type Mention, meaningOf } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { isAskedFor } from './metric-measures.js';

/** The groups for which a question wants the value of a metric. */
export interface MetricGroups {
  /** The words for dimensions behind a word such as 各 or "by", and those that the question joins to a group: 地区 and 渠道 in 按地区和渠道. */
  nouns: ReadonlySet<Mention>;
  /** The unit of time that the question joins to a group without a grouping word of its own: 月 in 按地区和月. */
  period: { text: string; grain: CalendarGrain } | null;
}

const joinedBehind = /^\s*(?:[和与及、,，]|以及|,?\s*and\b)\s*(?:the\s+)?/;
const periodWord = /^(年|月|季|周|星期|[天日])(?:份|度)?(?=的|\s|$|统计|汇总|计算|分组|列出|查看|[和与及、,，。?？])/;
const grainOf: Record<string, CalendarGrain> = { 年: 'year', 月: 'month', 季: 'quarter', 周: 'week', 星期: 'week', 天: 'day', 日: 'day' };

/** @param mentions all mentions but that of the metric */
export function groupsOf(terms: QuestionTerms, mentions: readonly Mention[]): MetricGroups {
  const { text, grain } = terms;
  const nouns = new Set(mentions.filter(mention => isGroup(mention) && isAskedFor(terms, mention)));
  let period: MetricGroups['period'] = null;
  const ends = [...nouns, ...(grain ? [grain] : [])].map(({ end }) => end);
  // The list grows by the joined words, to which further words may be joined.
  for (const end of ends) {
    const start = end + (joinedBehind.exec(text.slice(end))?.[0].length ?? 0);
    if (start === end) continue;
    const noun = mentions.find(mention => mention.start === start && isGroup(mention));
    const [word, unit = ''] = periodWord.exec(text.slice(start)) ?? [];
    if (noun && !nouns.has(noun)) {
      nouns.add(noun);
      ends.push(noun.end);
    } else if (word !== undefined && mentions.every(mention => mention.end <= start || mention.start >= start + word.length)) {
      period = { text: word, grain: grainOf[unit] ?? 'day' };
      ends.push(start + word.length);
    }
  }
  return { nouns, period };
}

export function isGrouped({ grain }: QuestionTerms, { nouns, period }: MetricGroups): boolean {
  return grain !== null || period !== null || nouns.size > 0;
}

export function isGroup(mention: Mention): boolean {
  return (meaningOf(mention, 'dimension') ?? meaningOf(mention, 'label')) !== null;
}
