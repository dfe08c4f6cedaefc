import { type ResolvedProperty } from '../semantics/schema-elements.js';
import { type SchemaIndex } from '../semantics/schema-index.js';
import { type Pattern, type PatternNode } from '../semantics/pattern.js';
import { type TypedExpression } from '../semantics/typed-tree.js';
import { type CypherValue } from '../values/cypher-value.js';

/** For each node, the parts of its key as text, in key order. Null for a node whose label and conditions do not fix all parts. */
export function findKeys({ nodes }: Pattern, conditions: TypedExpression[], schema: SchemaIndex): (string[] | null)[] {
  return nodes.map(node => {
    const [group, ...others] = node.labels;
    const label = group?.[0];
    if (label === undefined || group?.length !== 1 || others.length > 0) return null;
    const parts = schema.keyProperties(label)?.map(property => keyText(property, constantFor(node, property, conditions)));
    return parts?.every(part => part !== null) ? parts : null;
  });
}

/** The constant that some condition equates with a property of the node; undefined if there is none. */
function constantFor({ variable }: PatternNode, { name }: ResolvedProperty, conditions: TypedExpression[]): CypherValue | undefined {
  const reads = (side: TypedExpression) =>
    side.kind === 'property' && side.name === name && side.object.kind === 'variable' && side.object.name === variable;
  for (const condition of conditions) {
    if (condition.kind !== 'comparison' || condition.operator !== '=') continue;
    const { left, right } = condition;
    const value = reads(left) ? right : reads(right) ? left : null;
    if (value?.kind === 'constant') return value.value;
  }
  return undefined;
}

/**
 * The text of a value in a key; null unless the value is a text or a whole number, the only types whose values look the same in the key
 * and in the property.
 */
function keyText({ word }: ResolvedProperty, value: CypherValue | undefined): string | null {
  if (word === 'string' && typeof value === 'string') return value;
  return word === 'bigint' && typeof value === 'bigint' ? value.toString() : null;
}
