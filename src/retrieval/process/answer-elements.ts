import { type Pace } from '../../common/turns/pace.js';
import { type RowEvidence } from '../../cypher/executors/sql/decode-rows.js';

/** An edge by the columns of its index. `edges.id` alone has no index. */
export interface EdgeRef {
  id: number;
  sourceId: number;
  targetId: number;
  type: string;
}

/** The nodes and edges that an answer shows or rests on, each once, in the order they were found. */
export class AnswerElements {
  readonly nodeIds = new Set<number>();
  readonly edges = new Map<number, EdgeRef>();

  get isEmpty(): boolean {
    return this.nodeIds.size === 0 && this.edges.size === 0;
  }

  addEvidence(evidence: RowEvidence[]): void {
    for (const { nodes, edges } of evidence) {
      for (const id of nodes) this.nodeIds.add(Number(id));
      for (const { id, sourceId, targetId, type } of edges) {
        this.edges.set(Number(id), { id: Number(id), sourceId: Number(sourceId), targetId: Number(targetId), type });
      }
    }
  }

  addValue(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) this.addValue(item);
      return;
    }
    const element = value as Record<string, unknown>;
    const [id, sourceId, targetId] = [Number(element.id), Number(element.source_id), Number(element.target_id)];
    // A map made by the query may look like an element. Its ids must not make a statement fail.
    if (element._kind === 'node' && Number.isSafeInteger(id)) this.nodeIds.add(id);
    else if (element._kind === 'edge' && [id, sourceId, targetId].every(Number.isSafeInteger))
      this.edges.set(id, { id, sourceId, targetId, type: String(element.type) });
    else for (const inner of Object.values(element)) this.addValue(inner);
  }
}

/** Collects the elements of `rows` and of their evidence. */
export async function collectElements(rows: unknown[][], evidence: RowEvidence[], pace: Pace): Promise<AnswerElements> {
  const elements = new AnswerElements();
  for (const row of rows) {
    if (pace.isOverdue) await pace.turn();
    elements.addValue(row);
  }
  elements.addEvidence(evidence.slice(0, rows.length));
  return elements;
}

/** Prepares values to be sent: removes the mark that tells elements from maps inside the process. */
export function withoutKinds(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutKinds);
  const { _kind: kind, ...rest } = value as Record<string, unknown>;
  // The properties of an element are values of JSON, never elements.
  return kind === undefined ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutKinds(inner)])) : rest;
}
