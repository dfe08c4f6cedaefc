import { type LabelSchema } from '../../cypher/semantics/graph-schema.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language } from '../../text/language.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { type Mention } from '../linking/meaning.js';
import { spokenName } from '../linking/spoken-name.js';
import { isNumeric } from '../planning/measures.js';
import { hopsFrom, leadsToOne, type PlanSchema } from '../planning/schema-paths.js';
import { type MetricEntry } from '../vocabulary.js';

/** What a question names and what it is asked about. */
export interface NearbyContext {
  /** As it was written. */
  text: string;
  schema: PlanSchema;
  metrics: readonly MetricEntry[];
  entities: ReadonlyMap<number, AnswerNode>;
  language: Language;
}

/** A stretch that is left out. What joins it to the words before it goes too, unless it stands before a noun: `of unhappy customers`. */
type Place = Pick<Mention, 'start' | 'end'> & { isBeforeNoun?: boolean };

const mostOfEach = 4;
/** Joins what comes after it, and means nothing without. A question may be in both languages. */
const joining = String.raw`\b(?:in|into|from|of|by|with|for|at|on|to|about|out|over|under|than|as|since|before|after|during|the|an?|and|or|not)\b|[,;、，]|在|来自|从|由|于|和|与|或`;
const before = new RegExp(`(?:(?:${joining})\\s*)+$`, 'iu');
const after = /^(?:\s*[,;]|[的、，]+)?/u;
const dangling = new RegExp(`^的|(?:${joining}|的)\\s*[?.!？。！]?$`, 'iu');
/** Words beside one that cannot be left out: `what is the weather`, `did not take`, `complained about`, 满意度是多少, 取消了. */
const leads = /\b(?:what|which|how)\s+(?:(?:is|are|was|were)\s+)?(?:the\s+)?$|\b(?:did|do|does|not|can|could|will|would|to)\s+$|n't\s+$/iu;
const needs = /^(?:\s*\b(?:about|for|to|on|at|against|an?|the)\b|(?:各?是|有)?(?:多少|什么|几|怎)|[了过着])/iu;

/**
 * Questions near one that was not answered, the nearest first: without the words that were not understood, without one of the things that
 * limit it, and plain ones about the metrics, labels and nodes that it names. Whether they can be answered is not known yet.
 */
export function nearbyQuestions(linked: LinkedQuestion, missed: readonly string[], context: NearbyContext): string[] {
  const near = [...shorterQuestions(linked, missed, context), ...plainQuestions(linked, context)];
  return [...new Set(near)].filter(text => text !== '' && text !== context.text);
}

function shorterQuestions(linked: LinkedQuestion, missed: readonly string[], { text }: NearbyContext): string[] {
  const unread = placesOf(missed, linked);
  const isNeeded = ({ start, end, isBeforeNoun }: Place): boolean =>
    !isBeforeNoun && (leads.test(linked.text.slice(0, start)) || needs.test(linked.text.slice(end)));
  if (unread.length < missed.length || unread.some(isNeeded)) return [];
  const limits = linked.mentions.filter(isLimit).sort((a, b) => a.text.length - b.text.length || b.start - a.start);
  const cuts = [...(unread.length > 0 ? [unread] : []), ...limits.slice(0, mostOfEach).map(limit => [...unread, limit])];
  // Offsets count in the normalised text, which may be of another length.
  const written = text.length === linked.text.length ? text : linked.text;
  return cuts.map(places => cut(written, places)).filter(near => !dangling.test(near));
}

/** Without it a question of the same kind is left. */
function isLimit({ meanings: [first] }: Mention): boolean {
  if (first?.as === 'intent') return first.intent.kind === 'compare' || first.intent.kind === 'between';
  return first?.as === 'entity' || first?.as === 'value' || first?.as === 'time';
}

/** Where the words stand, outside of what was understood. */
function placesOf(words: readonly string[], { text, mentions }: LinkedQuestion): Place[] {
  return words.flatMap(word => {
    for (let start = text.indexOf(word); start >= 0; start = text.indexOf(word, start + 1)) {
      const end = start + word.length;
      if (mentions.some(mention => mention.start < end && start < mention.end)) continue;
      const next = mentions.find(mention => mention.start >= end && text.slice(end, mention.start).trim() === '');
      return [{ start, end, isBeforeNoun: next?.meanings[0]?.as === 'label' }];
    }
    return [];
  });
}

function cut(text: string, places: Place[]): string {
  return [...places]
    .sort((a, b) => b.start - a.start)
    .reduce(
      (left, { start, end, isBeforeNoun }) =>
        `${isBeforeNoun ? left.slice(0, start) : left.slice(0, start).replace(before, '')} ${left.slice(end).replace(after, '')}`,
      text,
    )
    .replace(/\s+/g, ' ')
    .replace(/(?<=\p{Script=Han}) (?=\p{Script=Han})| (?=[?？!！.。])/gu, '')
    .trim();
}

function plainQuestions(linked: LinkedQuestion, { schema, metrics, entities, language }: NearbyContext): string[] {
  const zh = language === 'zh';
  const spoken = ({ name, aliases }: { name: string; aliases: string[] }): string => inSentence(spokenName(name, aliases, language));
  const named = linked.mentions.flatMap(({ meanings }) => meanings);
  const ofMetrics = metrics
    .filter(({ id }) => named.some(meaning => meaning.as === 'metric' && meaning.metricId === id))
    .flatMap(metric => {
      const [by] = metric.dimensions;
      const name = spoken(metric);
      return [...(by ? [zh ? `各${spoken(by)}的${name}` : `${name} by ${spoken(by)}`] : []), zh ? `${name}是多少` : `What is the ${name}?`];
    });
  const nodes = named.flatMap(meaning => (meaning.as === 'entity' ? (entities.get(meaning.nodes[0]?.id ?? -1) ?? []) : []));
  const labels = schema.labels.filter(({ name }) => named.some(meaning => meaning.as === 'label' && meaning.label === name));
  const around = (label: string, several: boolean): LabelSchema[] => {
    const hops = hopsFrom(schema, label).filter(hop => !several || !leadsToOne([hop], schema.toOne));
    const next = new Set(hops.map(({ to }) => to));
    return schema.labels.filter(({ name }) => next.has(name) && name !== label);
  };
  const ofNodes = nodes.slice(0, mostOfEach).flatMap(({ label, display }) =>
    around(label, false)
      .sort((a, b) => Number(labels.includes(b)) - Number(labels.includes(a)))
      .slice(0, 2)
      .map(other => (zh ? `${display}的${spoken(other)}有哪些` : `Which ${plural(spoken(other))} does ${display} have?`)),
  );
  const ofLabels = labels.slice(0, mostOfEach).flatMap(label => {
    const name = spoken(label);
    const measured = label.properties.find(property => isNumeric(property.type) && !label.keyProperties.includes(property.name));
    const measure = measured && spoken({ name: measured.name, aliases: measured.column === undefined ? [] : [measured.column] });
    return [
      ...around(label.name, true).slice(0, 2).map(other => (zh ? `每个${name}有多少${spoken(other)}` : `How many ${plural(spoken(other))} does each ${name} have?`)),
      ...(measure === undefined ? [] : [zh ? `${measure}最高的${name}是哪个` : `Which ${name} has the highest ${measure}?`]),
      zh ? `有多少${name}` : `How many ${plural(name)} are there?`,
    ];
  }); // prettier-ignore
  return [...ofMetrics, ...ofNodes, ...ofLabels];
}

/** `Order` is `order` there, and `SKU` stays. */
function inSentence(name: string): string {
  return /^[A-Z][a-z]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}

function plural(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}
