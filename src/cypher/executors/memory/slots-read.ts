import { childrenOf, type Expression } from '../../syntax/cypher-ast.js';
import { type Scope, type StaticType } from './scope.js';

/** For each slot that is read, the names of the properties read of its variable; null if the value of the variable itself is read. */
export type SlotsRead = ReadonlyMap<number, ReadonlySet<string> | null>;

/**
 * The slots that the expressions of a projection read. `count(node)` and `count(DISTINCT node)` read nothing of the node. Null if an
 * expression contains a query or a pattern, which may read any variable.
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

/** The slot of the node in `count(node)` or `count(DISTINCT node)`; null for any other expression. */
export function countedNode(expression: Expression, scope: Scope): number | null {
  return countedVariable(expression, scope, ['node']);
}

/**
 * The slot of the path, or of the list of a walk's edges, in `count(…)` without DISTINCT; null for any other expression. A path or list
 * need not be complete to be counted.
 */
export function countedWalk(expression: Expression, scope: Scope): number | null {
  return expression.kind === 'call' && !expression.distinct ? countedVariable(expression, scope, ['path', 'edges']) : null;
}

function countedVariable(expression: Expression, scope: Scope, types: readonly StaticType[]): number | null {
  if (expression.kind !== 'call' || expression.name.toLowerCase() !== 'count') return null;
  const [arg] = expression.args;
  const variable = expression.args.length === 1 && arg?.kind === 'variable' ? scope.find(arg.name) : undefined;
  return variable && types.includes(variable.type) ? variable.slot : null;
}
