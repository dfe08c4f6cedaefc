import { type Language } from '../../text/language.js';
import { type Mention } from '../linking/meaning.js';
import { normalizeText } from '../../graph-index/tokenize-text.js';
import { isAgentNoun, isVerbForm, rootOf } from '../linking/word-roots.js';
import { keptBySchema } from './kept-by-schema.js';
import { namesOfRelation, type PlanSchema } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';

/** An order of the words from the topic to the target. Its cost is subtracted from the score of a path. */
export interface ClueOrder {
  words: SchemaWord[];
  cost: number;
}

const unusual = 0.3;

/**
 * Orders the words of a question as a path from the topic would meet them. In English, nouns right behind the topic come first
 * (`X actors`), then the words before the topic, from the topic outwards (`actors in movies by the director of X`), then the words further
 * behind. In Chinese the words behind the topic come first. The word for the target comes last. Other orders are possible, but have a cost.
 */
export function orderClues(text: string, topic: Mention, words: SchemaWord[], asked: SchemaWord | null, language: Language): ClueOrder[] {
  const others = words.filter(word => word !== asked);
  const before = others.filter(({ mention }) => mention.end <= topic.start).reverse();
  const after = others.filter(({ mention }) => mention.start >= topic.end);
  const attached = language === 'en' ? attachedTo(text, topic, after) : [];
  const rest = after.filter(word => !attached.includes(word));
  const last = asked ? [asked] : [];
  const orders = [
    [...attached, ...before, ...rest],
    [...after, ...before],
    [...before, ...after],
  ];
  const usual = language === 'en' ? 0 : 1;
  return orders
    .map((own, i) => ({ words: [...own, ...last], cost: i === usual ? 0 : unusual }))
    .filter((order, i, all) => all.findIndex(other => sameWords(other.words, order.words)) === i || i === usual);
}

function sameWords(a: SchemaWord[], b: SchemaWord[]): boolean {
  return a.every((word, i) => word === b[i]);
}

/** The nouns and participles that belong to the topic before them: `X's actors`, `the X director`, `X written movies`. */
function attachedTo(text: string, topic: Mention, after: SchemaWord[]): SchemaWord[] {
  const attached: SchemaWord[] = [];
  let end = topic.end;
  for (const [i, word] of after.entries()) {
    const { mention, labels } = word;
    if (!/^(?:['’]s?)?\s+$/.test(text.slice(end, mention.start))) break;
    const next = after[i + 1];
    const isModifier = isVerbForm(mention.text) && next !== undefined && next.labels.size > 0 && next.mention.start - mention.end === 1;
    if (labels.size === 0 && !isAgentNoun(mention.text) && !isModifier) break;
    attached.push(word);
    end = mention.end;
  }
  return attached;
}

/** Matches names of a relation that leads from a whole to its parts. */
const ofWhole = /consists?[_ ]of|compris|contain|includ|has[_ ](?:sub)?(?:part|component)|made[_ ]of|包含|包括|含有|子件|部件/i;

/** Matches Chinese nouns for a doer: 主管, 推荐人. */
export const doer = /(?:(?<!器)人|者|员|长|师|主管|督导|上司|领导|老板|经理|师[父傅])$/;

/** Whether a Chinese word for a relation stands as a noun: X的上级, 上级是X, 没有上级. */
export function standsAsNoun(text: string, { start, end }: Mention): boolean {
  return /[的有无]\s*$/.test(text.slice(Math.max(0, start - 4), start)) || /^\s*[是为]/.test(text.slice(end, end + 4));
}

export function isPassive(name: string): boolean {
  return /[_ ]by$|^被|^由/i.test(name);
}

function isHan(name: string): boolean {
  return /^\p{Script=Han}+$/u.test(name) && !/[^给]给$|^(?:向|给)/.test(name);
}

/** Whether a Chinese verb says by its last character that its subject receives: 师从, 受教于. It has the direction of `mentored_by`. */
export function isReceiving(verb: string): boolean {
  return /\p{Script=Han}[从于自]$/u.test(verb);
}

/**
 * Whether the names of a relation that match a word are passive. A passive name, such as `supplied_by` or 被…, says what is done to the
 * source of the edge.
 * @param isNoun whether the word stands as a noun in the question
 */
export function isPassiveName(word: string, type: string, schema: PlanSchema, isNoun = false): boolean {
  return isPassiveAs(schema, word, type, isNoun ? 'noun' : 'verb');
}

const isPassiveAs = keptBySchema((schema, word: string, type: string, kind: string) =>
  isPassiveOf(namesOfRelation(schema, type), word, kind === 'noun'),
);

function isPassiveOf(names: string[], word: string, isNoun: boolean): boolean {
  // With 组成, as in `由…组成`, the verb counts as passive if the relation leads from a whole to its parts.
  if (/^(?:组成|构成)$/.test(word)) return names.some(name => ofWhole.test(name));
  if (isReceiving(word) && names.some(isPassive)) return false;
  const roots = new Set(word.split(' ').map(rootOf));
  const own = names.filter(name =>
    normalizeText(name)
      .split(/[_ ]/)
      .some(part => roots.has(rootOf(part))),
  );
  if (isNoun || doer.test(word)) return own.length > 0 && own.every(isPassive);
  // The noun `supervisor` among the names of `supervised_by` is neither active nor passive, nor is a Chinese verb without 被 or 由.
  const hasPassive = names.some(isPassive);
  const verbs = new Set(names.filter(name => !isAgentNoun(normalizeText(name)) && !(isHan(name) && hasPassive)));
  const spoken = own.filter(name => verbs.has(name) || isPassive(name));
  const meant = spoken.length > 0 ? spoken : verbs.size > 0 ? [...verbs] : names;
  return meant.length > 0 && meant.every(isPassive);
}

/**
 * The direction in which a relation of a label with itself leads from the topic: along the edge if the topic is the doer, against the edge
 * if the action is done to the topic. 向, 给 and similar words mark the thing to which the action is done. Null if the direction is unclear.
 */
export function voiceOf(text: string, topic: Mention, verb: Mention, isPassiveName: boolean): 'out' | 'in' | null {
  if (isAgentNoun(verb.text)) return null;
  const isAfter = verb.start >= topic.end;
  const between = isAfter ? text.slice(topic.end, verb.start) : text.slice(verb.end, topic.start);
  const follows = text.slice(verb.end);
  // `X是谁推荐的`, `was X referred`: the action is done to X.
  const isDone = /^\s*是[^被由]+$/.test(between) && /^\s*的/.test(follows);
  const isAskedOf =
    /\b(?:is|are|was|were|been)\s+$/.test(text.slice(0, topic.start)) && isVerbForm(verb.text) && /(?:ed|en)$/.test(verb.text);
  if (isAfter && (isDone || isAskedOf)) return isPassiveName ? 'out' : 'in';
  // `X is a parent of Y`: the noun names a relation that leads to the topic.
  const isNoun = /\b(?:an?|the)\s+$/.test(text.slice(0, verb.start)) && /^\s+(?:of|for|to)\b/.test(follows);
  if (isAfter && isNoun) return isPassiveName ? 'out' : 'in';
  // `the parent of X` asks for the parent of X. In `have X as parent` and `X是谁的上级` X is the parent.
  if (!isAfter && /^\s+(?:of|as)\s/.test(between)) return isPassiveName ? 'in' : 'out';
  if (isAfter && (/^\s*是.*的$/.test(between) || /^\s*as (?:(?:the|its|their|an?) )?$/.test(between))) return isPassiveName ? 'out' : 'in';
  const isBy = / by$/.test(verb.text);
  const isDoer = isAfter
    ? !(isBy || /被|由/.test(between) || /^\s*by\b/.test(follows) || /[向给对跟替为]\s*$/.test(text.slice(0, topic.start)))
    : isBy || /\bby\b/.test(between) || /(?:被|由)\s*$/.test(text.slice(0, topic.start));
  return isDoer !== isPassiveName ? 'out' : 'in';
}
