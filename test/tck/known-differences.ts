/** Scenarios whose answer differs on purpose: the start of their name, with the reason. */
export interface Difference {
  scenario: string;
  reason: string;
}

/** Of queries that run in memory. */
export const memoryDifferences: Difference[] = [
  ...differ('a query has at most 10,000 characters', ['Literals6 [8] Return a single-quoted string with 10000 characters']),
];

/** Of queries that run in SQL. */
export const sqlDifferences: Difference[] = [
  ...differ('a grouping expression may be used again beside an aggregate, whatever its shape: it has one value in its group', [
    'Return6 [21] Fail if more complex expressions',
    'ReturnOrderBy6 [5] Fail if more complex expressions',
  ]),
  ...differ('division by zero is null, so that no value is NaN: one bad row must not fail or poison a report', [
    'Comparison1 [8] Equality and inequality of NaN #',
    'Comparison2 [5] Comparing NaN #',
  ]),
  ...differ('numbers beyond 2^53 leave as strings of their digits, floats too: arithmetic is decimal', [
    'Literals5 [5] Return a very long positive float',
    'Literals5 [11] Return a very long negative float',
    'Literals5 [25] Return a positive float with one integer digit and maximum positive exponent',
    'Literals5 [26] Return a positive float with nine integer digit and maximum positive exponent',
  ]),
  ...differ('a query has at most 10,000 characters', ['Literals6 [8] Return a single-quoted string with 10000 characters']),
  ...differ('date() reads YYYY-MM-DD, the form properties have, and is null for other spellings', [
    'Temporal2 [1] Should parse date from string #',
  ]),
];

function differ(reason: string, scenarios: string[]): Difference[] {
  return scenarios.map(scenario => ({ scenario, reason }));
}
