import { type LabelSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { eventsOf, isDate, isDateOrYear } from '../linking/date-names.js';
import { senseOf } from '../linking/synonyms.js';
import { type SchemaWord } from './schema-word.js';

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
  const isOnly = datesOf(label).length === 1 && beginnings.has(senseOf(verb.mention.text));
  return isOnly || dateOfEvent(label, verb.mention) !== null || dateSaid(label, [verb]) !== null;
}

/** The date named after the label: `order date` of an order. Null unless there is exactly one. */
export function ownDate(label: LabelSchema): PropertySchema | null {
  const names = [label.name, ...label.aliases].map(name => senseOf(name.toLowerCase()));
  const own = datesOf(label).filter(date => eventsOf(date).some(event => names.includes(senseOf(event))));
  return own.length === 1 ? (own[0] ?? null) : null;
}
