/** Why a run failed, for its record: a stable code, a sentence in both languages, facts. */
export class RunFailure extends Error {
  constructor(
    readonly code: string,
    readonly text: { zh: string; en: string },
    readonly context: Record<string, unknown> = {},
  ) {
    super(text.en);
  }
}

/** Another worker has taken the run over: this one must leave no trace of its attempt. */
export class LeaseLostError extends Error {}

/** Someone asked for the run to stop. */
export class RunCancelledError extends Error {}
