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

const NUMBER_OR_STRING = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Reads the text cells of a CompiledQuery (`rowMode: 'array'`). Whole numbers and decimals beyond ±(2^53 − 1) come out as strings, so
 * that no digit is lost; all other numbers are numbers.
 */
export function decodeRows(compiled: CompiledQuery, cells: readonly (readonly (string | null)[])[]): DecodedRows {
  const width = compiled.columns.length;
  const rows = cells.map(row => row.slice(0, width).map(cell => (cell === null ? null : parseExactJson(cell))));
  if (compiled.evidence === 'none') return { rows, evidence: [] };
  return { rows, evidence: cells.map(row => toEvidence(parseExactJson(row[width] ?? '{"nodes":[],"edges":[]}'))) };
}

/** JSON.parse, with numbers that leave the safe range as strings. */
export function parseExactJson(text: string): unknown {
  if (!/\d{16}|[eE][+-]?\d/.test(text)) return JSON.parse(text);
  const exact = text.replace(NUMBER_OR_STRING, token =>
    token.startsWith('"') || Math.abs(Number(token)) <= Number.MAX_SAFE_INTEGER ? token : `"${token}"`,
  );
  return JSON.parse(exact);
}

function toEvidence(value: unknown): RowEvidence {
  const { nodes, edges } = value as { nodes: (number | string)[]; edges: [number | string, number | string, number | string, string][] };
  return { nodes, edges: edges.map(([id, sourceId, targetId, type]) => ({ id, sourceId, targetId, type })) };
}
