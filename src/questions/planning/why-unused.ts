import { type Bilingual } from '../../text/bilingual.js';
import { findIntents } from '../linking/find-intents.js';
import { intentsOf, type Mention } from '../linking/meaning.js';
import { statedValues } from '../linking/named-properties.js';
import { type LabelTerm, type PropertyTerm, type QuestionTerms } from '../linking/question-terms.js';
import { isEach } from './find-groups.js';

/** The words for numbers, groups and properties that a plan uses. */
export interface Used {
  property: (term: PropertyTerm) => boolean;
  groups: Mention[];
  counts: boolean;
  aggregate: boolean;
  than: boolean;
  /** Whether the plan answers 分别 (each) by listing rows. */
  lists: boolean;
  /** Whether the plan lists rows in the order that the question names. */
  order: boolean;
}

const nothingUsed: Used = { property: () => false, groups: [], counts: false, aggregate: false, than: false, lists: false, order: false };

/** The reason to refuse a plan that leaves out something that the question asks for. Null if the plan uses everything. */
export function whyUnused(terms: QuestionTerms, using: Partial<Used>): Bilingual | null {
  const used = { ...nothingUsed, ...using };
  const isUsed = (term: PropertyTerm): boolean => used.property(term) || namesValue(terms, term) || (used.counts && isCount(term.mention));
  const left = [
    ...terms.further,
    ...(terms.aggregate && !used.aggregate ? [terms.aggregate.mention] : []),
    ...(terms.than && !used.than ? [terms.than] : []),
    ...(used.order ? [] : terms.orders.map(({ mention }) => mention)),
    ...(used.counts ? [] : terms.counts.filter(count => !asksHowMuch(terms, count))),
    ...terms.groups.filter(
      group => !used.groups.includes(group) && !terms.together?.startsWith(group.text) && !isLight(terms, group, used, isUsed),
    ),
    ...terms.properties.filter(term => !isUsed(term)).map(term => term.mention),
  ].map(mention => mention.text);
  if (left.length === 0) return null;
  return {
    zh: `“${left.join('”、“')}”不能与问题的其余部分一起回答，请分开问`,
    en: `"${left.join('", "')}" cannot be answered together with the rest of the question; ask apart`,
  };
}

/** Whether a word for a property only states to which property a value belongs: `国家是德国`. */
export function namesValue(terms: QuestionTerms, { owners, mention }: PropertyTerm): boolean {
  return (
    terms.values.some(term => term.values.some(value => owners.some(owner => owner.property === value.property))) ||
    [...statedValues(terms, terms.values).values()].some(({ property }) => property.mention === mention)
  );
}

/** Whether a word for a property is also a word for a count: `数量`. */
function isCount({ text }: Mention): boolean {
  return findIntents(text).some(mention => mention.text === text && intentsOf(mention, 'count') !== null);
}

/** Whether 多少 asks for a value instead of a count: `单价是多少` asks for the price. */
function asksHowMuch({ labels }: QuestionTerms, { text, end }: Mention): boolean {
  return text.endsWith('多少') && !labels.some(({ mention }) => mention.start >= end && mention.start - end <= 2);
}

/** Whether a grouping word groups nothing: `supplied by Exotic Liquids`, `top 3 by unit price`, `每个省各有多少`. */
function isLight(
  { labels, properties, relations, entities, values, counts, orders }: QuestionTerms,
  { text, end }: Mention,
  { groups, lists, counts: counted, order }: Used,
  isUsed: (term: PropertyTerm) => boolean,
): boolean {
  if (text === '各' && groups.length > 0) return !labels.some(({ mention }) => mention.start === end);
  if (isEach(text)) return lists;
  if (!/^(?:by|按照?|不同)$/.test(text)) return false;
  const follows = ({ mention }: { mention: Mention }): boolean => mention.start >= end && mention.start - end <= 5;
  // 按重量排序的文物: the label belongs to the sorted things.
  if (order && orders.length > 0 && properties.some(follows)) return properties.filter(follows).every(isUsed);
  // `voyages by home port` groups. In `supplied by Exotic` a name follows, and "by" does not group.
  const relation = relations.find(follows);
  if (relation && ![...entities, ...values].some(({ mention }) => mention.start >= end)) return false;
  // `前五名客户，按订单数`: the label behind 按 belongs to a count.
  const isNumber = ({ mention }: LabelTerm): boolean => counted && counts.some(count => count.start === mention.end);
  return !labels.some(term => follows(term) && !isNumber(term)) && properties.filter(follows).every(isUsed);
}
