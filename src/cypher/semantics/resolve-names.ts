import { type CypherQuery, type Name } from '../syntax/cypher-ast.js';
import { type QueryContext } from './query-context.js';

/**
 * Gives labels, types and properties the names that the graph stores, in the whole tree of a query: aliases mean the same everywhere. An
 * unknown name is a warning and stays as it is. Collects the parameters that are named.
 */
export function resolveNames(query: CypherQuery, context: QueryContext): Map<string, number> {
  const parameters = new Map<string, number>();
  const elements = new Map<string, 'node' | 'edge'>();
  visit(query, node => {
    for (const kind of ['nodes', 'edges'] as const)
      for (const { variable } of (node[kind] as { variable: string | null }[] | undefined) ?? [])
        if (variable !== null) elements.set(variable, kind === 'nodes' ? 'node' : 'edge');
  });
  visit(query, node => {
    if (node.kind === 'parameter') parameters.set(node.name as string, node.position as number);
    if (isPattern(node)) {
      for (const group of node.labels) for (const label of group) label.name = context.label(label);
      for (const entry of node.properties ?? []) entry.name = context.anyProperty(entry.name, 'node');
    }
    if ('types' in node && Array.isArray(node.types)) {
      for (const type of node.types as Name[]) type.name = context.edgeType(type);
      for (const entry of node.properties as Name[]) entry.name = context.anyProperty(entry.name, 'edge');
    }
    if (node.kind === 'property') {
      const object = node.object as { kind: string; name: string };
      const element = object.kind === 'variable' ? elements.get(object.name) : undefined;
      if (element) node.name = context.anyProperty(node.name as string, element);
    }
  });
  return parameters;
}

type Tree = Record<string, unknown>;

function isPattern(node: Tree): node is Tree & { labels: Name[][]; properties?: Name[] } {
  return 'labels' in node && Array.isArray(node.labels);
}

function visit(value: unknown, see: (node: Tree) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) see(value as Tree);
  for (const inner of Object.values(value)) visit(inner, see);
}
