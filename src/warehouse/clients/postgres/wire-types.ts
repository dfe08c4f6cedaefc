import { withIsoYear } from '../../../text/iso-years.js';
import { type RowDocuments } from '../read-document.js';

const names: Record<number, string> = {
  16: 'boolean',
  17: 'bytea',
  20: 'bigint',
  21: 'smallint',
  23: 'integer',
  25: 'text',
  114: 'json',
  700: 'real',
  701: 'double precision',
  705: 'text',
  1042: 'char',
  1043: 'varchar',
  1082: 'date',
  1083: 'time',
  1114: 'timestamp',
  1184: 'timestamptz',
  1186: 'interval',
  1266: 'time with time zone',
  1700: 'numeric',
  2950: 'uuid',
  3802: 'jsonb',
  1000: 'boolean[]',
  1005: 'smallint[]',
  1007: 'integer[]',
  1009: 'text[]',
  1014: 'char[]',
  1015: 'varchar[]',
  1016: 'bigint[]',
  1021: 'real[]',
  1022: 'double precision[]',
  1115: 'timestamp[]',
  1182: 'date[]',
  1183: 'time[]',
  1185: 'timestamptz[]',
  1187: 'interval[]',
  1231: 'numeric[]',
  1270: 'time with time zone[]',
  2951: 'uuid[]',
};

/** The name of a type in results, by its OID; `other` for types that are not listed. */
export function typeNameOf(oid: number): string {
  return names[oid] ?? 'other';
}

const listed: ReadonlySet<string> = new Set(Object.values(names));

/** Whether `names` lists a type of this name. */
export function isTypeName(name: string): boolean {
  return listed.has(name);
}

const asText = (value: string): string => value;
const smallNumber = (value: string): number | string => {
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
};

const parsers = new Map<number, (value: string) => unknown>([
  [16, value => value === 't'],
  [21, Number],
  [23, Number],
  [700, smallNumber],
  [701, smallNumber],
  [1082, withIsoYear],
  [1114, toIsoTime],
  [1184, toIsoTime],
]);

/**
 * The parser for the texts of values of a type. Only numbers that a double represents exactly become JSON numbers: int8 and numeric stay
 * text, and large numbers of a document become text, so that no number is rounded. A date stays a date, with the year of ISO 8601, and does
 * not become a time in the server's time zone.
 */
export function parserOf(oid: number, documents: RowDocuments): (value: string) => unknown {
  if (oid === 114 || oid === 3802) return documents.read;
  return parsers.get(oid) ?? asText;
}

/**
 * Writes a time in ISO 8601: `2026-01-02 03:04:05.6+00` becomes `2026-01-02T03:04:05.6+00:00`, and `0044-03-15 12:00:00+08:05:43 BC`
 * becomes `-0043-03-15T12:00:00+08:05:43`. `infinity` stays as it is.
 */
export function toIsoTime(value: string): string {
  const parts = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:([+-]\d\d)((?::\d\d){1,2})?)?( BC)?$/.exec(value);
  if (!parts) return value;
  const [, date, time, hours, minutes, era = ''] = parts;
  return withIsoYear(`${date}T${time}${hours === undefined ? '' : `${hours}${minutes ?? ':00'}`}${era}`);
}

/** Shortens a type name in the spelling of `format_type` to the spelling that the API uses. */
export function shortTypeName(formatted: string): string {
  return formatted
    .replace(/^timestamp(\(\d\))? with time zone/, 'timestamptz$1')
    .replace(/^timestamp(\(\d\))? without time zone/, 'timestamp$1')
    .replace(/^time(\(\d\))? without time zone/, 'time$1')
    .replace(/^character varying/, 'varchar')
    .replace(/^character/, 'char');
}
