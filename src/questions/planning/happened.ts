import { addDays } from '../../text/calendar.js';
import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { isDate } from '../linking/date-names.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { type SchemaWord } from './schema-word.js';

const said = /(?:已经?|早已|已被)$|\b(?:have|has|had|already|been|that|which|who)\s(?:already\s|been\s)*$/;

/** Whether a question says that the event of a date has happened: `loans that have ended`, 已结束的借展. */
export function saysHappened(text: string, { mention, labels, relations, properties }: SchemaWord): boolean {
  const isEvent = labels.size + relations.size === 0 && properties.length > 0 && properties.every(property => property.isEvent);
  return isEvent && said.test(text.slice(0, mention.start));
}

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
