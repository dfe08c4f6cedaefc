import { type GraphSchema, type LabelSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { eventsOf, isDate, isDateOrYear } from '../linking/date-names.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { senseOf } from '../linking/synonyms.js';
import { isOfType } from './answer-types.js';
import { isTimeOfEvent } from './happened.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';

/** The date properties of a label or relation; its year properties if it has no date properties. */
export function datesOf(element: { properties: PropertySchema[] }): PropertySchema[] {
  const times = timesOf(element);
  const dates = times.filter(({ type }) => isDate(type));
  return dates.length > 0 ? dates : times;
}

/** The date and year properties of a label or relation. */
export function timesOf({ properties }: { properties: PropertySchema[] }): PropertySchema[] {
  return properties.filter(isDateOrYear);
}

/** The date of the event that a word names: `shipped` and 发货 mean `shipped date`. Null if the label has no such date. */
export function dateOfEvent(label: LabelSchema | undefined, { text }: SchemaWord['mention']): PropertySchema | null {
  return timesOf(label ?? { properties: [] }).find(date => eventsOf(date).some(event => senseOf(event) === senseOf(text))) ?? null;
}

/**
 * A word for relations that with a time beside it tells a date of the things that are asked for: in `films released in 2020` the
 * release of the films, although 发行 of companies means the same. It names its relation beside a name to which the relation leads.
 */
export function asDatedEvent(word: SchemaWord, terms: QuestionTerms, schema: GraphSchema): SchemaWord {
  // In `customers registered in 2024 placed orders` the time belongs to the verb before it.
  const isVerbFirst = /^[a-z]/.test(word.mention.text);
  const times = terms.times.filter(({ mention: { start } }) => !isVerbFirst || start >= word.mention.end);
  if (!isOnlyRelation(word) || !isTimeOfEvent({ ...terms, times }, word)) return word;
  const edges = schema.edges.filter(({ type }) => word.relations.has(type));
  const isNamed = (name: string): boolean => terms.labels.some(({ label }) => label === name);
  // In 2020年发行电影的公司 the word joins two nouns of the question.
  if (edges.some(({ sourceLabel, targetLabel }) => sourceLabel !== targetLabel && isNamed(sourceLabel) && isNamed(targetLabel)))
    return word;
  const ends = edges.flatMap(edge => [edge.sourceLabel, edge.targetLabel]);
  const named = [...terms.entities.flatMap(({ nodes }) => nodes), ...terms.values.flatMap(({ values }) => values)];
  if (named.some(({ label }) => ends.includes(label))) return word;
  const dated = schema.labels.filter(({ name }) => ends.includes(name) && isNamed(name));
  const [found, ...others] = dated.flatMap(label => {
    const date = dateOfEvent(label, word.mention);
    return date ? [{ label, date }] : [];
  });
  if (!found || others.length > 0) return word;
  const { name: property, type } = found.date;
  const meaning = { as: 'property' as const, owner: 'node' as const, ownerName: found.label.name, property, type, isEvent: true as const };
  return { mention: word.mention, labels: new Set(), relations: new Set(), properties: [meaning] };
}

/** Senses of verbs that create a thing. Such a verb does not point to a later date of the thing. */
const makingVerbs = new Set(['place', 'make', 'create', 'order', 'buy', 'receive', 'get'].map(senseOf));

/**
 * The one of several dates of a label that is meant: the date of the event that the question names, else the date named after the label,
 * unless a verb could mean another date. `isAssumed`: the question names no event. Null if the meant date is unclear.
 */
export function dateSaid(label: LabelSchema, words: SchemaWord[]): { date: PropertySchema; isAssumed: boolean } | null {
  const others = words.filter(({ labels }) => !labels.has(label.name));
  const said = new Set(others.flatMap(({ mention }) => dateOfEvent(label, mention) ?? []));
  const [date, ...more] = said;
  if (date) return more.length === 0 ? { date, isAssumed: false } : null;
  const isMade = others.every(({ relations, mention }) => relations.size === 0 || makingVerbs.has(senseOf(mention.text)));
  const own = isMade ? ownDate(label) : null;
  return own && { date: own, isAssumed: true };
}

/** Senses of verbs with which a thing begins to be, so that its only date tells when. */
const beginnings = new Set(['place', 'make', 'create', 'order', 'buy'].map(senseOf));

/** Whether a date of a label tells when the event of a verb happened: the order date, when an order was placed. */
export function tellsWhen(label: LabelSchema, verb: SchemaWord): boolean {
  // A person who orders does not begin by it: the only date of a customer is that of the registration.
  const isOnly = datesOf(label).length === 1 && beginnings.has(senseOf(verb.mention.text)) && !isOfType(label, 'who');
  return isOnly || dateOfEvent(label, verb.mention) !== null || dateSaid(label, [verb]) !== null;
}

/** The date named after the label: `order date` of an order. Null unless there is exactly one. */
export function ownDate(label: LabelSchema): PropertySchema | null {
  const names = [label.name, ...label.aliases].map(name => senseOf(name.toLowerCase()));
  const own = datesOf(label).filter(date => eventsOf(date).some(event => names.includes(senseOf(event))));
  return own.length === 1 ? (own[0] ?? null) : null;
}
