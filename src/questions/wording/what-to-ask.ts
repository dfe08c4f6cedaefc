import { type Language } from '../../text/language.js';
import { type MetricEntry } from '../vocabulary.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { meaningOf } from '../linking/meaning.js';
import { hopsFrom } from '../planning/schema-paths.js';
import { spokenName, spokenProperty } from '../linking/spoken-name.js';

const mostNamed = 8;

/**
 * A sentence on what can be asked about the things that an unanswered question names: the dimensions of a metric, or the properties and
 * relations of a label. If the question names neither, the sentence lists labels and metrics.
 */
export function whatToAsk(linked: LinkedQuestion, schema: GraphSchema, metrics: MetricEntry[], language: Language): string {
  const zh = language === 'zh';
  const list = (names: string[]): string => [...new Set(names)].slice(0, mostNamed).join(zh ? '、' : ', ');
  const spoken = (element: { name: string; aliases: string[] }): string => spokenName(element.name, element.aliases, language);
  const metricIds = linked.mentions.flatMap(mention => meaningOf(mention, 'metric')?.metricId ?? []);
  const metric = metrics.find(candidate => metricIds.includes(candidate.id));
  if (metric) {
    const name = spoken(metric);
    const by = list([...metric.dimensions.map(spoken), ...(metric.has_time ? [zh ? '时间' : 'time'] : [])]);
    if (by === '') return zh ? `指标“${name}”没有维度。` : `The metric "${name}" has no dimensions.`;
    return zh ? `指标“${name}”可以按${by}来问。` : `The metric "${name}" can be asked by ${by}.`;
  }
  const named = linked.mentions.flatMap(mention => {
    const label = meaningOf(mention, 'label')?.label ?? meaningOf(mention, 'entity')?.nodes[0]?.label;
    return label === undefined ? [] : [label];
  })[0];
  const label = schema.labels.find(element => element.name === named);
  if (label) {
    const properties = list(label.properties.map(property => spokenProperty(property, language)));
    const relations = list(
      hopsFrom(schema, label.name).map(({ type, to }) => {
        const edge = schema.edges.find(element => element.type === type);
        const other = schema.labels.find(element => element.name === to);
        return `${spokenName(type, edge?.aliases ?? [], language)} (${other ? spoken(other) : to})`;
      }),
    );
    const name = spoken(label);
    return zh
      ? `关于“${name}”可以问属性：${properties || '无'}；关系：${relations || '无'}。`
      : `Questions about "${name}" can name the properties ${properties || '(none)'} and the relations ${relations || '(none)'}.`;
  }
  const labels = list(schema.labels.map(spoken));
  const measures = list(metrics.map(spoken));
  if (labels === '') return '';
  return zh
    ? `可以问：${labels}${measures === '' ? '' : `；指标：${measures}`}。`
    : `You can ask about ${labels}${measures === '' ? '' : `; metrics: ${measures}`}.`;
}
