import { LRUCache } from 'lru-cache';
import { LanguageError } from '../../text/language-error.js';
import { parseKept } from './keep-parsed.js';
import { type FormulaOutline, outlineFormula, type Reference } from './outline-formula.js';

/** Maximum bytes of kept outlines: room for a graph of 1,000 formulas of 4,000 characters that each refer to 200 metrics. */
const mostBytes = 50_000_000;
const kept = new LRUCache<string, FormulaOutline | 'unreadable'>({
  maxSize: mostBytes,
  sizeCalculation: (outline, formula) => 200 + 2 * formula.length + (outline === 'unreadable' ? 0 : 100 * outline.references.length),
});

/**
 * {@link outlineFormula} with a cache. The cache holds far more formulas than that of {@link parseKept}, because the references of a
 * whole graph are followed again and again.
 * @throws FormulaParseError
 */
export function outlineKept(formula: string): FormulaOutline {
  const outline = findOrRead(formula);
  return outline === 'unreadable' ? outlineFormula(parseKept(formula).root) : outline;
}

/** The references of a formula. Empty for a formula that does not parse. */
export function referencesIn(formula: string): readonly Reference[] {
  const outline = findOrRead(formula);
  return outline === 'unreadable' ? [] : outline.references;
}

function findOrRead(formula: string): FormulaOutline | 'unreadable' {
  const known = kept.get(formula);
  if (known) return known;
  const outline = read(formula);
  kept.set(formula, outline);
  return outline;
}

function read(formula: string): FormulaOutline | 'unreadable' {
  try {
    return outlineFormula(parseKept(formula).root);
  } catch (error) {
    if (error instanceof LanguageError) return 'unreadable';
    throw error;
  }
}
