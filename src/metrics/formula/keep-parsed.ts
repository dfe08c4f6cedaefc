import { LRUCache } from 'lru-cache';
import { type ParsedFormula } from './formula-tree.js';
import { parseFormula } from './parse-formula.js';

/** Cache of parsed formulas with up to 100,000 characters together. A tree takes some hundred bytes for each character. */
const kept = new LRUCache<string, ParsedFormula>({ maxSize: 100_000, sizeCalculation: (_, formula) => Math.max(1, formula.length) });

/**
 * {@link parseFormula} with a cache, because a formula is parsed again for each formula that refers to it. Kept trees are shared, so
 * callers must not change them.
 */
export function parseKept(formula: string): ParsedFormula {
  const known = kept.get(formula);
  if (known) return known;
  const parsed = parseFormula(formula);
  kept.set(formula, parsed);
  return parsed;
}
