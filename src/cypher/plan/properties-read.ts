import { type CypherQuery, isConstant, isKeyed, type StoredNames } from '../syntax/cypher-ast.js';

export interface PropertiesRead {
  /**
   * The names of the properties that a query can read from nodes and edges. Null if the query can read any property, as `keys(n)` or
   * `n[$name]` does, or more than `mostNames` properties.
   */
  names: ReadonlySet<string> | null;
  /**
   * The names of the properties that the query compares with a constant or a variable. An index on such a property finds the nodes and
   * edges.
   */
  looked: ReadonlySet<string>;
}

/** Whether the properties that were loaded for one query are enough for another query. */
export function covers(loaded: PropertiesRead, { names, looked }: PropertiesRead): boolean {
  if (loaded.names === null) return true;
  if (names === null) return false;
  return [...names].every(name => loaded.names!.has(name)) && [...looked].every(name => loaded.looked.has(name));
}

/** Maximum properties that are loaded one by one, each as a column. For a query that reads more, all properties are loaded at once. */
const mostNames = 64;

type Tree = Record<string, unknown>;

export function propertiesRead(query: CypherQuery): PropertiesRead {
  const [names, looked] = [new Set<string>(), new Set<string>()];
  let any = false;
  visit(query.queries);
  return { names: any || names.size > mostNames ? null : names, looked };

  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) return value.forEach(visit);
    const node = value as Tree;
    const stored = node.storedNames as StoredNames | undefined;
    for (const name of [...(stored?.nodes.values() ?? []), ...(stored?.edges.values() ?? [])]) names.add(name);
    if (node.kind === 'property') names.add(node.name as string);
    // This is a node pattern or an edge pattern. Its properties are entries of a map.
    if (Array.isArray(node.properties))
      for (const entry of node.properties as { name: string; value: Tree }[]) {
        names.add(entry.name);
        if (!('types' in node) && isKeyed(entry.value)) looked.add(entry.name);
      }
    if (node.kind === 'binary' && node.operator === '=') {
      const [left, right] = [node.left, node.right] as [Tree, Tree];
      const isGiven = (side: Tree) => isConstant(side) || side.kind === 'variable';
      if (left.kind === 'property' && isGiven(right)) looked.add(left.name as string);
      if (right.kind === 'property' && isGiven(left)) looked.add(right.name as string);
    }
    if (node.kind === 'index') readIndex(node.index as Tree);
    if (node.kind === 'call' && ['keys', 'properties'].includes((node.name as string).toLowerCase())) any = true;
    Object.values(node).forEach(visit);
  }

  function readIndex({ kind, value }: Tree): void {
    if (typeof value === 'string') names.add(value);
    else if (kind !== 'number') any = true;
  }
}
