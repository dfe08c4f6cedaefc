import { isAgentNoun } from '../linking/word-roots.js';
import { type CypherWriter } from './cypher-writer.js';
import { UnplannableError } from './question-plan.js';
import { type Hop, type PlanSchema } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';

/** What has a relation to its own kind has it outwards: 没有上级 is who reports to nobody. A noun for a doer does not say. */
export function outward<T>(ways: T[], hopsOf: (way: T) => Hop[], words: SchemaWord[]): T[] {
  const isOwn = (way: T): boolean => hopsOf(way).length === 1 && hopsOf(way).every(({ from, to }) => from === to);
  const types = new Set(ways.map(way => hopsOf(way)[0]?.type));
  if (types.size !== 1 || !ways.every(isOwn) || words.some(({ mention }) => isAgentNoun(mention.text))) return ways;
  return ways.filter(way => hopsOf(way)[0]?.direction === 'out');
}

/**
 * `X的上级的上级`: a relation of a label with itself that is named twice is followed twice.
 * @throws UnplannableError if it is not
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
