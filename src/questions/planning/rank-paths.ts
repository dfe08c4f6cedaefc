import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';

/** One step between two labels. `direction` is the direction of the edge as seen from `from`. */
export interface Hop {
  type: string;
  direction: 'out' | 'in';
  from: string;
  to: string;
}

export interface RankedPath {
  hops: Hop[];
  score: number;
}

/** Relations and labels that the question names for the path. */
export interface PathHints {
  relations: ReadonlySet<string>;
  labels: ReadonlySet<string>;
}

/** Edge types that lead from every node to at most one other, along the edge and against it. */
export interface ToOne {
  outgoing: string[];
  incoming: string[];
}

const longestPath = 3;
const lengthFactor = 0.6;
const mostPaths = 12;
/** A schema of thousands of relations has millions of paths. Short paths, which are better, are looked at first. */
const mostSteps = 20_000;

/** Finds paths from one label to another over the schema, without passing a label twice. Short paths and named relations rank first. */
export function rankPaths(schema: GraphSchema, from: string, to: string, hints: PathHints): RankedPath[] {
  const found: RankedPath[] = [];
  const known = new Map<string, Hop[]>();
  const hopsOf = (label: string): Hop[] => {
    const hops = known.get(label) ?? hopsFrom(schema, label);
    known.set(label, hops);
    return hops;
  };
  let steps = 0;
  let ways: Hop[][] = [[]];
  for (let length = 1; length <= longestPath; length++) {
    const longer: Hop[][] = [];
    for (const hops of ways) {
      const passed = new Set([from, ...hops.map(hop => hop.to)]);
      for (const hop of hopsOf(hops.at(-1)?.to ?? from)) {
        if (++steps > mostSteps) break;
        if (hop.to === to && (!passed.has(to) || (hops.length > 0 && from === to)))
          found.push({ hops: [...hops, hop], score: scoreOf([...hops, hop], hints) });
        else if (!passed.has(hop.to)) longer.push([...hops, hop]);
      }
    }
    ways = longer;
  }
  return found.sort((a, b) => b.score - a.score || describePath(a.hops).localeCompare(describePath(b.hops))).slice(0, mostPaths);
}

export function hopsFrom(schema: GraphSchema, label: string): Hop[] {
  return schema.edges.flatMap(edge => [
    ...(edge.sourceLabel === label ? [{ type: edge.type, direction: 'out' as const, from: label, to: edge.targetLabel }] : []),
    ...(edge.targetLabel === label && edge.sourceLabel !== label
      ? [{ type: edge.type, direction: 'in' as const, from: label, to: edge.sourceLabel }]
      : []),
  ]);
}

export function describePath(hops: Hop[]): string {
  const first = hops[0]?.from ?? '';
  return first + hops.map(hop => (hop.direction === 'out' ? `-[${hop.type}]->${hop.to}` : `<-[${hop.type}]-${hop.to}`)).join('');
}

/** Tells whether a path leads from each node to at most one other. Only then does "not" at its end mean "not" for the whole path. */
export function leadsToOne(hops: Hop[], { outgoing, incoming }: ToOne): boolean {
  return hops.every(hop => (hop.direction === 'out' ? outgoing : incoming).includes(hop.type));
}

/** Tells whether every node that a path passes has its edge, as far as their numbers show. */
export function isComplete(hops: Hop[], schema: GraphSchema): boolean {
  return hops.every(hop => {
    const [source, target] = hop.direction === 'out' ? [hop.from, hop.to] : [hop.to, hop.from];
    const edge = schema.edges.find(each => each.type === hop.type && each.sourceLabel === source && each.targetLabel === target);
    const nodes = schema.labels.find(label => label.name === hop.from)?.rowCount ?? 0;
    return (edge?.rowCount ?? 0) >= nodes;
  });
}

function scoreOf(hops: Hop[], { relations, labels }: PathHints): number {
  const length = lengthFactor ** (hops.length - 1);
  const named = hops.filter(hop => relations.has(hop.type)).length;
  const passed = hops.slice(0, -1).filter(hop => labels.has(hop.to)).length;
  return Math.round((length + named + passed * 0.8) * 1000) / 1000;
}
