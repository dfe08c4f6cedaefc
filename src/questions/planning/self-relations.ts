import { normalizeText } from '../../graph-index/tokenize-text.js';
import { senseOf } from '../linking/synonyms.js';
import { isAgentNoun } from '../linking/word-roots.js';
import { type CypherWriter } from './cypher-writer.js';
import { doer, isPassive, isPassiveName, isReceiving, standsAsNoun } from './order-clues.js';
import { keptBySchema } from './kept-by-schema.js';
import { UnplannableError } from './question-plan.js';
import { type Hop, namesOfRelation, type PlanSchema } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';
import { undoes } from './score-path.js';

/** Matches text before a passive verb: 未被推荐, 没有人推荐, `not referred`, `never been referred`, but not `have not referred`. */
const doneTo = /(?:被|受到?|没有?人|无人)\s*$|(?<!\b(?:have|has|had|did|do|does|who|that)\s+)\b(?:not|never|been|be|are|is|was|were)\s+$/;

/**
 * Keeps, for a relation of a label with itself, the paths in the direction that the words mean: along the edge if the asked node acts
 * (没有上级: it reports to nobody), against the edge if the action is done to it (没有被推荐, 没有主管). An English noun for a doer does not determine
 * the direction, so all paths are kept.
 */
export function outward<T>(ways: T[], hopsOf: (way: T) => Hop[], words: SchemaWord[], text: string, schema: PlanSchema): T[] {
  const isOwn = (way: T): boolean => hopsOf(way).length === 1 && hopsOf(way).every(({ from, to }) => from === to);
  const types = new Set(ways.map(way => hopsOf(way)[0]?.type));
  const [type = ''] = types;
  if (types.size !== 1 || !ways.every(isOwn) || words.some(({ mention }) => isAgentNoun(mention.text))) return ways;
  const verb = words.find(({ relations }) => relations.has(type))?.mention;
  const isActive = verb !== undefined && (/ing$/.test(verb.text) || /^\s+(?:any|some|others?\b|another)/.test(text.slice(verb.end)));
  // 没有飞行员带教的: the label right before the verb names the doer.
  const isOfDoer = words.some(
    ({ mention, labels }) =>
      labels.size > 0 && verb !== undefined && /^\s?$/.test(text.slice(mention.end, verb.start)) && mention.end <= verb.start,
  );
  const isDone = verb !== undefined && !isActive && (isOfDoer || doneTo.test(text.slice(0, verb.start)));
  const isReversed =
    verb !== undefined && (isPassiveName(verb.text, type, schema, standsAsNoun(text, verb)) || namesDoer(verb.text, type, schema));
  return ways.filter(way => hopsOf(way)[0]?.direction === (isDone !== isReversed ? 'in' : 'out'));
}

/** Whether a Chinese noun names the doer of a relation with an active English name: 主管 of `supervises`. */
export function namesDoer(word: string, type: string, schema: PlanSchema): boolean {
  return doer.test(word) && hasActiveName(schema, type);
}

const hasActiveName = keptBySchema((schema, type: string) =>
  namesOfRelation(schema, type).some(name => /^[a-z]+(?:s|ed)$|[_ ]of$/i.test(name) && !/(?:ss|us|is)$/i.test(name)),
);

/**
 * Checks a relation of a label with itself that the question names several times, as in `X的上级的上级`.
 * @throws UnplannableError if the pattern follows the relation fewer times than the question names it
 */
export function requireRepeated(writer: CypherWriter, words: SchemaWord[], schema: PlanSchema): void {
  for (const { mention, relations } of words) {
    const [edge, ...others] = schema.edges.filter(({ type }) => relations.has(type));
    const times = words.filter(word => word.mention.text === mention.text).length;
    if (times < 2 || edge === undefined || others.length > 0 || edge.sourceLabel !== edge.targetLabel) continue;
    if (writer.edges.filter(({ type }) => relations.has(type)).length < times)
      throw new UnplannableError(
        `“${mention.text}”出现了 ${times} 次，暂不能沿它走多步；请一步一步地问，或改用 cypher`,
        `"${mention.text}" is said ${times} times, and cannot be followed more than once yet; ask step by step, or use cypher`,
      );
  }
}

/**
 * Refuses a Chinese verb among the names of a relation of a label with itself that has a passive name, such as 投师 of `mentored_by`, unless
 * the verb itself or 被 and 由 tell who does it. The direction would be a guess.
 * @throws UnplannableError
 */
export function refuseUnclearVoice(text: string, words: readonly SchemaWord[], schema: PlanSchema): void {
  for (const { mention, relations } of words) {
    const edges = schema.edges.filter(({ type }) => relations.has(type));
    const passive = [...relations].map(type => passiveName(schema, type)).find(name => name !== undefined);
    if (passive === undefined || edges.some(({ sourceLabel, targetLabel }) => sourceLabel !== targetLabel)) continue;
    if (!/^\p{Script=Han}+$/u.test(mention.text) || isPassive(mention.text) || isReceiving(mention.text)) continue;
    if (doer.test(mention.text) || standsAsNoun(text, mention) || /[被由]/.test(text.slice(0, mention.start))) continue;
    const alike = [...relations].flatMap(type => namesBySense(schema, type).get(senseOf(mention.text)) ?? []);
    if (alike.some(name => name !== mention.text)) continue;
    throw new UnplannableError(
      `不清楚“${mention.text}”与“${passive}”是否同向；请用“${passive}”来问，或写“被…${mention.text}”`,
      `It is not clear whether "${mention.text}" has the direction of "${passive}"; ask with "${passive}", or with "被…${mention.text}"`,
    );
  }
}

const passiveName = keptBySchema((schema, type: string) => namesOfRelation(schema, type).find(isPassive));

/** The names of a relation by the senses of their words: `mentored_by` by the sense that 辅导 has, too. */
const namesBySense = keptBySchema((schema, type: string) => {
  const names = new Map<string, string[]>();
  for (const name of namesOfRelation(schema, type)) {
    for (const sense of normalizeText(name).split(/[_ ]/).map(senseOf)) {
      const known = names.get(sense);
      if (known) known.push(name);
      else names.set(sense, [name]);
    }
  }
  return names;
});

/**
 * Refuses `parts that contain X` if orders contain parts and parts contain parts: an answer with the parts in the same order as X would be
 * a guess.
 * @throws UnplannableError
 */
export function refuseGuessedReturn(
  { start, hops }: { start: string; hops: Hop[] },
  words: SchemaWord[],
  shared: SchemaWord | null,
  text: string,
  schema: PlanSchema,
): void {
  const [first, second] = hops;
  const own = schema.edges.find(({ sourceLabel, targetLabel }) => sourceLabel === start && targetLabel === start);
  if (!own || hops.length !== 2 || !undoes(first, second) || shared !== null || /\bco-/.test(text)) return;
  const [word, ...others] = words.filter(({ relations }) => relations.has(first?.type ?? ''));
  if (!word || others.length > 0 || word.labels.size > 0) return;
  throw new UnplannableError(
    `不清楚“${word.mention.text}”指 ${first?.type} 还是 ${own.type}；请用关系的名称来问`,
    `It is not clear whether "${word.mention.text}" is ${first?.type} or ${own.type}; ask with the name of the relation`,
  );
}
