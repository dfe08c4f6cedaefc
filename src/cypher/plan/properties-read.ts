import { type CypherQuery, isConstant, isKeyed, type StoredNames } from '../syntax/cypher-ast.js';

export interface PropertiesRead {
  /** The names of properties that a query can ask of nodes and edges; null if it can ask for any, as by `keys(n)` or `n[$name]`, or for very many. */
  names: ReadonlySet<string> | null;
  /** Those that it compares with a constant or a variable, so that an index would find their elements. */
  looked: ReadonlySet<string>;
}

/** Whether what was loaded for one query is enough for another. */
export function covers(loaded: PropertiesRead, { names, looked }: PropertiesRead): boolean {
  if (loaded.names === null) return true;
  if (names === null) return false;
  return [...names].every(name => loaded.names!.has(name)) && [...looked].every(name => loaded.looked.has(name));
}

/** Each is a column that is loaded by itself. Beyond them all properties are loaded at once. */
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
    // A pattern of a node or an edge, whose properties are entries of a map.
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
