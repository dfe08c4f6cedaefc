import { type Behind } from '../../cypher/executors/memory/behind.js';
import { elementsIn } from '../../cypher/values/elements-in.js';
import { type CypherValue, type EdgeValue, type NodeValue } from '../../cypher/values/cypher-value.js';

/** An edge with the columns by which the table of edges is indexed, because `edges.id` alone has no index. */
export interface EdgeRef {
  id: number;
  sourceId: number;
  targetId: number;
  type: string;
}

/** The nodes and edges that an answer shows or rests on, each once, in the order in which they were found. */
export class AnswerElements {
  readonly nodeIds = new Set<number>();
  readonly edges = new Map<number, EdgeRef>();

  get isEmpty(): boolean {
    return this.nodeIds.size === 0 && this.edges.size === 0;
  }

  addBehind({ nodes, edges }: Behind): void {
    for (const node of nodes.values()) this.add(node);
    for (const edge of edges.values()) this.add(edge);
  }

  addValue(value: CypherValue): void {
    for (const element of elementsIn(value)) this.add(element);
  }

  addAll({ nodeIds, edges }: AnswerElements): void {
    for (const id of nodeIds) this.nodeIds.add(id);
    for (const edge of edges.values()) this.edges.set(edge.id, edge);
  }

  private add(element: NodeValue | EdgeValue): void {
    if (element.kind === 'node') this.nodeIds.add(element.id);
    else {
      const { id, source, target, type } = element;
      this.edges.set(id, { id, sourceId: source, targetId: target, type });
    }
  }
}
