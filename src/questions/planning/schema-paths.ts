import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { keptBySchema } from './kept-by-schema.js';

/** One step between two labels. `direction` is the direction of the edge as seen from `from`. */
export interface Hop {
  type: string;
  direction: 'out' | 'in';
  from: string;
  to: string;
}

/** Edge types that lead from every node to at most one node: `outgoing` along the edge, `incoming` against the edge. */
export interface ToOne {
  outgoing: string[];
  incoming: string[];
}

/** The schema of a graph, with the edge types that lead from every node to at most one node. */
export type PlanSchema = GraphSchema & { toOne: ToOne };

const longestPath = 3;
/** Maximum hops of a path with a relation of a label with itself, one more than for other paths: a chain of managers. */
const longestWithSelf = 4;
/** Maximum paths that are listed, the short ones first: a schema of thousands of relations has millions of paths. */
const mostPaths = 4_000;

/** Names of a relation as written in the mapping: its type and its aliases, each once. */
export function namesOfRelation(schema: GraphSchema, type: string): string[] {
  return namesByType(schema).get(type) ?? [];
}

const namesByType = keptBySchema(({ edges }) => {
  const names = new Map<string, Set<string>>();
  for (const { type, aliases } of edges) {
    const known = names.get(type) ?? new Set([type]);
    names.set(type, known);
    for (const alias of aliases) known.add(alias);
  }
  return new Map([...names].map(([type, known]) => [type, [...known]]));
});

/** Lists paths over the schema from a label, the short ones first, the empty one included. Labels and relations may repeat. */
export function* pathsFrom(schema: GraphSchema, label: string): Generator<Hop[]> {
  let listed = 0;
  let ways: Hop[][] = [[]];
  for (let length = 0; length <= longestWithSelf; length++) {
    const longer: Hop[][] = [];
    for (const hops of ways) {
      yield hops;
      if (++listed >= mostPaths) return;
      if (hops.length >= longestPath && !hops.some(({ from, to }) => from === to)) continue;
      // Build no paths beyond `mostPaths`, because they would not be listed.
      if (listed + longer.length < mostPaths) for (const hop of hopsFrom(schema, hops.at(-1)?.to ?? label)) longer.push([...hops, hop]);
    }
    ways = longer;
  }
}

/** Lists the hops from a label. A relation of the label with itself gives two hops, one in each direction. */
export function hopsFrom(schema: GraphSchema, label: string): Hop[] {
  return hopsByLabel(schema).get(label) ?? [];
}

const hopsByLabel = keptBySchema(({ edges }) => {
  const hops = new Map<string, Hop[]>();
  const add = (hop: Hop): void => {
    const known = hops.get(hop.from);
    if (known) known.push(hop);
    else hops.set(hop.from, [hop]);
  };
  for (const { type, sourceLabel, targetLabel } of edges) {
    add({ type, direction: 'out', from: sourceLabel, to: targetLabel });
    add({ type, direction: 'in', from: targetLabel, to: sourceLabel });
  }
  return hops;
});

/** A path as seen from its other end. */
export function reversed(hops: Hop[]): Hop[] {
  return hops
    .map(({ type, direction, from, to }): Hop => ({ type, direction: direction === 'out' ? 'in' : 'out', from: to, to: from }))
    .reverse();
}

export function describePath(hops: Hop[]): string {
  const first = hops[0]?.from ?? '';
  return first + hops.map(hop => (hop.direction === 'out' ? `-[${hop.type}]->${hop.to}` : `<-[${hop.type}]-${hop.to}`)).join('');
}

/** Whether a path leads from each node to at most one node. */
export function leadsToOne(hops: Hop[], { outgoing, incoming }: ToOne): boolean {
  return hops.every(hop => (hop.direction === 'out' ? outgoing : incoming).includes(hop.type));
}

/** Whether every node on a path may have an edge for the next hop, judged by the numbers of nodes and edges in the schema. */
export function isComplete(hops: Hop[], schema: GraphSchema): boolean {
  return hops.every(hop => {
    const [source, target] = hop.direction === 'out' ? [hop.from, hop.to] : [hop.to, hop.from];
    const edge = schema.edges.find(each => each.type === hop.type && each.sourceLabel === source && each.targetLabel === target);
    const nodes = schema.labels.find(label => label.name === hop.from)?.rowCount ?? 0;
    return (edge?.rowCount ?? 0) >= nodes;
  });
}
