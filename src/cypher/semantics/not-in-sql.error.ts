/** SQL cannot run a query with exactly the results that it has in memory. Never shown to a caller: memory runs the query then. */
export class NotInSqlError extends Error {
  /** @param what for whoever reads a plan in a debugger */
  constructor(what: string) {
    super(`SQL cannot run ${what} exactly`);
  }
}
