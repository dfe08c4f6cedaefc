import { constantText } from './constant-text.js';
import { parseSql, SqlSyntaxError, type SqlTree } from './sql-parser.js';
import { nameParts } from './walk-tree.js';

/**
 * Matches all SQL that may depend on the current time. SQL without a match is not parsed. A backslash or `U&` may encode one of the words.
 */
const suspect = /now|current_|localt|transaction_timestamp|\bage\b|today|tomorrow|yesterday|\\|u&|::|cast/i;
/** Texts that PostgreSQL reads as the current time or day. */
const momentary = /\b(?:now|today|tomorrow|yesterday)\b/i;
const clocks: ReadonlySet<string | null | undefined> = new Set(['now', 'transaction_timestamp']);
const timeTypes: ReadonlySet<string | null | undefined> = new Set(['date', 'time', 'timetz', 'timestamp', 'timestamptz']);
/** Functions that return a time. A cast of their result to a time parses no text. */
const timeFunctions: ReadonlySet<string | null | undefined> = new Set([
  'date_bin', 'date_trunc', 'make_date', 'make_time', 'make_timestamp', 'make_timestamptz', 'timezone', 'to_date', 'to_timestamp',
]); // prettier-ignore

/**
 * Whether the rows of guarded SQL depend on the time at which it runs. PostgreSQL may read a text such as 'today' as a time anywhere,
 * so every such constant counts. An expression that puts a text together and casts it to a time counts too. Such a text in the rows of
 * a table is not recognised.
 */
export function tellsTime({ text, tree }: { text: string; tree: SqlTree }): boolean {
  return suspect.test(text) && visit(tree);
}

/**
 * Whether the rows of a statement depend on the time at which it runs, for a statement that is not parsed yet. True if it cannot be
 * parsed.
 */
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

/** Functions whose result contains text of their first argument only. */
const selecting: ReadonlySet<string | null | undefined> = new Set(['btrim', 'left', 'ltrim', 'regexp_substr', 'right', 'rtrim', 'split_part', 'substr', 'substring']); // prettier-ignore
const texts: ReadonlySet<string | null | undefined> = new Set(['text', 'varchar']);

/** Whether the text of an expression may be a word, such as 'today', that is not a constant in the expression. */
function spellsWords(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { FuncCall: call, TypeCast: cast, A_Expr: operation } = node as Nodes;
  if (cast) return texts.has(nameParts(cast.typeName.names).at(-1)) && spellsWords(cast.arg);
  // `j ->> 'day'` reads a stored value; its constant is only the key.
  if (operation && /^[-#]>/.test(nameParts(operation.name).at(-1) ?? '')) return false;
  const name = nameParts(call?.funcname ?? []).at(-1);
  const [first, second] = call?.args ?? [];
  if (timeFunctions.has(name)) return false;
  if (selecting.has(name)) return spellsWords(first);
  // Without double quotes, a format of to_char cannot produce a word such as 'today': it replaces some letters of each by parts of a time.
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
