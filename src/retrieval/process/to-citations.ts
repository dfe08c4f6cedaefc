import { type Citation } from '../protocol.js';
import { type GraphElements } from './graph-schema.js';

const MOST_CITATIONS = 200;

/** An element of the answer as the citation needs it. */
export interface CitedElement {
  kind: 'node' | 'edge';
  /** Label or type. */
  name: string;
  key: string;
  jobId: number | null;
  loadedAt: string | null;
}

/** The warehouse rows behind nodes and edges, each once, in their order; at most 200, and whether there were more. */
export function toCitations(schema: GraphElements, cited: CitedElement[]): { citations: Citation[]; more: boolean } {
  const distinct = [...new Map(cited.map(element => [JSON.stringify([element.kind, element.name, element.key]), element])).values()];
  const citations = distinct.slice(0, MOST_CITATIONS).flatMap(({ kind, name, key, jobId, loadedAt }) => {
    const ofElement = schema.sources.filter(source => source.kind === kind && source.name === name);
    const source = ofElement.find(candidate => candidate.jobId === jobId) ?? ofElement[0];
    if (!source) return [];
    const { connection, connectionId, table } = source;
    return [
      {
        connection,
        connection_id: connectionId,
        table,
        key: keyOfRow(source.keyColumns, key),
        label: name,
        job_id: source.jobId,
        loaded_at: loadedAt,
      },
    ];
  });
  return { citations, more: distinct.length > MOST_CITATIONS };
}

/** A key of several columns is the JSON array of their texts. */
export function keyOfRow(columns: string[], key: string): Record<string, string> {
  const values = columns.length > 1 ? (JSON.parse(key) as string[]) : [key];
  return Object.fromEntries(columns.map((column, i) => [column, values[i] ?? '']));
}
