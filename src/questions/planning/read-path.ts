import { type Pace } from '../../common/turns/pace.js';
import { type Language } from '../../text/language.js';
import { isJoined, type Mention } from '../linking/meaning.js';
import { isAgentNoun } from '../linking/word-roots.js';
import { hasType, isOfType, isWho, propertiesOfType } from './answer-types.js';
import { type Asked } from './find-asked.js';
import { doer, isPassiveName, orderClues, standsAsNoun, voiceOf } from './order-clues.js';
import { type Hop, leadsToOne, pathsFrom, type PlanSchema } from './schema-paths.js';
import { isSaidToBe } from './said-identity.js';
import { namesDoer } from './self-relations.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';
import { type Clues, ownsProperty, scorePath, undoes } from './score-path.js';

/** A path from a topic to the target of the question, and how well the path explains the question. */
export interface PathReading {
  /** The label of the topic in this reading, since a name may mean nodes of several labels. */
  start: string;
  hops: Hop[];
  score: number;
  unused: SchemaWord[];
  unnamed: number;
}

/** A named thing of the question: its place in the question, and the labels of the nodes that may be meant. */
export interface Topic {
  mention: Mention;
  labels: string[];
  /** Whether the question names the node itself instead of one of its values. */
  isNode: boolean;
}

const costs = {
  wayRound: 4,
  ownKind: 8,
  wrongType: 5,
  wrongTime: 7,
  wrongDirection: 3,
  otherKind: 2,
  ofPersons: 0.5,
  ofOther: 2,
  back: 12,
  otherVerb: 6,
};
/** Maximum readings of a topic that are kept: a value that hundreds of labels have may have a million readings. */
const mostKept = 1_000;
/** A reading may be meant as well as the best one if its score is less than this below the best score. */
const closeCall = 0.25;

/** Ranks the paths from a topic that the words may mean, the best first. `to`: the label at which paths must end, if it is known. */
export async function readPaths(
  {
    text,
    blank,
    blankValues,
    language,
    words,
    asked,
    shared,
  }: { text: string; blank: string; blankValues: string; language: Language; words: SchemaWord[]; asked: Asked; shared: SchemaWord | null },
  topic: Topic,
  schema: PlanSchema,
  pace: Pace,
  to: string | null = null,
): Promise<PathReading[]> {
  const ofTopic = words.find(word => word.labels.size > 0 && stands(text, word.mention, topic.mention)) ?? null;
  const readings: PathReading[] = [];
  // `多少油轮执行过航次`: the question asks for the ships that have the value 油轮, so no path leads away from them.
  const isAsked =
    asked.word?.mention === topic.mention ||
    saysKind(text, blank, topic, asked) ||
    (topic.isNode && asked.word !== null && isSaidToBe(blankValues, topic.mention, asked.word));
  const isOwn = isOwnValue(text, blankValues, topic, asked, words);
  const verb = asked.type === 'who' && asked.word === null ? verbOfWho(text, words) : undefined;
  const namesEnd = (word: SchemaWord, last: Hop): boolean => mayNameEnd(word, last, schema);
  for (const start of topic.labels) {
    const isKind = ofTopic !== null && ofTopic !== asked.word && ofTopic.labels.has(start);
    const others = isKind ? words.filter(word => word !== ofTopic) : words;
    const orders = orderClues(text, topic.mention, others, asked.word, language);
    for (const hops of pathsFrom(schema, start)) {
      if (pace.isOverdue) await pace.turn();
      const end = hops.at(-1)?.to ?? start;
      if (to !== null && end !== to) continue;
      if (asked.word && !mayEnd(asked.word, hops, end, namesEnd)) continue;
      if (hops.length > 0 && isAsked) continue;
      if (shared === null && returnsToItself(hops, schema)) continue;
      if (isOwn && (hops.length > 0 || !asked.word?.labels.has(start))) continue;
      if (hops.length === 0 && to === null && !asksOfItself(text, start, topic, asked, others, schema)) continue;
      const clues = { ofTopic: isKind ? ofTopic : null, asked: asked.word, shared, namesEnd };
      const best = orders
        .map(order => ({ ...scorePath({ start, hops }, { ...clues, words: order.words }), cost: order.cost }))
        .reduce((a, b) => (b.score - b.cost > a.score - a.cost ? b : a));
      const cost =
        best.cost +
        (ofTopic !== null && !isKind && ofTopic !== asked.word ? costs.otherKind : 0) +
        (to === null ? typeCost(end, hops, asked, schema) : 0) +
        (goesRound(topic, start, hops, words) ? (asked.word?.labels.has(start) || to === start ? 2 : 1) * costs.wayRound : 0) +
        (hops.length > 1 && isSaidOf(text, topic, asked) ? costs.ofOther : 0) +
        (guessesOwnKind(topic, start, hops, words, asked) || comesBackToKind(hops, words, asked) ? costs.ownKind : 0) +
        (goesBack(hops, shared, words) ? costs.back : 0) +
        (verb && to === null && !verb.relations.has(hops.at(-1)?.type ?? '') ? costs.otherVerb : 0) +
        directionCost(text, topic.mention, hops, others, schema);
      readings.push({ start, hops, score: best.score - cost, unused: best.unused, unnamed: best.unnamed });
      if (readings.length > 2 * mostKept) readings.sort(bestFirst).splice(mostKept);
    }
  }
  return readings.sort(bestFirst);
}

/** Whether a path goes back over an edge that leads to one node only, and so returns to the very node that it left. */
function returnsToItself(hops: Hop[], { toOne }: PlanSchema): boolean {
  return hops.some((hop, i) => undoes(hops[i - 1], hop) && leadsToOne([hop], toOne));
}

/**
 * Whether a longer path goes there and back by one relation that the question names only once: `students of X who received an award` are
 * not the students who share an award with a student of X.
 */
function goesBack(hops: Hop[], shared: SchemaWord | null, words: SchemaWord[]): boolean {
  if (hops.length < 3 || shared !== null) return false;
  return hops.some((hop, i) => undoes(hops[i - 1], hop) && isNamedOnce(words, hop));
}

/** Whether only one word names a relation, and this word is a verb. A noun for a role may name both ways: `films for the writer of X`. */
function isNamedOnce(words: SchemaWord[], { type }: Hop): boolean {
  const named = words.filter(({ relations }) => relations.has(type)).map(({ mention }) => mention.text);
  return named.length < 2 && !named.some(name => isAgentNoun(name) || doer.test(name));
}

/** The verb right beside "who" or 谁, whose relation leads to the persons asked for: `who operates X`, X是谁运营的. */
function verbOfWho(text: string, words: SchemaWord[]): SchemaWord | undefined {
  return words.find(
    word =>
      isOnlyRelation(word) &&
      !isAgentNoun(word.mention.text) &&
      (/(?:谁(?:在|来|负责)?|^\s*who\s+(?:(?:has|have|had|also)\s+)?)$/.test(text.slice(0, word.mention.start)) ||
        /^(?:\s+by)?\s+whom?\s*[?]?$/.test(text.slice(word.mention.end))),
  );
}

function bestFirst(a: PathReading, b: PathReading): number {
  return b.score - a.score || a.hops.length - b.hops.length;
}

/** The readings whose score is less than `closeCall` below the best. */
export function closeReadings(readings: PathReading[]): PathReading[] {
  const best = readings[0]?.score ?? 0;
  return readings.filter(({ score }) => best - score < closeCall);
}

/**
 * The readings that a question may mean, usually the close ones. If only 谁 or `who` shows what is asked for and no word names a relation,
 * these are the best readings for each label of persons: 谁使用过X may ask for customers or for suppliers.
 */
export function meantReadings(readings: PathReading[], { word, type }: Asked, schema: PlanSchema): PathReading[] {
  const [best] = readings;
  const isGuess = type === 'who' && word === null && best !== undefined && best.hops.length > 0 && best.unnamed === best.hops.length;
  if (!isGuess) return closeReadings(readings);
  const ends = new Map<string, PathReading>();
  for (const reading of readings) {
    const end = reading.hops.at(-1)?.to ?? reading.start;
    if (reading.hops.length <= best.hops.length + 1 && isWho(schema, end) && !ends.has(end)) ends.set(end, reading);
  }
  return ends.size > 1 ? [...ends.values()] : closeReadings(readings);
}

/** Whether a question asks for the topic itself, by its label or by one of its properties: `客户 ALFKI`, `the price of Chai`. */
function asksOfItself(text: string, label: string, topic: Topic, { word, type }: Asked, words: SchemaWord[], schema: PlanSchema): boolean {
  if (word && word.labels.has(label)) return !topic.isNode || isNamed(text, topic, word.mention, type);
  if (word) return ownsProperty(word, label, []);
  const element = schema.labels.find(({ name }) => name === label);
  const isSomewhere = type === 'where' && element !== undefined && propertiesOfType(element, type).length > 0;
  return isSomewhere || words.some(own => ownsProperty(own, label, [])) || (type === null && words.length === 0);
}

/** Whether a topic describes the asked things directly: `patients with diabetes`. */
function isSaidOf(text: string, { mention }: Topic, { word }: Asked): boolean {
  return (
    word !== null && word.labels.size > 0 && /^ (?:with|having|who have) (?:the |an? )?$/.test(text.slice(word.mention.end, mention.start))
  );
}

/** Whether a value describes the asked things, if only a word for a relation names these things: `which captains are active`. */
function saysKind(text: string, blank: string, { mention, isNode }: Topic, { word, type }: Asked): boolean {
  if (isNode || word === null || type === null || word.labels.size + word.properties.length > 0) return false;
  const isBefore = isJoined(blank, mention.end, word.mention.start);
  // The name of a relation may itself end with 是 or 为: 船长是.
  const isSaid = /[是为]$/.test(word.mention.text) && text.slice(word.mention.end, mention.start).trim() === '';
  return isBefore || (mention.start >= word.mention.end && (isSaid || saysItself(text, mention, word.mention)));
}

/**
 * Whether the asked things themselves have the value, instead of things related to them: `female beneficiaries`, `customers from Germany`.
 */
function isOwnValue(text: string, blank: string, { mention, isNode, labels }: Topic, { word }: Asked, words: SchemaWord[]): boolean {
  if (isNode || word === null || !labels.some(label => word.labels.has(label))) return false;
  const between = mention.start < word.mention.end ? '' : text.slice(word.mention.end, mention.start);
  const isAfter = (word.isRole ? /^ (?:in|from|of|with) (?:the )?$/ : /^ from (?:the )?$/).test(between);
  // `female car owners`: a noun may stand between the value and the role.
  const until = word.isRole
    ? words.findLast(({ mention: own, labels: of }) => of.size > 0 && word.mention.start - own.end === 1)?.mention
    : undefined;
  return isAfter || isJoined(blank, mention.end, word.mention.start) || (until !== undefined && isJoined(blank, mention.end, until.start));
}

/** Whether one mention identifies the other: `which customer is ALFKI`. `内科下面有哪些科室` asks for other departments instead. */
export function saysItself(text: string, a: Mention, b: Mention): boolean {
  const between = a.end <= b.start ? text.slice(a.end, b.start) : text.slice(b.end, a.start);
  return /^\s*(?:\b(?:(?:is|are|was|were)(?:n['’]t)?(?:\s+(?:called|named))?|called|named)\b|就?不?是|名?叫做?|名?为|称为)\s*(?:not\s+)?(?:the\s+|an?\s+)?$/.test(
    between,
  );
}

/**
 * Whether a named node is what a question asks for: `driver Hill`, `which driver is Ann Lake`. In `drivers in Hill` and Hill的司机 the name is
 * that of something else. So is a name that nodes of other labels have too, unless the question says that it names what is asked for.
 */
export function isNamed(
  text: string,
  { mention: name, labels }: Pick<Topic, 'mention' | 'labels'>,
  asked: Mention,
  type: Asked['type'],
): boolean {
  if (saysItself(text, name, asked)) return true;
  if (type !== null) return false;
  const [before, after] = [text.slice(0, name.start), text.slice(name.end)];
  if (stands(text, asked, name) || calledBefore.test(before) || /^\s*["”]?这[个位名家座]/.test(after)) return true;
  return labels.length < 2 && !joinedBefore.test(before) && !joinedBehind.test(after);
}

const calledBefore = /(?:\b(?:called|named)|名?叫做?|名为|称为)\s*["'“‘]?$/;
const joinedBefore =
  /(?:\b(?:in|at|of|from|to|with|for|by|on|under|within|inside|do|does|did|has|have)\s+(?:the\s+)?|[在从到由给]|[位属]于|来自)["'“‘]?$/;
const joinedBehind = /^["'”’]?(?:的|一?共?有|['’]s?\s)/;

/**
 * Whether a path leads from the label of a value to other nodes of this label, though the question does not name such other nodes. In
 * `customers in Germany who ordered Tofu` the customers themselves are in Germany.
 */
function goesRound({ isNode }: Topic, start: string, hops: Hop[], words: SchemaWord[]): boolean {
  return (
    !isNode &&
    hops.length > 1 &&
    hops.at(-1)?.to === start &&
    words.filter(({ labels, relations }) => labels.has(start) && relations.size === 0).length < 2
  );
}

/**
 * Whether no word names a relation or a label on a path that leads from a node to others of its kind, which are asked for. `drivers at Lake` are not
 * those who share something with the driver Ann Lake. If only drivers have the name, those whom a single relation joins to it may be meant.
 */
function guessesOwnKind({ isNode, labels }: Topic, start: string, hops: Hop[], words: SchemaWord[], { word }: Asked): boolean {
  const isOfKind = isNode && hops.at(-1)?.to === start && word?.labels.has(start) === true;
  const isNamed = hops.some(({ type, to }) => words.some(own => own.relations.has(type) || (to !== start && own.labels.has(to))));
  return isOfKind && !isNamed && (hops.length > 1 || labels.length > 1);
}

/**
 * Whether a path passes one of the asked kind and leads on to another by a relation that no word names, or that the question names only
 * once: `scouts of a club who recommended a player` are not those who watched a player whom a scout of the club recommended.
 */
function comesBackToKind(hops: Hop[], words: SchemaWord[], { word }: Asked): boolean {
  const end = hops.at(-1)?.to ?? '';
  const passed = hops.findIndex(({ to }, i) => to === end && i < hops.length - 1);
  if (passed < 0 || word?.labels.has(end) !== true) return false;
  const isNamed = ({ type }: Hop): boolean => words.some(({ relations }) => relations.has(type));
  const isAgain = ({ type }: Hop): boolean => hops.filter(hop => hop.type === type).length > 1;
  return hops.slice(passed + 1).some(hop => !isNamed(hop) || (isAgain(hop) && isNamedOnce(words, hop)));
}

function typeCost(label: string, hops: Hop[], { word, type }: Asked, schema: PlanSchema): number {
  const element = schema.labels.find(({ name }) => name === label);
  if (type === null || !element) return 0;
  if (type === 'what') return word === null && isOfType(element, 'who') && hasType(schema, 'who') ? costs.ofPersons : 0;
  if (isOfType(element, type) || (word && ownsProperty(word, label, hops))) return 0;
  if (type === 'who') return hasType(schema, 'who') ? costs.wrongType : 0;
  return propertiesOfType(element, type).length > 0 ? 0 : costs.wrongTime;
}

/** The cost of a path that follows a relation of a label with itself against the direction that the verb means. */
function directionCost(text: string, topic: Mention, [first]: Hop[], words: SchemaWord[], schema: PlanSchema): number {
  if (!first || first.from !== first.to) return 0;
  const verb = words.find(({ relations }) => relations.has(first.type));
  if (!verb) return 0;
  const isReversed =
    isPassiveName(verb.mention.text, first.type, schema, standsAsNoun(text, verb.mention)) !==
    isDoerHere(text, verb.mention, first.type, schema);
  const voice = voiceOf(text, topic, verb.mention, isReversed);
  return voice !== null && voice !== first.direction ? costs.wrongDirection : 0;
}

/** Whether a verb stands as a noun for the doer: X的主管, 主管是X, X的推荐人, but not X主管谁. */
function isDoerHere(text: string, { text: verb, start, end }: Mention, type: string, schema: PlanSchema): boolean {
  if (/^[人者]/.test(text.slice(end))) return true;
  const isNoun = /[的有]\s*$/.test(text.slice(0, start)) || /^\s*是/.test(text.slice(end));
  return isNoun && namesDoer(verb, type, schema);
}

/** Whether a path may end with the things asked for. */
function mayEnd(word: SchemaWord, hops: Hop[], label: string, namesEnd: (word: SchemaWord, last: Hop) => boolean): boolean {
  const last = hops.at(-1);
  return (
    word.labels.has(label) ||
    ownsProperty(word, label, hops) ||
    (last !== undefined && word.relations.has(last.type) && namesEnd(word, last))
  );
}

/**
 * Whether a word for a relation may name the node at its end. A noun for a doer names a person: `director`. Another English word names the
 * target of the edge: `genre`. A word that also names a label names only nodes of this label: `orders` are not the persons who ordered.
 */
function mayNameEnd({ mention, labels }: SchemaWord, last: Hop, schema: PlanSchema): boolean {
  if (labels.size > 0 && !labels.has(last.to)) return false;
  if (!isAgentNoun(mention.text)) return last.direction === 'out' || !/^[a-z]/.test(mention.text);
  return isWho(schema, last.to) || !isWho(schema, last.from);
}

/** The word for a relation beside `share`, `same`, `together` or `co-`; null if there is none. */
export function sharedWord(text: string, words: SchemaWord[]): SchemaWord | null {
  const match = sharing.exec(text);
  if (!match) return null;
  const [start, end] = [match.index, match.index + match[0].length];
  const near = words.filter(({ relations }) => relations.size > 0);
  const after = near.find(({ mention }) => mention.start >= end);
  const before = near.filter(({ mention }) => mention.end <= start).at(-1);
  return /together|alongside|一起|合作/.test(match[0]) ? (before ?? after ?? null) : (after ?? before ?? null);
}

const sharing = /\b(?:shar(?:e|es|ed|ing)|same|together|alongside|fellow|common|co)\b|相同|同样|共同|一起|合作|同一个?/;

function stands(text: string, a: Mention, b: Mention): boolean {
  const between = a.end <= b.start ? text.slice(a.end, b.start) : b.end <= a.start ? text.slice(b.end, a.start) : null;
  return between !== null && /^[\s"'“”‘’《》「」：:#[\]]*(?:(?:is|was) (?:an? )?)?$/.test(between);
}

export type { Clues };
