import { type Bilingual } from '../../text/bilingual.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { type Mention, meaningOf } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { readTerms } from '../linking/read-terms.js';
import { type MetricEntry, type MetricFilter } from '../vocabulary.js';
import { toWords } from './direction-words.js';
import { aheadOf, endSaid, joinsNoun } from './end-prepositions.js';
import { keptBy } from './kept-by-schema.js';
import { dimensionsOfLabel, dimensionsOfProperty, type MetricSchema, wordsOfDimension } from './metric-dimensions.js';
import { groupsOf, isGroup, isGrouped, type MetricGroups } from './metric-groups.js';
import { isAskedFor, labelOf } from './metric-measures.js';
import { type NameChoices } from './name-choices.js';
import { requireOneProperty } from './anchors.js';
import { hopsFrom } from './schema-paths.js';

/** A filter on a dimension, and the mention that names its values. */
export interface NamedFilter {
  mention: Mention;
  /** The label of the entities that the mention names, or of the nodes that have the named value. */
  label: string;
  dimension: string;
  negated: boolean;
  values: string[];
}

/**
 * Turns each entity or value into a filter on the dimension of its label or property. Returns a reason to refuse if there is no such
 * dimension, so that no limit is left out.
 * @throws AmbiguousQuestionError when a name may be one of several nodes
 */
export function readFilters(
  metric: MetricEntry,
  schema: MetricSchema,
  terms: QuestionTerms,
  choices: NameChoices,
  mentions: readonly Mention[],
): NamedFilter[] | { reason: Bilingual } {
  const filters: NamedFilter[] = [];
  const noDimension = (mention: Mention): { reason: Bilingual } => ({
    reason: {
      zh: `指标“${metric.name}”没有“${mention.text}”对应的维度`,
      en: `The metric "${metric.name}" has no dimension for "${mention.text}"`,
    },
  });
  // The thousand meanings of a value may all have the same roles.
  const roleOf = keptBy((mention: Mention, ...roles: string[]): string | undefined =>
    roles.length > 1 ? choices.requireOneRole(mention, rolesNamed(terms, mention, metric, roles, mentions)) : roles[0],
  );
  const named = new Set(terms.labels.map(({ label }) => label));
  for (const term of terms.entities) {
    const { mention, negated, nodes: alike } = term;
    const nodes = choices.narrowNodes(term);
    const labels = [...new Set(nodes.map(node => node.label))].filter(label => dimensionsOfLabel(metric, schema, label).length > 0);
    const [label, other] = labels;
    const roles = label === undefined ? [] : dimensionsOfLabel(metric, schema, label);
    const role = roleOf(mention, ...roles.map(({ name }) => name));
    const dimension = roles.find(({ name }) => name === role);
    if (label === undefined || dimension === undefined) return noDimension(mention);
    if (other !== undefined)
      return {
        reason: {
          zh: `“${mention.text}”可以是${labels.join('、')}，请写明是哪一种`,
          en: `"${mention.text}" may be ${labels.join(' or ')}: say which`,
        },
      };
    choices.requireOneNode(term, label);
    const [value] = nodes.filter(node => node.label === label).flatMap(node => choices.nodeOf(node)?.[dimension.by] ?? []);
    if (value === undefined) return noDimension(mention);
    // Choosing one of the namesakes would not help: the dimension has only the text that they share.
    const sharing = alike.filter(node => node.label === label && choices.nodeOf(node)?.[dimension.by] === value).length;
    if (sharing > 1)
      return {
        reason: {
          zh: `有 ${sharing} 个“${label}”都叫“${value}”，指标“${metric.name}”的维度“${dimension.name}”只记名称，分不开它们；请改用编号等能区分的维度`,
          en: `${sharing} nodes of "${label}" are called "${value}", and the dimension "${dimension.name}" of the metric "${metric.name}" does not tell them apart: it needs a dimension that does, such as the key`,
        },
      };
    filters.push({ mention, label, dimension: dimension.name, negated, values: [value] });
  }
  for (const { mention, values, negated } of terms.values) {
    const known = values.flatMap(value => {
      const dimension = roleOf(mention, ...dimensionsOfProperty(metric, schema, value.label, value.property));
      return dimension === undefined ? [] : [{ mention, label: value.label, dimension, negated, values: [value.value] }];
    });
    // `suppliers in Japan`: a dimension for the country of customers does not fit, although customers also have the value Japan.
    const fit = values.some(({ label }) => named.has(label)) ? known.filter(({ label }) => named.has(label)) : known;
    const [found] = fit;
    if (!found) return noDimension(mention);
    const properties = values.filter(({ label }) => label === found.label).map(({ property }) => property);
    requireOneProperty(mention.text, properties);
    requireOneProperty(
      mention.text,
      fit.map(({ dimension }) => dimension),
    );
    filters.push(found);
  }
  return filters;
}

/**
 * The roles whose dimension is named right before a node, as in `to hub Hamburg Nord`, or meant by the preposition there, as in
 * `from Hamburg Nord`. All roles if none is named.
 */
function rolesNamed(terms: QuestionTerms, mention: Mention, metric: MetricEntry, roles: string[], mentions: readonly Mention[]): string[] {
  const isAsked = (own: Mention): boolean =>
    own.meanings.some(meaning => meaning.as === 'metric' && meaning.metricId === metric.id) ||
    isAskedFor(terms, own) ||
    startsWithEnd.test(own.text);
  const kinds = mentions.filter(own => meaningOf(own, 'label') !== null);
  const nouns = mentions.filter(isAsked);
  const place = { name: mention, terms, nouns, heads: nouns, kinds };
  const before = aheadOf(terms, mention, []);
  const namesOf = (role: string): string[] => [role, ...(metric.dimensions.find(({ name }) => name === role)?.aliases ?? [])];
  const isNamed = (name: string): boolean =>
    endsWith(before, name) && (!startsWithEnd.test(name) || joinsNoun(before.slice(0, -name.length), place));
  const named = roles.filter(role => wordsOfDimension(metric, role).some(isNamed));
  if (named.length > 0) return named;
  const said = endSaid(place, roles, namesOf) ?? undefined;
  return said === undefined ? roles : [said];
}

/** Matches the name of a dimension whose first word the question may use as a preposition, as in `to and from hub Hamburg`. */
const startsWithEnd = new RegExp(`^(?:from|${toWords}) `);

function endsWith(text: string, name: string): boolean {
  return text.endsWith(name) && (!/^[a-z]/.test(name) || !/[a-z]$/.test(text.slice(0, -name.length)));
}

export function toMetricFilters(named: NamedFilter[]): MetricFilter[] {
  const filters: MetricFilter[] = [];
  for (const { dimension: field, negated, values } of named) {
    const op = negated ? 'not_in' : 'in';
    const known = filters.find(filter => filter.field === field && filter.op === op);
    if (known) known.values.push(...values);
    else filters.push({ field, op, values: [...values] });
  }
  return filters;
}

/**
 * The dimensions by which the question groups the metric. A label beside a filter is not a dimension, but only describes the filter:
 * `华东地区`, `Germany的客户`, "customers in Germany".
 * @param named the mention of the metric
 * @param isList whether the question asks for some members of a dimension by their value of the metric
 */
export function readDimensions(
  metric: MetricEntry,
  schema: MetricSchema,
  terms: QuestionTerms,
  named: Mention,
  mentions: Mention[],
  filters: NamedFilter[],
  isList: boolean,
  choices: NameChoices,
  groups: MetricGroups,
): Set<string> | { reason: Bilingual } {
  const dimensions = new Set<string>();
  for (const mention of mentions) {
    const own = mention.meanings.find(meaning => meaning.as === 'dimension' && meaning.metricId === metric.id);
    const isOfOther = mention.meanings.length > 0 && mention.meanings.every(meaning => meaning.as === 'dimension');
    const label = terms.labels.some(term => term.mention === mention) ? labelOf(mention) : undefined;
    if (own === undefined && !isOfOther && label === undefined) continue;
    const roles = own === undefined && label !== undefined ? dimensionsOfLabel(metric, schema, label).map(({ name }) => name) : [];
    const ofLabel = roles.length > 1 ? choices.requireOneRole(mention, roles) : (roles[0] ?? null);
    const dimension = own?.as === 'dimension' ? own.dimension : ofLabel;
    if (filters.some(filter => filter.dimension === dimension && isBeside(terms.text, filter.mention, mention))) continue;
    if (!groups.nouns.has(mention) && label !== undefined) {
      const related = filters.filter(filter => isRelated(schema, label, filter.label));
      if (related.some(filter => saysMoreOf(terms.text, filter.mention, mention)) || (related.length > 0 && !isList)) continue;
    }
    // `revenue of products by region` is grouped by region only.
    const isPassed = isGrouped(terms, groups) && !groups.nouns.has(mention) && describesMetric(terms.text, mention, named);
    if (dimension !== null && isPassed) continue;
    if (dimension === null)
      return {
        reason: {
          zh: `指标“${metric.name}”没有“${mention.text}”这个维度`,
          en: `The metric "${metric.name}" has no dimension "${mention.text}"`,
        },
      };
    dimensions.add(dimension);
  }
  return dimensions;
}

/** Whether a noun only states what the metric measures: `revenue of products`, 产品的销售额. */
function describesMetric(text: string, noun: Mention, named: Mention): boolean {
  if (noun.end <= named.start) return /^的?$/.test(text.slice(noun.end, named.start));
  return /^\s+(?:of|from|for)\s+(?:(?:the|our|all)\s+)?$/.test(text.slice(named.end, noun.start));
}

/**
 * The nouns that a metric call does not group by, because they only state what the metric measures: 产品 in 各地区的产品的销售额. Empty for a question
 * without groups.
 */
export function passedNouns({ mentions, ...linked }: LinkedQuestion): string[] {
  const named = mentions.find(mention => meaningOf(mention, 'metric'));
  if (!named) return [];
  const others = mentions.filter(mention => mention !== named);
  const terms = readTerms({ ...linked, mentions: others });
  const groups = groupsOf(terms, others);
  if (!isGrouped(terms, groups)) return [];
  const isPassed = (mention: Mention): boolean =>
    isGroup(mention) && !groups.nouns.has(mention) && describesMetric(linked.text, mention, named);
  return others.filter(isPassed).map(({ text }) => text);
}

function isRelated(schema: MetricSchema, label: string, other: string): boolean {
  return label === other || hopsFrom(schema, label).some(({ to }) => to === other);
}

function isBeside(text: string, filter: Mention, kind: Mention): boolean {
  const between = filter.end <= kind.start ? text.slice(filter.end, kind.start) : text.slice(kind.end, filter.start);
  return /^[\s"'“”]*$/.test(between);
}

function saysMoreOf(text: string, filter: Mention, kind: Mention): boolean {
  if (filter.end <= kind.start) return /^[\s"'“”]*的?\s*$/.test(text.slice(filter.end, kind.start));
  return /^\s*(?:(?:who|that|which)\s+(?:are|live)\s+)?(?:(?:based|located|living)\s+)?(?:in|from|of|at|在)?\s*(?:the\s+)?$/.test(
    text.slice(kind.end, filter.start),
  );
}
