import { type Bilingual } from '../../text/bilingual.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { type Mention } from '../linking/meaning.js';
import { type QuestionTerms, type TimeTerm } from '../linking/question-terms.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { isDate, isTime } from '../linking/date-names.js';
import { happened, saysHappened } from './happened.js';
import { dateOfEvent, dateSaid, ownDate, timesOf } from './label-dates.js';
import { type NameChoices } from './name-choices.js';
import { joinsConditions } from './joining-words.js';
import { isNumeric } from '../linking/numerals.js';
import { type Threshold } from './measures.js';
import { UnplannableError } from './question-plan.js';
import { refuseUnit } from './refuse-units.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';
import { joinSpans } from './time-spans.js';

/** Limits a pattern by comparisons and times. Returns the words for properties that these limits use, and notes on assumptions. */
export function addLimits(
  writer: CypherWriter,
  terms: QuestionTerms,
  thresholds: Threshold[],
  words: SchemaWord[],
  schema: GraphSchema,
  choices: NameChoices,
): { used: SchemaWord[]; notes: Bilingual[] } {
  const used: SchemaWord[] = [];
  const notes: Bilingual[] = [];
  for (const threshold of thresholds) {
    const { mention, operator, value, property } = threshold;
    if (!property) continue;
    const owners = property.properties.filter(({ type }) => isNumeric(type));
    const node =
      owners.find(({ owner, ownerName }) => owner === 'node' && ownerName === writer.target) ??
      owners.find(({ owner, ownerName }) => owner === 'node' && writer.passes(ownerName));
    const edge = node ? undefined : owners.find(({ owner, ownerName }) => owner === 'edge' && writer.follows(ownerName));
    const owner = node ?? edge;
    const variables = owner ? placesOf(writer, terms, owner.owner, owner.ownerName, mention.text) : [];
    if (!owner || variables.length === 0)
      throw new UnplannableError(`不清楚“${mention.text}”比较的是什么`, `It is not clear what "${mention.text}" compares`);
    refuseUnit(threshold, elementOf(schema, owner)?.properties.find(({ name }) => name === owner.property) ?? null);
    const parameter = writer.parameter(value);
    for (const variable of variables) writer.where(`${variable}.${quoteName(owner.property)} ${operator} ${parameter}`);
    used.push(property);
  }
  used.push(...addHappened(writer, terms, words, schema));
  return { used: [...used, ...addTimes(writer, terms, words, schema, notes, choices)], notes };
}

/** Limits the target to things whose event has happened. Returns the words for the events. A time limits the date by itself. */
function addHappened(writer: CypherWriter, terms: QuestionTerms, words: SchemaWord[], schema: GraphSchema): SchemaWord[] {
  const label = schema.labels.find(({ name }) => name === writer.target);
  return words.filter(word => {
    const date = terms.times.length === 0 && saysHappened(terms, word) && dateOfEvent(label, word.mention);
    if (date) writer.where(happened(writer, 't', date, terms.today));
    return date;
  });
}

/** A date of a node or edge in the pattern. `isHidden`: the node or edge is only inside EXISTS, so none of its values is returned. */
interface PatternDate {
  owner: 'node' | 'edge';
  ownerName: string;
  property: string;
  /** Whether the date is a year, stored as an integer. */
  isYear: boolean;
  isHidden: boolean;
}

/** Limits the date that the question names, else the only date on the pattern. Returns the words for this date. */
function addTimes(
  writer: CypherWriter,
  terms: QuestionTerms,
  words: SchemaWord[],
  schema: GraphSchema,
  notes: Bilingual[],
  choices: NameChoices,
): SchemaWord[] {
  const [first] = terms.times;
  if (!first) return [];
  const pairs = timesWithDates(terms, words);
  if (pairs) {
    const others = words.filter(word => !isDateWord(word));
    return pairs.flatMap(([time, word]) => addTimes(writer, { ...terms, times: [time] }, [...others, word], schema, notes, choices));
  }
  const dates = datesOn(writer, schema);
  const isOf = (word: SchemaWord, date: PatternDate): boolean =>
    word.properties.some(
      ({ owner, ownerName, property }) => owner === date.owner && ownerName === date.ownerName && property === date.property,
    );
  const namedDates = dates.filter(date => words.some(word => isOf(word, date)));
  const other = namedDates.length > 0 ? undefined : words.find(isDateWord);
  if (other)
    throw new UnplannableError(
      `“${other.mention.text}”不是所问对象的日期，无法用来限定“${first.mention.text}”`,
      `"${other.mention.text}" is not a date of the things that are asked for, so "${first.mention.text}" cannot limit it`,
    );
  const days = dates.filter(({ isYear }) => !isYear);
  const unnamed = days.length > 0 ? days : dates;
  const meant = namedDates.length > 0 ? namedDates : saidDates(unnamed, words, schema, first.mention.text, notes);
  const found = oneDate(meant, writer.target, words, schema, first.mention, choices);
  if (!found)
    throw new UnplannableError(
      `所问的对象没有日期，无法限定“${first.mention.text}”`,
      `The things that are asked for have no date to limit to "${first.mention.text}"`,
    );
  for (const { mention, from, isYearAssumed } of terms.times)
    if (isYearAssumed)
      notes.push({
        zh: `“${mention.text}”没有年份，按 ${from.slice(0, 4)} 年理解`,
        en: `"${mention.text}" names no year and is read as of ${from.slice(0, 4)}`,
      });
  if (found.isHidden)
    throw new UnplannableError(
      `“${first.mention.text}”限定的是被否定的部分，暂不支持，请分开问`,
      `"${first.mention.text}" limits what is negated, which is not supported; ask apart`,
    );
  const bound = (day: string): string => writer.parameter(found.isYear ? yearFrom(day, found.property, first.mention.text) : day);
  const spans = joinSpans(terms).map(({ from, to }) => ({ from: bound(from), to: to === null ? null : bound(to) }));
  for (const variable of placesOf(writer, terms, found.owner, found.ownerName, first.mention.text)) {
    const dated = `${variable}.${quoteName(found.property)}`;
    const conditions = spans.map(({ from, to }) => [`${dated} >= ${from}`, ...(to === null ? [] : [`${dated} < ${to}`])].join(' AND '));
    const condition = conditions.length === 1 ? (conditions[0] ?? '') : `(${conditions.map(span => `(${span})`).join(' OR ')})`;
    writer.whereDated(condition, { variable, ...found }, 'limit');
  }
  return words.filter(word => isOf(word, found));
}

/**
 * The date that a time limits, out of several dates; undefined if there are none.
 * @throws AmbiguousQuestionError if there are several dates and none was chosen. It lists the dates of a named relation
 *   first, then those of the target, beginning with the date named after the target
 */
function oneDate(
  dates: PatternDate[],
  target: string,
  words: SchemaWord[],
  schema: GraphSchema,
  time: Mention,
  choices: NameChoices,
): PatternDate | undefined {
  const label = schema.labels.find(({ name }) => name === target);
  const own = label && ownDate(label)?.name;
  const isOfVerb = ({ owner, ownerName }: PatternDate): boolean =>
    owner === 'edge' && words.some(word => isOnlyRelation(word) && word.relations.has(ownerName));
  const rank = (date: PatternDate): number => (isOfVerb(date) ? 0 : date.ownerName !== target ? 3 : date.property === own ? 1 : 2);
  const sorted = [...dates].sort((a, b) => rank(a) - rank(b));
  const isOfOne = sorted.every(({ ownerName }) => ownerName === sorted[0]?.ownerName);
  const nameOf = ({ ownerName, property }: PatternDate): string => (isOfOne ? property : `${ownerName}.${property}`);
  const chosen = sorted.length > 1 ? choices.requireOneDate(time, sorted.map(nameOf)) : null;
  return sorted.find(date => chosen === null || nameOf(date) === chosen);
}

/** The year that begins on a day. @throws UnplannableError for any day but January 1 */
function yearFrom(day: string, property: string, time: string): number {
  if (day.endsWith('-01-01')) return Number(day.slice(0, 4));
  throw new UnplannableError(
    `“${property}”只有年份，不能用“${time}”限定；请只写年份`,
    `"${property}" is only a year, which "${time}" cannot limit; give years`,
  );
}

/**
 * Each of several times with the date before it (`started in 2025 and ended in 2026`) or behind it (2025年开始且2026年结束). Null unless each time
 * has a date of its own, and all of them must hold.
 */
function timesWithDates({ text, times }: QuestionTerms, words: SchemaWord[]): [TimeTerm, SchemaWord][] | null {
  const dates = words.filter(isDateWord);
  if (times.length < 2 || dates.length !== times.length) return null;
  const alternate = (first: { mention: Mention }[], second: { mention: Mention }[]): boolean =>
    first.every(({ mention }, i) => {
      const [end, next] = [second[i]?.mention.end ?? 0, first[i + 1]?.mention.start];
      return (
        mention.end <= (second[i]?.mention.start ?? 0) &&
        (next === undefined || (end <= next && joinsConditions.test(text.slice(end, next))))
      );
    });
  const isPaired = alternate(dates, times) || alternate(times, dates);
  return isPaired ? times.flatMap((time, i) => (dates[i] ? [[time, dates[i]]] : [])) : null;
}

/** Whether a word names only dates. */
function isDateWord({ labels, relations, properties }: SchemaWord): boolean {
  return labels.size + relations.size === 0 && properties.length > 0 && properties.every(isTime);
}

/** The date of one label that the question means. All dates if the question names none, or if the dates belong to several owners. */
function saidDates(dates: PatternDate[], words: SchemaWord[], schema: GraphSchema, time: string, notes: Bilingual[]): PatternDate[] {
  const [first, second] = dates;
  const label = schema.labels.find(({ name }) => name === first?.ownerName);
  if (!label || !second || dates.some(({ owner, ownerName }) => owner !== 'node' || ownerName !== label.name)) return dates;
  const said = dateSaid(label, words);
  if (!said) return dates;
  if (said.isAssumed) notes.push({ zh: `“${time}”按 ${said.date.name} 理解`, en: `"${time}" is read as the ${said.date.name}` });
  return dates.filter(({ property }) => property === said.date.name);
}

/**
 * The nodes or edges of a pattern to which a limit applies: all nodes of the label or edges of the type, because the pattern of
 * `Chai and Chang in 2024` has one order for each product. If a node of the label is named and the target has this label too, the limit
 * applies only to the target.
 * @throws UnplannableError if the pattern has several nodes of the label, and either a named node or the target has the label, but not
 *   both: it is then unclear which node is limited
 */
export function placesOf(writer: CypherWriter, terms: QuestionTerms, owner: 'node' | 'edge', name: string, limit: string): string[] {
  if (owner === 'edge') return writer.edges.filter(({ type }) => type === name).map(({ variable }) => variable);
  const variables = writer.nodes.filter(({ label }) => label === name).map(({ variable }) => variable);
  if (variables.length < 2) return variables;
  const isNamed = terms.entities.some(({ nodes }) => nodes.some(({ label }) => label === name));
  if (writer.target === name && isNamed) return ['t'];
  if (writer.target !== name && !isNamed) return variables;
  throw new UnplannableError(
    `问题里有几个“${name}”，不清楚“${limit}”限定哪一个，请分开问`,
    `There are several "${name}" in the question, and it is not clear which of them "${limit}" limits; ask apart`,
  );
}

function datesOn(writer: CypherWriter, schema: GraphSchema): PatternDate[] {
  const nodes = writer.nodes.map(({ label, way }) => ({
    owner: 'node' as const,
    ownerName: label === '' ? (way.at(-1)?.to ?? '') : label,
    isHidden: label === '',
  }));
  const hidden = writer.nodes.flatMap(({ label, way }) => (label === '' ? way.slice(-1) : []));
  const edges = [
    ...writer.edges.filter(({ type }) => type !== '').map(({ type }) => ({ owner: 'edge' as const, ownerName: type, isHidden: false })),
    ...hidden.map(({ type }) => ({ owner: 'edge' as const, ownerName: type, isHidden: true })),
  ];
  const found = new Map<string, PatternDate>();
  for (const place of [...nodes, ...edges])
    for (const { name: property, type } of timesOf(elementOf(schema, place) ?? { properties: [] })) {
      const key = JSON.stringify([place.owner, place.ownerName, property]);
      found.set(key, { ...place, property, isYear: !isDate(type), isHidden: place.isHidden && (found.get(key)?.isHidden ?? true) });
    }
  return [...found.values()];
}

function elementOf({ labels, edges }: GraphSchema, { owner, ownerName }: Pick<PatternDate, 'owner' | 'ownerName'>) {
  return owner === 'node' ? labels.find(({ name }) => name === ownerName) : edges.find(({ type }) => type === ownerName);
}
