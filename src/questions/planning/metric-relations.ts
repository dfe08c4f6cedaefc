import { type Bilingual } from '../../text/bilingual.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { type MetricEntry } from '../vocabulary.js';
import { type MetricSchema } from './metric-dimensions.js';
import { keptBy } from './kept-by-schema.js';
import { type NamedFilter } from './metric-filters.js';
import { type Hop, hopsFrom } from './schema-paths.js';

/**
 * The reason why a metric cannot be limited by a relation that the question names; null if it can. A filter may replace the relation only
 * if its dimension stands for an edge of this relation: `products supplied by X` are the products of the supplier X, but products that X
 * reviewed are not the purchases of X.
 */
export function whyRelated(metric: MetricEntry, schema: MetricSchema, terms: QuestionTerms, filters: NamedFilter[]): Bilingual | null {
  const unread = terms.relations.find(
    ({ mention, type }) =>
      !mention.meanings.some(meaning => meaning.as === 'dimension' && meaning.metricId === metric.id) &&
      !filters.some(({ label }) => isEdgeOf(schema, type, label)),
  );
  if (!unread) return null;
  const { text } = unread.mention;
  return {
    zh: `指标“${metric.name}”不能按关系“${text}”限定，忽略它会答成另一个问题；请只按指标的维度来问，或不提指标`,
    en: `the metric "${metric.name}" cannot be limited by the relation "${text}", and without it this would be another question; ask by the metric's dimensions only, or without the metric`,
  };
}

/** Whether each node of another label has at most one edge of the type to a node of `label`, and no other type joins the two labels. */
const isEdgeOf = keptBy((schema: MetricSchema, type: string, label: string): boolean => {
  const { outgoing = [], incoming = [] } = schema.toOne ?? {};
  const isToOne = { in: outgoing.includes(type), out: incoming.includes(type) };
  const only = new Map<string, Hop | null>();
  for (const hop of hopsFrom(schema, label)) if (hop.to !== label) only.set(hop.to, only.has(hop.to) ? null : hop);
  return [...only.values()].some(hop => hop?.type === type && isToOne[hop.direction]);
});
