/**
 * SQL cannot run a query with exactly the results that the query has in memory. A caller never sees this error: the query then runs in
 * memory.
 */
export class NotInSqlError extends Error {
  /** @param what the part of the query that SQL cannot run, for developers in a debugger */
  constructor(what: string) {
    super(`SQL cannot run ${what} exactly`);
  }
}
