import { isVerbForm } from '../linking/word-roots.js';
import { isDateOrYear } from '../linking/date-names.js';
import { type Mention } from '../linking/meaning.js';
import { isNumeric } from '../linking/numerals.js';
import { type LabelTerm, type QuestionTerms } from '../linking/question-terms.js';
import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { follows } from './find-groups.js';
import { joinsKeys } from './joining-words.js';
import { isMoney } from './measures.js';
import { UnplannableError } from './question-plan.js';

/** A returned property: `text` is Cypher with the name of the column, `place` is Cypher without it, `mention` names the property. */
export interface SortedColumn {
  text: string;
  place: string;
  mention: Mention;
  property: PropertySchema;
}

const ofTime = /[早晚新旧]|\b(?:earli|lat|old|new)/;
const ofAge = /\bold/;
const ofHeight = /[高低]|\b(?:high|low)/;
const ofPrice = /\b(?:expensive|cheap)/;

/** Whether a word for an order orders only times or prices: `oldest first`, 从旧到新, `cheapest first`. */
export function isOfKind({ text }: Mention): boolean {
  return ofTime.test(text) || ofPrice.test(text);
}

/** The words for orders, without those that a direction follows: `sorted in descending order` is one order. */
export function wholeOrders({ text, orders }: QuestionTerms): QuestionTerms['orders'] {
  const goesOn = ({ mention, descending }: QuestionTerms['orders'][number]): boolean =>
    descending === null &&
    orders.some(next => next.mention.start > mention.end && /^\s+$/.test(text.slice(mention.end, next.mention.start)));
  return orders.filter(order => !goesOn(order));
}

/** The words behind which an order has its key: `by`, 按. */
export function keyMarks({ groups }: QuestionTerms): Mention[] {
  return groups.filter(({ text }) => /^(?:by|按照?)$/.test(text));
}

/** A word for a number behind 按 and perhaps a label: 图书数 in 按图书数降序. `label` is null if 按 stands right before the number. */
export interface NumberKey {
  mark: Mention;
  label: LabelTerm | null;
  count: Mention;
}

export function numberKeys(terms: QuestionTerms): NumberKey[] {
  const { text, labels, counts } = terms;
  return keyMarks(terms).flatMap(mark => {
    const label = labels.find(({ mention }) => follows(mention, mark)) ?? null;
    const { end } = label?.mention ?? mark;
    const count = counts.find(({ start }) => end > mark.end && end <= start && /^的?$/.test(text.slice(end, start)));
    return count ? [{ mark, label, count }] : [];
  });
}

/** Whether a key only repeats the number that the question counts for each group: 各作者的图书数按图书数降序. */
export function repeatsCount({ labels, groups }: QuestionTerms, { mark, label: key }: NumberKey): boolean {
  const grouped = labels.filter(({ mention }) => groups.some(group => follows(mention, group)));
  return (
    grouped.some(({ label }) => label !== key?.label) &&
    labels.some(({ label, mention }) => label === key?.label && mention.end <= mark.start)
  );
}

/**
 * The column by which a list is sorted, with DESC if the question says so: `sort museums by floor area`, 文物按重量从高到低. The property stands
 * behind "by" or 按, or beside the word for the order. Things without a value come last. Null if the question asks for no order.
 * @throws UnplannableError if the question asks for an order by something else, by two keys, or for two directions
 */
export function saidOrder(terms: QuestionTerms, columns: SortedColumn[]): string | null {
  const { text, orders } = terms;
  const marks = keyMarks(terms);
  const isBeside = (first: Mention, second: Mention): boolean =>
    first.end <= second.start && /^\s*(?:of|的|,)?\s*(?:the\s+)?$/.test(text.slice(first.end, second.start));
  // In `books with pages sorted by price` the key stands behind the word for the order.
  const behindKey = orders.filter(({ mention }) => !marks.some(mark => follows(mark, mention)));
  const isKey = ({ mention }: SortedColumn): boolean =>
    marks.some(mark => follows(mention, mark)) ||
    orders.some(order => isBeside(order.mention, mention)) ||
    behindKey.some(order => isBeside(mention, order.mention));
  const [order] = orders;
  const keys = columns.filter(isKey);
  const [column, ...others] = keys.length === 0 && order ? columns.filter(only => isSortedAtEnd(text, order, columns, only)) : keys;
  const directions = new Set(orders.flatMap(({ descending }) => descending ?? []));
  if (order && (!column || others.length > 0 || directions.size > 1)) throw notOrdered(order.mention);
  if (!column) return null;
  const second =
    columns.find(other => other !== column && isSecond(text, column.mention, other.mention)) ??
    [
      ...terms.labels.filter(({ mention }) => !isVerbForm(mention.text) || !isBeforeName(terms, mention)),
      ...terms.relations.filter(({ mention }) => !isBeforeName(terms, mention)),
    ].find(({ mention: { start } }) => isNext(text, column.mention.end, start));
  if (second) throw byTwo(column.mention, second.mention);
  const other = orders.find(({ mention }) => isOfOther(mention, column.property));
  if (other) throw ofOther(other.mention, column.mention);
  const name = column.text.slice(column.place.length + ' AS '.length);
  const { property } = column;
  // A ranking begins with the highest, and the highest rank is the first.
  const isRanked = isNumeric(property.type) && !isRank(property) && orders.some(({ mention }) => isRanking(mention));
  const turns = orders.some(
    ({ mention }) => (ofAge.test(mention.text) && isAge(property)) || (ofHeight.test(mention.text) && isRank(property)),
  );
  const isDescending = directions.size === 0 ? isRanked : directions.has(true) !== turns;
  return isDescending ? `${name} IS NULL, ${name} DESC` : name;
}

/** Whether an order at the end of a question sorts by its only property: `list the prices of products, highest first`. */
function isSortedAtEnd(
  text: string,
  { mention, descending }: QuestionTerms['orders'][number],
  columns: SortedColumn[],
  only: SortedColumn,
): boolean {
  const isMeasure = isNumeric(only.property.type) || isDateOrYear(only.property);
  return columns.length === 1 && isMeasure && descending !== null && endOfQuestion.test(text.slice(mention.end));
}

/** Matches the text behind an order that ends a question. */
export const endOfQuestion = /^[\s,，的?？.。]*$/;

/** Whether another property is a second key: `by price, then pages`, 价格和页数降序. In `by price with their pages` it is only listed. */
function isSecond(text: string, key: Mention, other: Mention): boolean {
  if (other.end <= key.start) return isNext(text, other.end, key.start);
  return !/的|列出|显示|\b(?:with|show|list|including)\b/.test(text.slice(key.end, other.start));
}

/** Whether a relation limits the list by a name, as in `books sorted by price and written by Ann`. */
function isBeforeName({ text, entities, values }: QuestionTerms, { end }: Mention): boolean {
  return [...entities, ...values].some(
    ({ mention }) =>
      mention.start >= end && /^\s*(?:(?:by|in|to|from|at|for|with)\s+)?(?:the\s+)?["“]?$/.test(text.slice(end, mention.start)),
  );
}

function isNext(text: string, end: number, start: number): boolean {
  return end <= start && joinsKeys.test(text.slice(end, start));
}

function isOfOther({ text }: Mention, property: PropertySchema): boolean {
  if (ofPrice.test(text)) return !isMoney(property);
  return ofTime.test(text) && !isDateOrYear(property) && !(ofAge.test(text) && isAge(property));
}

/** Whether a number grows with the time that has passed, so that the oldest have the highest: `members by age, oldest first`. */
function isAge({ name, column }: PropertySchema): boolean {
  return /(?:^|[ _])age$|年龄|岁数/i.test(name) || /(?:^|_)age$|年龄/i.test(column ?? '');
}

/** Whether a number is a place in an order, so that the first and best has the number 1: rank, 名次. */
function isRank({ name, column }: PropertySchema): boolean {
  return [name, column ?? ''].some(own => /(?:^|[ _])(?:rank|ranking|place|position|standing)$|名次|排名/i.test(own));
}

/** Whether a ranking by a rank begins with the lowest number: `the highest rank`, 名次最高. The largest rank is a number. */
export function isTurned({ text }: Mention, property: PropertySchema): boolean {
  return isRank(property) && !/[大小]|\b(?:larg|big|small)/.test(text);
}

/** Whether the answer names what is highest: the highest rank has the lowest number. */
export function saysHighest({ top }: QuestionTerms): boolean {
  return (top?.descending ?? true) !== (top?.isTurned ?? false);
}

/** Whether a word asks for a ranking, which begins with the highest: `ranked`, 排名. */
export function isRanking({ text }: Mention): boolean {
  return /^(?:rank|排名)/.test(text);
}

export function notOrdered({ text }: Mention): UnplannableError {
  return new UnplannableError(
    `不清楚“${text}”按什么排；请写出所列对象的一个属性和一个方向，例如“按重量降序”`,
    `It is not clear by what "${text}" sorts; name one property of the listed things and one direction, such as "by weight in descending order"`,
  );
}

function byTwo({ text: key }: Mention, { text: second }: Mention): UnplannableError {
  return new UnplannableError(
    `列表只能按一个属性排序，不能同时按“${key}”和“${second}”，请只写一个`,
    `A list is sorted by one property, not by "${key}" and "${second}" together; name only one`,
  );
}

function ofOther({ text: order }: Mention, { text: property }: Mention): UnplannableError {
  return new UnplannableError(
    `“${order}”不能用来排“${property}”；请写“从高到低”或“从低到高”`,
    `"${order}" does not order "${property}"; say "from high to low" or "from low to high"`,
  );
}
