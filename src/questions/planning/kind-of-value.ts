import { fillPlaces, isJoined, type Mention } from '../linking/meaning.js';
import { isBoolean, type QuestionTerms, type ValueTerm } from '../linking/question-terms.js';
import { type Asked } from './find-asked.js';
import { type SchemaWord } from './schema-word.js';

/** 哪些油轮, 水手有多少: asks for what has the value, where only things of one label have it and no noun says what they are. */
export function kindOfValue(terms: QuestionTerms, asking: Mention[], words: SchemaWord[]): Asked | null {
  const [first] = [...asking].sort((a, b) => a.start - b.start);
  if (!first || !/[哪几]|多少/.test(first.text)) return null;
  const chain = valuesBeside(terms, first, words);
  const end = chain.at(-1)?.mention.end ?? 0;
  if (words.some(({ labels, mention }) => labels.size > 0 && isJoined(terms.text, end, mention.start))) return null;
  // 非处方药 is a noun too, where no other says what it is.
  const hasNoun = words.some(({ labels }) => labels.size > 0);
  const kind = chain.filter(term => !term.negated && !isBoolean(term)).at(-1) ?? (hasNoun ? undefined : chain.at(-1));
  const labels = new Set(kind?.values.map(({ label }) => label));
  return kind && labels.size === 1 ? { word: { mention: kind.mention, labels, relations: new Set(), properties: [] }, type: 'what' } : null;
}

/** The values right after the question word, else those right before it where it ends the question. In order. */
function valuesBeside({ text, values }: QuestionTerms, first: Mention, words: SchemaWord[]): ValueTerm[] {
  const blank = fillPlaces(text, values.map(({ mention }) => mention)); // prettier-ignore
  const inOrder = [...values].sort((a, b) => a.mention.start - b.mention.start);
  const after = inOrder.filter(({ mention }) => isJoined(blank, first.end, mention.end));
  const hasNoun = words.some(({ labels, mention }) => labels.size > 0 && mention.start >= first.end);
  if (after.length > 0 || hasNoun || !/^人?[\s?？。!！]*$/.test(text.slice(first.end))) return after;
  return inOrder.filter(({ mention }) => mention.end <= first.start && /^\s*(?:都?[是有])?$/.test(text.slice(mention.end, first.start)));
}
