import { type Bilingual } from '../../text/bilingual.js';
import { type Mention, meaningOf } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { type MetricEntry } from '../vocabulary.js';
import { isEach } from './find-groups.js';
import { type NamedFilter } from './metric-filters.js';
import { type Measure } from './metric-measures.js';

/** Matches words that compare two things: `West vs East`, 华东和华北的对比. */
const compares = /比|较|^(?:compar|relative|against|versus|vs)/;

/** Matches a comparing word that has no second side of its own: 对比各地区的销售额. */
const comparesAll = /^(?:对比|比较)$/;

/** The word that compares two things, which 占比 does not. */
export function comparingWord(measures: Measure[]): Mention | null {
  return measures.find(({ mention, word }) => word.kind === 'link' && compares.test(mention.text))?.mention ?? null;
}

/**
 * The dimension whose named values a question compares, so that each value gets its own row: 华东和华北各自的, `West vs East`. Null if the question
 * compares nothing, or compares times.
 * @param isOfTimes whether the question compares or lists times
 */
export function readSides(
  terms: QuestionTerms,
  measures: Measure[],
  filters: NamedFilter[],
  dimensions: ReadonlySet<string>,
  isOfTimes: boolean,
): { dimension: string } | { reason: Bilingual } | null {
  const comparing = comparingWord(measures);
  // 各 before a noun, as in 各产品, groups by the noun. It means the named values only if the question has no grouping.
  const isOfSides = ({ text }: Mention): boolean => isEach(text) || (dimensions.size === 0 && (text === '各' || text === 'each'));
  const word = comparing ?? terms.groups.find(isOfSides);
  if (!word) return null;
  const named = filters.filter(({ negated }) => !negated);
  const sides = [...new Set(named.map(({ dimension }) => dimension))].filter(
    dimension => new Set(named.filter(each => each.dimension === dimension).flatMap(({ values }) => values)).size > 1,
  );
  const [dimension, other] = sides;
  if (dimension !== undefined && other === undefined) return { dimension };
  // `compare 华东 by category` compares the categories, but `by category compared with 华东` and 各地区的销售额比去年高吗 do not.
  const isOfAll = !comparing || (comparesAll.test(comparing.text) && !isOfTime(terms, comparing));
  if (isOfTimes || (dimensions.size > 0 && isOfAll)) return null;
  return {
    reason: {
      zh: `不清楚“${word.text}”说的是哪些；请写出同一维度的几个值，或几个时段`,
      en: `It is not clear what "${word.text}" is between; name several values of one dimension, or several periods`,
    },
  };
}

/** Whether a comparing word has one time as its side: 各地区销售额与去年对比, 对比去年 at the end. 对比去年各地区的销售额 compares the regions. */
function isOfTime({ text, times }: QuestionTerms, { start, end }: Mention): boolean {
  return times.some(
    ({ mention }) =>
      (mention.end <= start && /^[\s的]*$/.test(text.slice(mention.end, start))) ||
      (end <= mention.start && text.slice(end, mention.start).trim() === '' && /^[的\s?？.。]*$/.test(text.slice(mention.end))),
  );
}

/** Matches units of money or percent. A metric in another unit, such as 件, and a metric that counts may be asked for by `number of`. */
const money = /^(?:[a-z]{3}|[$¥€£%‰]|[万亿]?元|美元|欧元|百分[比点])$/i;

/**
 * The reason to refuse a question that asks for something else than the value of a metric: the number of some things, or the first by time.
 * Null if it asks for the value.
 */
export function whyOther(
  metric: MetricEntry,
  named: Mention,
  { text, counts, top, labels }: QuestionTerms,
  others: Mention[],
): Bilingual | null {
  if (top && top.by !== null)
    return {
      zh: `指标“${metric.name}”只按它的值排名，“${top.mention.text}”说的是别的；请问最高或最低的，或写出时间段`,
      en: `The metric "${metric.name}" is ranked by its value only, and "${top.mention.text}" says something else; ask for the highest or the lowest, or name a period`,
    };
  const mayCount = metric.unit === null ? metric.counts === null : !money.test(metric.unit);
  const isCounting = metric.counts === true || (metric.is_additive && mayCount);
  const count = counts.find(each => {
    const next = others.find(({ start, end }) => start >= each.end && end > start);
    const isOfNext = next !== undefined && /^\s*(?:the |different )?$/.test(text.slice(each.end, next.start));
    const isOfNoun =
      isOfNext &&
      (meaningOf(next, 'label') !== null || meaningOf(next, 'dimension') !== null || labels.some(({ mention }) => mention === next));
    if (isOfNoun) return true;
    // For a sum, 总数 asks for the total and not for a count.
    const isTotal = each.text === '总数' && metric.is_additive;
    return !isCounting && !isTotal && !/(?:多少|几)\p{Script=Han}?$/u.test(each.text);
  });
  if (!count) return null;
  return {
    zh: `指标“${metric.name}”是一个值，不清楚“${count.text}”数的是什么；请直接问“${metric.name}”，或问某类对象的数量`,
    en: `The metric "${metric.name}" is one value, and it is not clear what "${count.text}" counts; ask for "${named.text}" itself, or for the number of some things`,
  };
}
