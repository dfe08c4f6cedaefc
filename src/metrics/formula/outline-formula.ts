import { patternOf, within } from './classify-formula.js';
import { type Formula, operandsOf, type Pattern } from './formula-tree.js';

/** A metric that a formula names. */
export interface Reference {
  name: string;
  position: number;
  /** The patterns around it, each once, the outermost first. */
  around: readonly Pattern[];
}

/** The facts about a formula that decide whether it may refer to others, and others to it. They are small beside its tree. */
export interface FormulaOutline {
  /** Each once, the root's first, then depth first. */
  patterns: readonly Pattern[];
  /** In the order they are written. */
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
