import { type Mention } from '../linking/meaning.js';
import { isTime } from '../linking/date-names.js';
import { isNumeric } from '../linking/numerals.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { groupLabel } from './find-groups.js';
import { UnplannableError } from './question-plan.js';
import { type SchemaWord } from './schema-word.js';

const behindGroup =
  /^\s+(?:(?:who|that|which)\s+(?:(?:is|are|was|were|has|have|had)\s+)?(?:(?:lives?|come)\s+)?|with\s+(?:an?\s+|the\s+)?|whose\s+)?(?:(?:from|in|of|at)\s+(?:the\s+)?)?["'“]?$/;

/**
 * Refuses `papers by researchers hired after 2015` and `papers by researchers from Kyoto`: "by" may tell who wrote the papers, or by whom they are counted. The plural with a
 * condition of its own makes the first likelier, for which the question lacks the verb.
 * @throws UnplannableError
 */
export function refuseConditionOfGroup(terms: QuestionTerms, words: readonly SchemaWord[]): void {
  const { text, groups, entities, values } = terms;
  const group = groupLabel(terms);
  if (!group) return;
  const { text: own, start, end } = group.mention;
  const isPlural = /^[a-z ]+s$/.test(own) && groups.some(word => word.text === 'by' && word.end <= start && start - word.end <= 2);
  const isLimited = terms.times.length + terms.compares.length > 0;
  const conditions = [
    ...words.filter(({ properties }) => isLimited && properties.some(property => property.ownerName === group.label && (isTime(property) || isNumeric(property.type)))), // prettier-ignore
    ...entities,
    ...values,
  ];
  const isOfGroup = ({ mention: { start: at } }: { mention: Mention }): boolean => at >= end && behindGroup.test(text.slice(end, at));
  if (!isPlural || !conditions.some(isOfGroup)) return;
  throw new UnplannableError(
    `“by ${own}”可能指由谁做，也可能指按谁统计；请写出动词，或分开问`,
    `"by ${own}" may tell who did it or by whom to count; write the verb before "by", or ask apart`,
  );
}
