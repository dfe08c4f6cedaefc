import { type Bilingual, joined } from '../../text/bilingual.js';

/** A problem with one field of a request: its place, a sentence, a stable snake_case code, and further facts for machines. */
export interface FieldProblem {
  /** The place: `body`, `query`, `path` or `header`, then property names and array indexes. */
  loc: (string | number)[];
  text: Bilingual;
  type: string;
  /** The line and column in a text field, counted from 1; given for errors in a mapping. */
  line?: number;
  column?: number;
  [more: string]: unknown;
}

export interface ErrorOptions {
  /** Facts for machines, sent to the client. */
  context?: Record<string, unknown>;
  /** Extra response headers, such as Retry-After. */
  headers?: Record<string, string>;
  /** The original error; logged, never sent. */
  cause?: unknown;
}

/**
 * The base of every error that the service answers with. It carries its status, its stable code and its public sentence in both
 * languages; one filter turns it into a body. Facts that must stay inside the process go to `cause`.
 */
export class ApiError extends Error {
  readonly context?: Record<string, unknown>;
  readonly headers?: Record<string, string>;

  constructor(
    readonly status: number,
    readonly code: string,
    readonly text: Bilingual,
    options: ErrorOptions = {},
  ) {
    super(joined(text), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    if (options.context) this.context = options.context;
    if (options.headers) this.headers = options.headers;
  }

  /** Seconds after which a retry may help, from `Retry-After`; null if the error does not have the header. */
  get retryAfterS(): number | null {
    const seconds = Number(this.headers?.['Retry-After']);
    return seconds > 0 ? seconds : null;
  }

  /** The sentence for clients: Chinese first, then English. */
  get detail(): string {
    return this.message;
  }
}

/** 422 with a list: values that are present but break their schema. */
export class SchemaError extends ApiError {
  constructor(
    readonly problems: FieldProblem[],
    text: Bilingual = { zh: '请求内容不符合要求', en: 'The request breaks its schema' },
  ) {
    super(422, 'validation_failed', text);
  }
}

/** 503: another request uses a resource that this request needs. `Retry-After` gives the seconds to wait. */
export class BusyError extends ApiError {
  constructor(code: string, text: Bilingual, retryAfterS: number, cause?: unknown) {
    super(503, code, text, { headers: { 'Retry-After': String(retryAfterS) }, ...(cause === undefined ? {} : { cause }) });
  }
}
