import { isAgentNoun, isVerbForm } from '../linking/word-roots.js';
import { isWho } from './answer-types.js';
import { type PlanSchema } from './schema-paths.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';

/** 车主, 受益人, 投保方 */
const chineseRole = /\p{Script=Han}(?:(?<!器)人|者|主|员|方|商|户|师|长)$/u;
const englishRole = /(?:ies|[^s]s|person|people)$/;

/**
 * Gives a relation that is called by whoever is at its end the label of that end: `beneficiaries`, `car owners`, 车主. Others stay as they
 * are, also where both ends may be meant.
 */
export function withRole(word: SchemaWord, schema: PlanSchema): SchemaWord {
  const { text } = word.mention;
  if (!isOnlyRelation(word)) return word;
  const isNoun = /^[a-z]/.test(text) ? isAgentNoun(text) || (englishRole.test(text) && !isVerbForm(text)) : chineseRole.test(text);
  const ends = schema.edges
    .filter(({ type }) => word.relations.has(type))
    .map(({ sourceLabel, targetLabel }) => [sourceLabel, targetLabel]);
  const persons = new Set(ends.flat().filter(label => isWho(schema, label)));
  const isOneOfTwo = ends.every(([from, to]) => isWho(schema, from!) !== isWho(schema, to!));
  return isNoun && isOneOfTwo && persons.size === 1 ? { ...word, labels: persons, isRole: true } : word;
}
