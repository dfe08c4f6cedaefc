import { parseExactJson } from '../../common/json/parse-exact-json.js';
import { type CompiledQuery } from './compile-plan.js';

/** The match behind a row: ids as they are in nodes.id and edges.id. */
export interface RowEvidence {
  nodes: (number | string)[];
  edges: { id: number | string; sourceId: number | string; targetId: number | string; type: string }[];
}

export interface DecodedRows {
  rows: unknown[][];
  /** One for each row; empty where rows stand for many matches (`evidence: 'none'`). */
  evidence: RowEvidence[];
}

/**
 * Reads the text cells of a CompiledQuery (`rowMode: 'array'`). Numbers beyond ±(2^53 − 1) come out
 * as strings, so that no digit is lost; all others are numbers.
 */
export function decodeRows(compiled: CompiledQuery, cells: readonly (readonly (string | null)[])[]): DecodedRows {
  const width = compiled.columns.length;
  const rows = cells.map(row => row.slice(0, width).map(cell => (cell === null ? null : parseExactJson(cell))));
  if (compiled.evidence === 'none') return { rows, evidence: [] };
  return { rows, evidence: cells.map(row => toEvidence(parseExactJson(row[width] ?? '{"nodes":[],"edges":[]}'))) };
}

function toEvidence(value: unknown): RowEvidence {
  const { nodes, edges } = value as { nodes: (number | string)[]; edges: [number | string, number | string, number | string, string][] };
  return { nodes, edges: edges.map(([id, sourceId, targetId, type]) => ({ id, sourceId, targetId, type })) };
}
