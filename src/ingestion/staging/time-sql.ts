import { type SourceFamily } from './source-type.js';

/** SQL over a column of the inner SELECT. `typed` and `json` may be evaluated only if `valid` is true. */
export interface TimeSql {
  valid: string;
  /** The value in its own type, for comparisons. */
  typed: string;
  /** The value for the properties. */
  json: string;
}

type TimeType = 'date' | 'time' | 'timetz' | 'datetime' | 'localdatetime' | 'duration';

/** The exclusive upper bound of the times that the graph stores. It is below the end of Cypher's times in the year 275760. */
const end = `'270000-01-01'`;
const year = '([0-9]{4,5}|1[0-9]{5}|2[0-6][0-9]{4})';
// PostgreSQL also accepts 'now' and 'infinity' as a date, and guesses at '5.005', '240209' and '01/02/03'. The pattern refuses these
// texts. The year of a date has at least four digits here.
const dayPattern =
  `(${year}(-[0-9]{1,2}-|/[0-9]{1,2}/|\\.[0-9]{1,2}\\.|-[A-Za-z]{3,9}-)[0-9]{1,2}` + '|[0-9]{1,2}[- ][A-Za-z]{3,9}[- ][0-9]{4}|[0-9]{8})';
const datePattern = `'^\\s*${dayPattern}(\\s*$|\\s*[Tt][0-9]|\\s+[0-9]{1,2}:)'`;
// The pattern requires a day before the time. PostgreSQL would read '2024.2' alone as the time 20:24, and would ignore the zone of
// '08:30+08'.
const dayAndTimePattern = `'^\\s*${dayPattern}(\\s+|\\s*[Tt])[0-9]{1,2}:'`;
/**
 * Times that PostgreSQL would change. It rounds the seventh digit of a second, so that 23:59:59.9999999 becomes the next day, makes
 * 23:59:60 the time 24:00, and reads 08:30.5 as 8 minutes.
 */
const changedPattern = `'[.,][0-9]{6}[0-9]*[1-9]|:60|[Tt][0-9]{4}60|(^|[^0-9:])[0-9]{1,2}:[0-9]{1,2}[.,]'`;
/**
 * The time 24:00 after a day, which PostgreSQL turns into 00:00 of the next day. A property that stores only the day or only the time would
 * then be wrong.
 */
const endOfDayPattern = `'\\s24:|[Tt]24'`;
/** Seconds whose fraction has at most six digits, because PostgreSQL would round further digits. */
const seconds = '[0-5][0-9]([.][0-9]{1,6}0*)?';
const zonedTimePattern = `'^\\s*([01]?[0-9]|2[0-3]):[0-9]{2}(:${seconds})?\\s*([Zz]|[+-][0-9]{1,2}(:?[0-9]{2})?)\\s*$'`;
/** A date and time without a zone, because PostgreSQL would ignore a zone here. */
const localPattern = `'^\\s*${dayPattern}((\\s+|\\s*[Tt])[0-9]{1,2}:[0-9]{2}(:${seconds})?\\s*([AaPp][Mm])?)?\\s*$'`;
const amount = '-?[0-9]+([.][0-9]{1,6}0*)?';
const isoAmounts = `P(-?[0-9]+Y)?(-?[0-9]+M)?(-?[0-9]+W)?(-?[0-9]+D)?(T(-?[0-9]+H)?(-?[0-9]+M)?(${amount}S)?)?`;
const wordAmounts = `([+-]?[0-9]+ (year|mon|month|week|day|hour|hr|minute|min|second|sec)s? *)*([+-]?[0-9]+(:[0-9]{2}){1,2}([.][0-9]{1,6}0*)?)?`;
/**
 * Durations as ISO 8601 or as words. Months and days have no fractions, because their length is not fixed, and a number without a unit is
 * not a duration.
 */
const durationPattern = `'^\\s*(${isoAmounts}|(?=.*[a-z:])${wordAmounts})\\s*$'`;
const zoneless = '[0-9]{1,2}:[0-9:.]*\\s*([AaPp][Mm])?\\s*$';

/** SQL to check and write a value whose source column already has a time type, so that it is not parsed. */
export function directTime(ref: string, family: SourceFamily, type: TimeType): TimeSql {
  switch (type) {
    case 'date':
      return isoTimeSql(`${ref}::date`, isHeld(ref));
    case 'datetime':
      return isoTimeSql(`${ref}::timestamptz`, family === 'timestamptz' ? isHeld(ref) : isMoment(ref));
    case 'localdatetime':
      return isoTimeSql(`${ref}::timestamp`, `(${ref} >= '4713-01-01 BC' AND ${ref} < ${end})`);
    case 'time':
      // PostgreSQL has a time 24:00, which Cypher lacks.
      return { valid: `${ref} < '24:00'`, typed: ref, json: ref };
    case 'timetz':
      return { valid: `${ref}::time < '24:00'`, typed: ref, json: withMinutes(`${ref}::text`) };
    case 'duration':
      return { valid: `isfinite(${ref})`, typed: ref, json: isoDuration(ref) };
    default:
      return type satisfies never;
  }
}

/** SQL to check, parse and write a value that the source gives as text, which can have any content. */
export function parsedTime(ref: string, type: TimeType): TimeSql {
  const isKept = `${ref} !~ ${changedPattern}`;
  switch (type) {
    case 'date':
      return parsedDay(ref, isKept);
    case 'datetime':
      return isoTimeSql(`${ref}::timestamptz`, `(${ref} ~ ${datePattern} AND ${isKept} AND pg_input_is_valid(${ref}, 'timestamptz'))`);
    case 'localdatetime':
      return isoTimeSql(`${ref}::timestamp`, `(${ref} ~ ${localPattern} AND ${isKept} AND pg_input_is_valid(${ref}, 'timestamp'))`);
    case 'time':
      return parsedClock(ref, isKept);
    case 'timetz': {
      const typed = `${ref}::timetz`;
      return {
        valid: `(${ref} ~ ${zonedTimePattern} AND pg_input_is_valid(${ref}, 'timetz'))`,
        typed,
        json: withMinutes(`${typed}::text`),
      };
    }
    case 'duration': {
      const typed = `${ref}::interval`;
      return { valid: `(${ref} ~ ${durationPattern} AND pg_input_is_valid(${ref}, 'interval'))`, typed, json: isoDuration(typed) };
    }
    default:
      return type satisfies never;
  }
}

/**
 * Reads a day from text. A text with a time may name a zone, so it is read as a moment; the day is then the day of that moment in the
 * mapping's time zone.
 */
function parsedDay(ref: string, isKept: string): TimeSql {
  const hasTime = `${ref} ~ '[Tt:]'`;
  const typed = `CASE WHEN ${hasTime} THEN ${ref}::timestamptz::date ELSE ${ref}::date END`;
  const isRead = `pg_input_is_valid(${ref}, CASE WHEN ${hasTime} THEN 'timestamptz' ELSE 'date' END)`;
  return isoTimeSql(typed, `(${ref} ~ ${datePattern} AND ${ref} !~ ${endOfDayPattern} AND ${isKept} AND ${isRead})`);
}

/**
 * Reads a local time from text. A time with a zone is converted to the mapping's zone, which needs the day. So a text with a zone is read
 * as a moment, and rejected if it has no day.
 */
function parsedClock(ref: string, isKept: string): TimeSql {
  const isTime = `${ref} ~ '^\\s*${zoneless}'`;
  const isZoneless = `${ref} ~ '[\\sTt]${zoneless}'`;
  const typed = `CASE WHEN ${isTime} THEN ${ref}::time WHEN ${isZoneless} THEN ${ref}::timestamp::time ELSE ${ref}::timestamptz::time END`;
  const type = `CASE WHEN ${isTime} THEN 'time' WHEN ${isZoneless} THEN 'timestamp' ELSE 'timestamptz' END`;
  // PostgreSQL has a time 24:00, which Cypher lacks.
  const hasForm = `(${isTime} AND ${ref} !~ '^\\s*24:' OR ${ref} ~ ${dayAndTimePattern} AND ${ref} !~ ${endOfDayPattern})`;
  return { valid: `(${hasForm} AND ${isKept} AND pg_input_is_valid(${ref}, ${type}))`, typed, json: typed };
}

/** Writes the JSON with years as in ISO 8601: `-0043` for 44 BC, which PostgreSQL writes as `0044-03-15 BC`, and `+12024`. */
function isoTimeSql(typed: string, valid: string): TimeSql {
  const written = `to_jsonb(${typed}) #>> '{}'`;
  const before = `to_char(extract(year FROM ${typed})::int + 1, 'FM0000') || regexp_replace(${written}, '^[0-9]+| BC$', '', 'g')`;
  const json = `CASE WHEN ${typed} < '0001-01-01' THEN to_jsonb(${before}) WHEN ${typed} >= '10000-01-01' THEN to_jsonb('+' || (${written})) ELSE to_jsonb(${typed}) END`;
  return { valid, typed, json };
}

/** SQL that is true for a finite time before `end`. */
function isHeld(ref: string): string {
  return `(${ref} > '-infinity' AND ${ref} < ${end})`;
}

/**
 * SQL that is true when a day or local time fits a timestamptz. The session's time zone may move the first moments of PostgreSQL out of
 * range.
 */
function isMoment(ref: string): string {
  return `(${isHeld(ref)} AND (${ref} >= '4714-11-26 BC' OR pg_input_is_valid(${ref}::text, 'timestamptz')))`;
}

/** SQL for the ISO 8601 text of an interval, with a sign for each part: `P1Y2M-3DT4H5M6.7S`. */
function isoDuration(interval: string): string {
  const amountOf = (part: string, unit: string): string => `nullif(extract(${part} FROM ${interval}), 0) || '${unit}'`;
  const clock = `nullif(concat(${amountOf('hour', 'H')}, ${amountOf('minute', 'M')}, trim_scale(nullif(extract(second FROM ${interval}), 0)) || 'S'), '')`;
  return `coalesce(nullif(concat('P', ${amountOf('year', 'Y')}, ${amountOf('month', 'M')}, ${amountOf('day', 'D')}, 'T' || ${clock}), 'P'), 'PT0S')`;
}

/** SQL that adds ':00' to an offset such as +08, because PostgreSQL writes an offset of whole hours without minutes. */
function withMinutes(text: string): string {
  return `regexp_replace(${text}, '([+-][0-9]{2})$', '\\1:00')`;
}
