import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { isTime } from '../linking/date-names.js';
import { type Mention } from '../linking/meaning.js';
import { dateOfEvent, dateSaid, datesOf, timesOf } from './label-dates.js';
import { type NameChoices } from './name-choices.js';
import { UnplannableError } from './question-plan.js';
import { type PlanSchema } from './schema-paths.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';

/** The date by which things are grouped, and the words that say so. */
export interface PeriodDate {
  date: PropertySchema;
  words: SchemaWord[];
  /** Whether the date is assumed, because the question does not say which date is meant. */
  isAssumed: boolean;
}

/**
 * The date by which the nodes of a label are grouped: the date that the question names itself or by its event, else the date named after
 * the label (`order date` of an order), else the only date of the label.
 * @param namesOther whether the question names things related to the nodes; a relation may then lead to these things and name no event
 * @throws UnplannableError if the question does not tell which date is meant; AmbiguousQuestionError for several dates without a choice
 */
export function dateOfPeriod(
  schema: PlanSchema,
  name: string,
  words: SchemaWord[],
  period: Mention,
  namesOther: boolean,
  choices: NameChoices,
): PeriodDate {
  const label = schema.labels.find(each => each.name === name);
  const dates = label ? datesOf(label) : [];
  if (!label || dates.length === 0)
    throw new UnplannableError(
      `“${name}”没有日期，不能按“${period.text}”统计`,
      `"${name}" has no date, so it cannot be grouped by "${period.text}"`,
    );
  const others = words.filter(({ labels }) => !labels.has(name));
  const dateOf = ({ properties, mention }: SchemaWord): PropertySchema | undefined =>
    timesOf(label).find(date => properties.some(own => own.owner === 'node' && own.ownerName === name && own.property === date.name)) ??
    dateOfEvent(label, mention) ??
    undefined;
  const elsewhere = others.find(word => !dateOf(word) && saysDate(schema, word));
  if (elsewhere)
    throw new UnplannableError(
      `“${elsewhere.mention.text}”不是“${name}”的日期，不能按它的“${period.text}”统计`,
      `"${elsewhere.mention.text}" is not a date of "${name}", which cannot be grouped by its "${period.text}"`,
    );
  const said = new Set(others.flatMap(word => dateOf(word) ?? []));
  const [date] = said;
  if (said.size > 1) throw severalDates([...said], period);
  if (date) return { date, words: others.filter(word => dateOf(word) === date), isAssumed: false };
  const isOnly = dates.length === 1 && (namesOther || !others.some(isOnlyRelation));
  const own = dateSaid(label, words)?.date ?? (isOnly ? dates[0] : undefined);
  if (own) return { date: own, words: [], isAssumed: true };
  if (dates.length === 1) throw severalDates(dates, period);
  const chosen = choices.requireOneDate(
    period,
    dates.map(each => each.name),
  );
  return { date: dates.find(each => each.name === chosen) ?? dates[0]!, words: [], isAssumed: false };
}

/** Whether a word names a date of any label, or the event that happens at such a date. */
function saysDate({ labels }: PlanSchema, { properties, mention, labels: own }: SchemaWord): boolean {
  if (properties.length > 0) return properties.every(isTime);
  return own.size === 0 && labels.some(label => dateOfEvent(label, mention) !== null);
}

function severalDates(dates: PropertySchema[], { text }: Mention): UnplannableError {
  const names = dates.map(({ name }) => name);
  return new UnplannableError(
    `不清楚“${text}”按哪个日期：请写明${names.length > 1 ? '是' : '是否为'}${names.join('或')}`,
    `It is not clear by which date "${text}" groups: say ${names.length > 1 ? 'which of' : 'whether by'} ${names.join(', ')}`,
  );
}
