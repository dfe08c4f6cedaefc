import { type SqlToken } from './sql-parser.js';
import { Refusal } from './walk-tree.js';

/**
 * Maximum depth of a statement, more than anybody writes. The parser recurses for each operator of a chain and each query. Some 6,000
 * levels overflow its stack, and the parser does not survive that.
 */
const deepest = 2_000;

const openers: ReadonlySet<string> = new Set(['(', '[', 'case']);
const closers: ReadonlySet<string> = new Set([')', ']', 'end']);
/** Tokens after which the depth begins again at 0: PostgreSQL makes one list of `a AND b AND c`, without further levels. */
const separators: ReadonlySet<string> = new Set([',', 'and', 'or', 'when', 'then', 'else']);

/**
 * Refuses SQL whose tree might be too deep, before it is parsed. The levels of the tree in an open bracket are at most the tokens since
 * the last separator in this bracket.
 * @throws Refusal
 */
export function checkDepth(tokens: readonly SqlToken[]): void {
  const open: number[] = [];
  let [here, around] = [0, 0];
  for (const { text, start } of tokens) {
    const word = text.toLowerCase();
    here = separators.has(word) ? 0 : here + 1;
    if (here + around > deepest) throw new Refusal('length', undefined, start, tooDeep);
    if (openers.has(word)) {
      open.push(here);
      around += here;
      here = 0;
    } else if (closers.has(word) && open.length > 0) {
      here = open.pop()!;
      around -= here;
    }
  }
}

export const tooDeep = {
  zh: '嵌套过深，或一串运算过长',
  en: 'it is nested too deeply, or one chain of operators is too long',
};
