import { type CypherQuery, type Expression, type MapEntry, type Name, type PathPattern } from '../syntax/cypher-ast.js';
import { extended, type Names, type ScopedVisitor, walkUnion } from '../syntax/walk-in-scope.js';
import { itemMeaning, type Meaning, meaningOf, type NamedElement } from './meanings.js';
import { type QueryContext } from './query-context.js';

type Scope = Names<Meaning>;

/**
 * Replaces aliases of labels, types and properties by the names that the graph stores, in the whole tree of a query. An unknown name gives
 * a warning and stays in the tree. If the label or type of an element is known only at run time, `storedNames` of the expression gets the
 * stored name of the property for each label and type.
 * @returns the places where parameters are named
 */
export function resolveNames(query: CypherQuery, context: QueryContext): Name[] {
  const { schema } = context;
  const parameters: Name[] = [];
  const visitor: ScopedVisitor<Meaning> = { see, declare, itemOf: (list, scope) => list && itemMeaning(list, scope, schema), columnOf };
  walkUnion(query, new Map(), visitor);
  return parameters;

  function columnOf(expression: Expression, scope: Scope): Meaning {
    return meaningOf(expression, scope, schema);
  }

  function see(expression: Expression, scope: Scope): void {
    if (expression.kind === 'parameter') parameters.push(expression);
    else if (expression.kind === 'property') rename(expression, meaningOf(expression.object, scope, schema));
    else if (expression.kind === 'index') readIndex(expression, meaningOf(expression.object, scope, schema));
    else if (expression.kind === 'hasLabels') {
      const isEdge = meaningOf(expression.object, scope, schema)?.kind === 'edge';
      for (const label of expression.labels.flat()) label.name = isEdge ? context.edgeType(label) : context.label(label);
      expression.labels = expression.labels.map(distinct);
    }
  }

  /** Renames a property: to one stored name for all labels or types of its element, or to one name for each label or type. */
  function rename(named: MapEntry | (Expression & { kind: 'property' }), meaning: Meaning): void {
    const { name } = named;
    if (meaning?.kind === 'list') return;
    const resolved = meaning && context.property(name, meaning.kind, meaning.owners);
    if (resolved && !resolved.varies) named.name = resolved.name;
    else named.storedNames = schema.storedNames(name);
  }

  /** Resolves the name in `element['name']`, which means the same as `element.name`. */
  function readIndex(expression: Expression & { kind: 'index' }, meaning: Meaning): void {
    const { index } = expression;
    if (meaning?.kind === 'list' || (index.kind !== 'literal' && index.kind !== 'parameter')) return;
    const name = index.kind === 'literal' ? index.value : context.parameters.read(index.name, index.position);
    if (typeof name !== 'string') return;
    if (meaning) context.property(name, meaning.kind, meaning.owners);
    expression.storedNames = schema.storedNames(name);
  }

  function declare(patterns: readonly PathPattern[], before: Scope): Scope {
    const scope = extended(before, []);
    const elements: [NamedElement, { variable: string | null; properties: MapEntry[] }][] = [];
    for (const pattern of patterns) {
      for (const node of pattern.nodes) {
        for (const label of node.labels.flat()) label.name = context.label(label);
        node.labels = node.labels.map(distinct);
      }
      for (const edge of pattern.edges) {
        for (const type of edge.types) type.name = context.edgeType(type);
        edge.types = distinct(edge.types);
      }
      pattern.nodes.forEach((node, i) => elements.push([{ kind: 'node', owners: labelsOf(pattern, i) }, node]));
      for (const edge of pattern.edges) {
        const element = { kind: 'edge' as const, owners: edge.types.map(({ name }) => name) };
        elements.push([element, edge]);
        if (edge.variable !== null && edge.length !== null) scope.set(edge.variable, { kind: 'list', of: element });
      }
      if (pattern.variable !== null) scope.set(pattern.variable, null);
    }
    for (const [element, { variable }] of elements) {
      const known = variable === null ? undefined : scope.get(variable);
      if (variable !== null && known?.kind !== 'list')
        scope.set(variable, known?.kind === element.kind && !isWide(known) ? known : element);
    }
    for (const [element, { variable, properties }] of elements) {
      const known = variable === null ? undefined : scope.get(variable);
      for (const entry of properties) rename(entry, known && known.kind !== 'list' ? known : element);
    }
    return scope;
  }

  function isWide({ kind, owners }: NamedElement): boolean {
    return kind === 'node' ? owners === schema.labelNames : owners.length === 0;
  }

  /**
   * The labels that a node may have: the labels of its first group that the schema knows, or else the labels that the edges beside the
   * node allow.
   */
  function labelsOf({ nodes, edges }: PathPattern, index: number): string[] {
    const named = nodes[index]!.labels.map(group => group.map(({ name }) => name));
    const known = named.find(group => group.every(label => schema.hasLabel(label)));
    if (known) return known;
    for (const [edge, end] of [
      [edges[index - 1], 'target'],
      [edges[index], 'source'],
    ] as const) {
      if (!edge || edge.direction === 'both' || edge.length !== null) continue;
      const types = edge.types.map(({ name }) => name);
      const labels = schema.labelsAt((edge.direction === 'out') === (end === 'source') ? 'source' : 'target', types);
      if (labels) return labels;
    }
    return schema.labelNames;
  }
}

/** The names without repetitions, each with its first place. */
function distinct(names: Name[]): Name[] {
  const seen = new Set<string>();
  return names.filter(({ name }) => !seen.has(name) && seen.add(name));
}
