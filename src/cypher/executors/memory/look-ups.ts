import { type Expression, isKeyed } from '../../syntax/cypher-ast.js';
import { CypherValueError } from '../../syntax/cypher.errors.js';
import { type CypherValue, type NodeValue } from '../../values/cypher-value.js';
import { compile, type ExpressionPlace } from './expression-place.js';
import { conjunctsOf, slotsIn } from './match-checks.js';
import { type PatternGraph, type PatternNode } from './pattern-graph.js';
import { type Row } from './scope.js';

/**
 * Finds nodes in an index: all nodes that fit a node of the pattern, and perhaps others. The returned function returns null if no index can
 * be used.
 * @param isBound whether the row already has values in these slots when the function is called
 */
export type LookUps = (node: PatternNode, isBound: (slots: readonly number[]) => boolean) => (row: Row) => readonly NodeValue[] | null;

/**
 * Finds nodes by a property that equals a constant, a variable or a property of a variable, in the pattern or in WHERE. Null where nothing
 * can be looked up. The conditions are still tested on the nodes that were found.
 */
export function compileLookUps({ nodes }: PatternGraph, where: Expression | null, place: ExpressionPlace): LookUps {
  const { graph } = place.query;
  const equalities = (where ? conjunctsOf(where) : []).flatMap(part => {
    if (part.kind !== 'binary' || part.operator !== '=') return [];
    return [
      [part.left, part.right],
      [part.right, part.left],
    ].flatMap(([property, value]) =>
      property!.kind === 'property' && property!.object.kind === 'variable' && !property!.storedNames && isKeyed(value!)
        ? [{ slot: place.scope.find(property!.object.name)?.slot, ...entryOf(property!.name, value!) }]
        : [],
    );
  });
  const byNode = new Map(
    nodes.map(node => {
      const inPattern = node.properties.filter(({ value, storedNames }) => isKeyed(value) && !storedNames);
      return [node, [...inPattern.map(({ name, value }) => entryOf(name, value)), ...equalities.filter(({ slot }) => slot === node.slot)]];
    }),
  );
  return (node, isBound) => {
    const entries = graph.nodesWith ? byNode.get(node)!.filter(({ slots }) => isBound(slots)) : [];
    return row => {
      for (const { property, valueIn } of entries) {
        const found = graph.nodesWith!(property, valueIn(row));
        if (found) return found;
      }
      return null;
    };
  };

  function entryOf(property: string, value: Expression) {
    const read = compile(value, place);
    // Ignore the error: the same expression fails again where the condition is tested.
    const valueIn = (row: Row): CypherValue => {
      try {
        return read(row);
      } catch (error) {
        if (error instanceof CypherValueError) return null;
        throw error;
      }
    };
    return { property, valueIn, slots: slotsIn([{ value }], place.scope) };
  }
}
