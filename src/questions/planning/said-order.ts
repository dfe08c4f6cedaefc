import { type Mention } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { follows } from './find-groups.js';
import { UnplannableError } from './question-plan.js';

/** A returned property: `text` is Cypher with the name of the column, `place` is Cypher without it, `mention` names the property. */
export interface SortedColumn {
  text: string;
  place: string;
  mention: Mention;
}

/**
 * The column by which a list is sorted, with DESC if the question says so: `sort museums by floor area`, 文物按重量从高到低. The property stands
 * behind "by" or 按, or beside the word for the order. Null if the question asks for no order.
 * @throws UnplannableError if the question asks for an order by something else, or for two directions
 */
export function saidOrder({ text, groups, orders }: QuestionTerms, columns: SortedColumn[]): string | null {
  const isBeside = (first: Mention, second: Mention): boolean =>
    first.end <= second.start && /^\s*(?:of|的|,)?\s*(?:the\s+)?$/.test(text.slice(first.end, second.start));
  const isKey = ({ mention }: SortedColumn): boolean =>
    groups.some(word => /^(?:by|按照?)$/.test(word.text) && follows(mention, word)) ||
    orders.some(order => isBeside(order.mention, mention) || isBeside(mention, order.mention));
  const [column, ...others] = columns.filter(isKey);
  const [order] = orders;
  const directions = new Set(orders.flatMap(({ descending }) => descending ?? []));
  if (order && (!column || others.length > 0 || directions.size > 1)) throw notOrdered(order.mention);
  if (!column) return null;
  return `${column.text.slice(column.place.length + ' AS '.length)}${directions.has(true) ? ' DESC' : ''}`;
}

export function notOrdered({ text }: Mention): UnplannableError {
  return new UnplannableError(
    `不清楚“${text}”按什么排；请写出所列对象的一个属性和一个方向，例如“按重量降序”`,
    `It is not clear by what "${text}" sorts; name one property of the listed things and one direction, such as "by weight in descending order"`,
  );
}
