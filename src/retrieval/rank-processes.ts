import { createHash } from 'node:crypto';

/**
 * Orders processes for a graph by rendezvous hashing (highest random weight, Thaler and Ravishankar 1998, doi.org/10.1109/90.663936): each
 * process has a weight of its own for each graph, and the process with the largest weight comes first. When a process is missing, only its
 * graphs go elsewhere, each to the second process in the graph's order. The order of `processes` does not matter.
 */
export function rankProcesses<T extends { name: string }>(graphId: number, processes: readonly T[]): T[] {
  if (processes.length === 1) return [...processes];
  const weighed = processes.map(process => ({ process, weight: weightOf(process.name, graphId) }));
  return weighed.sort((a, b) => Buffer.compare(b.weight, a.weight)).map(({ process }) => process);
}

function weightOf(name: string, graphId: number): Buffer {
  return createHash('sha256').update(`${name}\n${graphId}`).digest();
}
