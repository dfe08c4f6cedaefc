import { childrenOf, type Expression } from '../../syntax/cypher-ast.js';
import { type Scope, type StaticType } from './scope.js';

/** What is read of variables, by slot: the names of properties, or null for the value itself. */
export type SlotsRead = ReadonlyMap<number, ReadonlySet<string> | null>;

/**
 * What expressions of a projection read. To count values that are nodes, or different ones, nothing of them need be read. Null if an expression holds a
 * query or a pattern, which may read any variable.
 */
export function slotsRead(expressions: readonly Expression[], scope: Scope): SlotsRead | null {
  const slots = new Map<number, Set<string> | null>();
  let isKnown = true;
  expressions.forEach(visit);
  return isKnown ? slots : null;

  function visit(expression: Expression): void {
    if (['subquery', 'pattern', 'patternComprehension'].includes(expression.kind)) isKnown = false;
    const node = countedNode(expression, scope);
    if (node !== null) add(node, []);
    else if (expression.kind === 'variable') add(scope.find(expression.name)?.slot, null);
    else if (expression.kind === 'property' && expression.object.kind === 'variable' && !expression.storedNames)
      add(scope.find(expression.object.name)?.slot, [expression.name]);
    else childrenOf(expression).forEach(visit);
  }

  function add(slot: number | undefined, names: string[] | null): void {
    if (slot === undefined) return;
    const known = slots.get(slot);
    slots.set(slot, known === null || names === null ? null : new Set([...(known ?? []), ...names]));
  }
}

/** The slot of `count(node)` or `count(DISTINCT node)`; null for any other expression. */
export function countedNode(expression: Expression, scope: Scope): number | null {
  return countedVariable(expression, scope, ['node']);
}

/** The slot of `count(path)`, or of the edges of a walk, which need not be whole to be counted; null for any other expression. */
export function countedWalk(expression: Expression, scope: Scope): number | null {
  return expression.kind === 'call' && !expression.distinct ? countedVariable(expression, scope, ['path', 'edges']) : null;
}

function countedVariable(expression: Expression, scope: Scope, types: readonly StaticType[]): number | null {
  if (expression.kind !== 'call' || expression.name.toLowerCase() !== 'count') return null;
  const [arg] = expression.args;
  const variable = expression.args.length === 1 && arg?.kind === 'variable' ? scope.find(arg.name) : undefined;
  return variable && types.includes(variable.type) ? variable.slot : null;
}
