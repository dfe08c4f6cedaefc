import { spend } from '../../syntax/effort.js';
import { bytesOfElements, bytesOfTable } from '../../values/value-size.js';
import { type CypherValue, type EdgeValue, isList, isMap, type NodeValue } from '../../values/cypher-value.js';

/** Maximum nodes and edges that are kept as evidence of one row. */
export const mostElements = 100;
/** Maximum items of a list or path that are read for evidence: the items to keep, and one more, which shows that the list goes on. */
export const mostLooked = mostElements + 1;

/** Evidence of a row: the nodes and edges of its matches. `isCut` is set if there are more of them than are kept. */
export interface Behind {
  nodes: ReadonlyMap<number, NodeValue>;
  edges: ReadonlyMap<number, EdgeValue>;
  isCut: boolean;
}

const bytesOfBuilder = 48;
const none: ReadonlyMap<number, never> = new Map<number, never>();

/** Approximate bytes of memory that the evidence keeps from being freed. */
export function bytesOfBehind({ nodes, edges }: Behind): number {
  const tables = [nodes, edges].reduce((bytes, { size }) => bytes + (size === 0 ? 0 : bytesOfTable(size)), 0);
  return bytesOfBuilder + tables + bytesOfElements(nodes.size + edges.size);
}

/** Collects the elements behind one row or one group. */
export class BehindBuilder implements Behind {
  isCut = false;
  private ownNodes: Map<number, NodeValue> | null = null;
  private ownEdges: Map<number, EdgeValue> | null = null;

  get nodes(): ReadonlyMap<number, NodeValue> {
    return this.ownNodes ?? none;
  }

  get edges(): ReadonlyMap<number, EdgeValue> {
    return this.ownEdges ?? none;
  }

  /** Adds the evidence of a row: the nodes and edges in the values of the row, and the evidence from earlier clauses. */
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
    else (this.ownNodes ??= new Map<number, NodeValue>()).set(node.id, node);
  }

  private addEdge(edge: EdgeValue): void {
    if (this.edges.has(edge.id)) return;
    if (this.isFull) this.isCut = true;
    else (this.ownEdges ??= new Map<number, EdgeValue>()).set(edge.id, edge);
  }
}
