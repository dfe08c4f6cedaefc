import { normalizeText } from '../../graph-index/tokenize-text.js';
import { type Mention } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { isAgentNoun, isVerbForm, rootOf } from '../linking/word-roots.js';
import { isWho } from './answer-types.js';
import { doer, isPassive, isReceiving, standsAsNoun } from './order-clues.js';
import { keptBySchema } from './kept-by-schema.js';
import { UnplannableError } from './question-plan.js';
import { hopsFrom, namesOfRelation, type PlanSchema } from './schema-paths.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';
import { type Noun, type SpokenEnds, SpokenEndsReader } from './spoken-ends.js';

type Edge = PlanSchema['edges'][number];

/**
 * Refuses a relation that the question turns round: `Did the vase restore Ann?` of a relation between researchers and the artifacts that
 * they restored. A path between the two would answer "yes". Refuses also a verb of things that its relation does not speak of.
 * @param hops the number of hops of the pattern; null if no pattern has been made. A verb with one known end is judged in a pattern of one
 * hop only: `Who directed Tom Hanks` asks for the directors of his films.
 * @throws UnplannableError
 */
export function refuseTurned(terms: QuestionTerms, words: readonly SchemaWord[], schema: PlanSchema, hops: number | null): void {
  const reader = new SpokenEndsReader(terms, words);
  for (const { mention, relations, labels } of words) {
    if (relations.size === 0 || labels.size > 0 || isNoun(terms.text, mention)) continue;
    const ends = reader.of(mention);
    if (!ends) continue;
    const edges = schema.edges.filter(({ type }) => relations.has(type));
    const spoken = mention.text + (/^ [a-z]+/.exec(terms.text.slice(mention.end))?.[0] ?? '');
    if (!edges.some(edge => speaksOf(edge, ends, spoken, schema, terms.whether === null))) throw ofStranger(mention.text, edges, ends);
    if (isReceiving(mention.text) || ((ends.subject === null || ends.object === null) && hops !== 1)) continue;
    const turned = edges.map(edge => turnedBy(ends, edge, spoken, schema));
    const [first] = turned;
    if (first && turned.every(Boolean)) throw turnedRound(mention.text, first.edge.type, first.subject, first.object);
  }
}

function isNoun(text: string, mention: Mention): boolean {
  if (isAgentNoun(mention.text) || doer.test(mention.text)) return true;
  return standsAsNoun(text, mention) && !/没有\s*$/.test(text.slice(0, mention.start));
}

/**
 * Whether a relation speaks of the subject and the object of its verb. These are its two ends, or what an end that is no person leads to:
 * an order stands for its products in `Which customers ordered Chai?`. A club does not stand for its coaches in `Does Ann own the stadium?`.
 * @param mayReach whether a name as the object may also be near the end, as the city of a hospital in `Which doctors work in London?`. With
 * yes or no the way to it would not be seen.
 */
function speaksOf(edge: Edge, { subject, object }: SpokenEnds, spoken: string, schema: PlanSchema, mayReach: boolean): boolean {
  const { sourceLabel, targetLabel } = edge;
  const doer = doingEnd(edge, spoken, schema);
  const isEnd = (noun: Noun | null, end: string, mayLead: boolean): boolean =>
    noun === null || noun.labels.has(end) || (mayLead && !isWho(schema, end) && leadsTo(schema, end, noun.labels));
  const isNearName = (end: string): boolean => mayReach && object !== null && object.as !== 'label' && isNear(schema, end, object.labels);
  const isObject = (end: string, mayLead: boolean): boolean => isEnd(object, end, mayLead) || (mayLead && isNearName(end));
  return (
    (isEnd(subject, sourceLabel, doer !== 'to') && isObject(targetLabel, doer !== 'to')) ||
    (isEnd(subject, targetLabel, doer !== 'from') && isObject(sourceLabel, doer !== 'from'))
  );
}

function leadsTo(schema: PlanSchema, from: string, labels: ReadonlySet<string>): boolean {
  return [...labels].some(label => targetsOf(schema, from).has(label));
}

function isNear(schema: PlanSchema, from: string, labels: ReadonlySet<string>): boolean {
  return [...labels].some(label => placesNear(schema, from).has(label));
}

/** The labels one or two hops from a label. */
const placesNear = keptBySchema((schema, from: string) => {
  const near = new Set(hopsFrom(schema, from).map(({ to }) => to));
  return new Set([...near, ...[...near].flatMap(label => hopsFrom(schema, label).map(({ to }) => to))]);
});

const targetsOf = keptBySchema(
  (schema, from: string) => new Set(hopsFrom(schema, from).flatMap(({ direction, to }) => (direction === 'out' ? [to] : []))),
);

function ofStranger(verb: string, edges: readonly Edge[], { subject, object }: SpokenEnds): UnplannableError {
  const pairs = edges.map(({ sourceLabel, targetLabel }) => [sourceLabel, targetLabel] as const);
  const said = [subject, object].flatMap(noun => [...(noun?.labels ?? [])]);
  const strangers = said.filter(label => !pairs.some(pair => pair.includes(label)));
  const others = strangers.length > 0 ? strangers : said;
  return new UnplannableError(
    `“${verb}”是${pairs.map(([from, to]) => `“${from}”与“${to}”`).join('、')}之间的关系，不涉及“${others.join('、')}”；请写出其间的关系`,
    `"${verb}" relates ${pairs.map(([from, to]) => `"${from}" and "${to}"`).join(', ')}, and not "${others.join('", "')}"; name the relations between`,
  );
}

interface Turned {
  edge: Edge;
  subject: string;
  object: string;
}

/** The ends of a relation, as subject and object of its verb, if the question exchanges these ends; else null. */
function turnedBy({ subject, object }: SpokenEnds, edge: Edge, spoken: string, schema: PlanSchema): Turned | null {
  const { sourceLabel, targetLabel } = edge;
  if (sourceLabel === targetLabel) return null;
  const end = doingEnd(edge, spoken, schema);
  if (end === null) return null;
  const [doing, done] = end === 'from' ? [sourceLabel, targetLabel] : [targetLabel, sourceLabel];
  const isOnly = (noun: Noun | null, label: string, other: string): boolean =>
    noun === null || (noun.labels.has(label) && !noun.labels.has(other));
  return isOnly(subject, done, doing) && isOnly(object, doing, done) ? { edge, subject: doing, object: done } : null;
}

/** The first name of a relation that has a word of a root, by the root, and whether a name of it is passive. */
const verbsOf = keptBySchema((schema, type: string) => {
  const names = namesOfRelation(schema, type).map(name => normalizeText(name));
  const byRoot = new Map<string, string>();
  for (const name of names) for (const part of name.split(/[_ ]/)) if (!byRoot.has(rootOf(part))) byRoot.set(rootOf(part), name);
  return { byRoot, hasPassive: names.some(isPassive) };
});

const preposition = /[_ ](?:in|at|on|to|from|with|for|of|via|through)$/;

/**
 * The end of a relation that does what the verb says. A passive name leads to the doer. Otherwise the only person of both ends is the doer,
 * if the relation leads from it. Without one person the doer is the source of a relation whose name is a verb. Null if the doer is unclear.
 * @param spoken the verb of the question and the word behind it
 */
export function doingEnd({ type, sourceLabel, targetLabel }: Edge, spoken: string, schema: PlanSchema): 'from' | 'to' | null {
  const { byRoot, hasPassive } = verbsOf(schema, type);
  if (isPassive(type) || (!/[a-z]/i.test(type) && hasPassive)) return 'to';
  const [verb = '', next = ''] = spoken.split(' ');
  const name = byRoot.get(rootOf(verb));
  if (name === undefined || hasPassive) return null;
  const own = preposition.exec(name)?.[0].slice(1);
  if (own !== undefined && own !== next && !spoken.includes(` ${own}`)) return null;
  if (isWho(schema, sourceLabel) !== isWho(schema, targetLabel)) return isWho(schema, sourceLabel) ? 'from' : null;
  const [first = ''] = name.split(/[_ ]/);
  const isVerb = /^\p{Script=Han}{2,}$/u.test(name) || (isVerbForm(first) || /[^s]s$/.test(first)) && !/^(?:has|is|was)$/.test(first); // prettier-ignore
  return isVerb ? 'from' : null;
}

function turnedRound(verb: string, type: string, subject: string, object: string): UnplannableError {
  return new UnplannableError(
    `关系“${type}”中“${verb}”的主语是“${subject}”、宾语是“${object}”，与问句相反；请对调后再问`,
    `In the relation "${type}" the subject of "${verb}" is "${subject}" and its object "${object}", and the question says the opposite; exchange the two`,
  );
}

/**
 * Refuses `X是导师吗` of a relation of a label with itself, because a path from X would also find that X has a mentor, and `Is X a restorer?`
 * of a thing that is at the other end of the relation.
 * @throws UnplannableError
 */
export function refuseBareRole({ text, entities, whether }: QuestionTerms, words: readonly SchemaWord[], schema: PlanSchema): void {
  const [[word, ...others], [named, ...more]] = [words, entities];
  if (whether === null || !word || others.length > 0 || !named || more.length > 0) return;
  const { text: own, start, end } = word.mention;
  const isSaid = /(?:是|\b(?:an?|the))\s*$/.test(text.slice(0, start)) && /^\s*[吗么嘛]?[?？]?\s*$/.test(text.slice(end));
  if (!isSaid || !(isOnlyRelation(word) || word.isRole)) return;
  const edges = schema.edges.filter(({ type }) => word.relations.has(type));
  const name = named.mention.text;
  const isOwn = edges.some(({ sourceLabel, targetLabel }) => sourceLabel === targetLabel);
  if (!isOwn && !isAgentNoun(own) && !doer.test(own)) return;
  if (isOwn)
    throw new UnplannableError(
      `不清楚“${own}”是谁的；请问“${name}是谁的${own}”`,
      `It is not clear whose "${own}" is meant; ask "whose ${own} is ${name}", or name the other one`,
    );
  const doers = edges.map(edge => {
    const at = doingEnd(edge, own, schema);
    return at && (at === 'from' ? edge.sourceLabel : edge.targetLabel);
  });
  const [first] = doers;
  if (first == null || named.nodes.some(({ label }) => doers.includes(null) || doers.includes(label))) return;
  throw new UnplannableError(
    `“${own}”说的是“${first}”，而“${name}”不是；请问“${name}”的“${own}”是谁`,
    `"${own}" is said of "${first}", which "${name}" is not; ask for the ${own} of "${name}"`,
  );
}
