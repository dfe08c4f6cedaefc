import { isDate } from './date-names.js';
import { type Mention } from './meaning.js';

const comparing = /^(?:不?[晚迟早大小]于|[大小]于等于|[<>≤≥]|(?:no |not )?(?:later|earlier) than)/;
const later = /^(?:不?[晚迟早]于|(?:no |not )?(?:later|earlier) than)/;

/**
 * Whether a time limits a date, as 晚于2024年 behind 入职日期 does. 销售额大于去年 compares an amount with that of the year, which no question can
 * ask for, and 姓名晚于2020年 means nothing.
 * @param found what the question names of the graph
 */
export function limitsDate(time: Mention, found: readonly Mention[], text: string): boolean {
  if (!comparing.test(time.text)) return true;
  const end = text.slice(0, time.start).trimEnd().length;
  const meanings = found.filter(mention => mention.end === end).flatMap(mention => mention.meanings);
  if (meanings.some(meaning => meaning.as === 'property' && isDate(meaning.type))) return true;
  return later.test(time.text) && !meanings.some(({ as }) => as === 'property' || as === 'metric' || as === 'measure');
}
