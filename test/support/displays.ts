/** The first column of an answer: the displays of nodes, and other values as they are. */
export function displays(rows: readonly unknown[][]): unknown[] {
  return rows.map(([first]) => (first as { display?: string } | null)?.display ?? first);
}
