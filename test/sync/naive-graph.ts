import { countChanges, type DoneTarget, type RunCounts } from './naive-counts.js';

/**
 * Naive model of the graph that runs should make, computed row by row in memory. Every node and edge has the set of jobs that yield it, its
 * owners. The model is independent of how the service stores owners, and of the work that the service skips.
 */
export type Cell = string | null;
export type Row = Record<string, Cell>;
export type Tables = Record<string, Row[]>;

interface TargetSpec {
  table: string;
  where: number | null;
  deletes: 'snapshot' | 'none' | 'column';
  /** The property of each column. The columns `v` and `p` must contain whole numbers. */
  columns: Record<string, string>;
}
export interface NodeSpec extends TargetSpec {
  label: string;
  key: 'id' | 'alt';
  write: 'merge' | 'replace';
  isIncremental: boolean;
}
export interface EdgeSpec extends TargetSpec {
  type: string;
  from: string;
  to: string;
  hasKey: boolean;
}
export interface JobSpec {
  onError: 'quarantine' | 'fail';
  nodes: NodeSpec[];
  edges: EdgeSpec[];
}

export interface Element {
  properties: Record<string, unknown>;
  owners: Set<number>;
}
interface JobState {
  applied: JobSpec | null;
  /** The properties that the job maps, for each element that it feeds. */
  feeds: Map<string, string[]>;
  cursors: Map<string, number>;
}
interface Read {
  /** The number of rows that the target reads, whether they are written or not. */
  rows: number;
  good: Map<string, Record<string, unknown>>;
  /** Keys of rows that are in the source but are not written. */
  kept: Set<string>;
  gone: Set<string>;
  rejected: number;
}

export class RunFails extends Error {}

const nodeElement = ({ label }: { label: string }): string => `(${label})`;
const edgeElement = ({ type, from, to }: { type: string; from: string; to: string }): string => `${from}-${type}->${to}`;
const isWhole = (text: string): boolean => /^-?\d{1,6}$/.test(text);

export class NaiveGraph {
  /** Nodes and edges by element, then by key. The key of an edge begins with those of its nodes. */
  elements = new Map<string, Map<string, Element>>();
  private jobs = new Map<number, JobState>();

  /**
   * Runs a job, or retires it if `spec` is null. Returns the counts that the run should report.
   * @throws RunFails; the graph is then unchanged
   */
  run(job: number, spec: JobSpec | null, tables: Tables, allowsDeletes: boolean): RunCounts {
    const before = structuredClone([this.elements, this.jobs] as const);
    try {
      const done = this.carryOut(job, spec ?? { onError: 'quarantine', nodes: [], edges: [] }, tables, allowsDeletes || spec === null);
      return countChanges(job, done, before[0], this.elements);
    } catch (error) {
      [this.elements, this.jobs] = before;
      throw error;
    }
  }

  /** Every node and edge with its properties. */
  shown(): Record<string, unknown> {
    const all = [...this.elements].flatMap(([name, elements]) =>
      [...elements].map(([key, { properties }]) => [`${name} ${key}`, properties]),
    );
    return Object.fromEntries(all.sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)));
  }

  private carryOut(job: number, spec: JobSpec, tables: Tables, allowsDeletes: boolean): DoneTarget[] {
    const state = this.jobs.get(job) ?? { applied: null, feeds: new Map<string, string[]>(), cursors: new Map<string, number>() };
    this.jobs.set(job, state);
    const mapped = new Set([...spec.nodes.map(nodeElement), ...spec.edges.map(edgeElement)]);
    const dropped = [...state.feeds.keys()]
      .filter(name => !mapped.has(name))
      .sort((a, b) => Number(a.startsWith('(')) - Number(b.startsWith('(')));
    const nodeRows = spec.nodes.map(node => this.readNodes(state, node, tables));
    const edgeRows = spec.edges.map(edge => this.readEdges(edge, tables));
    if (spec.onError === 'fail' && [...nodeRows, ...edgeRows].some(read => read.rejected > 0)) throw new RunFails('rows_rejected');
    for (const name of dropped) {
      for (const [key, element] of this.of(name)) if (element.owners.has(job)) this.release(job, name, key);
      state.feeds.delete(name);
    }
    const exceeded: string[] = [];
    const write = (name: string, target: NodeSpec | EdgeSpec, read: Read, replaces: boolean): void => {
      const old = state.feeds.get(name) ?? [];
      const now = Object.values(target.columns);
      const lost = (element: Element): string[] =>
        this.ownOnly(
          job,
          name,
          element,
          old.filter(property => !now.includes(property)),
        );
      const elements = this.of(name);
      const had = [...elements].filter(([, element]) => element.owners.has(job)).map(([key]) => key);
      for (const [key, properties] of read.good) {
        const element = elements.get(key) ?? { properties: {}, owners: new Set<number>() };
        elements.set(key, element);
        element.owners.add(job);
        element.properties = replaces ? properties : { ...omit(element.properties, [...now, ...lost(element)]), ...properties };
      }
      for (const element of elements.values()) if (element.owners.has(job)) element.properties = omit(element.properties, lost(element));
      const isRebuilt =
        state.applied !== null && this.reads(state.applied, name) !== null && this.reads(state.applied, name) !== this.reads(spec, name);
      const leaving = isRebuilt || target.deletes === 'snapshot' ? had.filter(key => !read.good.has(key) && !read.kept.has(key))
        : target.deletes === 'column' ? had.filter(key => read.gone.has(key) && !read.good.has(key)) : []; // prettier-ignore
      const isGuarded = isRebuilt || target.deletes === 'snapshot';
      const going = leaving.filter(key => elements.get(key)!.owners.size === 1);
      if (isGuarded && going.length * 2 > had.length) exceeded.push(name);
      if (!exceeded.includes(name) || allowsDeletes) for (const key of leaving) this.release(job, name, key);
      state.feeds.set(name, now);
    };
    spec.nodes.forEach((node, index) => write(nodeElement(node), node, nodeRows[index]!, node.write === 'replace'));
    spec.edges.forEach((edge, index) => {
      const read = edgeRows[index]!;
      const rows = read.good.size;
      const hasEnds = (key: string): boolean => {
        const [from, to] = JSON.parse(key) as [string, string];
        return this.of(`(${edge.from})`).has(from) && this.of(`(${edge.to})`).has(to);
      };
      for (const key of [...read.good.keys()]) if (!hasEnds(key)) read.good.delete(key);
      if (rows > 0 && read.good.size === 0) throw new RunFails('all_edges_unmatched');
      if (rows > read.good.size && spec.onError === 'fail') throw new RunFails('rows_rejected');
      write(edgeElement(edge), edge, read, false);
    });
    if (exceeded.length > 0 && !allowsDeletes) throw new RunFails('too_many_deletes');
    state.applied = spec;
    const done = (element: string, read: Read): DoneTarget => ({
      element,
      isMapped: true,
      rows: read.rows,
      good: new Set(read.good.keys()),
    });
    return [
      ...spec.nodes.map((node, index) => done(nodeElement(node), nodeRows[index]!)),
      ...spec.edges.map((edge, index) => done(edgeElement(edge), edgeRows[index]!)),
      ...dropped.map(element => ({ element, isMapped: false, rows: 0, good: new Set<string>() })),
    ];
  }

  private of(name: string): Map<string, Element> {
    const elements = this.elements.get(name) ?? new Map<string, Element>();
    this.elements.set(name, elements);
    return elements;
  }

  /** Removes a job from the owners of a node or edge. Without an owner it is deleted; a node is deleted with its edges. */
  private release(job: number, name: string, key: string): void {
    const element = this.of(name).get(key)!;
    const own = this.ownOnly(job, name, element, this.jobs.get(job)!.feeds.get(name) ?? []);
    element.owners.delete(job);
    if (element.owners.size > 0) element.properties = omit(element.properties, own);
    else {
      this.of(name).delete(key);
      if (name.startsWith('(')) this.removeEdges(name.slice(1, -1), key);
    }
  }

  private removeEdges(label: string, node: string): void {
    for (const [name, edges] of this.elements) {
      const [, from, to] = /^(\w+)-\w+->(\w+)$/.exec(name) ?? [];
      for (const key of [...edges.keys()]) {
        if (from === undefined) continue;
        const [source, target] = JSON.parse(key) as [string, string];
        if ((from === label && source === node) || (to === label && target === node)) edges.delete(key);
      }
    }
  }

  /** Those of the properties that no other owner of the node or edge maps. */
  private ownOnly(job: number, name: string, { owners }: Element, properties: string[]): string[] {
    const others = [...owners].filter(owner => owner !== job).flatMap(owner => this.jobs.get(owner)!.feeds.get(name) ?? []);
    return properties.filter(property => !others.includes(property));
  }

  /** The parts of a target that decide which rows it reads and by which key, as JSON. Null for a target that is not mapped. */
  private reads({ nodes, edges }: JobSpec, name: string): string | null {
    const node = nodes.find(each => nodeElement(each) === name);
    if (node) return JSON.stringify([node.table, node.where, node.key, node.isIncremental]);
    const edge = edges.find(each => edgeElement(each) === name);
    const end = (label: string): unknown => nodes.find(each => each.label === label)?.key ?? null;
    return edge ? JSON.stringify([edge.table, edge.where, edge.hasKey, end(edge.from), end(edge.to)]) : null;
  }

  private readNodes(state: JobState, node: NodeSpec, tables: Tables): Read {
    const name = nodeElement(node);
    const old = state.applied?.nodes.find(each => each.label === node.label);
    const cursor = node.isIncremental && JSON.stringify(old) === JSON.stringify(node) ? state.cursors.get(name) : undefined;
    const rows = tables[node.table]!.filter(
      row => isWanted(row, node) && (cursor === undefined || row['c'] === null || Number(row['c']) >= cursor),
    );
    const seen = rows.flatMap(row => (row['c'] === null ? [] : [Number(row['c'])]));
    state.cursors.delete(name);
    if (node.isIncremental && (seen.length > 0 || cursor !== undefined))
      state.cursors.set(name, seen.length > 0 ? Math.max(...seen) : cursor!);
    return { ...readRows(rows, node, row => row[node.key] ?? null), rows: rows.length };
  }

  private readEdges(edge: EdgeSpec, tables: Tables): Read {
    const rows = tables[edge.table]!.filter(row => isWanted(row, edge));
    const hasEnds = (row: Row): boolean => row['a'] !== null && row['b'] !== null;
    const isUnkeyed = (row: Row): boolean => edge.hasKey && row['k'] === null;
    // A row with an empty end does not make an edge, but it is still rejected for an empty key or an unreadable value.
    const checked = rows.filter(row => hasEnds(row) || isUnkeyed(row) || !isReadable(row, edge));
    const keyOf = (row: Row): string | null => (isUnkeyed(row) ? null : JSON.stringify([row['a'], row['b'], edge.hasKey ? row['k'] : '']));
    return { ...readRows(checked, edge, keyOf), rows: rows.length };
  }
}

function isWanted(row: Row, { where }: TargetSpec): boolean {
  return where === null || (row['c'] !== null && Number(row['c']) < where);
}

function isReadable(row: Row, { columns }: TargetSpec): boolean {
  return ['v', 'p'].every(column => !(column in columns) || row[column] == null || isWhole(row[column]));
}

function readRows(rows: Row[], target: TargetSpec, keyOf: (row: Row) => string | null): Omit<Read, 'rows'> {
  const read: Omit<Read, 'rows'> = { good: new Map(), kept: new Set(), gone: new Set(), rejected: 0 };
  for (const row of rows) {
    const key = keyOf(row);
    if (target.deletes === 'column' && row['gone'] === 'y') {
      if (key !== null) read.gone.add(key);
    } else if (key === null || !isReadable(row, target)) {
      read.rejected++;
      if (key !== null) read.kept.add(key);
    } else if (!read.good.has(key)) read.good.set(key, propertiesOf(row, target));
  }
  return read;
}

function propertiesOf(row: Row, { columns }: TargetSpec): Record<string, unknown> {
  const entries = Object.entries(columns).filter(([column]) => row[column] != null);
  return Object.fromEntries(
    entries.map(([column, property]) => [property, column === 'v' || column === 'p' ? Number(row[column]) : row[column]]),
  );
}

function omit(properties: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)));
}
