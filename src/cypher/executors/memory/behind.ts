import { spend } from '../../syntax/effort.js';
import { type CypherValue, type EdgeValue, isList, isMap, type NodeValue } from '../../values/cypher-value.js';

/** The most nodes and edges that are kept for a row. */
export const mostElements = 100;
/** So much of a list or path tells what is kept of it, and that there is more. */
export const mostLooked = mostElements + 1;

/** The nodes and edges of the matches that a row rests on. `isCut` is set when there are more. */
export interface Behind {
  nodes: ReadonlyMap<number, NodeValue>;
  edges: ReadonlyMap<number, EdgeValue>;
  isCut: boolean;
}

/** About the bytes that it keeps from being freed. */
export function bytesOfBehind({ nodes, edges }: Behind): number {
  return 300 + 200 * (nodes.size + edges.size);
}

/** Collects the elements behind one row or one group. */
export class BehindBuilder implements Behind {
  readonly nodes = new Map<number, NodeValue>();
  readonly edges = new Map<number, EdgeValue>();
  isCut = false;

  /** Adds what a row rests on: its own matches, and those behind the clauses before. */
  addRow(row: readonly CypherValue[] & { behind?: Behind }): this {
    if (row.behind) this.add(row.behind);
    for (const value of row) this.addValue(value);
    return this;
  }

  add({ nodes, edges, isCut }: Behind): void {
    for (const node of nodes.values()) this.addNode(node);
    for (const edge of edges.values()) this.addEdge(edge);
    this.isCut ||= isCut;
  }

  get count(): number {
    return this.nodes.size + this.edges.size;
  }

  get isFull(): boolean {
    return this.count >= mostElements;
  }

  private addValue(value: CypherValue): void {
    spend(1);
    if (typeof value !== 'object' || value === null) return;
    if (isList(value)) return this.addFirst(value, item => this.addValue(item));
    if (isMap(value)) {
      for (const item of value.values()) this.addValue(item);
      return;
    }
    if (!('kind' in value)) return;
    if (value.kind === 'node') this.addNode(value);
    else if (value.kind === 'edge') this.addEdge(value);
    else if (value.kind === 'path') {
      this.addFirst(value.nodes, node => this.addNode(node));
      this.addFirst(value.edges, edge => this.addEdge(edge));
    }
  }

  private addFirst<T>(values: readonly T[], add: (value: T) => void): void {
    values.slice(0, mostElements).forEach(add);
    this.isCut ||= values.length > mostElements;
  }

  private addNode(node: NodeValue): void {
    if (this.nodes.has(node.id)) return;
    if (this.isFull) this.isCut = true;
    else this.nodes.set(node.id, node);
  }

  private addEdge(edge: EdgeValue): void {
    if (this.edges.has(edge.id)) return;
    if (this.isFull) this.isCut = true;
    else this.edges.set(edge.id, edge);
  }
}
