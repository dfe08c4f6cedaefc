import { type LabelSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { eventsOf, isDate, isDateOrYear } from '../linking/date-names.js';
import { senseOf } from '../linking/synonyms.js';
import { type SchemaWord } from './schema-word.js';

/** The dates of a label or relation, and its years if it has no dates. */
export function datesOf(element: { properties: PropertySchema[] }): PropertySchema[] {
  const times = timesOf(element);
  const dates = times.filter(({ type }) => isDate(type));
  return dates.length > 0 ? dates : times;
}

/** The dates and the years of a label or relation. */
export function timesOf({ properties }: { properties: PropertySchema[] }): PropertySchema[] {
  return properties.filter(isDateOrYear);
}

/** The date of what a word says: `shipped` and 发货 mean `shipped date`. */
export function dateOfEvent(label: LabelSchema | undefined, { text }: SchemaWord['mention']): PropertySchema | null {
  return timesOf(label ?? { properties: [] }).find(date => eventsOf(date).some(event => senseOf(event) === senseOf(text))) ?? null;
}

/** Verbs by which things come about. They say nothing of a later date. */
const makingVerbs = new Set(['place', 'make', 'create', 'order', 'buy', 'receive', 'get'].map(senseOf));

/**
 * Which of several dates of a label is meant: that of what the question says happened, else the date of the things themselves, unless a
 * verb could mean another. `isAssumed`: the question does not say.
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

/** The date of things themselves: `order date` of an order. */
function ownDate(label: LabelSchema): PropertySchema | null {
  const names = [label.name, ...label.aliases].map(name => senseOf(name.toLowerCase()));
  const own = datesOf(label).filter(date => eventsOf(date).some(event => names.includes(senseOf(event))));
  return own.length === 1 ? (own[0] ?? null) : null;
}
