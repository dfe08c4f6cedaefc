import { quoteIdentifier, quoteTable } from '../sql/quote-identifier.js';
import { locate } from './check-text.js';
import { type GuardedSelect, guardSelect } from './guard-select.js';
import { visitTables } from './list-tables.js';
import { scanTokens } from './sql-parser.js';
import { Refusal } from './walk-tree.js';

/** The place from which the tables of a query are read instead of the written one. */
export interface MovedTables {
  schema: string;
  /** The name that a table of the query has in `schema`. */
  nameOf: (table: string) => string;
}

const unknownForm = { zh: '请直接写表名，不加 ONLY、* 或 U&', en: 'write the name of the table alone, without ONLY, * or U&' };

export interface MovedSelect {
  text: string;
  /**
   * Converts an offset in `text`, outside of the names of tables, to the offset in the query as it was written. Both count UTF-16 units.
   */
  toWritten: (offset: number) => number;
}

/**
 * The text of an admitted query that reads its tables in another place and otherwise means the same. Each name of a table is replaced
 * where it stands, and remains as the alias of the table.
 * @throws UnsafeFilterClauseError
 */
export function moveTables({ text, tree }: GuardedSelect, moved: MovedTables): MovedSelect {
  const bytes = Buffer.from(text);
  const tokens = scanTokens(text);
  const pieces: { start: number; end: number; with: string }[] = [];
  const names = new Set<string>();
  const refuse = (name: string, at: number): never => {
    throw new Refusal('statement', name, at, unknownForm);
  };
  locate(text, '', () =>
    visitTables(tree, table => {
      const name = String(table.relname);
      // The parser leaves the location out if it is 0.
      const start = Number(table.location ?? 0);
      const first = tokens.findIndex(token => token.start === start);
      const last = table.schemaname === undefined ? first : first + 2;
      const end = tokens[last]?.end;
      if (
        first === -1 ||
        end === undefined ||
        table.inh !== true ||
        ['*', 'UESCAPE'].includes(tokens[last + 1]?.text.toUpperCase() ?? '')
      ) {
        return refuse(name, start);
      }
      const alias = table.alias === undefined ? ` AS ${quoteIdentifier(name)}` : '';
      names.add(moved.nameOf(name));
      pieces.push({ start, end, with: `${quoteTable(moved.schema, moved.nameOf(name))}${alias}` });
    }),
  );
  pieces.sort((a, b) => a.start - b.start);
  const shifts: { from: number; by: number }[] = [];
  let at = 0;
  let result = '';
  let written = 0;
  for (const piece of pieces) {
    const before = bytes.subarray(at, piece.start).toString();
    result += before + piece.with;
    written += before.length + bytes.subarray(piece.start, piece.end).toString().length;
    shifts.push({ from: result.length, by: result.length - written });
    at = piece.end;
  }
  result += bytes.subarray(at).toString();
  // Judge the result: a name that was not replaced would name a table of another place, and is refused.
  guardSelect(result, { schema: moved.schema, tables: names });
  return { text: result, toWritten: offset => offset - (shifts.findLast(({ from }) => from <= offset)?.by ?? 0) };
}
