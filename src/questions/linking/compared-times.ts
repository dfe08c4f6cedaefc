import { isTime } from './date-names.js';
import { type Mention } from './meaning.js';

const joining = /^[\s,，、]*(?:但是?|并且?|而且|且|和|与|又|或者?|and|but|or)?\s*$/;
const comparing = /^(?:不?[晚迟早大小]于|[大小]于等于|[<>≤≥]|(?:no |not )?(?:later|earlier) than)/;
const later = /^(?:不?[晚迟早]于|(?:no |not )?(?:later|earlier) than)/;

/**
 * Whether a compared time limits a date, as 晚于2024年 after 入职日期 does. False for 销售额大于去年, which compares an amount with the amount of last
 * year (questions cannot ask for that), and for 姓名晚于2020年, which has no meaning.
 * @param found the mentions of the question
 * @param before the time before this one, without meanings if it limits no date. Two bounds of one range limit the same date.
 */
export function limitsDate(time: Mention, found: readonly Mention[], before: Mention | undefined, text: string): boolean {
  if (!comparing.test(time.text)) return true;
  if (before && comparing.test(before.text) && joining.test(text.slice(before.end, time.start))) return before.meanings.length > 0;
  const end = text.slice(0, time.start).trimEnd().length;
  const meanings = found.filter(mention => mention.end === end).flatMap(mention => mention.meanings);
  if (meanings.some(meaning => meaning.as === 'property' && isTime(meaning))) return true;
  return later.test(time.text) && !meanings.some(({ as }) => as === 'property' || as === 'metric' || as === 'measure');
}
