import {
  type CypherQuery,
  type Expression,
  type MapEntry,
  type Name,
  type NodePattern,
  type PathPattern,
  type ReturnItem,
} from '../syntax/cypher-ast.js';
import { type QueryContext } from './query-context.js';

/** The labels or types that an element may have, according to its pattern and the schema. None for edges of any type. */
interface Element {
  kind: 'node' | 'edge';
  owners: string[];
}

/**
 * Gives labels, types and properties the names that the graph stores, in the whole tree of a query: aliases mean the same everywhere. An
 * unknown name is a warning and stays as it is. Collects the places where parameters are named.
 */
export function resolveNames(query: CypherQuery, context: QueryContext): Name[] {
  const parameters: Name[] = [];
  const elements = new Map<string, Element>();
  /** Variables that also stand for something else than an element of a pattern, such as the item of a list. */
  const rebound = new Set<string>();
  visit(query, node => {
    if (isNamed(node)) for (const group of node.labels) for (const label of group) label.name = context.label(label);
    if (isEdge(node)) for (const type of node.types) type.name = context.edgeType(type);
    if (isItem(node) ? isOtherThan(node.name, node.expression) : 'list' in node && 'variable' in node)
      rebound.add((isItem(node) ? node.name : node.variable) as string);
  });
  visit(query, node => {
    if (!isPath(node)) return;
    node.nodes.forEach((pattern, i) => declare(pattern, { kind: 'node', owners: labelsOf(node, i) }));
    for (const pattern of node.edges) declare(pattern, { kind: 'edge', owners: pattern.types.map(({ name }) => name) });
  });
  visit(query, node => {
    if (node.kind === 'parameter') parameters.push({ name: node.name as string, position: node.position as number });
    if (node.kind === 'property') resolveProperty(node as Tree & Property);
    if (node.kind === 'index') resolveIndex(node as Tree & Index);
  });
  return parameters;

  function resolveProperty(node: Property): void {
    const element = elementOf(node.object);
    if (element) {
      const { name, word } = context.property(node.name, element.kind, element.owners);
      node.name = name;
      if (word !== null) return;
    }
    const stored = context.schema.storedNames(node.name);
    if (stored) node.stored = stored;
  }

  /** `n['property']` is `n.property`. */
  function resolveIndex({ object, index }: Index): void {
    const element = elementOf(object);
    if (element && index.kind === 'literal' && typeof index.value === 'string') index.value = nameOf(index.value, element);
  }

  /** The element that a variable stands for in the whole query. */
  function elementOf(object: Expression): Element | undefined {
    return object.kind === 'variable' && !rebound.has(object.name) ? elements.get(object.name) : undefined;
  }

  function declare(pattern: { variable: string | null; properties: MapEntry[] }, found: Element): void {
    const known = pattern.variable === null ? undefined : elements.get(pattern.variable);
    const element = known?.kind === found.kind ? narrower(known, found) : found;
    if (pattern.variable !== null) elements.set(pattern.variable, element);
    for (const entry of pattern.properties) entry.name = nameOf(entry.name, element);
  }

  /** Two places of one variable. In two parts of a UNION they are two elements. */
  function narrower(known: Element, found: Element): Element {
    const isWide = ({ kind, owners }: Element) => (kind === 'node' ? owners === context.schema.labelNames : owners.length === 0);
    if (isWide(known)) return found;
    return isWide(found) ? known : { kind: known.kind, owners: [...new Set([...known.owners, ...found.owners])] };
  }

  function nameOf(name: string, { kind, owners }: Element): string {
    return context.property(name, kind, owners).name;
  }

  /** A label group that the schema knows decides the labels; otherwise the edges beside the node do. */
  function labelsOf({ nodes, edges }: PathPattern, index: number): string[] {
    const { schema } = context;
    const named = (nodes[index] as NodePattern).labels.map(group => group.map(({ name }) => name));
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

type Tree = Record<string, unknown>;

type Property = Expression & { kind: 'property' };
type Index = Expression & { kind: 'index' };

function isItem(node: Tree): node is Tree & ReturnItem {
  return node.aliased === true;
}

function isOtherThan(name: string, expression: Expression): boolean {
  return expression.kind !== 'variable' || expression.name !== name;
}

function isNamed(node: Tree): node is Tree & { labels: Name[][] } {
  return 'labels' in node && Array.isArray(node.labels);
}

function isEdge(node: Tree): node is Tree & { types: Name[] } {
  return 'types' in node && Array.isArray(node.types);
}

function isPath(node: Tree): node is Tree & PathPattern {
  return 'shortest' in node && Array.isArray(node.nodes);
}

function visit(value: unknown, see: (node: Tree) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) see(value as Tree);
  for (const inner of Object.values(value)) visit(inner, see);
}
