import { type EdgeValue, isList, type NodeValue, type PathValue } from '../../values/cypher-value.js';
import { mostLooked } from './behind.js';
import { type ExpressionPlace } from './expression-place.js';
import { type PartOfPath, type Step, type Walked } from './match-step.js';
import { type PatternGraph, type PatternPath } from './pattern-graph.js';
import { type Row } from './scope.js';
import { otherEnd } from './walk-edges.js';

/** Work units to copy one edge and one node of a path. */
const unitsCopied = 2;
/** Work units to add an edge to a path and to look up the node behind it. */
const unitsLookedUp = 10;

/** A path under construction. */
interface Found extends PathValue {
  nodes: NodeValue[];
  edges: EdgeValue[];
}

/** Writes a path into its slot. A path that no expression reads is built only as far as the evidence of a row needs it. */
export function pathStep({ slot, nodes, edges }: PatternPath, pattern: PatternGraph, { query }: ExpressionPlace): Step {
  const { graph, work, frame } = query;
  const start = pattern.nodes[nodes[0]!]!.slot;
  const hops = edges.map((edge, i) => ({ edge: pattern.edges[edge]!.slot, end: pattern.nodes[nodes[i + 1]!]!.slot }));
  return function* name(row, { walks }) {
    const only = hops.length === 1 ? walks.get(hops[0]!.edge) : undefined;
    if (frame.isRead(slot)) row[slot] = pathOf(row, walks, Infinity);
    else row[slot] = only ? { kind: 'path', nodes: only.walk.firstNodes, edges: only.walk.firstEdges } : pathOf(row, walks, mostLooked);
    yield true;
  };

  function pathOf(row: Row, walks: Walked['walks'], most: number): PathValue {
    const found: Found = { kind: 'path', nodes: [row[start] as NodeValue], edges: [] };
    for (const { edge, end } of hops) {
      const left = most - found.edges.length;
      const [part, value] = [walks.get(edge), row[edge] ?? null];
      if (part) addWalk(part, found, left);
      else if (isList(value)) addEdges((value as readonly EdgeValue[]).slice(0, left), found);
      else {
        found.edges.push(value as EdgeValue);
        found.nodes.push(row[end] as NodeValue);
      }
      if (found.edges.length >= most) break;
    }
    work.spend(unitsCopied * found.edges.length);
    return found;
  }

  function addWalk({ walk, isForward }: PartOfPath, found: Found, most: number): void {
    const { edges: walked, through } = walk;
    const { length } = walked;
    const count = Math.min(length, most);
    if (isForward)
      for (let i = 0; i < count; i++) {
        found.edges.push(walked[i]!);
        found.nodes.push(i + 1 < length ? through[i + 1]! : walk.end);
      }
    else
      for (let i = length - 1; i >= length - count; i--) {
        found.edges.push(walked[i]!);
        found.nodes.push(through[i]!);
      }
  }

  function addEdges(list: readonly EdgeValue[], found: Found): void {
    work.spend(unitsLookedUp * list.length);
    for (const edge of list) {
      found.edges.push(edge);
      found.nodes.push(otherEnd(graph, edge, found.nodes.at(-1)!));
    }
  }
}
