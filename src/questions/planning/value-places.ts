import { isJoined } from '../linking/meaning.js';
import { isCountry } from '../linking/name-synonyms.js';
import { isBoolean, type QuestionTerms } from '../linking/question-terms.js';
import { senseOf } from '../linking/synonyms.js';
import { type Anchor, isEntity } from './anchors.js';
import { type Asked } from './find-asked.js';
import { UnplannableError } from './question-plan.js';
import { type Hop, type PlanSchema } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';

/** Whether the question names neither the relation nor the start of some hop after the first: 住在哪家酒店 read by way of the person's city. */
export function isDetour(hops: Hop[], words: SchemaWord[]): boolean {
  return hops.slice(1).some(({ from, type }) => !words.some(({ labels, relations }) => labels.has(from) || relations.has(type)));
}

/** Whether a value stands right before a noun whose nodes do not have the value: `pending claims`, where only policies are pending. */
export function isOfOther(
  { terms, mention }: Anchor,
  hops: Hop[],
  text: string,
  { asked: { word }, words }: { asked: Asked; words: SchemaWord[] },
): boolean {
  if (hops.length === 0 || word === null || terms.some(isEntity) || !isJoined(text, mention.end, word.mention.start)) return false;
  return !hops.some(({ type }) => words.some(({ relations }) => relations.has(type)));
}

/**
 * Refuses a boolean right before a label without this property: `a contagious drug`, where only diseases are contagious.
 * @throws UnplannableError
 */
export function refuseQuality({ terms, mention, labels }: Anchor, question: QuestionTerms): void {
  if (terms.some(term => isEntity(term) || !isBoolean(term))) return;
  const noun = question.labels.find(({ mention: own }) => isJoined(question.text, mention.end, own.start));
  if (!noun || labels.includes(noun.label)) return;
  throw new UnplannableError(
    `“${noun.mention.text}”没有“${mention.text}”这个属性`,
    `"${mention.text}" is not a property of "${noun.mention.text}"`,
  );
}

/**
 * Refuses a value of another label if the target has a property of the same sense without this value: `挪威有几个港口`, where ports have
 * a country, but only ships have the country Norway; 已取消的房间, where rooms have a status, but only bookings have the status 已取消.
 * @throws UnplannableError
 */
export function refusePlaceOfOther({ terms, mention }: Anchor, hops: Hop[], schema: PlanSchema, words: SchemaWord[]): void {
  const [end, start] = [hops.at(-1)?.to, hops[0]?.from];
  const isNamed = hops.some(({ type, from }) => words.some(({ relations, labels }) => relations.has(type) || labels.has(from)));
  const values = terms.flatMap(term => (isEntity(term) ? [] : term.values.filter(({ label }) => label === start)));
  if (end === undefined || end === start || isNamed || values.length === 0) return;
  const senses = new Set(values.flatMap(({ value, property }) => [senseOf(property), ...(isCountry(value) ? [senseOf('country')] : [])]));
  const own = schema.labels
    .find(({ name }) => name === end)
    ?.properties.find(({ name, column = '', type }) => type === 'string' && [name, column].some(each => senses.has(senseOf(each))));
  if (!own) return;
  throw new UnplannableError(
    `没有“${own.name}”为“${mention.text}”的“${end}”；“${mention.text}”只是“${start ?? ''}”的值`,
    `No "${end}" has "${mention.text}" as its ${own.name}; it is only a value of "${start ?? ''}"`,
  );
}
