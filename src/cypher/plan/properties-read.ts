import { type CypherQuery } from '../syntax/cypher-ast.js';

/** The names of properties that a query can ask of nodes and edges; null if it can ask for any, as by `keys(n)` or `n[$name]`. */
export function propertiesRead(query: CypherQuery): ReadonlySet<string> | null {
  const names = new Set<string>();
  let any = false;
  visit(query.queries);
  return any ? null : names;

  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) return value.forEach(visit);
    const node = value as Record<string, unknown>;
    if (node.kind === 'property') names.add(node.name as string);
    // A pattern of a node or an edge, whose properties are entries of a map.
    if (Array.isArray(node.properties)) for (const { name } of node.properties as { name: string }[]) names.add(name);
    if (node.kind === 'index') readIndex(node.index as { kind: string; value?: unknown });
    if (node.kind === 'call' && ['keys', 'properties'].includes((node.name as string).toLowerCase())) any = true;
    Object.values(node).forEach(visit);
  }

  function readIndex({ kind, value }: { kind: string; value?: unknown }): void {
    if (typeof value === 'string') names.add(value);
    else if (kind !== 'number') any = true;
  }
}
