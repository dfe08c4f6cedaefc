import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { isDate } from '../linking/date-names.js';
import { fillPlaces, type Mention } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { isAgentNoun } from '../linking/word-roots.js';
import { isOfType, propertiesOfType } from './answer-types.js';
import { type CypherWriter } from './cypher-writer.js';
import { dateOfEvent, tellsWhen } from './label-dates.js';
import { standsAsNoun } from './order-clues.js';
import { UnplannableError } from './question-plan.js';
import { type PlanSchema } from './schema-paths.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';

/** A date of an edge or of a node of a pattern. */
export interface PlacedDate {
  variable: string;
  property: PropertySchema;
}

/**
 * The date of the relation that the verb names: in `When did Ann borrow Emma?` the date of the loan, not a date of the book. Empty if the
 * relation has no date, and a date of the target may be meant.
 * @throws UnplannableError if the relation has several dates, or if it has no date and no date of the target tells when it happened
 */
export function datesOfVerb(terms: QuestionTerms, words: readonly SchemaWord[], writer: CypherWriter, schema: PlanSchema): PlacedDate[] {
  const verb = verbFollowed(words, writer);
  if (!verb) return [];
  const dates = writer.edges
    .filter(({ type }) => verb.relations.has(type))
    .flatMap(({ variable, type }) => datesOfRelation(schema, type).map(property => ({ variable, property })));
  const own = schema.labels.find(({ name }) => name === writer.target);
  if (!own) return dates;
  const isOfOther = writer.edges.length > 0 && !words.some(({ labels }) => labels.has(own.name));
  const isKnown = isOfType(own, 'when') || dateOfEvent(own, verb.mention) !== null;
  // `When did Ann save papers`: a date of the papers does not tell when they were saved.
  const isAsked = isMainVerb(terms, verb.mention) && isAtTarget(writer, verb) && !tellsWhen(own, verb);
  if (dates.length === 0 && !isKnown && (isOfOther || isAsked)) throw withoutDate(verb.mention);
  if (dates.length > 1 || (dates.length === 0 && propertiesOfType(own, 'when').length > 1)) throw oneOfDates(verb.mention);
  return dates;
}

/**
 * Refuses a date of a label for the time of a relation that has none: `When did Ann last save a paper`.
 * @throws UnplannableError
 */
export function requireDateOfVerb(terms: QuestionTerms, words: readonly SchemaWord[], writer: CypherWriter, schema: PlanSchema): void {
  const verb = verbFollowed(words, writer);
  const own = schema.labels.find(({ name }) => name === writer.target);
  if (verb && own && isMainVerb(terms, verb.mention) && isAtTarget(writer, verb) && !tellsWhen(own, verb)) throw withoutDate(verb.mention);
}

/**
 * The date of the relation whose verb stands right beside `last`, 最近一次 and the like: `Which book did Ann borrow last`. Null without such a
 * verb, or if a date of the ranked nodes tells when it happened.
 * @throws UnplannableError if the relation has no date or several
 */
export function dateOfRanked(
  terms: QuestionTerms,
  words: readonly SchemaWord[],
  writer: CypherWriter,
  schema: PlanSchema,
): PlacedDate | null {
  const { text, top, entities, values, labels } = terms;
  if (top?.by !== 'date') return null;
  // `treated Tom Reed last`: at the end of a clause the object stands between the verb and the ranking.
  const isBehind = /^\s*(?:[,，?？.。]|$)/.test(text.slice(top.mention.end));
  const objects = [...entities, ...values, ...labels].map(({ mention }) => mention);
  const behindVerb = isBehind ? fillPlaces(text, objects) : text;
  const isBeside = (end: number, start: number): boolean =>
    end <= start && /^[了过]?\s*(?:(?:the|an?)\s+)?$/.test((start === top.mention.start ? behindVerb : text).slice(end, start));
  const verb = words.find(
    word => isOnlyRelation(word) && (isBeside(word.mention.end, top.mention.start) || isBeside(top.mention.end, word.mention.start)),
  );
  if (!verb) refuseTwoDates(top, words, writer, schema);
  const edge = writer.edges.find(({ type }) => verb?.relations.has(type));
  if (!verb || !edge || isAgentNoun(verb.mention.text)) return null;
  const [property, ...others] = datesOfRelation(schema, edge.type);
  if (others.length > 0) throw oneOfDates(verb.mention);
  if (property) return { variable: edge.variable, property };
  const own = schema.labels.find(({ name }) => name === writer.target);
  if (own && !tellsWhen(own, verb)) throw withoutDate(verb.mention);
  return null;
}

type Ranking = NonNullable<QuestionTerms['top']>;

/** Refuses `the last book that Ann borrowed` if both books and loans have dates: by which of them it is the last is not said. */
function refuseTwoDates(
  { mention: { text }, descending }: Ranking,
  words: readonly SchemaWord[],
  writer: CypherWriter,
  schema: PlanSchema,
): void {
  const dated = words.find(
    word => isOnlyRelation(word) && writer.edges.some(({ type }) => word.relations.has(type) && datesOfRelation(schema, type).length > 0),
  );
  if (!dated || ofAge.test(text)) return;
  const verb = dated.mention.text;
  throw new UnplannableError(
    `“${text}”可以按“${writer.target}”或“${verb}”的日期排；请写“${descending ? '最后' : '第'}一次${verb}”，或写出日期属性`,
    `"${text}" may go by a date of "${writer.target}" or of "${verb}"; write "${descending ? 'last' : 'first'}" beside "${verb}", or name the date`,
  );
}

/** Matches rankings of things by their age, which no event gives. */
const ofAge = /oldest|eldest|youngest|newest|最新|最老/;

/** Whether a relation of a word has exactly one date, by which its edges can be ranked. */
export function hasOneDate(schema: PlanSchema, { relations }: SchemaWord): boolean {
  return [...relations].every(type => datesOfRelation(schema, type).length === 1);
}

function datesOfRelation(schema: PlanSchema, type: string): PropertySchema[] {
  return schema.edges.filter(edge => edge.type === type).flatMap(({ properties }) => properties.filter(property => isDate(property.type)));
}

/** The verb whose relation the query follows. */
function verbFollowed(words: readonly SchemaWord[], writer: CypherWriter): SchemaWord | undefined {
  return words.find(word => isOnlyRelation(word) && [...word.relations].some(type => writer.follows(type)));
}

/** Whether a verb is that of the question, instead of one that describes a noun: `courses that X teaches`, X教的课程. */
function isMainVerb({ text, whichs }: QuestionTerms, mention: Mention): boolean {
  const [before, after] = [text.slice(0, mention.start), text.slice(mention.end)];
  if (isAgentNoun(mention.text) || standsAsNoun(text, mention) || /^\s+of\b/.test(after)) return false;
  if (/\b(?:that|which|who|whom)\s+(?:\S+\s+){0,3}$/.test(before)) return false;
  return !/^[了过]?的/.test(after) || whichs.some(({ end }) => end <= mention.start);
}

function isAtTarget({ nodes }: CypherWriter, { relations }: SchemaWord): boolean {
  return nodes.some(({ way: [first] }) => first !== undefined && relations.has(first.type));
}

function withoutDate({ text }: Mention): UnplannableError {
  return new UnplannableError(
    `关系“${text}”没有日期，不知道是什么时候；请问某个对象的日期属性`,
    `The relation "${text}" has no date, so it is not known when; ask for a date of one of the things`,
  );
}

function oneOfDates({ text }: Mention): UnplannableError {
  return new UnplannableError(
    `不清楚“${text}”的日期是哪一个，请写出属性`,
    `It is not clear which date tells when "${text}" happened; name the property`,
  );
}
