import { type Expression } from '../syntax/cypher-ast.js';
import { type Names } from '../syntax/walk-in-scope.js';
import { type SchemaIndex } from './schema-index.js';

/**
 * A node or an edge. `owners` are the labels or types that it may have according to its pattern and the schema; empty for edges of any
 * type.
 */
export interface NamedElement {
  kind: 'node' | 'edge';
  owners: string[];
}

/**
 * The kind of a value, as far as it decides to which elements `value.property` refers: a node, an edge, or a list. Null for other values,
 * and for a value whose kind is known only at run time.
 */
export type Meaning = NamedElement | { kind: 'list'; of: Meaning } | null;

export function meaningOf(expression: Expression, scope: Names<Meaning>, schema: SchemaIndex): Meaning {
  if (expression.kind === 'variable') return scope.get(expression.name) ?? null;
  if (expression.kind === 'index') return itemMeaning(expression.object, scope, schema);
  if (expression.kind !== 'call') return null;
  const [first] = expression.args;
  switch (expression.name.toLowerCase()) {
    case 'nodes':
      return { kind: 'list', of: { kind: 'node', owners: schema.labelNames } };
    case 'relationships':
      return { kind: 'list', of: { kind: 'edge', owners: [] } };
    case 'startnode':
      return endOf('source');
    case 'endnode':
      return endOf('target');
    case 'head':
    case 'last':
      return first ? itemMeaning(first, scope, schema) : null;
    case 'collect':
      return first ? { kind: 'list', of: meaningOf(first, scope, schema) } : null;
    default:
      return null;
  }

  function endOf(end: 'source' | 'target'): Meaning {
    const edge = first ? meaningOf(first, scope, schema) : null;
    return { kind: 'node', owners: (edge?.kind === 'edge' ? schema.labelsAt(end, edge.owners) : null) ?? schema.labelNames };
  }
}

/** Kind of an item of a list; null if it is unknown. UNWIND of a value that is not a list yields this value as its only item. */
export function itemMeaning(list: Expression, scope: Names<Meaning>, schema: SchemaIndex): Meaning {
  const meaning = meaningOf(list, scope, schema);
  return meaning?.kind === 'list' ? meaning.of : null;
}
