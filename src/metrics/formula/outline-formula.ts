import { patternOf, within } from './classify-formula.js';
import { type Formula, operandsOf, type Pattern } from './formula-tree.js';

/** A reference of a formula to another metric, `[name]`. */
export interface Reference {
  name: string;
  position: number;
  /** The distinct patterns of the nodes around the reference, the outermost first. */
  around: readonly Pattern[];
}

/**
 * The patterns and references of a formula. They decide to which formulas it may refer, and which formulas may refer to it. An outline is
 * small compared with the tree of the formula.
 */
export interface FormulaOutline {
  /** The distinct patterns of the nodes: the root's first, then depth first. */
  patterns: readonly Pattern[];
  /** The references in the order in which the formula has them. */
  references: readonly Reference[];
}

export function outlineFormula(root: Formula): FormulaOutline {
  const patterns = new Set<Pattern>();
  const references: Reference[] = [];
  visit(root, []);
  return { patterns: [...patterns], references };

  function visit(node: Formula, around: readonly Pattern[]): void {
    if (node.kind === 'metric') references.push({ name: node.name, position: node.position, around });
    const pattern = patternOf(node);
    patterns.add(pattern);
    for (const operand of operandsOf(node)) visit(operand, within(around, pattern));
  }
}
