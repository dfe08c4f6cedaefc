import { type Citation } from '../protocol.js';
import { type GraphElements } from './graph-schema.js';
import { type GraphReader } from './retrieval-database.js';

const MOST_CITATIONS = 200;

/** An element of the answer as the citation needs it. */
export interface CitedElement {
  kind: 'node' | 'edge';
  /** Label or type. */
  name: string;
  key: string;
  runId: number;
}

interface Run {
  id: number;
  job_id: number;
  loaded_at: string | null;
}

/** The warehouse rows behind nodes and edges, each once, in their order; at most 200, and whether there were more. */
export async function readCitations(
  reader: GraphReader,
  schema: GraphElements,
  cited: CitedElement[],
): Promise<{ citations: Citation[]; more: boolean }> {
  const distinct = [...new Map(cited.map(element => [JSON.stringify([element.kind, element.name, element.key]), element])).values()];
  if (distinct.length === 0) return { citations: [], more: false };
  const shown = distinct.slice(0, MOST_CITATIONS);
  const runIds = [...new Set(shown.map(element => element.runId))];
  const runs = await reader.query<Run>(
    `SELECT id, job_id, coalesce(finished_at, started_at, created_at) AS loaded_at FROM ingestion_runs WHERE id = ANY ($1)`,
    [runIds],
  );
  const runOf = new Map(runs.map(run => [run.id, run]));
  const citations = shown.flatMap(element => {
    const run = runOf.get(element.runId);
    const ofElement = schema.sources.filter(source => source.kind === element.kind && source.name === element.name);
    const source = ofElement.find(candidate => candidate.jobId === run?.job_id) ?? ofElement[0];
    if (!source) return [];
    const key = keyOfRow(source.keyColumns, element.key);
    const { connection, connectionId, table, jobId } = source;
    return [
      {
        connection,
        connection_id: connectionId,
        table,
        key,
        label: element.name,
        job_id: run?.job_id ?? jobId,
        loaded_at: run?.loaded_at ?? null,
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
