/** An error that ClickHouse reports. Its text may quote data, so users never see it. https://clickhouse.com/codebrowser/ErrorCodes */
export class ServerError extends Error {
  constructor(
    readonly serverCode: number,
    message: string,
  ) {
    super(message);
  }
}

/** The server that answers a connection is not ClickHouse. */
export class NoClickHouseError extends Error {}

/** Finds the last error message in a text from ClickHouse, which may begin with rows. Null if the text has no error. */
export function serverErrorIn(text: string): ServerError | null {
  const found = [...text.matchAll(/Code: (\d+)\. DB::Exception: /g)].at(-1);
  return found ? new ServerError(Number(found[1]), text.slice(found.index)) : null;
}
