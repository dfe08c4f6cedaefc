import { type Bilingual } from '../../text/bilingual.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language } from '../../text/language.js';
import { type MetricCall, type MetricEntry } from '../vocabulary.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { intentsOf, type Mention, meaningOf } from '../linking/meaning.js';
import { whyNegated, whyStatistic } from '../linking/negation.js';
import { type QuestionTerms, unreadOf } from '../linking/question-terms.js';
import { readTerms } from '../linking/read-terms.js';
import { joinsKeys } from './joining-words.js';
import { keptBy } from './kept-by-schema.js';
import { whyRelated } from './metric-relations.js';
import { type MetricSchema, same } from './metric-dimensions.js';
import { type NamedFilter, readDimensions, readFilters, toMetricFilters } from './metric-filters.js';
import { groupsOf } from './metric-groups.js';
import { baseOf, changeThatSelects, findBounds, type Measure, measuresOf } from './metric-measures.js';
import { comparingWord, readSides, whyOther } from './metric-sides.js';
import { joinPeriods, readChange, toTime } from './metric-times.js';
import { NameChoices } from './name-choices.js';
import { toUnplanned, type Unplanned, usualTop } from './question-plan.js';
import { saysExclusion, whyOthers } from './refuse-others.js';
import { whyUnsaid } from './refuse-unsaid.js';
import { isOfKind, keyMarks } from './said-order.js';
import { whyNotTraded } from './trade-verbs.js';

/**
 * Turns a question that names a metric into a call of this metric, or gives the reason why it cannot. Null if the question names no
 * metric. An entity or value becomes a filter on the dimension of its label or property. Without such a dimension the plan fails, so
 * that no limit is left out.
 * @param choices tokens by which the user chose among the meanings that an earlier answer offered
 */
export function planMetricQuestion(
  linked: LinkedQuestion,
  metrics: MetricEntry[],
  schema: MetricSchema,
  entities: ReadonlyMap<number, AnswerNode>,
  language: Language,
  limit: number,
  choices: readonly string[] = [],
): MetricCall | Unplanned | null {
  try {
    return planMetric(linked, metrics, schema, new NameChoices(choices, entities, language), language, limit);
  } catch (error) {
    return toUnplanned(error);
  }
}

function planMetric(
  linked: LinkedQuestion,
  metrics: MetricEntry[],
  schema: MetricSchema,
  choices: NameChoices,
  language: Language,
  limit: number,
): MetricCall | { reason: Bilingual } | null {
  const named = linked.mentions.find(mention => meaningOf(mention, 'metric'));
  const [metric, ...alike] = named ? metricsOf(named, metrics) : [];
  if (!named || !metric) return null;
  const others = linked.mentions.filter(mention => mention !== named);
  const terms = readTerms({ ...linked, mentions: others });
  const measures = measuresOf(others);
  const refusal =
    whyNegated(terms) ??
    whyStatistic(terms) ??
    whySeveral(named, [metric, ...alike]) ??
    whySecond(linked, named, metric, metrics, terms) ??
    whyNotMeant(metric, terms) ??
    whyOther(metric, named, terms, others);
  if (refusal) return { reason: refusal };

  const filters = readFilters(metric, schema, terms, choices, linked.mentions);
  if ('reason' in filters) return filters;
  const unread = unreadOf(linked);
  const unmeant =
    whyRelated(metric, schema, terms, filters) ??
    (filters.some(({ negated }) => negated) && saysExclusion(linked.text) ? null : whyOthers(unread)) ??
    whyUnsaid(unread, linked.text, linked.mentions, true) ??
    whyNotTraded(unread, new Set([...filters.map(({ label }) => label), ...terms.labels.map(({ label }) => label)]), schema);
  if (unmeant) return { reason: unmeant };
  const isList = terms.top !== null || measures.some(({ word }) => word.kind === 'bound');
  const groups = groupsOf(terms, others);
  const dimensions = readDimensions(metric, schema, terms, named, others, filters, isList, choices, groups);
  if ('reason' in dimensions) return dimensions;
  choices.requireUsed();
  const passed = [...terms.times, ...measures].map(({ mention }) => mention);
  const bounds = findBounds(terms, named, metric, measures, passed);
  if ('reason' in bounds) return bounds;
  const ranking = readRanking(measures, terms, filters);
  if (ranking && 'reason' in ranking) return ranking;
  if (ranking) dimensions.add(ranking.dimension);
  const sides = readSides(terms, measures, filters, dimensions, ranking !== null || terms.times.length > 1 || isOfChange(measures));
  if (sides && 'reason' in sides) return sides;
  if (sides) dimensions.add(sides.dimension);
  if (bounds.having.length > 0 && dimensions.size === 0)
    return fail('请说明要列出什么，例如哪些地区', 'say what is to be listed, such as which regions');
  const share = readShare(metric, measures, filters, dimensions);
  if (share && 'reason' in share) return share;
  const base = baseOf(terms, measures);
  const change = readGrowth(
    terms.text,
    measures,
    terms.times.filter(time => time !== base),
    base,
  );
  if (change && 'reason' in change) return change;
  const selecting = change && dimensions.size > 0 ? changeThatSelects(terms.text, measures) : null;
  if (selecting !== null)
    return fail(
      `暂不能只列出“${selecting}”的；请问各自的变化，例如“各地区的变化”`,
      `Only those that "${selecting}" cannot be listed yet; ask for the change of each`,
    );

  const periods = change ? null : joinPeriods(terms.times);
  if (!change && terms.times.length > 1 && !periods)
    return fail(
      '几个时间段须首尾相接且都是整年、整季或整月；不相接的请分开问',
      'Several periods must follow one another and be whole years, quarters or months; ask for others apart',
    );
  const time = change?.time ?? periods ?? terms.times[0];
  const asked = terms.grain && intentsOf(terms.grain, 'grain')?.grain;
  const alsoDimension = asked === 'week' && dimensionCalled(metric, terms.grain?.text.replace(/^[按每各]/, '') ?? '');
  if (alsoDimension)
    return fail(
      `“${terms.grain?.text}”可以指周，也可以指维度“${alsoDimension}”；请写“按周”或“各${alsoDimension}”`,
      `"${terms.grain?.text}" may mean weeks or the dimension "${alsoDimension}"; write "by week", or "for each ${alsoDimension}"`,
    );
  if (asked === 'weekday')
    return fail(`指标“${metric.name}”不能按星期几统计`, `The metric "${metric.name}" cannot be grouped by days of the week`);
  if (asked && groups.period && groups.period.grain !== asked)
    return fail(
      `不能同时按“${terms.grain?.text ?? ''}”和“${groups.period.text}”统计，请只写一个时间单位`,
      `The metric is grouped by one unit of time: name "${terms.grain?.text ?? ''}" or "${groups.period.text}", not both`,
    );
  const grain = asked ?? groups.period?.grain ?? periods?.grain ?? null;
  if ((time || grain) && !metric.has_time)
    return fail(`指标“${metric.name}”没有绑定时间`, `The metric "${metric.name}" is not bound to a time`);
  if (metric.needs_periods && (share || change))
    return fail(`指标“${metric.name}”已按时段计算`, `The metric "${metric.name}" is already computed by periods`);
  if (metric.needs_periods && grain === null && (!time || time.isOpen))
    return fail(
      `指标“${metric.name}”按时段计算：请说明时间段，或加上“按月”“按年”等`,
      `The metric "${metric.name}" is computed by periods: name a period, or add "by month", "by year" and the like`,
    );
  if (share && grain) return fail('各时段的占比请分开问', 'ask for the share of each period apart');
  if (change && (terms.top || ranking)) return fail('暂不支持按变化排名', 'Ranking by change is not supported in questions');
  const ranks = terms.top !== null || ranking !== null;
  if (ranks && dimensions.size + (grain === null ? 0 : 1) > 1)
    return fail('暂不支持在每一组中各自排名', 'Ranking within each group is not supported');
  const [apart] = [...terms.further, ...(terms.than ? [terms.than] : [])];
  if (apart) return fail(`“${apart.text}”请分开问`, `ask for "${apart.text}" apart`);
  const grouped = dimensions.size > 0 || grain !== null;
  if (terms.top && !grouped)
    return fail(`不清楚“${terms.top.mention.text}”排的是什么`, `It is not clear what "${terms.top.mention.text}" ranks`);
  const isRanked =
    ranking !== null || terms.orders.some(order => terms.top && order.descending !== null && order.descending !== terms.top.descending);
  const said = saidDirection(terms, linked.mentions, isRanked || grain !== null || dimensions.size === 0);
  if (typeof said === 'object') return said;
  const descending = terms.top?.descending ?? ranking?.descending ?? said;
  const order: MetricCall['order'] =
    ranks || (dimensions.size > 0 && grain === null)
      ? [{ by: 'value', dir: descending ? 'desc' : 'asc' }]
      : grain
        ? [{ by: 'period', dir: 'asc' }]
        : [];
  // A comparison of two shows both: 玉器的借展费比陶瓷高吗.
  const isOfTwo = (ranking !== null || terms.top?.ofTwo === true) && (terms.whether !== null || comparingWord(measures) !== null);
  const most = isOfTwo
    ? limit
    : ranking
      ? 1
      : terms.top
        ? (terms.top.count ?? (isPlural(linked, terms.top.mention, language) ? usualTop : 1))
        : limit;
  return {
    metric_id: metric.id,
    metric: metric.name,
    unit: metric.unit,
    dimensions: [...dimensions],
    time: time || grain ? toTime(time, grain) : null,
    filters: toMetricFilters(filters),
    having: bounds.having,
    compare: change && { offset: change.offset },
    share,
    order,
    limit: Math.min(limit, most),
    ties: ranks && most < limit,
  };
}

function fail(zh: string, en: string): { reason: Bilingual } {
  return { reason: { zh, en } };
}

function whySeveral(named: Mention, [metric, ...alike]: MetricEntry[]): Bilingual | null {
  if (!metric || alike.length === 0) return null;
  const names = [metric, ...alike].map(candidate => candidate.name);
  return {
    zh: `“${named.text}”可以指：${names.join('、')}，请写出其中一个`,
    en: `"${named.text}" may mean ${names.join(' or ')}: name one of them`,
  };
}

function whySecond(
  linked: LinkedQuestion,
  named: Mention,
  metric: MetricEntry,
  metrics: MetricEntry[],
  terms: QuestionTerms,
): Bilingual | null {
  const second = findSecondMeasure(linked, named, metric, metrics, terms);
  if (second === null) return null;
  return {
    zh: `一个问题只能问一个量，“${named.text}”和“${second}”请分开问`,
    en: `a question takes one measure: ask "${named.text}" and "${second}" apart`,
  };
}

function whyNotMeant(metric: MetricEntry, terms: QuestionTerms): Bilingual | null {
  if (terms.aggregate?.function !== 'avg') return null;
  return { zh: `不支持对指标“${metric.name}”再求平均`, en: `The average of the metric "${metric.name}" is not supported` };
}

/** Whether a list of values begins with the highest, as it does without a word for an order, or why it cannot be sorted so. */
function saidDirection(terms: QuestionTerms, mentions: Mention[], isSorted: boolean): boolean | { reason: Bilingual } {
  const { orders } = terms;
  const [first] = orders;
  if (!first) return true;
  const directions = new Set(orders.flatMap(({ descending }) => descending ?? []));
  if (isSorted || directions.size > 1 || orders.some(order => isOfKind(order.mention) || isByOther(terms, mentions, order)))
    return fail(
      `“${first.mention.text}”只能把按一个维度列出的指标值从高到低或从低到高排；请写出这个维度并按值排，或去掉“${first.mention.text}”`,
      `"${first.mention.text}" can only sort the values of the metric by one dimension, from high to low or from low to high; say so, or leave it out`,
    );
  return !directions.has(false);
}

/** Whether an order has another key than the metric: `sorted by region`, 按地区排序, `sorted by revenue and region`. */
function isByOther(terms: QuestionTerms, mentions: Mention[], { mention: order, descending }: QuestionTerms['orders'][number]): boolean {
  const { text } = terms;
  const marks = keyMarks(terms);
  const between = (first: number, second: number): string => (first <= second ? text.slice(first, second) : '\0');
  // In Chinese the key stands before the order. 从高到低 orders numbers, so that 地区 in 按地区从高到低 is a group.
  const mark = marks.findLast(({ text: own, end }) => own !== 'by' && end <= order.start);
  const last = mentions.findLast(({ end }) => end <= order.start);
  if (mark && last && mark.end <= last.start && last.end === order.start && !/^[从由]/.test(order.text))
    return !meaningOf(last, 'metric') || /[和与及、,，]/.test(between(mark.end, last.start));
  const by = marks.find(({ start, end }) => start >= order.end && (descending === null || end - order.end <= ' by'.length));
  const of = /^\s*of\b/.exec(text.slice(order.end));
  if (!by && !of) return false;
  const from = by?.end ?? order.end + (of?.[0].length ?? 0);
  const key = mentions.find(({ start }) => /^\s*(?:(?:the|its|their)\s+)?$/.test(between(from, start)));
  if (!key || !meaningOf(key, 'metric')) return true;
  return mentions.some(({ start, meanings }) => meanings[0]?.as !== 'intent' && joinsKeys.test(between(key.end, start)));
}

/** Reads `A和B哪个多`: A and B filter one dimension, and the members of this dimension are ranked. */
function readRanking(
  measures: Measure[],
  { top }: QuestionTerms,
  filters: NamedFilter[],
): { dimension: string; descending: boolean } | { reason: Bilingual } | null {
  const more = measures.find(({ word }) => word.kind === 'more');
  if (more?.word.kind !== 'more' || top) return null;
  const compared = [...new Set(filters.filter(({ negated }) => !negated).map(({ dimension }) => dimension))].filter(
    dimension => new Set(filters.filter(each => each.dimension === dimension).flatMap(({ values }) => values)).size > 1,
  );
  const [dimension, other] = compared;
  if (dimension === undefined || other !== undefined)
    return fail(`不清楚“${more.mention.text}”比较的是什么`, `It is not clear what "${more.mention.text}" compares`);
  return { dimension, descending: more.word.descending };
}

/** Reads a question for the share of each group in the filtered total, or of the filtered part in the whole. Null if it asks for none. */
function readShare(
  metric: MetricEntry,
  measures: Measure[],
  filters: NamedFilter[],
  dimensions: ReadonlySet<string>,
): MetricCall['share'] | { reason: Bilingual } {
  if (!measures.some(({ word }) => word.kind === 'share')) return null;
  if (!metric.is_additive)
    return fail(`指标“${metric.name}”的各部分之和不是总值，没有占比`, `The metric "${metric.name}" does not add up, so it has no shares`);
  if (dimensions.size > 0) return { of: toMetricFilters(filters) };
  const parts = new Set(filters.map(({ dimension }) => dimension));
  if (parts.size !== 1) return fail('请说明是哪一部分的占比', 'say which part the share is of');
  return { of: [] };
}

/** The dimension of a metric with this name or alias; undefined if it has none. */
function dimensionCalled({ dimensions }: MetricEntry, word: string): string | undefined {
  return dimensions.find(({ name, aliases }) => [name, ...aliases].includes(word))?.name;
}

function isOfChange(measures: Measure[]): boolean {
  return measures.some(({ word }) => word.kind === 'growth');
}

function readGrowth(
  text: string,
  measures: Measure[],
  times: QuestionTerms['times'],
  base: QuestionTerms['times'][number] | null,
): ReturnType<typeof readChange> | null {
  const words = measures.flatMap(({ word }) => (word.kind === 'growth' ? [word.since] : []));
  if (words.length === 0) return base ? fail('请说明与同期比较的是什么', 'say what is compared with the same period') : null;
  if (measures.some(({ word }) => word.kind === 'share')) return fail('占比的变化请分开问', 'ask for the share and its change apart');
  return readChange(text, times, words.find(since => since !== null) ?? null, base);
}

/** The metrics that a mention may mean. A metric with exactly this name excludes metrics that only have the name as an alias. */
function metricsOf(mention: Mention, metrics: MetricEntry[]): MetricEntry[] {
  const ids = new Set(mention.meanings.flatMap(meaning => (meaning.as === 'metric' ? [meaning.metricId] : [])));
  const found = metrics.filter(candidate => ids.has(candidate.id));
  const text = same(mention.text);
  const exact = found.filter(candidate => sameName(candidate) === text);
  return exact.length > 0 ? exact : found;
}

const sameName = keptBy(({ name }: MetricEntry) => same(name));

/** Finds the words for something that the question asks for besides the metric: another metric, a number of nodes, or a property. */
function findSecondMeasure(
  linked: LinkedQuestion,
  named: Mention,
  metric: MetricEntry,
  metrics: MetricEntry[],
  terms: QuestionTerms,
): string | null {
  const other = linked.mentions.find(
    mention => mention !== named && meaningOf(mention, 'metric') && !metricsOf(mention, metrics).includes(metric),
  );
  if (other) return other.text;
  for (const count of terms.counts) {
    const counted = terms.labels.find(
      ({ mention }) =>
        mention.end === count.start || (mention.start >= count.end && /^\s*$/.test(linked.text.slice(count.end, mention.start))),
    );
    if (counted) return linked.text.slice(Math.min(counted.mention.start, count.start), Math.max(counted.mention.end, count.end));
  }
  const ofValues = new Set(terms.values.flatMap(({ values }) => values.map(value => value.property)));
  const property = terms.properties.find(
    ({ mention, owners }) =>
      !mention.meanings.some(meaning => meaning.as === 'dimension' && meaning.metricId === metric.id) &&
      !owners.some(owner => ofValues.has(owner.property)),
  );
  return property?.mention.text ?? null;
}

function isPlural(linked: LinkedQuestion, top: Mention, language: Language): boolean {
  if (language === 'zh') return linked.mentions.some(mention => intentsOf(mention, 'which') && /些|几/.test(mention.text));
  return linked.mentions.some(
    mention => mention.start !== top.start && (meaningOf(mention, 'dimension') || meaningOf(mention, 'label')) && /s$/.test(mention.text),
  );
}
