import { parseSql, SqlSyntaxError, type SqlTree } from '../../sql-guard/sql-parser.js';
import { nameParts } from '../../sql-guard/walk-tree.js';

/** Most SQL has none of these words, and need not be looked at. A backslash or `U&` may hide a word. */
const suspect = /now|current_|localt|transaction_timestamp|\bage\b|today|tomorrow|yesterday|\\|u&/i;
/** Texts that PostgreSQL reads as a time of the moment. */
const momentary = /\b(?:now|today|tomorrow|yesterday)\b/i;
const clocks: ReadonlySet<string | null | undefined> = new Set(['now', 'transaction_timestamp']);

/**
 * Tells whether rows depend on when guarded SQL runs. A text such as 'today' may be read as a time wherever it stands, so each counts;
 * one among the rows of a table cannot be seen here.
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
  const { SQLValueFunction: value, FuncCall: call, sval } = node as { SQLValueFunction?: object; FuncCall?: Call; sval?: unknown };
  if (value || (call && isClock(call))) return true;
  // A constant has its text a level deeper than a name.
  const text = typeof sval === 'object' && sval !== null ? (sval as { sval?: string }).sval : undefined;
  return (text !== undefined && momentary.test(text)) || Object.values(node).some(child => visit(child));
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
