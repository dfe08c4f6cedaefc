/** An error that ClickHouse reports. Its text may quote data and stays inside. https://clickhouse.com/codebrowser/ErrorCodes */
export class ServerError extends Error {
  constructor(
    readonly serverCode: number,
    message: string,
  ) {
    super(message);
  }
}

/** The server that answers is not ClickHouse. */
export class NoClickHouseError extends Error {}

/** The error in a text that ClickHouse sent, which may stand behind rows. Null if there is none. */
export function serverErrorIn(text: string): ServerError | null {
  const found = [...text.matchAll(/Code: (\d+)\. DB::Exception: /g)].at(-1);
  return found ? new ServerError(Number(found[1]), text.slice(found.index)) : null;
}
