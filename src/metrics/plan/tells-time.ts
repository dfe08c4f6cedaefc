import { constantText } from '../../sql-guard/constant-text.js';
import { parseSql, SqlSyntaxError, type SqlTree } from '../../sql-guard/sql-parser.js';
import { nameParts } from '../../sql-guard/walk-tree.js';

/** Most SQL has none of these words, and need not be looked at. A backslash or `U&` may hide a word. */
const suspect = /now|current_|localt|transaction_timestamp|\bage\b|today|tomorrow|yesterday|\\|u&|::|cast/i;
/** Texts that PostgreSQL reads as a time of the moment. */
const momentary = /\b(?:now|today|tomorrow|yesterday)\b/i;
const clocks: ReadonlySet<string | null | undefined> = new Set(['now', 'transaction_timestamp']);
const timeTypes: ReadonlySet<string | null | undefined> = new Set(['date', 'time', 'timetz', 'timestamp', 'timestamptz']);
/** Functions that make a time of their arguments, so that a cast of it reads no text. */
const timeFunctions: ReadonlySet<string | null | undefined> = new Set([
  'date_bin', 'date_trunc', 'make_date', 'make_time', 'make_timestamp', 'make_timestamptz', 'timezone', 'to_date', 'to_timestamp',
]); // prettier-ignore

/**
 * Tells whether rows depend on when guarded SQL runs. A text such as 'today' may be read as a time wherever it stands, so each counts, as
 * does one that is put together and read as a time; one among the rows of a table cannot be seen here.
 */
export function tellsTime({ text, tree }: { text: string; tree: SqlTree }): boolean {
  return suspect.test(text) && visit(tree);
}

/** The same of a statement that is not parsed yet. One that cannot be parsed counts. */
export function statementTellsTime(sql: string): boolean {
  if (!suspect.test(sql)) return false;
  try {
    return parseSql(sql).some(({ stmt }) => visit(stmt));
  } catch (error) {
    if (error instanceof SqlSyntaxError) return true;
    throw error;
  }
}

function visit(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { SQLValueFunction: value, FuncCall: call, TypeCast: cast } = node as Nodes;
  if (value || (call && isClock(call))) return true;
  if (cast && timeTypes.has(nameParts(cast.typeName.names).at(-1)) && !('A_Const' in cast.arg) && spellsWords(cast.arg)) return true;
  const text = constantText(node);
  return (text !== null && momentary.test(text)) || Object.values(node).some(child => visit(child));
}

/** Functions of which nothing but the first argument is in the text that they give. */
const selecting: ReadonlySet<string | null | undefined> = new Set(['btrim', 'left', 'ltrim', 'regexp_substr', 'right', 'rtrim', 'split_part', 'substr', 'substring']); // prettier-ignore
const texts: ReadonlySet<string | null | undefined> = new Set(['text', 'varchar']);

/** Whether a text of it may be a word that no constant in it is. */
function spellsWords(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { FuncCall: call, TypeCast: cast, A_Expr: operation } = node as Nodes;
  if (cast) return texts.has(nameParts(cast.typeName.names).at(-1)) && spellsWords(cast.arg);
  // `j ->> 'day'` names a part of what is stored.
  if (operation && /^[-#]>/.test(nameParts(operation.name).at(-1) ?? '')) return false;
  const name = nameParts(call?.funcname ?? []).at(-1);
  const [first, second] = call?.args ?? [];
  if (timeFunctions.has(name)) return false;
  if (selecting.has(name)) return spellsWords(first);
  // Outside of quotes, a format replaces some of the letters of each such word.
  if (name === 'to_char') return !/^[^"\\]*$/.test(constantText(second) ?? '"');
  return /\p{L}/u.test(constantText(node) ?? '') || Object.values(node).some(child => spellsWords(child));
}

interface Nodes {
  SQLValueFunction?: object;
  FuncCall?: Call;
  TypeCast?: { arg: object; typeName: { names: unknown } };
  A_Expr?: { name: unknown };
}

interface Call {
  funcname: unknown;
  args?: unknown[];
}

function isClock({ funcname, args = [] }: Call): boolean {
  const name = nameParts(funcname).at(-1);
  // With one argument, age() counts to the current date.
  return clocks.has(name) || (name === 'age' && args.length === 1);
}
