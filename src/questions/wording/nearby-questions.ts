import { type LabelSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language, languageOf } from '../../text/language.js';
import { written } from '../linking/follow-up.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { intentsOf, type Mention } from '../linking/meaning.js';
import { findMetricWords } from '../linking/metric-words.js';
import { isNumeric } from '../linking/numerals.js';
import { unreadOf } from '../linking/question-terms.js';
import { spokenName, spokenProperty } from '../linking/spoken-name.js';
import { irregularPlurals, isVerbForm } from '../linking/word-roots.js';
import { othersIn } from '../planning/refuse-others.js';
import { hopsFrom, leadsToOne, type PlanSchema } from '../planning/schema-paths.js';
import { type MetricEntry } from '../vocabulary.js';

/** The question and its graph, from which nearby questions are made. */
export interface NearbyContext {
  /** The question as written. */
  text: string;
  schema: PlanSchema;
  metrics: readonly MetricEntry[];
  entities: ReadonlyMap<number, AnswerNode>;
  language: Language;
}

type Place = Pick<Mention, 'start' | 'end'>;

/** Maximum labels, and maximum nodes, for which plain questions are made, because only a few questions are shown. */
const mostNamed = 3;
/** Source of a pattern for words that mean nothing without the words behind. It covers both languages, which a question may mix. */
const joining = String.raw`\b(?:in|into|from|of|by|with|for|at|on|to|than|as|since|before|after|during|the|an?|and|or)\b|[,;、，]|在|来自|从|由|于|和|与|或`;
/**
 * Number of characters before a place that are searched for joining words. It is bounded because the pattern is tried at each character.
 */
const mostJoining = 80;
const before = new RegExp(`(?:(?:${joining})\\s*)+$`, 'iu');
const after = /^(?:\s*[,;]|[的、，]+)?/u;
/** Matches an incomplete question, which begins with 的, or ends with a joining word or a verb. */
const dangling = new RegExp(
  `^的|(?:${joining}|\\b(?:is|are|was|were|do|does|did|has|have|not|that|who|which)\\b|[的是有])\\s*[?.!？。！]?$`,
  'iu',
);
/** Matches text before an adjective: a determiner or a preposition. A verb would stand behind its subject instead. */
const beforeAdjective = /(?:的|哪些|哪个|\b(?:the|an?|all|any|which|what|many|of|from|by|in|at|to|with|for|and|or)\s+)$/;
/** Matches a question whose verb stands at its end or in the next clause: `Which papers did X publish`. */
const endsWithVerb = /\b(?:did|does|do|is|are|was|were|has|have|had)\b/;
/** Matches the end of a question. */
const end = /^\s*[?.!？。！]*$/;

/**
 * Questions near an unanswered question, the nearest first: the question without the words that were not understood, and plain questions
 * about the metrics, labels and nodes that it names. No understood part of the question is left out, because the rest would ask something
 * else in words that look the same. The caller has to test which can be answered.
 */
export function nearbyQuestions(linked: LinkedQuestion, missed: readonly string[], context: NearbyContext): string[] {
  const near = [
    ...questionsOfMetrics(linked, missed, context),
    ...shorterQuestion(linked, missed, context),
    ...plainQuestions(linked, context),
  ];
  return [...new Map(near.map(text => [bare(text), text])).values()].filter(text => bare(text) !== bare(context.text));
}

/** Questions with a metric inserted before a word that needs one: 8月比7月[销售额]增长多少. Empty if the question names a metric. */
function questionsOfMetrics(linked: LinkedQuestion, missed: readonly string[], { text, metrics, language }: NearbyContext): string[] {
  if (linked.mentions.some(({ meanings }) => meanings.some(({ as }) => as === 'metric'))) return [];
  const places = placesOf(missed, linked);
  const [word] = findMetricWords(linked.text).filter(({ start, end }) => places.some(place => place.start < end && start < place.end));
  if (!word) return [];
  const own = written(text, linked.text);
  const space = language === 'zh' ? '' : ' ';
  return metrics
    .slice(0, mostNamed)
    .map(
      metric => own.slice(0, word.start) + inSentence(spokenName(metric.name, metric.aliases, language)) + space + own.slice(word.start),
    );
}

function bare(text: string): string {
  return text.toLowerCase().replace(/[?？.。!！\s]+$/, '');
}

/** The question without its unread words. Empty if the rest may mean something else: with a negation, or with a time. */
function shorterQuestion(linked: LinkedQuestion, missed: readonly string[], { text }: NearbyContext): string[] {
  const unread = placesOf([...missed, ...othersIn(unreadOf(linked))], linked);
  const isNegated = linked.mentions.some(mention => intentsOf(mention, 'negation') !== null);
  const isTimed = linked.mentions.some(({ meanings: [first] }) => first?.as === 'time');
  if (unread.length === 0 || isNegated || isTimed || unread.some(place => !isSpare(place, linked))) return [];
  const near = cut(written(text, linked.text), unread, place => isBeforeNoun(place, linked));
  return near === '' || dangling.test(near) ? [] : [near];
}

/** Whether a place can be cut out: an adjective before its noun (`unhappy customers`), or an adverb at the end (`ordered Chai happily`). */
function isSpare(place: Place, linked: LinkedQuestion): boolean {
  const { text, mentions } = linked;
  const [ahead, word] = [text.slice(0, place.start), text.slice(place.start, place.end)];
  if (/[哪几谁什多少何]/.test(word)) return false;
  if (isBeforeNoun(place, linked)) return beforeAdjective.test(ahead) || (ahead === '' && /^[a-z]/.test(word));
  const isAfterName = mentions.some(
    ({ end: until, meanings: [first] }) => (first?.as === 'entity' || first?.as === 'value') && text.slice(until, place.start) === ' ',
  );
  const hasVerb = mentions.some(
    ({ end: until, text: own, meanings }) => until <= place.start && (isVerbForm(own) || meanings.some(({ as }) => as === 'relation')),
  );
  return isAfterName && hasVerb && !endsWithVerb.test(ahead) && end.test(text.slice(place.end));
}

function isBeforeNoun(place: Place, { text, mentions }: LinkedQuestion): boolean {
  const next = mentions.find(({ start }) => start >= place.end && text.slice(place.end, start).trim() === '');
  return next?.meanings[0]?.as === 'label';
}

/** Places of whole words outside of all mentions. */
function placesOf(words: readonly string[], { text, mentions }: LinkedQuestion): Place[] {
  const isWhole = (start: number, stop: number): boolean =>
    !/[a-z0-9]{2}/.test(text.slice(start - 1, start + 1)) && !/[a-z0-9]{2}/.test(text.slice(stop - 1, stop + 1));
  return [...new Set(words)].flatMap(word => {
    const found: Place[] = [];
    for (let start = text.indexOf(word); start >= 0 && word !== ''; start = text.indexOf(word, start + word.length)) {
      const stop = start + word.length;
      if (isWhole(start, stop) && !mentions.some(mention => mention.start < stop && start < mention.end)) found.push({ start, end: stop });
    }
    return found;
  });
}

/** Cuts the places out, together with the joining words before each place. Joining words stay before a noun: `of unhappy customers`. */
function cut(text: string, places: Place[], isAdjective: (place: Place) => boolean): string {
  let kept = '';
  let from = 0;
  for (const place of [...places].sort((a, b) => a.start - b.start)) {
    if (place.start < from) return '';
    const ahead = text.slice(from, place.start);
    const far = Math.max(0, ahead.length - mostJoining);
    kept += `${isAdjective(place) ? ahead : ahead.slice(0, far) + ahead.slice(far).replace(before, '')} `;
    from = place.end + (after.exec(text.slice(place.end))?.[0].length ?? 0);
  }
  return (kept + text.slice(from))
    .replace(/\s+/g, ' ')
    .replace(/(?<=\p{Script=Han}) (?=\p{Script=Han})| (?=[?？!！.。])/gu, '')
    .trim();
}

function plainQuestions(linked: LinkedQuestion, { schema, metrics, entities, language }: NearbyContext): string[] {
  const zh = language === 'zh';
  const spoken = ({ name, aliases }: { name: string; aliases: string[] }): string => inSentence(spokenName(name, aliases, language));
  const named = linked.mentions.flatMap(({ meanings }) => meanings);
  // A word may mean tens of thousands of properties, so collect the named labels and metrics once.
  const namedLabels = new Set(named.flatMap(meaning => (meaning.as === 'label' ? meaning.label : [])));
  const namedMetrics = new Set(named.flatMap(meaning => (meaning.as === 'metric' ? meaning.metricId : [])));
  const ofMetrics = metrics
    .filter(({ id }) => namedMetrics.has(id))
    .flatMap(metric => {
      // `by from museum` would be no English.
      const by = metric.dimensions.map(spoken).find(dimension => !/^(?:from|to|in|at|of|by|for|with)\b/i.test(dimension));
      const name = spoken(metric);
      const total = zh ? `${name}是多少` : `What ${plural(name) === name ? 'are' : 'is'} the ${name}?`;
      return [...(by === undefined ? [] : [zh ? `各${by}的${name}` : `${name} by ${by}`]), total];
    });
  // Skip a name that several nodes have, because the name does not say which node is meant.
  const nodes = named.flatMap(meaning => {
    const [node, other] = meaning.as === 'entity' && !meaning.isSet ? meaning.nodes : [];
    return node && !other ? (entities.get(node.id) ?? []) : [];
  });
  const labels = schema.labels.filter(({ name }) => namedLabels.has(name));
  const ofNodes = nodes.slice(0, mostNamed).flatMap(({ label, display }) =>
    around(schema, label, false)
      .filter(other => labels.length === 0 || labels.includes(other))
      .slice(0, 2)
      .map(other => (zh ? `${display}的${spoken(other)}有哪些` : `Which ${plural(spoken(other))} does ${display} have?`)),
  );
  const ofLabels = labels.slice(0, mostNamed).flatMap(label => {
    const name = spoken(label);
    const [measured] = label.properties.filter(property => isMeasure(property, label, schema));
    const measure = measured && inSentence(spokenProperty(measured, language));
    const counted = around(schema, label.name, true).sort((a, b) => Number(labels.includes(b)) - Number(labels.includes(a)))[0];
    return [
      ...(counted ? [zh ? `每个${name}有多少${spoken(counted)}` : `How many ${plural(spoken(counted))} does each ${name} have?`] : []),
      ...(measure === undefined
        ? []
        : [zh ? `${measure}最高的${name}是哪个` : `Which ${name} has the ${plural(measure) === measure ? 'most' : 'highest'} ${measure}?`]),
      zh ? `有多少${name}` : `How many ${plural(name)} are there?`,
    ];
  });
  return [...ofMetrics, ...ofNodes, ...ofLabels].filter(text => languageOf(text) === language);
}

/** The labels one hop from a label; with `several` only labels of which a node may have many neighbours. */
function around(schema: PlanSchema, label: string, several: boolean): LabelSchema[] {
  const hops = hopsFrom(schema, label).filter(hop => !several || !leadsToOne([hop], schema.toOne));
  const next = new Set(hops.map(({ to }) => to));
  return schema.labels.filter(({ name }) => next.has(name) && name !== label);
}

/** Whether a property is a quantity: a number other than a key, a code, a date or a position. */
function isMeasure({ name, type, column }: PropertySchema, label: LabelSchema, { labels }: PlanSchema): boolean {
  const isKey = labels.some(({ keyProperties }) => keyProperties.includes(name));
  const names = `${name} ${column ?? ''}`;
  return (
    isNumeric(type) &&
    !isKey &&
    !label.keyProperties.includes(name) &&
    !/(?:^|[_\s])(?:id|no|code|year|lat|lon|lng|zip|founded)\b|编号|编码|号|年|经度|纬度|邮编/i.test(names)
  );
}

/** The form of a name inside a sentence: `Order` becomes `order`, `floor_area` becomes `floor area`, `SKU` stays. */
function inSentence(name: string): string {
  const spoken = name.replaceAll('_', ' ');
  return /^[A-Z][a-z]/.test(spoken) ? spoken.charAt(0).toLowerCase() + spoken.slice(1) : spoken;
}

/** The plural of a word. A word that is already plural, as labels often are, stays as it is. */
function plural(word: string): string {
  const [, irregular] = Object.entries(irregularPlurals).find(([singular]) => singular === word.toLowerCase()) ?? [];
  if (irregular !== undefined) return irregular;
  if (/[^s]s$/i.test(word) || Object.values(irregularPlurals).includes(word.toLowerCase())) return word;
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}
