import { isJoined, type Mention } from '../linking/meaning.js';
import { isBoolean, outsideValues, type QuestionTerms, type ValueTerm } from '../linking/question-terms.js';
import { isAgentNoun } from '../linking/word-roots.js';
import { type Asked } from './find-asked.js';
import { UnplannableError } from './question-plan.js';
import { personsOfRole } from './said-identity.js';
import { type PlanSchema } from './schema-paths.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';

/**
 * Finds the label of the things that have a value, if the question has no noun for these things: 哪些油轮, 水手有多少, `which women own a car`. If
 * several labels have the value, the label with the relations that the question names is meant.
 * @throws UnplannableError if several labels may be meant
 */
export function kindOfValue(terms: QuestionTerms, asking: Mention[], words: SchemaWord[], schema: PlanSchema): Asked | null {
  const [first] = [...asking].sort((a, b) => a.start - b.start);
  if (!first) return valueAtEnd(terms);
  const persons = personsOfRole(terms, words, schema);
  const [role] = terms.values;
  if (persons !== null && role) return { word: { mention: role.mention, labels: new Set([persons]), relations: new Set(), properties: [] }, type: 'what' }; // prettier-ignore
  if (!/[哪几]|多少|^(?:which|what|how many)$/.test(first.text)) return null;
  const rest = outsideValues(terms);
  const chain = valuesBeside(terms, rest, first, words);
  const end = chain.at(-1)?.mention.end ?? 0;
  const isNoun = ({ labels, properties, mention }: SchemaWord): boolean => labels.size + properties.length > 0 || isAgentNoun(mention.text);
  // `French and German players`: the noun follows the values, perhaps behind a conjunction.
  const isBesideNoun = (word: SchemaWord): boolean =>
    word.mention.start >= end && /^(?:\s|的|,|\band\b|\bor\b)*$/.test(rest.slice(end, word.mention.start));
  if (words.some(word => isNoun(word) && isBesideNoun(word))) return null;
  // The name of a boolean, such as 非处方药, counts as a noun if the question lacks another noun.
  const hasNoun = words.some(({ labels }) => labels.size > 0);
  const kind = chain.filter(term => !term.negated && !isBoolean(term)).at(-1) ?? (hasNoun ? undefined : chain.at(-1));
  if (!kind) return null;
  const all = new Set(kind.values.map(({ label }) => label));
  const labels = all.size > 1 ? withRelations(all, words, schema) : all;
  const isEnglish = /^[a-z]/.test(first.text);
  if (labels.size === 1) return { word: { mention: kind.mention, labels, relations: new Set(), properties: [] }, type: 'what' };
  if (isEnglish || !hasNoun) throw severalKinds(kind.mention, [...all]);
  return null;
}

/** The target of a question that ends with a value: 有车的VIP客户 asks for the things with the value VIP客户. Null for other questions. */
function valueAtEnd({ text, values }: QuestionTerms): Asked | null {
  const last = values.find(({ mention, negated }) => !negated && /^[\s?？。!！]*$/.test(text.slice(mention.end)));
  const labels = new Set(last?.values.map(({ label }) => label));
  if (!last || labels.size !== 1 || !/的$/.test(text.slice(0, last.mention.start))) return null;
  return { word: { mention: last.mention, labels, relations: new Set(), properties: [] }, type: null };
}

/** Keeps the labels that are at an end of each relation that the question names; all labels if it names no relation. */
function withRelations(labels: Set<string>, words: SchemaWord[], schema: PlanSchema): Set<string> {
  const named = words.filter(isOnlyRelation);
  const has = (label: string, { relations }: SchemaWord): boolean =>
    schema.edges.some(({ type, sourceLabel, targetLabel }) => relations.has(type) && [sourceLabel, targetLabel].includes(label));
  return named.length === 0 ? labels : new Set([...labels].filter(label => named.every(word => has(label, word))));
}

function severalKinds({ text }: Mention, labels: string[]): UnplannableError {
  return new UnplannableError(
    `“${text}”可以是${labels.map(label => `“${label}”`).join('或')}的值，请写明问的是什么`,
    `"${text}" may be said of ${labels.join(' or ')}: say which is asked for`,
  );
}

/** The values right after the question word, else the values right before a question word that ends the question, in text order. */
function valuesBeside({ text, values }: QuestionTerms, rest: string, first: Mention, words: SchemaWord[]): ValueTerm[] {
  const inOrder = [...values].sort((a, b) => a.mention.start - b.mention.start);
  const after = inOrder.filter(({ mention }) => isJoined(rest, first.end, mention.end));
  const hasNoun = words.some(({ labels, mention }) => labels.size > 0 && mention.start >= first.end);
  if (after.length > 0 || hasNoun || !/^人?[\s?？。!！]*$/.test(text.slice(first.end))) return after;
  return inOrder.filter(({ mention }) => mention.end <= first.start && /^\s*(?:都?[是有])?$/.test(text.slice(mention.end, first.start)));
}
