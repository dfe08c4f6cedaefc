import { type Bilingual } from '../../text/bilingual.js';
import { compactText, normalizeText } from '../../graph-index/tokenize-text.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language } from '../../text/language.js';
import { type MetricCall, type MetricEntry } from '../vocabulary.js';
import { type Grain } from '../../metrics/formula/formula-tree.js';
import { monthSpan, quarterSpan, type Span, yearSpan } from '../../text/calendar.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { intentsOf, type Mention, meaningOf } from '../linking/meaning.js';
import { whyNegated } from '../linking/negation.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { readTerms } from '../linking/read-terms.js';

const usualTop = 5;

/**
 * Turns a question that names a metric into a call of it, or says why it cannot. Null if it names none. An entity or value becomes
 * a filter on the dimension of its label or property. Without such a dimension the plan fails, so that no limit is left out.
 */
export function planMetricQuestion(
  linked: LinkedQuestion,
  metrics: MetricEntry[],
  schema: GraphSchema,
  entities: ReadonlyMap<number, AnswerNode>,
  language: Language,
  limit: number,
): MetricCall | { reason: Bilingual } | null {
  const named = linked.mentions.find(mention => meaningOf(mention, 'metric'));
  const [metric, ...alike] = named ? metricsOf(named, metrics) : [];
  if (!named || !metric) return null;
  const others = linked.mentions.filter(mention => mention !== named);
  const terms = readTerms({ ...linked, mentions: others });
  const dimensions = new Set<string>();
  const filters: MetricCall['filters'] = [];
  const fail = (zh: string, en: string): { reason: Bilingual } => ({ reason: { zh, en } });
  const negation = whyNegated(terms);
  if (negation) return { reason: negation };
  if (alike.length > 0) {
    const names = [metric, ...alike].map(candidate => candidate.name);
    return fail(
      `“${named.text}”可以指：${names.join('、')}，请写出其中一个`,
      `"${named.text}" may mean ${names.join(' or ')}: name one of them`,
    );
  }
  const second = findSecondMeasure(linked, named, metric, metrics, terms);
  if (second !== null)
    return fail(
      `一个问题只能问一个量，“${named.text}”和“${second}”请分开问`,
      `a question takes one measure: ask "${named.text}" and "${second}" apart`,
    );
  if (terms.aggregate?.function === 'avg')
    return fail(`不支持对指标“${metric.name}”再求平均`, `The average of the metric "${metric.name}" is not supported`);

  for (const { mention, nodes, negated } of terms.entities) {
    const dimension = nodes.map(node => dimensionOfLabel(metric, schema, node.label)).find(name => name !== null);
    const label = nodes.find(node => dimension !== undefined && dimensionOfLabel(metric, schema, node.label) === dimension)?.label;
    if (dimension === undefined)
      return fail(
        `指标“${metric.name}”没有“${mention.text}”对应的维度`,
        `The metric "${metric.name}" has no dimension for "${mention.text}"`,
      );
    const displays = nodes.filter(node => node.label === label).flatMap(node => entities.get(node.id)?.display ?? []);
    addFilter(filters, dimension, negated, displays);
  }
  for (const { mention, values, negated } of terms.values) {
    const found = values
      .map(value => ({ value, dimension: dimensionOfProperty(metric, schema, value.label, value.property) }))
      .find(candidate => candidate.dimension !== null);
    if (!found || found.dimension === null)
      return fail(
        `指标“${metric.name}”没有“${mention.text}”对应的维度`,
        `The metric "${metric.name}" has no dimension for "${mention.text}"`,
      );
    addFilter(filters, found.dimension, negated, [found.value.value]);
  }
  for (const mention of others) {
    const dimension = mention.meanings.find(meaning => meaning.as === 'dimension' && meaning.metricId === metric.id);
    if (dimension?.as === 'dimension') {
      if (!namesFilter(linked, mention, filters, dimension.dimension)) dimensions.add(dimension.dimension);
      continue;
    }
    const isOfOther = mention.meanings.length > 0 && mention.meanings.every(meaning => meaning.as === 'dimension');
    if (isOfOther)
      return fail(`指标“${metric.name}”没有“${mention.text}”这个维度`, `The metric "${metric.name}" has no dimension "${mention.text}"`);
    const label = meaningOf(mention, 'label')?.label;
    if (label === undefined || !terms.labels.some(term => term.mention === mention)) continue;
    const ofLabel = dimensionOfLabel(metric, schema, label);
    if (ofLabel === null)
      return fail(`指标“${metric.name}”没有“${mention.text}”这个维度`, `The metric "${metric.name}" has no dimension "${mention.text}"`);
    dimensions.add(ofLabel);
  }
  if (terms.compares.length > 0)
    return fail('暂不支持对指标的值设条件', 'Conditions on the value of a metric are not supported in questions');
  const periods = joinPeriods(terms.times);
  if (terms.times.length > 1 && !periods)
    return fail(
      '几个时间段须首尾相接且都是整年、整季或整月',
      'Several periods must follow one another and be whole years, quarters or months',
    );
  const time = periods ?? terms.times[0];
  const grain = terms.grain ? (intentsOf(terms.grain, 'grain')?.grain ?? null) : (periods?.grain ?? null);
  if ((time || grain) && !metric.has_time)
    return fail(`指标“${metric.name}”没有绑定时间`, `The metric "${metric.name}" is not bound to a time`);
  if (metric.needs_periods && grain === null && (!time || time.isOpen))
    return fail(
      `指标“${metric.name}”按时段计算：请说明时间段，或加上“按月”“按年”等`,
      `The metric "${metric.name}" is computed by periods: name a period, or add "by month", "by year" and the like`,
    );
  if (terms.top && dimensions.size + (grain === null ? 0 : 1) > 1)
    return fail('暂不支持在每一组中各自排名', 'Ranking within each group is not supported');
  if (terms.further[0]) return fail(`“${terms.further[0].text}”请分开问`, `ask for "${terms.further[0].text}" apart`);
  const grouped = dimensions.size > 0 || grain !== null;
  const descending = terms.top?.descending ?? true;
  const order: MetricCall['order'] =
    terms.top || (dimensions.size > 0 && grain === null)
      ? [{ by: 'value', dir: descending ? 'desc' : 'asc' }]
      : grain
        ? [{ by: 'period', dir: 'asc' }]
        : [];
  return {
    metric_id: metric.id,
    metric: metric.name,
    unit: metric.unit,
    dimensions: [...dimensions],
    time: time || grain ? toTime(time, grain) : null,
    filters,
    order,
    limit:
      terms.top && grouped ? Math.min(limit, terms.top.count ?? (isPlural(linked, terms.top.mention, language) ? usualTop : 1)) : limit,
  };
}

/** The metrics that a mention may mean. One with exactly this name comes before those that have it as an alias. */
function metricsOf(mention: Mention, metrics: MetricEntry[]): MetricEntry[] {
  const ids = new Set(mention.meanings.flatMap(meaning => (meaning.as === 'metric' ? [meaning.metricId] : [])));
  const found = metrics.filter(candidate => ids.has(candidate.id));
  const exact = found.filter(candidate => same(candidate.name) === same(mention.text));
  return exact.length > 0 ? exact : found;
}

/** Finds something else that the question wants to know: another metric, a number of nodes, or a property. */
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
  const property = terms.properties.find(
    ({ mention, owners }) =>
      !mention.meanings.some(meaning => meaning.as === 'dimension' && meaning.metricId === metric.id) &&
      !terms.values.some(({ values }) => values.some(value => owners.some(owner => owner.property === value.property))),
  );
  return property?.mention.text ?? null;
}

/** `2024年和2025年`: joins consecutive periods of one kind into one, with that kind as its grain. */
function joinPeriods(times: Span[]): (Span & { grain: Grain }) | null {
  const sorted = [...times].sort((a, b) => a.from.localeCompare(b.from));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last || sorted.length < 2) return null;
  const grain = grainOf(first);
  const follow = sorted.every((time, i) => grainOf(time) === grain && (i === 0 || sorted[i - 1]?.to === time.from));
  return grain && follow ? { from: first.from, to: last.to, grain } : null;
}

function grainOf({ from, to, isOpen }: Span): Grain | null {
  if (isOpen) return null;
  const [year, month] = from.split('-').map(Number) as [number, number];
  const is = (span: Span): boolean => span.from === from && span.to === to;
  if (is(yearSpan(year))) return 'year';
  if (is(quarterSpan(year, Math.ceil(month / 3)))) return 'quarter';
  return is(monthSpan(year, month)) ? 'month' : null;
}

function toTime(time: Span | undefined, grain: Grain | null): MetricCall['time'] {
  return {
    ...(time && time.from !== '0001-01-01' ? { from: time.from } : {}),
    ...(time && !time.isOpen ? { to: time.to } : {}),
    ...(grain ? { grain } : {}),
  };
}

function addFilter(filters: MetricCall['filters'], field: string, negated: boolean, values: string[]): void {
  const op = negated ? 'not_in' : 'in';
  const known = filters.find(filter => filter.field === field && filter.op === op);
  if (known) known.values.push(...values);
  else filters.push({ field, op, values: [...values] });
}

/** `华东地区` and `the region East` name the dimension of the filter itself; `每个地区` asks for all regions. */
function namesFilter(linked: LinkedQuestion, mention: Mention, filters: MetricCall['filters'], dimension: string): boolean {
  if (!filters.some(filter => filter.field === dimension)) return false;
  return linked.mentions.some(other => {
    if (!meaningOf(other, 'entity') && !meaningOf(other, 'value')) return false;
    const between = other.end <= mention.start ? linked.text.slice(other.end, mention.start) : linked.text.slice(mention.end, other.start);
    return /^[\s"'“”]*$/.test(between);
  });
}

function isPlural(linked: LinkedQuestion, top: Mention, language: Language): boolean {
  if (language === 'zh') return linked.mentions.some(mention => intentsOf(mention, 'which') && /些|几/.test(mention.text));
  return linked.mentions.some(
    mention => mention.start !== top.start && (meaningOf(mention, 'dimension') || meaningOf(mention, 'label')) && /s$/.test(mention.text),
  );
}

/** Finds the dimension named like the label or one of its aliases. */
function dimensionOfLabel(metric: MetricEntry, schema: GraphSchema, label: string): string | null {
  const element = schema.labels.find(candidate => candidate.name === label);
  return findDimension(metric, [label, ...(element?.aliases ?? [])]);
}

/** Finds the dimension named like the property, or like its column. */
function dimensionOfProperty(metric: MetricEntry, schema: GraphSchema, label: string, property: string): string | null {
  const found = schema.labels.find(candidate => candidate.name === label)?.properties.find(candidate => candidate.name === property);
  // A value of a list is one of several, and the dimension has the whole list.
  if (found?.type === 'string[]') return null;
  return findDimension(metric, found?.column === undefined ? [property] : [property, found.column]);
}

function findDimension(metric: MetricEntry, names: string[]): string | null {
  const wanted = new Set(names.map(same));
  return metric.dimensions.find(dimension => [dimension.name, ...dimension.aliases].some(name => wanted.has(same(name))))?.name ?? null;
}

const same = (name: string): string => compactText(normalizeText(name.replaceAll('_', ' ')));
