import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type Comparison, fillPlaces, type Mention } from '../linking/meaning.js';
import { isNumeric, measureWord } from '../linking/numerals.js';
import { outsideNames, type QuestionTerms } from '../linking/question-terms.js';
import { eventsOf, isTime } from '../linking/date-names.js';
import { senseOf } from '../linking/synonyms.js';
import { type Unit, unitIn } from '../linking/units.js';
import { isOfType } from './answer-types.js';
import { dateSaid, datesOf, timesOf } from './label-dates.js';
import { isTimeOfEvent } from './happened.js';
import { UnplannableError } from './question-plan.js';
import { type PlanSchema } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';

/** A numeric property of a label. `word` names the property in the question; null if no word names it. */
export interface MeasuredProperty {
  label: string;
  property: PropertySchema;
  word: SchemaWord | null;
}

/** A comparison of a property, or of the number of things, with a value. */
export interface Threshold {
  mention: Mention;
  operator: Comparison;
  value: number;
  property: SchemaWord | null;
  /** The word for the things that are counted, or for a relation whose edges are counted; null if a property is compared. */
  counted: SchemaWord | null;
  /** The unit of the value: 克 in `重量大于100克`. */
  unit: Unit | null;
}

const beforeCounted = new RegExp(`^(?:${measureWord}|\\s|的|以上|以下)*$`);
const times = /^\s*(?:[次回]|times\b)/;

/**
 * Reads each comparison: `单价大于18`, `订单数超过20`, `超过20个订单`, `more than 20 orders`, `下单超过20次`.
 * @throws UnplannableError when it is not clear what is compared
 */
export function readThresholds(terms: QuestionTerms, words: SchemaWord[], schema: PlanSchema): Threshold[] {
  // `at least 2 German customers`: a name may stand between the number and the counted noun.
  const rest = outsideNames(terms);
  const unnamed = fillPlaces(rest, [...words, ...terms.times].map(({ mention }) => mention)); // prettier-ignore
  return terms.compares.map(({ mention, operator, value }): Threshold => {
    const after = words.find(word => word.mention.start >= mention.end && beforeCounted.test(rest.slice(mention.end, word.mention.start)));
    const before = words.filter(word => word.mention.end <= mention.start).at(-1);
    const isCount = before !== undefined && terms.counts.some(count => before.mention.end <= count.start && count.end <= mention.start);
    const whole = { mention, operator, value, property: null, counted: null, unit: unitIn(unnamed, mention) };
    // In Chinese 的 and the things that are asked for may follow the comparison: `单价大于18的产品`.
    const goesOn = after !== undefined && /的/.test(terms.text.slice(mention.end, after.mention.start));
    if (after && after.labels.size > 0 && !goesOn) return { ...whole, counted: after };
    // `more than 5 copies`: the compared property stands behind the number. In `单价大于20库存最多的产品` it stands before the number.
    const isSaidBefore = words.some(
      word =>
        word.mention.end <= mention.start &&
        isNumber(word) &&
        /^(?:的|\s|是|为|is|are|of)*$/.test(rest.slice(word.mention.end, mention.start)),
    );
    if (after && isNumber(after) && after.labels.size === 0 && !goesOn && !isSaidBefore) return { ...whole, property: after };
    const isHowOften = times.test(terms.text.slice(mention.end)) || /[次回]/.test(mention.text);
    if (isHowOften && before && before.relations.size > 0) return { ...whole, counted: before };
    const property = words.filter(word => word.mention.end <= mention.start && isNumber(word)).at(-1);
    const isRight =
      before &&
      /^\s*(?:数量?|人数|总数|个数|有|是|为|is|are|of|with|count|number)?\s*$/.test(terms.text.slice(before.mention.end, mention.start));
    if (before && before.labels.size > 0 && (isCount || (property === undefined && isRight))) {
      const saysCount = isCount || isCounted.test(terms.text.slice(mention.end)) || /有\s*$/.test(terms.text.slice(0, mention.start));
      if (!saysCount && hasPrice(before, schema)) throw countOrAmount(before.mention);
      return { ...whole, counted: before };
    }
    // `编号等于10248的订单的运费`: the compared property is not a number, so 运费 is not compared instead.
    const isOther = operator === '=' && before !== undefined && before !== property && before.properties.length > 0;
    const first = isOther ? undefined : (property ?? words.find(isNumber));
    if (!first || isCount)
      throw new UnplannableError(`不清楚“${mention.text}”比较的是什么`, `It is not clear what "${mention.text}" compares`);
    return { ...whole, property: first };
  });
}

function isNumber({ properties }: SchemaWord): boolean {
  return properties.some(({ type }) => isNumeric(type));
}

/** The numeric property by which to rank or compute; for 最贵 and "cheapest" the price. */
export function measuredProperty(
  schema: PlanSchema,
  terms: QuestionTerms,
  words: SchemaWord[],
  thresholds: Threshold[],
  orPrice: boolean,
): MeasuredProperty | null {
  const wanted = words.flatMap(({ labels }) => [...labels]);
  const all = schema.labels.flatMap(label =>
    label.properties.filter(property => isNumeric(property.type)).map(property => ({ label: label.name, property })),
  );
  for (const word of words.filter(each => !thresholds.some(({ property }) => property === each))) {
    const owned = new Set(word.properties.flatMap(each => (each.owner === 'node' ? `${each.ownerName}\0${each.property}` : [])));
    const named = all.filter(({ label, property }) => owned.has(`${label}\0${property.name}`));
    const best = named.find(candidate => wanted.includes(candidate.label)) ?? named[0];
    if (best && orPrice && terms.top?.by && !(terms.top.by === 'price' && isPrice(best.property)))
      throw ofTheFirst(word.mention.text, terms.top.mention.text);
    if (best) return { ...best, word };
  }
  if (!orPrice) return null;
  if (terms.top?.by === 'date') return measuredDate(schema, words, terms, terms.top.mention);
  if (terms.top?.by !== 'price') return null;
  const priced = all.find(({ label, property }) => (wanted.length === 0 || wanted.includes(label)) && isPrice(property));
  return priced ? { ...priced, word: null } : null;
}

/** The date by which things are ranked: the date of a named event, the only date of a label, or the date to which the words point. */
function measuredDate(schema: PlanSchema, words: SchemaWord[], terms: QuestionTerms, ranking: Mention): MeasuredProperty | null {
  // In `researchers hired in 2020 who examined X last` the hiring limits, and does not rank.
  const word = words.find(each => each.properties.some(isTime) && !isTimeOfEvent(terms, each));
  const named = (name: string): boolean =>
    words.some(each => each.labels.has(name)) || (word?.properties.some(({ ownerName }) => ownerName === name) ?? false);
  const atEnd = (name: string): boolean =>
    schema.edges.some(({ type, sourceLabel, targetLabel }) => words.some(each => each.relations.has(type)) && [sourceLabel, targetLabel].includes(name)); // prettier-ignore
  const labels = [...schema.labels.filter(({ name }) => named(name)), ...schema.labels.filter(({ name }) => !named(name) && atEnd(name))];
  const isOfLabel = word?.properties.some(({ owner, ownerName }) => owner === 'node' && labels.some(({ name }) => name === ownerName));
  // In `patients born in 1990 who were admitted last` the admission is not a date of the patients, who are not ranked by birth instead.
  if (word && isOnlyDate(word) && isOfLabel !== true) throw notTheirDate(ranking.text, word.mention.text);
  const dated: MeasuredProperty[] = [];
  for (const label of labels) {
    const { name } = label;
    // The oldest person is ranked by birth, even if the label of persons has other dates.
    const isOfAge = /\b(?:oldest|eldest|youngest)\b/.test(ranking.text) && isOfType(label, 'who');
    const made = /\b(?:oldest|eldest|youngest|newest)\b|最新|最老/.test(ranking.text) ? timesOf(label).filter(isMaking) : [];
    const own = timesOf(label).find(date =>
      word?.properties.some(({ ownerName, property }) => ownerName === name && property === date.name),
    );
    const dates = own ? [own] : isOfAge ? timesOf(label).filter(isBirth) : made.length > 0 ? made : datesOf(label);
    if (isOfAge && dates.length === 0) throw noBirth(ranking.text, name);
    const found = own ?? (dates.length === 1 ? dates[0] : undefined) ?? dateSaid(label, words)?.date;
    if (!found) continue;
    const measured = { label: name, property: found, word: own ? (word ?? null) : null };
    // `the latest visit` ranks visits, the label right behind the ranking.
    if (own || words.some(({ labels: of, mention }) => of.has(name) && mention.start >= ranking.end && mention.start - ranking.end <= 2))
      return measured;
    if (named(name) || dated.length === 0) dated.push(measured);
  }
  const [first, second] = dated;
  if (first && second)
    throw new UnplannableError(
      `“${ranking.text}”可以指：${first.label}.${first.property.name}、${second.label}.${second.property.name}，请写明`,
      `"${ranking.text}" may be by ${first.label}.${first.property.name} or ${second.label}.${second.property.name}: say which`,
    );
  return first ?? null;
}

function isOnlyDate({ labels, relations, properties }: SchemaWord): boolean {
  return labels.size + relations.size === 0 && properties.every(isTime);
}

function notTheirDate(ranking: string, word: string): UnplannableError {
  return new UnplannableError(
    `“${word}”不是所排对象的日期，不能按它排“${ranking}”；请写出所排对象的一个日期`,
    `"${word}" is not a date of the ranked things, so "${ranking}" cannot go by it; name one of their dates`,
  );
}

const birth = senseOf('birth');

function isBirth(property: PropertySchema): boolean {
  return eventsOf(property).some(event => senseOf(event) === birth) || /birthday|生日/i.test(`${property.name} ${property.column ?? ''}`);
}

const makings = new Set(['build', 'founded', 'create', 'make', 'release', 'open'].map(senseOf));

/** Whether a date gives the age of a thing: when the thing was built, founded or released. */
function isMaking(property: PropertySchema): boolean {
  return eventsOf(property).some(event => makings.has(senseOf(event)));
}

function noBirth(ranking: string, label: string): UnplannableError {
  return new UnplannableError(
    `“${label}”没有出生日期，不清楚“${ranking}”按什么排；请写明按哪个属性`,
    `"${label}" has no date of birth, so it is not clear by what "${ranking}" ranks; name a property`,
  );
}

/** Matches a Chinese measure word right after a number, which is then a count: `20 个`. */
const isCounted = new RegExp(`^\\s*(?:${measureWord}|[次回单人名])`);

/** Whether a label of a word has a price: `bookings over 20000` may then mean the number or the price of bookings. */
function hasPrice({ labels }: SchemaWord, schema: PlanSchema): boolean {
  return schema.labels.some(
    ({ name, properties }) => labels.has(name) && properties.some(property => isNumeric(property.type) && isMoney(property)),
  );
}

export function isMoney({ name, column }: PropertySchema): boolean {
  return /(?<!评)价|金额|费|(?<!条)款|\b(?:price|amount|cost|fee|premium|revenue)s?\b/i.test(
    `${name} ${column ?? ''}`.replaceAll('_', ' '),
  );
}

function countOrAmount({ text }: Mention): UnplannableError {
  return new UnplannableError(
    `不清楚比较的是“${text}”的数量还是金额；请写明，例如“${text}数量超过…”，或写出属性`,
    `It is not clear whether the number of "${text}" is compared or what they cost; say "number of ${text}", or name the property`,
  );
}

function isPrice({ name, column }: PropertySchema): boolean {
  return /价|price/i.test(`${name} ${column ?? ''}`);
}

function ofTheFirst(property: string, ranking: string): UnplannableError {
  return new UnplannableError(
    `“${ranking}”与“${property}”不能一起回答，请先问是哪一个，再问它的“${property}”`,
    `"${ranking}" and "${property}" cannot be answered together; ask which one it is, then for its ${property}`,
  );
}
