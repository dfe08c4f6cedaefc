/**
 * Naive model, in memory, of the graph that runs should make when edges may make the nodes at their ends. A node without owners is a stub.
 */
export interface NodeRow {
  id: string;
  name: string;
}
export interface EdgeRow {
  a: string | null;
  b: string | null;
}
type OnMissing = 'create' | 'skip' | 'quarantine';

export interface JobSpec {
  /** Labels, each with the table from which it is read. */
  nodes: { label: string; table: string }[];
  edges: { type: string; table: string; from: string; to: string; onMissing: [from: OnMissing, to: OnMissing] }[];
}

interface Node {
  /** A number that a node keeps when a stub becomes real. A node that is deleted and made again gets a new one. */
  serial: number;
  owners: Set<number>;
  /** The name of the node from each job. When a job gives up the node, only its own name is removed. */
  names: Map<number, string>;
}

export class NaiveStubs {
  /** Nodes by label and key. */
  nodes = new Map<string, Node>();
  private made = 0;
  /** The jobs that own each edge, by `type|from|a|to|b`. */
  edges = new Map<string, Set<number>>();
  /** The labels of the nodes that each job made in its last run. */
  private fed = new Map<number, Set<string>>();

  /** Returns the number of stubs made, or the code of the failure. After a failure nothing has changed. */
  run(job: number, spec: JobSpec | null, nodeTables: Record<string, NodeRow[]>, edgeTables: Record<string, EdgeRow[]>): number | string {
    const before = structuredClone([this.nodes, this.edges, this.fed] as const);
    const result = this.carryOut(job, spec ?? { nodes: [], edges: [] }, nodeTables, edgeTables);
    if (typeof result === 'string') [this.nodes, this.edges, this.fed] = before;
    return result;
  }

  shown(): { nodes: Record<string, string>; edges: string[] } {
    const node = ({ owners, names }: Node): string =>
      owners.size === 0 ? 'stub' : `of ${[...owners].sort((a, b) => a - b).join()} named ${[...new Set(names.values())].join()}`;
    return { nodes: Object.fromEntries([...this.nodes].map(([id, each]) => [id, node(each)])), edges: [...this.edges.keys()].sort() };
  }

  private carryOut(
    job: number,
    { nodes, edges }: JobSpec,
    nodeTables: Record<string, NodeRow[]>,
    edgeTables: Record<string, EdgeRow[]>,
  ): number | string {
    const types = new Set(edges.map(({ type, from, to }) => `${type}|${from}|${to}`));
    for (const [id, owners] of this.edges) {
      const [type, from, , to] = id.split('|');
      if (owners.has(job) && !types.has(`${type}|${from}|${to}`)) this.releaseEdge(job, id);
    }
    const labels = new Set(nodes.map(({ label }) => label));
    for (const label of this.fed.get(job) ?? []) {
      if (labels.has(label)) continue;
      this.fed.get(job)!.delete(label);
      const isLast = ![...this.fed.values()].some(others => others.has(label));
      for (const [id, node] of this.nodes) {
        if (!id.startsWith(`${label} `)) continue;
        if (node.owners.has(job)) this.releaseNode(job, id);
        else if (isLast) this.remove(id);
      }
    }
    for (const { label, table } of nodes) {
      const rows = new Map(nodeTables[table]!.map(row => [`${label} ${row.id}`, row]));
      for (const [id, { name }] of rows) {
        const node = this.nodes.get(id) ?? this.aNode();
        this.nodes.set(id, node);
        node.owners.add(job);
        // The last run decides the name for all owners.
        node.names = new Map([...node.owners].map(owner => [owner, name]));
      }
      for (const [id, { owners }] of this.nodes)
        if (id.startsWith(`${label} `) && owners.has(job) && !rows.has(id)) this.releaseNode(job, id);
      this.fed.set(job, (this.fed.get(job) ?? new Set()).add(label));
    }
    let made = 0;
    for (const { type, table, from, to, onMissing } of edges) {
      const isKnown = (label: string): boolean => [...this.fed.values()].some(each => each.has(label));
      if ((onMissing[0] === 'create' && !isKnown(from)) || (onMissing[1] === 'create' && !isKnown(to))) return 'stub_key_unknown';
      const open = edgeTables[table]!.filter(row => row.a !== null && row.b !== null);
      // A stub counts as a node only for an edge whose end may make stubs.
      const has = (end: 0 | 1, key: string): boolean =>
        (this.nodes.get(`${[from, to][end]} ${key}`)?.owners.size ?? 0) > 0 || (onMissing[end] === 'create' && /^\d+$/.test(key));
      const matched = open.filter(({ a, b }) => has(0, a!) && has(1, b!));
      for (const id of new Set(matched.flatMap(({ a, b }) => [`${from} ${a}`, `${to} ${b}`]))) {
        if (this.nodes.has(id)) continue;
        this.nodes.set(id, this.aNode());
        made++;
      }
      if (open.length > 0 && matched.length === 0) return 'all_edges_unmatched';
      const now = new Set(matched.map(({ a, b }) => `${type}|${from}|${a}|${to}|${b}`));
      for (const id of now) this.edges.set(id, (this.edges.get(id) ?? new Set<number>()).add(job));
      for (const [id, owners] of this.edges) {
        const parts = id.split('|');
        if (owners.has(job) && parts[0] === type && parts[1] === from && parts[3] === to && !now.has(id)) this.releaseEdge(job, id);
      }
    }
    for (const [id, { owners }] of this.nodes) if (owners.size === 0 && !this.edgesAt(id).length) this.nodes.delete(id);
    return made;
  }

  private aNode(): Node {
    return { serial: ++this.made, owners: new Set(), names: new Map() };
  }

  private releaseEdge(job: number, id: string): void {
    const owners = this.edges.get(id)!;
    owners.delete(job);
    if (owners.size === 0) this.edges.delete(id);
  }

  private releaseNode(job: number, id: string): void {
    const { owners, names } = this.nodes.get(id)!;
    owners.delete(job);
    names.delete(job);
    if (owners.size === 0) this.remove(id);
  }

  private remove(id: string): void {
    for (const edge of this.edgesAt(id)) this.edges.delete(edge);
    this.nodes.delete(id);
  }

  private edgesAt(id: string): string[] {
    return [...this.edges.keys()].filter(edge => {
      const [, from, a, to, b] = edge.split('|');
      return `${from} ${a}` === id || `${to} ${b}` === id;
    });
  }
}
