import { quoteIdentifier } from '../sql/quote-identifier.js';

/**
 * A reference to a column that an expression writes without quotes, in another case than its table has the name, and the SQL that replaces
 * it.
 */
export interface Respelling {
  /** Offset of the reference in the text. It counts bytes, and so does `length`. */
  offset: number;
  length: number;
  sql: string;
}

const identifier = String.raw`("(?:[^"]|"")+"|[\p{XID_Start}_][\p{XID_Continue}$]*)`;
const reference = new RegExp(String.raw`^${identifier}(?:(\s*\.\s*)${identifier})?`, 'u');

/** The names of the columns of one table, and the qualifier before them; null without a qualifier. */
export interface NamesInScope {
  qualifier: string | null;
  columns: ReadonlySet<string> | ReadonlyMap<string, unknown>;
}

/** Maximum bytes of a reference to a column: two names of 63 bytes with their quotes, and some blanks. */
const longestReference = 500;

const folded = new WeakMap<NamesInScope['columns'], ReadonlyMap<string, string[]>>();

/**
 * The names of columns by their lower case. This map is made once for each table, since there may be thousands of names and references.
 */
function foldedNames(columns: NamesInScope['columns']): ReadonlyMap<string, string[]> {
  const known = folded.get(columns);
  if (known) return known;
  const names = new Map<string, string[]>();
  for (const name of columns.keys()) names.set(name.toLowerCase(), [...(names.get(name.toLowerCase()) ?? []), name]);
  folded.set(columns, names);
  return names;
}

/** A reference to a column, as a statement writes it. */
export interface WrittenColumn {
  offset: number;
  text: string;
  qualifier: string | null;
  /** The dot between qualifier and name, with the blanks around it; empty without a qualifier. */
  dot: string;
  name: string;
}

/**
 * The reference to the column `parsed` that begins at `offset`, a number of bytes. Null for a name in quotes, which needs no respelling.
 */
export function findWritten(statement: Buffer, offset: number, parsed: string): WrittenColumn | null {
  const [text = '', first = '', dot = '', second] = reference.exec(statement.subarray(offset, offset + longestReference).toString()) ?? [];
  const [qualifier, name] = second === undefined ? [null, first] : [first, second];
  return isAlike(name, parsed) ? { offset, text, qualifier: qualifier && unquoted(qualifier), dot, name } : null;
}

/**
 * The right spelling of a column that PostgreSQL would look for in lower case. Databases differ in what they make of `Amount`, so a name
 * without quotes may have any case as long as one name of the table fits.
 * @returns null where no name or several names fit
 */
export function respell({ offset, text, dot, name }: WrittenColumn, names: NamesInScope): Respelling | null {
  const fitting = foldedNames(names.columns).get(name.toLowerCase());
  if (fitting?.length !== 1) return null;
  const quoted = quoteIdentifier(fitting[0]!);
  const sql = names.qualifier === null ? quoted : `${quoteIdentifier(names.qualifier)}${dot}${quoted}`;
  return { offset, length: Buffer.byteLength(text), sql };
}

export function isAlike(name: string, written: string): boolean {
  return name.toLowerCase() === written.toLowerCase();
}

export function applyRespellings(text: Buffer, respellings: readonly Respelling[]): string {
  let bytes = text;
  for (const { offset, length, sql } of [...respellings].sort((a, b) => b.offset - a.offset))
    bytes = Buffer.concat([bytes.subarray(0, offset), Buffer.from(sql), bytes.subarray(offset + length)]);
  return bytes.toString();
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}
