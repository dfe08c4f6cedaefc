import { checkDetail } from '../../../common/json/check-detail.js';
import { parseExactJson } from '../../../common/json/parse-exact-json.js';
import { Pace } from '../../../common/turns/pace.js';
import { type CompiledQuery } from './compile-plan.js';

/** The match behind a row. Its ids are those in nodes.id and edges.id. */
export interface RowEvidence {
  nodes: (number | string)[];
  edges: { id: number | string; sourceId: number | string; targetId: number | string; type: string }[];
}

export interface DecodedRows {
  rows: unknown[][];
  /** One for each row; empty if rows stand for many matches (`evidence: 'none'`). */
  evidence: RowEvidence[];
}

/**
 * Reads the text cells of a CompiledQuery (`rowMode: 'array'`). Numbers beyond ±(2^53 − 1) become strings, so that no digit is
 * lost; all others become numbers. Yields the event loop on the way.
 * @throws ValueTooDetailedError
 */
export async function decodeRows(
  compiled: CompiledQuery,
  cells: readonly (readonly (string | null)[])[],
  pace = new Pace(),
): Promise<DecodedRows> {
  const width = compiled.columns.length;
  const rows: unknown[][] = [];
  const evidence: RowEvidence[] = [];
  for (const row of cells) {
    const values: unknown[] = [];
    for (const cell of row.slice(0, width)) {
      if (pace.isOverdue) await pace.turn();
      values.push(cell === null ? null : parseCell(cell));
    }
    rows.push(values);
    if (compiled.evidence === 'rows') evidence.push(toEvidence(parseCell(row[width] ?? '{"nodes":[],"edges":[]}')));
  }
  return { rows, evidence };
}

function parseCell(text: string): unknown {
  checkDetail(text);
  return parseExactJson(text);
}

function toEvidence(value: unknown): RowEvidence {
  const { nodes, edges } = value as { nodes: (number | string)[]; edges: [number | string, number | string, number | string, string][] };
  return { nodes, edges: edges.map(([id, sourceId, targetId, type]) => ({ id, sourceId, targetId, type })) };
}
