/** A scenario whose answer differs on purpose: the start of its name, and the reason. */
export interface Difference {
  scenario: string;
  reason: string;
}

/** Known differences of queries that run in memory. */
export const memoryDifferences: Difference[] = [
  ...differ('a query has at most 10,000 characters', ['Literals6 [8] Return a single-quoted string with 10000 characters']),
];

function differ(reason: string, scenarios: string[]): Difference[] {
  return scenarios.map(scenario => ({ scenario, reason }));
}
