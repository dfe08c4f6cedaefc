import { normalizeText } from '../../graph-index/tokenize-text.js';
import { singularOf } from '../linking/noun-forms.js';
import { isAgentNoun, stemOf } from '../linking/word-roots.js';
import { type AnswerType, isWho } from './answer-types.js';
import { keptBySchema } from './kept-by-schema.js';
import { namesOfRelation, type PlanSchema } from './schema-paths.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';
import { namesDoer } from './self-relations.js';

/** Chinese nouns for roles: 车主, 受益人, 投保方, but not 擅长 or 开户. */
const chineseRole =
  /\p{Script=Han}(?:(?<!器)人|者|员)$|[车业房店船货雇户]主$|[班组社队校院会处部船市董店站所科厂]长$|[教导医律厨]师$|[应销理发包运造]商$|[保买卖甲乙]方$|[客用租商]户$/u;

/**
 * Adds the label of one end of a relation to a word that names this end: `beneficiaries`, `car owners`, 车主. Other words are returned
 * unchanged, also words that may name both ends.
 */
export function withRole(text: string, word: SchemaWord, schema: PlanSchema): SchemaWord {
  if (!isOnlyRelation(word)) return word;
  const edges = schema.edges.filter(({ type }) => word.relations.has(type));
  const kinds = new Set(edges.flatMap(edge => endCalledBy(word.mention.text, edge, schema) ?? []));
  if (kinds.size === 1) return { ...word, labels: kinds, isRole: true };
  const forms = [...word.relations].map(type => nameForms(schema, type));
  if (!isNoun(word.mention.text, forms) && !standsAsNoun(text, word)) return word;
  const persons = new Set(
    edges.flatMap(({ sourceLabel, targetLabel }) => [sourceLabel, targetLabel]).filter(label => isWho(schema, label)),
  );
  const isOneOfTwo = edges.every(({ sourceLabel, targetLabel }) => isWho(schema, sourceLabel) !== isWho(schema, targetLabel));
  if (isOneOfTwo && persons.size === 1) return { ...word, labels: persons, isRole: true };
  // If both ends may be persons, a noun for the doer names the source: the leader is the source of `leads`.
  const doers = new Set(edges.map(({ sourceLabel }) => sourceLabel));
  const isActive = forms.some(({ isActive }) => isActive) && !forms.some(({ isBy }) => isBy);
  const isDoer = isAgentNoun(word.mention.text) || namesDoer(word.mention.text, edges[0]?.type ?? '', schema);
  const isOwn = edges.some(({ sourceLabel, targetLabel }) => sourceLabel === targetLabel);
  return isActive && isDoer && !isOwn && doers.size === 1 ? { ...word, labels: doers, isRole: true } : word;
}

/** The source label; for `who` (谁是调度) the label of the end that is a person, if only one end is. */
export function endAskedFor(
  { sourceLabel, targetLabel }: PlanSchema['edges'][number],
  type: AnswerType | null,
  schema: PlanSchema,
): string {
  const [person, ...others] = type === 'who' ? [sourceLabel, targetLabel].filter(label => isWho(schema, label)) : [];
  return person !== undefined && others.length === 0 ? person : sourceLabel;
}

/** Matches phrases other than nouns: `for flight`, `contains part`. */
const phrase = /^(?:for|of|in|on|at|to|from|by|with|has|have|is|was) |^[a-z]+(?:s|ed|ing) /;
/** Chinese words that single out one end of a relation: 收货 of 收货工厂, but not 供应 of 供应零件. */
const whichOne = /^(?:[收发]货|目[的标]|[起始]始|始发|出发|到达|来源|所[在属]|归属|[起终]点|中转|主要|默认|备用|[上下]级|[母子总分前原])$/;

/** The label of the end that a word for a relation contains: 收货工厂, `destination warehouses`. Null unless exactly one end matches. */
function endCalledBy(word: string, { sourceLabel, targetLabel }: PlanSchema['edges'][number], schema: PlanSchema): string | null {
  if (sourceLabel === targetLabel) return null;
  const ends = [sourceLabel, targetLabel].filter(label => endsWithLabel(schema, word, label));
  return ends.length === 1 ? (ends[0] ?? null) : null;
}

const endsWithLabel = keptBySchema(({ labels }, word: string, label: string): boolean => {
  const own = singularOf(word);
  return [label, ...(labels.find(({ name }) => name === label)?.aliases ?? [])].some(written => {
    const name = stemOf(normalizeText(written.replaceAll('_', ' ')));
    return /^[a-z]/.test(name)
      ? own.endsWith(` ${name}`) && !phrase.test(own)
      : own.endsWith(name) && whichOne.test(own.slice(0, -name.length));
  });
});

/** Whether a word that may be a verb stands as a noun: `captains of flights`, `which captain`. */
function standsAsNoun(text: string, { mention: { text: own, start, end } }: SchemaWord): boolean {
  return (
    /^[a-z]+$/.test(own) &&
    !/(?:ed|ing)$/.test(own) &&
    (/^\s+of\b/.test(text.slice(end)) || /\b(?:which|what|how many|the|all)\s+$/.test(text.slice(0, start)))
  );
}

/**
 * Whether a word is a noun for a doer, or the plural of the last word of a longer name of the relation: `beneficiaries` for
 * `has beneficiary`, but not `holds`.
 */
function isNoun(text: string, relations: NameForms[]): boolean {
  if (!/^[a-z]/.test(text)) return chineseRole.test(text);
  const isPlural = /(?:[^s]s|people)$/.test(text) && relations.some(({ lastStems }) => lastStems.has(stemOf(lastOf(text))));
  // If the relation is called `sponsored`, `sponsor` is a form of this verb and does not count as a noun for a doer.
  const isVerb = relations.some(({ verbStems }) => verbStems.has(stemOf(text)));
  if (isAgentNoun(lastOf(text)) && !isVerb) return true;
  return isPlural && !relations.some(({ names }) => names.some(name => name === text || name.startsWith(`${text} `)));
}

function lastOf(name: string): string {
  return name.split(' ').at(-1) ?? '';
}

type NameForms = ReturnType<typeof nameForms>;

/** The names of a relation with blanks between their words, and the stems that tell whether a word is a noun. */
const nameForms = keptBySchema((schema, type: string) => {
  const names = namesOfRelation(schema, type).map(name => normalizeText(name.replaceAll('_', ' ')));
  return {
    names,
    /** The stems of the last words of names with several words. */
    lastStems: new Set(names.filter(name => name.includes(' ')).map(name => stemOf(lastOf(name)))),
    verbStems: new Set(names.flatMap(name => name.split(' ').filter(part => /(?:s|ed)$/.test(part)).map(part => stemOf(part)))), // prettier-ignore
    isActive: names.some(name => /^[a-z]+(?:s|ed)$/.test(name)),
    isBy: names.some(name => / by$/.test(name)),
  };
});
