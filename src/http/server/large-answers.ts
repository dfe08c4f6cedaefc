import { type Request, type Response } from 'express';
import { BusyError } from '../../common/errors/api-error.js';
import { CallerGoneError } from '../call-signal.decorator.js';
import { CallerBytes } from '../caller-bytes.js';
import { writeSlowly } from './write-slowly.js';

/** The most bytes that one caller may leave unread: four answers of the default largest size. */
const mostUnreadBytes = 64 * 1_048_576;

/** A reader may use the whole patience (`patienceMs`) for each part of this many bytes. */
const bytesAtOnce = 65_536;
/**
 * The rest of an answer, after the socket has taken its part, counts as unread from this many bytes on. A smaller rest is not counted. Its
 * connection is only cut when the reader is late.
 */
const leastCountedBytes = 16_384;

/** An answer that its handler has already written as bytes. */
export class AnswerInPieces {
  constructor(
    readonly contentType: string,
    readonly pieces: Buffer[],
  ) {}
}

/**
 * Sends pieces of an answer and resolves when the reader has taken them.
 * @throws CallerGoneError when the reader goes or stalls; AnswersUnreadError
 */
export type WriteAnswer = (pieces: Buffer[]) => Promise<void>;

/**
 * An answer that is made while its reader takes it. Until its first piece is sent, it can still become an error answer. If no piece is
 * sent, it becomes a 204.
 */
export class StreamedAnswer {
  /** @param make writes the answer; its signal `gone` aborts when the reader has gone */
  constructor(
    readonly headers: Record<string, string>,
    readonly make: (write: WriteAnswer, gone: AbortSignal) => Promise<void>,
  ) {}
}

/** 503: the caller has not yet read earlier answers, which take up memory until they are read. */
export class AnswersUnreadError extends BusyError {
  constructor(retryAfterS: number) {
    super(
      'answers_unread',
      {
        zh: '您先前的结果还有太多未读取；请先读完它们，或断开其连接，再重试',
        en: 'Too much of your former answers is still unread; read them or close their connections, then try again',
      },
      retryAfterS,
    );
  }
}

/**
 * Sends large answers, and answers that are made while they are sent, as fast as their readers take them. Unread bytes take up memory, so
 * they are bounded for each caller. The connection of a stalled reader is cut.
 */
export class LargeAnswers {
  private readonly unread = new CallerBytes();

  /** @param callerOf returns the name of the caller who sent a request */
  constructor(
    private readonly patienceMs: number,
    private readonly callerOf: (request: Request) => string,
  ) {}

  /** The bytes that a caller has not read yet. */
  unreadOf(caller: string): number {
    return this.unread.of(caller);
  }

  /**
   * Sends an answer.
   * @throws CallerGoneError when the reader goes or stalls; AnswersUnreadError; the error of a streamed answer's `make`, unless the reader
   * has gone
   */
  async send(response: Response, answer: AnswerInPieces | StreamedAnswer): Promise<void> {
    // The drain of a stopping service may already have answered.
    if (response.headersSent || response.destroyed) return;
    const gone = new AbortController();
    response.once('close', () => gone.abort(new CallerGoneError()));
    if (answer instanceof StreamedAnswer) await this.stream(response, answer, gone);
    else {
      const setHeaders = () => response.type(answer.contentType).setHeader('Content-Length', bytesOf(answer.pieces));
      await this.write(response, answer.pieces, gone.signal, setHeaders);
    }
    response.end();
  }

  /**
   * Counts the unread bytes of an answer that was written at once, until its reader has taken it. Cuts the connection if the caller has too
   * much unread already, or if the reader is late.
   */
  watch(response: Response): void {
    const bytes = response.writableLength;
    if (bytes === 0) return;
    const late = setTimeout(() => response.destroy(), this.patienceMs * Math.ceil(bytes / bytesAtOnce));
    response.once('close', () => clearTimeout(late));
    if (bytes < leastCountedBytes) return;
    const caller = this.callerOf(response.req);
    if (this.unreadOf(caller) > 0 && this.unreadOf(caller) + bytes > mostUnreadBytes) response.destroy();
    else {
      this.unread.add(caller, bytes);
      response.once('close', () => this.unread.add(caller, -bytes));
    }
  }

  private async stream(response: Response, { headers, make }: StreamedAnswer, gone: AbortController): Promise<void> {
    let begun = false;
    const begin = (): void => {
      begun = true;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      // A HEAD request gets no body, so its answer does not wait for a reader.
      if (response.req.method === 'HEAD') gone.abort(new CallerGoneError());
    };
    try {
      await make(pieces => this.write(response, pieces, gone.signal, begun ? () => undefined : begin), gone.signal);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    }
    if (!begun && !gone.signal.aborted) response.status(204);
  }

  /** @param begin sets the headers; called once it is certain that the answer is not refused */
  private async write(response: Response, pieces: Buffer[], signal: AbortSignal, begin: () => void): Promise<void> {
    const caller = this.callerOf(response.req);
    let left = bytesOf(pieces);
    if (this.unreadOf(caller) > 0 && this.unreadOf(caller) + left > mostUnreadBytes)
      throw new AnswersUnreadError(Math.ceil(this.patienceMs / 1000));
    begin();
    this.unread.add(caller, left);
    try {
      for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
        for (let at = 0; at < piece.length; at += bytesAtOnce) {
          const part = piece.subarray(at, at + bytesAtOnce);
          await writeSlowly(response, part, { patienceMs: this.patienceMs, signal, stalled: () => new CallerGoneError() });
          this.unread.add(caller, -part.length);
          left -= part.length;
        }
      }
    } finally {
      this.unread.add(caller, -left);
    }
  }
}

function bytesOf(pieces: Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
