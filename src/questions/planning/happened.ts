import { addDays } from '../../text/calendar.js';
import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { isDate } from '../linking/date-names.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { type SchemaWord } from './schema-word.js';

const said = /(?:已经?|早已|已被)$|\b(?:have|has|had|already|been|that|which)\s(?:already\s|been\s)*$/;
/** Matches the text before a verb whose event is denied, or whose subject is a person: `have not been`, `who has`. */
const ofOthers = /(?:\b(?:not|never|who)|n['’]t)\s(?:(?:have|has|had|yet|already|been)\s)*$/;

/** Whether a question says that the event of a date has happened: `loans that have ended`, 已结束的借展. A ranking by the date does not. */
export function saysHappened({ text, top }: QuestionTerms, { mention, labels, relations, properties }: SchemaWord): boolean {
  const isEvent = labels.size + relations.size === 0 && properties.length > 0 && properties.every(property => property.isEvent);
  const before = text.slice(0, mention.start);
  return isEvent && top === null && said.test(before) && !ofOthers.test(before);
}

/** Whether a time stands right beside the word for an event, so that it limits the date of the event: `2025年已结束的借展`. */
export function isTimeOfEvent({ text, times }: QuestionTerms, { mention }: SchemaWord): boolean {
  return times.some(time => {
    const [first, second] = time.mention.start < mention.start ? [time.mention, mention] : [mention, time.mention];
    return betweenTimeAndEvent.test(text.slice(first.end, second.start));
  });
}

const betweenTimeAndEvent = /^(?:\s|[已早经被的在于]|\b(?:in|on|during|have|has|had|been|already|that|which)\b)*$/;

/** The condition that the event of a date has happened by the end of today. */
export function happened(writer: CypherWriter, variable: string, date: PropertySchema, today: string): string {
  return `${variable}.${quoteName(date.name)} < ${writer.parameter(dayAfter(date, today))}`;
}

/** The condition that the event has not happened: its date is missing or after today. */
export function notHappened(writer: CypherWriter, variable: string, date: PropertySchema, today: string): string {
  const place = `${variable}.${quoteName(date.name)}`;
  return `(${place} IS NULL OR ${place} >= ${writer.parameter(dayAfter(date, today))})`;
}

function dayAfter({ type }: PropertySchema, today: string): string | number {
  return isDate(type) ? addDays(today, 1) : Number(today.slice(0, 4)) + 1;
}
