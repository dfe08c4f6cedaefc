import { type Direction, type EdgePattern, type MapEntry, type Name, type NodePattern, type PathPattern } from '../../syntax/cypher-ast.js';
import { type RunningQuery } from './running-query.js';
import { Scope, type StaticType } from './scope.js';

/** A node in the patterns of one clause. Patterns that name the same variable share the node. */
export interface PatternNode {
  slot: number;
  /** Whether an earlier clause has bound the node. */
  bound: boolean;
  labels: Name[][];
  properties: MapEntry[];
  position: number;
}

export interface PatternEdge {
  slot: number;
  bound: boolean;
  types: string[];
  direction: Direction;
  length: { least: number; most: number | null } | null;
  properties: MapEntry[];
  /** Indexes into the nodes of the PatternGraph. `left` is the node to the left of the edge in the query text. */
  left: number;
  right: number;
  shortest: 'one' | 'all' | null;
  position: number;
}

/** A path that has a name, or whose value is needed. `nodes` and `edges` are indexes into those of the PatternGraph. */
export interface PatternPath {
  slot: number;
  nodes: number[];
  edges: number[];
}

export interface PatternGraph {
  nodes: PatternNode[];
  edges: PatternEdge[];
  paths: PatternPath[];
  /** The scope with the variables of the patterns. */
  scope: Scope;
}

/** Collects the nodes, edges and paths of one clause, and checks that each variable has one meaning. */
export function readPatterns(patterns: PathPattern[], before: Scope, query: RunningQuery): PatternGraph {
  const [nodes, edges, paths]: [PatternNode[], PatternEdge[], PatternPath[]] = [[], [], []];
  const nodeOfSlot = new Map<number, number>();
  const variables = new Map(before.variables);
  const slotsOfEdges = new Set<number>();

  function declare(name: string | null, type: StaticType): number {
    const slot = before.frame.take();
    if (name !== null) variables.set(name, { slot, type });
    return slot;
  }

  function addNode({ variable, labels, properties, position }: NodePattern): number {
    const known = variable === null ? undefined : variables.get(variable);
    if (known && !['node', 'any', 'null'].includes(known.type)) throw conflict(query, variable, known.type, '节点', 'a node', position);
    const slot = known?.slot ?? declare(variable, 'node');
    const index = nodeOfSlot.get(slot);
    const node = index === undefined ? undefined : nodes[index];
    if (node && index !== undefined) {
      node.labels.push(...labels);
      node.properties.push(...properties);
      return index;
    }
    nodeOfSlot.set(slot, nodes.length);
    return nodes.push({ slot, bound: known !== undefined, labels: [...labels], properties: [...properties], position }) - 1;
  }

  function addEdge(edge: EdgePattern, left: number, right: number, shortest: PathPattern['shortest']): number {
    const { variable, length, position } = edge;
    const known = variable === null ? undefined : variables.get(variable);
    const fitting: StaticType[] = length === null ? ['edge', 'any', 'null'] : ['edges', 'list', 'any', 'null'];
    if (known && !fitting.includes(known.type)) throw conflict(query, variable, known.type, '关系', 'a relationship', position);
    if (known && slotsOfEdges.has(known.slot))
      throw query.error(
        'RelationshipUniquenessViolation',
        { zh: `关系变量 ${variable} 在同一个 MATCH 中出现两次`, en: `The relationship ${variable} appears twice in one MATCH` },
        position,
      );
    if (known) query.frame.markRead(known.slot);
    const slot = known?.slot ?? declare(variable, length === null ? 'edge' : 'edges');
    slotsOfEdges.add(slot);
    const { direction, properties } = edge;
    const types = edge.types.map(({ name }) => name);
    return edges.push({ slot, bound: known !== undefined, types, direction, length, properties, left, right, shortest, position }) - 1;
  }

  for (const pattern of patterns) {
    // Add all nodes before the edges: the properties of edges may use the variables of nodes.
    const inPath = pattern.nodes.map((node, i) => {
      const edge = pattern.edges[i - 1];
      // If an edge and the node behind it have the same variable, the error shows the position of the node, the second of the two.
      if (edge?.variable != null && edge.variable === node.variable) return addEdgeFirst(edge, node);
      return addNode(node);
    });
    const edgesInPath = pattern.edges.map((edge, i) => addEdge(edge, inPath[i] ?? 0, inPath[i + 1] ?? 0, pattern.shortest));
    if (pattern.variable === null) continue;
    if (variables.get(pattern.variable))
      throw query.error(
        'VariableAlreadyBound',
        {
          zh: `变量 ${pattern.variable} 已有含义，不能再作为路径`,
          en: `The variable ${pattern.variable} is bound already and cannot name a path`,
        },
        pattern.position,
      );
    paths.push({ slot: declare(pattern.variable, 'path'), nodes: inPath, edges: edgesInPath });
  }
  return { nodes, edges, paths, scope: new Scope(before.frame, variables) };

  function addEdgeFirst({ variable }: EdgePattern, { position }: NodePattern): never {
    throw conflict(query, variable, 'edge', '节点', 'a node', position);
  }
}

const typeNames: Record<StaticType, { zh: string; en: string }> = {
  any: { zh: '值', en: 'a value' },
  null: { zh: '空值', en: 'null' },
  boolean: { zh: '布尔值', en: 'a boolean' },
  integer: { zh: '整数', en: 'an integer' },
  float: { zh: '浮点数', en: 'a float' },
  string: { zh: '文本', en: 'a string' },
  list: { zh: '列表', en: 'a list' },
  map: { zh: '映射', en: 'a map' },
  node: { zh: '节点', en: 'a node' },
  edge: { zh: '关系', en: 'a relationship' },
  edges: { zh: '关系的列表', en: 'a list of relationships' },
  path: { zh: '路径', en: 'a path' },
  temporal: { zh: '时间', en: 'a time' },
};

function conflict(query: RunningQuery, variable: string | null, type: StaticType, zh: string, en: string, position: number): Error {
  const known = typeNames[type];
  return query.error(
    'VariableTypeConflict',
    { zh: `${variable} 是${known.zh}，不能作为${zh}`, en: `${variable} is ${known.en} and cannot be ${en}` },
    position,
  );
}
