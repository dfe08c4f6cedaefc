/** What the first column of an answer shows: the displays of nodes, else the values. */
export function displays(rows: readonly unknown[][]): unknown[] {
  return rows.map(([first]) => (first as { display?: string } | null)?.display ?? first);
}
