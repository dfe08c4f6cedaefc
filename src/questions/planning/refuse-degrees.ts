import { isNumeric } from '../linking/numerals.js';
import { isBoolean, type QuestionTerms } from '../linking/question-terms.js';
import { UnplannableError } from './question-plan.js';

const degree = /(?:\bhow|有?多么?)\s*$/;

/**
 * Refuses `How fragile is X?` of a property that is true or false, or that is a text: it has no degree.
 * @throws UnplannableError
 */
export function refuseDegree({ text, values, properties }: QuestionTerms): void {
  const isAmount = (type: string): boolean => isNumeric(type) || /^(?:duration|date|datetime|localdatetime|time)/.test(type);
  const stated = [
    ...values.filter(isBoolean),
    ...properties.filter(({ owners }) => !owners.some(({ type, isEvent }) => isEvent || isAmount(type))),
  ];
  const asked = stated.find(({ mention }) => degree.test(text.slice(0, mention.start)));
  if (!asked) return;
  const word = asked.mention.text;
  throw new UnplannableError(
    `“${word}”不是数量，没有程度可问；请问是否“${word}”，或直接问它的值`,
    `"${word}" is not an amount, so it has no degree; ask whether it is so, or for its value`,
  );
}
