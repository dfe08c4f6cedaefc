/**
 * Thrown for a query for which SQL would not return exactly the results of the in-memory executor. A caller never sees this error: the
 * query then runs in memory.
 */
export class NotInSqlError extends Error {
  /** @param what the part of the query that SQL cannot run, for developers in a debugger */
  constructor(what: string) {
    super(`SQL cannot run ${what} exactly`);
  }
}
