import { LRUCache } from 'lru-cache';
import { LanguageError } from '../../text/language-error.js';
import { metricNames } from './formula-tree.js';
import { parseKept } from './keep-parsed.js';

/** Has room for the formulas of a graph of 1,000 metrics, however long. A name is a part of its formula. */
const mostCharacters = 5_000_000;
const kept = new LRUCache<string, readonly string[]>({
  maxSize: mostCharacters,
  sizeCalculation: (_, formula) => Math.max(1, formula.length),
});

/** The metrics that a formula names, each once: none if it cannot be read. They are kept for longer than its tree, which is larger. */
export function namesIn(formula: string): readonly string[] {
  const known = kept.get(formula);
  if (known) return known;
  const names = readNames(formula);
  kept.set(formula, names);
  return names;
}

function readNames(formula: string): string[] {
  try {
    return metricNames(parseKept(formula).root);
  } catch (error) {
    if (error instanceof LanguageError) return [];
    throw error;
  }
}
