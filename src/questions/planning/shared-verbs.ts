import { fillPlaces, type Mention } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { type Anchor, isEntity } from './anchors.js';
import { type NegatedPart } from './negated-parts.js';
import { UnplannableError } from './question-plan.js';
import { type PathReading } from './read-path.js';
import { type Hop } from './schema-paths.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';
import { undoes } from './score-path.js';

const joining = /^[过了]? ?,? ?(?:and|or|but|yet|和|并且?|且|又|或|但是?|却|而)? ?(?:(?:has|have|had|did|does|do|was|were) )?$/;
/** Matches an auxiliary alone, which begins what is said of the things before it: `the films starred by X were written by whom`. */
const predicate = /^ (?:has|have|had|did|does|do|was|were) $/;

/**
 * Two verbs that a conjunction joins: `saved and viewed`, 收藏但没有浏览. `denial`: the negation before the second verb, if there is one. `agent`:
 * the name of the doer of the first verb, if it stands behind this verb: `saved by Ann but not viewed`.
 */
interface VerbPair {
  first: SchemaWord;
  second: SchemaWord;
  denial: Mention | undefined;
  agent: Mention | undefined;
}

/** Matches the text between a verb and its doer: `saved by the "…`. */
const byAgent = /^ by (?:the )?["'“‘]?$/;

/** Finds two verbs of different relations with nothing but an agent, a conjunction and a negation between them. */
export function verbPairs({ text, denials, entities }: QuestionTerms, words: SchemaWord[]): VerbPair[] {
  return words.flatMap((second, i) => {
    const first = words[i - 1];
    if (!first || !isOnlyRelation(first) || !isOnlyRelation(second)) return [];
    if ([...first.relations].some(type => second.relations.has(type))) return [];
    const [verbEnd, to] = [first.mention.end, second.mention.start];
    const agent = entities.find(
      ({ mention: { start } }) => start < to && byAgent.test(text.slice(verbEnd, Math.max(verbEnd, start))),
    )?.mention;
    const from = agent ? agent.end + (/^["'”’]/.exec(text.slice(agent.end))?.[0].length ?? 0) : verbEnd;
    const denial = denials.find(({ start, end }) => start >= from && end <= to);
    // Each run of spaces becomes one space, so that the pattern reads it once. A caller may send thousands of spaces.
    const between = (denial ? `${text.slice(from, denial.start)} ${text.slice(denial.end, to)}` : text.slice(from, to)).replace(
      /\s+/g,
      ' ',
    );
    const isJoined = denial !== undefined || (between.trim() !== '' && !predicate.test(between));
    return isJoined && joining.test(between) ? [{ first, second, denial, agent }] : [];
  });
}

/**
 * Refuses two joined verbs before the only thing that both are about: `saved but not viewed by X`. A path from X would lead over both
 * relations. It also refuses a denied verb whose doer is unclear.
 * @throws UnplannableError
 */
export function refuseSharedVerbs(
  terms: QuestionTerms,
  words: SchemaWord[],
  wordsOf: ReadonlyMap<Anchor, SchemaWord[]>,
  negated: readonly NegatedPart[],
): void {
  const pairs = verbPairs(terms, words);
  // `liked by Tom but not saved and not viewed`: only the first denial has a doer.
  for (const { first, second, denial, agent } of pairs) {
    const before = pairs.find(pair => pair.second === first && pair.denial && pair.agent);
    if (denial && !agent && before?.agent) throw onlyOnce(first, second, before.agent);
  }
  refuseSeveralDoers(terms, words);
  for (const { first, second, denial, agent } of pairs) {
    const denied = negated.find(({ mention }) => mention === denial)?.terms.find(({ mention }) => mention.start >= second.mention.end);
    if (denied && ![...wordsOf.values()].some(own => own.includes(first))) throw onlyOnce(first, second, denied.mention);
    for (const [{ mention }, own] of wordsOf) {
      const isOfBoth = own.includes(first) && own.includes(second);
      const isSubject = mention.end <= first.mention.start || mention.start === agent?.start;
      if (!isOfBoth || (isSubject && denial !== undefined)) continue;
      throw onlyOnce(first, second, mention);
    }
  }
}

/** Refuses a denied verb behind a verb with several doers: `saved by X and Y but not viewed`. @throws UnplannableError */
function refuseSeveralDoers({ text, denials, entities }: QuestionTerms, words: SchemaWord[]): void {
  words.forEach((second, i) => {
    const first = words[i - 1];
    if (!first || !isOnlyRelation(first) || !isOnlyRelation(second)) return;
    const isBetween = ({ start, end }: Mention): boolean => start >= first.mention.end && end <= second.mention.start;
    const [doer, other] = entities.map(({ mention }) => mention).filter(isBetween);
    if (!doer || !other || !denials.some(isBetween)) return;
    if (byAgent.test(text.slice(first.mention.end, doer.start))) throw onlyOnce(first, second, other);
  });
}

function onlyOnce(first: SchemaWord, second: SchemaWord, { text }: Mention): UnplannableError {
  return new UnplannableError(
    `“${first.mention.text}”和“${second.mention.text}”连用时请各写出“${text}”，或分开问`,
    `Name "${text}" with each of "${first.mention.text}" and "${second.mention.text}", or ask for each apart`,
  );
}

/**
 * The doer of a denied verb, if it is a named thing: Ann in `articles that Ann saved but did not view`. Null if the doer may be anything.
 * @param way the path from the asked thing over the relation of the denied verb
 * @param attached the readings of the named things that are joined to the asked thing
 */
export function doerOf(
  terms: QuestionTerms,
  words: SchemaWord[],
  denied: Mention,
  way: readonly Hop[],
  attached: ReadonlyMap<Anchor, PathReading>,
): Anchor | null {
  const pair = verbPairs(terms, words).find(({ denial }) => denial === denied);
  if (!pair || way.length !== 1) return null;
  const found = [...attached].find(
    ([{ mention, negated }, { start, hops }]) =>
      !negated &&
      start === way[0]?.to &&
      hops.length === 1 &&
      (mention.end <= pair.first.mention.start || mention.start === pair.agent?.start) &&
      pair.first.relations.has(hops[0]?.type ?? ''),
  );
  return found?.[0] ?? null;
}

/** Whether a pronoun behind a denied verb limits what is denied: `but did not view it`. */
export function endsWithPronoun(text: string, words: readonly SchemaWord[]): boolean {
  return words.some(({ mention }) => /^\s*(?:(?:it|them|him|her|those)\b|[它他她])/.test(text.slice(mention.end)));
}

const beforeObject = /^(?:[过了]|\s*(?:(?:by|with|for|to|in|on|at)\s+)?(?:(?:the|an?|our)\s+)?)\s*["'“‘「《]?$/;

/**
 * Refuses `who have driven the vehicle X` if no path from X has the relation of the verb right before X. It also refuses `who wrote Hill` if
 * only writers have this word in their names, because those who wrote with them are not asked for.
 * @throws UnplannableError
 */
export function refuseUnreached(
  text: string,
  { mention: topic, terms }: Anchor,
  { unused, hops }: PathReading,
  words: SchemaWord[],
  asked: SchemaWord | null,
): void {
  const kinds = words.filter(({ labels }) => labels.size > 0).map(({ mention }) => mention);
  const blank = fillPlaces(text, kinds);
  const isVerbBefore = (word: SchemaWord, before: RegExp): boolean =>
    word !== asked && isOnlyRelation(word) && word.mention.end <= topic.start && before.test(blank.slice(word.mention.end, topic.start));
  const goesBack = (type: string): boolean => hops.length === 2 && hops.every(hop => hop.type === type) && undoes(hops[0], hops[1]);
  const isPart = terms.some(term => isEntity(term) && term.approximate);
  const verb =
    unused.find(word => hops.length > 0 && isVerbBefore(word, beforeObject)) ??
    words.find(word => isPart && isVerbBefore(word, /^\s+$/) && [...word.relations].some(goesBack));
  const isInClause = (word: SchemaWord): boolean => asked !== null && standsInClause(text, word.mention, topic, asked.mention);
  const ofClause = words.find(word => hops.length > 1 && isInClause(word) && hops.some(({ type }) => word.relations.has(type)));
  if (ofClause)
    throw new UnplannableError(
      `“${ofClause.mention.text}”说的不是“${topic.text}”；请分开问`,
      `"${ofClause.mention.text}" is not said of "${topic.text}"; ask apart for those of "${topic.text}" and for those who "${ofClause.mention.text}"`,
    );
  if (verb)
    throw new UnplannableError(
      `“${verb.mention.text}”说的关系到不了“${topic.text}”`,
      `The relation of "${verb.mention.text}" does not lead to "${topic.text}"`,
    );
}

/** Whether a word stands in a clause about the asked things, behind the name that they belong to: `scouts of X who recommended a player`. */
function standsInClause(text: string, word: Mention, topic: Mention, asked: Mention): boolean {
  const isOf = asked.end <= topic.start && /^ (?:of|at|in|from|for|with) (?:the )?$/.test(text.slice(asked.end, topic.start));
  return isOf && topic.end <= word.start && /^ (?:who|that|which) (?:(?:has|have|had) )?$/.test(text.slice(topic.end, word.start));
}
