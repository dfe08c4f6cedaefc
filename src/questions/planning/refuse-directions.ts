import { normalizeText } from '../../graph-index/tokenize-text.js';
import { type Mention } from '../linking/meaning.js';
import { UnplannableError } from './question-plan.js';
import { type Hop, namesOfRelation, type PlanSchema } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';

/** Prepositions right before a name, with the words of relations that say the same direction. */
const directions: readonly [preposition: RegExp, said: RegExp][] = [
  [/\b(to|into|onto)\s+(?:the\s+)?["'“‘]?$/, /\b(?:to|into|onto|destination|dest|target|arriv|receiv|recipient|consignee|deliver|buyer|customer)|[到至达去往给]|[借运转流送]入|收[货件款到]|目的|终点/],
  [/\b(under)\s+(?:the\s+)?["'“‘]?$/, /\b(?:under|manag|supervis|head|lead|led|report|belong|parent|part|within|govern|command|direct|subordinate)|[下属管归领导督级]|包含|组成/],
]; // prettier-ignore

/**
 * Refuses `artifacts to Harbor Museum` if the relation at the name does not tell this direction: a path along another relation would answer
 * something else.
 * @param hops the way from the named node to the answer
 * @param words a preposition behind a word for no label belongs to a verb, as in `belong to`
 * @throws UnplannableError
 */
export function refuseDirection(
  text: string,
  { start, text: name }: Mention,
  hops: Hop[],
  words: readonly SchemaWord[],
  schema: PlanSchema,
): void {
  const before = text.slice(0, start);
  for (const [preposition, said] of directions) {
    const found = preposition.exec(before);
    const word = found?.[1];
    const isBehindNoun = ({ labels, mention }: SchemaWord): boolean =>
      labels.size > 0 && /^\s+$/.test(text.slice(mention.end, found?.index));
    if (word === undefined || !words.some(isBehindNoun)) continue;
    const [first] = hops;
    const names = first ? namesOfRelation(schema, first.type).map(own => normalizeText(own.replaceAll('_', ' '))) : [];
    if (names.some(own => said.test(own))) continue;
    throw new UnplannableError(
      `没有关系说明“${word} ${name}”的方向；请写出关系的动词`,
      `No relation on the way tells what "${word}" means before "${name}"; write the verb of the relation`,
    );
  }
}
