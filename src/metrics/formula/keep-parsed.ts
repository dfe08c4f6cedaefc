import { type ParsedFormula } from './formula-tree.js';
import { parseFormula } from './parse-formula.js';

/** A tree takes some hundred bytes a character. */
const mostCharacters = 100_000;

const kept = new Map<string, ParsedFormula>();
let characters = 0;

/**
 * {@link parseFormula} with a cache, because every formula that refers to one parses it again. The latest trees are kept and
 * shared, so callers must not change them.
 */
export function parseKept(formula: string): ParsedFormula {
  const known = kept.get(formula);
  if (known) return known;
  const parsed = parseFormula(formula);
  kept.set(formula, parsed);
  characters += formula.length;
  for (const oldest of kept.keys()) {
    if (characters <= mostCharacters) break;
    kept.delete(oldest);
    characters -= oldest.length;
  }
  return parsed;
}
