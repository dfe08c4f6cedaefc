import { type Temporal } from 'temporal-polyfill';
import { toPlainDate, toPlainTime } from './temporal-fields.js';
import { wrongFields } from './temporal-faults.js';
import { offsetText } from './temporal-text.js';
import { atZone, readZone, type Zone } from './zone.js';

/** The parts that a temporal value or a text has. A missing part is null. */
export interface ClockParts {
  readonly date: Temporal.PlainDate | null;
  readonly time: Temporal.PlainTime | null;
  readonly zone: Zone | null;
  /** The offset from UTC, which tells apart the two hours that the clock of a named zone shows twice. */
  readonly offsetSeconds: number | null;
}

/** Maximum characters of a text that is read. The longest ISO text with the longest name of a zone is shorter. */
const longestText = 100;
const year = '(?<year>\\d{4}|[+-]\\d{1,9})';
const dateForms = [
  `${year}(?:-(?<month>\\d\\d)(?:-(?<day>\\d\\d))?)?`,
  '(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)?',
  `${year}-W(?<week>\\d\\d)(?:-(?<dayOfWeek>\\d))?`,
  '(?<year>\\d{4})W(?<week>\\d\\d)(?<dayOfWeek>\\d)?',
  `${year}-Q(?<quarter>\\d)(?:-(?<dayOfQuarter>\\d\\d?))?`,
  '(?<year>\\d{4})Q(?<quarter>\\d)(?<dayOfQuarter>\\d\\d)?',
  `${year}-(?<ordinalDay>\\d{3})`,
  '(?<year>\\d{4})(?<ordinalDay>\\d{3})',
].map(form => new RegExp(`^${form}$`));
const timeForms = [
  '(?<hour>\\d\\d)(?::(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,](?<nanosecond>\\d{1,9}))?)?)?',
  '(?<hour>\\d\\d)(?:(?<minute>\\d\\d)(?:(?<second>\\d\\d)(?:[.,](?<nanosecond>\\d{1,9}))?)?)?',
].map(form => new RegExp(`^${form}$`));
/** The text of a time, followed by the offset and the name of the zone, which may both be missing. */
const zonedTime = /^(?<clock>[\d:.,]+)(?<offset>Z|[+-][\d:]+)?(?:\[(?<name>[^\]]+)\])?$/;

/** Reads `2015-07-21`, `20150721`, `2015-W30-2`, `2015-Q3-45`, `2015-202` and their beginnings. Null for other texts. */
function readDate(text: string): Temporal.PlainDate | null {
  const fields = fieldsOf(text, dateForms);
  return fields && toPlainDate(null, fields);
}

/** Reads `21:40:32.142`, `214032.142` and their beginnings. Null for other texts. */
function readTime(text: string): Temporal.PlainTime | null {
  const fields = fieldsOf(text, timeForms);
  return fields && toPlainTime(null, fields);
}

/**
 * Reads a date, a time with or without its zone, or both with a T between them. Null for other texts.
 * @throws ValueFault if a field is out of range: the month 13
 */
export function readClock(text: string, starts: 'date' | 'time'): ClockParts | null {
  if (text.length > longestText) return null;
  // A T may also stand before a time without a date.
  const [dateText, timeText] = starts === 'date' ? splitAtT(text) : ['', text.replace(/^T/, '')];
  const date = starts === 'date' ? readDate(dateText) : null;
  if (starts === 'date' && date === null) return null;
  if (timeText === undefined) return { date, time: null, zone: null, offsetSeconds: null };
  const { clock = '', offset, name } = zonedTime.exec(timeText)?.groups ?? {};
  const time = readTime(clock);
  if (time === null) return null;
  const fixed = offset === undefined ? null : readZone(offset);
  const zone = name === undefined ? fixed : readZone(name);
  const offsetSeconds = typeof fixed === 'number' ? fixed : null;
  if (date !== null && zone !== null && offsetSeconds !== null) refuseWrongOffset(text, date.toPlainDateTime(time), zone, offsetSeconds);
  return { date, time, zone, offsetSeconds };
}

function splitAtT(text: string): [string, string | undefined] {
  const at = text.indexOf('T');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function refuseWrongOffset(text: string, dateTime: Temporal.PlainDateTime, zone: Zone, offsetSeconds: number): void {
  const there = atZone(dateTime, zone, offsetSeconds);
  if (there.offsetSeconds === offsetSeconds) return;
  throw wrongFields({
    zh: `'${text}' 的偏移与时区 ${zone} 不符：该时区当时的偏移为 ${offsetText(there.offsetSeconds)}`,
    en: `The offset in '${text}' is not that of the zone ${zone}, which is ${offsetText(there.offsetSeconds)} then`,
  });
}

function fieldsOf(text: string, forms: readonly RegExp[]): Record<string, number> | null {
  for (const form of forms) {
    const groups = form.exec(text)?.groups;
    if (!groups) continue;
    const given = Object.entries(groups as Record<string, string | undefined>).filter(([, digits]) => digits !== undefined);
    return Object.fromEntries(given.map(([name, digits = '']) => [name, Number(name === 'nanosecond' ? digits.padEnd(9, '0') : digits)]));
  }
  return null;
}
