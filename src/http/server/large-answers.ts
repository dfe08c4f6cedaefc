import { type Request, type Response } from 'express';
import { BusyError } from '../../common/errors/api-error.js';
import { isLegacyPath, toErrorBody } from '../../common/errors/error-body.js';
import { writeSlowly } from './write-slowly.js';

/** What one caller may leave unread: four of the largest answers, as they are by default. */
const mostUnreadBytes = 64 * 1_048_576;

/** A reader has the whole patience for so much. */
const bytesAtOnce = 65_536;

/** An answer that a handler has written itself. */
export class AnswerInPieces {
  constructor(
    readonly contentType: string,
    readonly pieces: Buffer[],
  ) {}
}

/** 503: the caller has not read former answers yet, which take up memory until then. */
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

/** Sends large answers as fast as they are read. Until then they take up memory, so a caller has a bound, and a stalled reader is cut. */
export class LargeAnswers {
  private readonly unread = new Map<string, number>();

  /** @param callerOf names the one who sent a request */
  constructor(
    private readonly patienceMs: number,
    private readonly callerOf: (request: Request) => string,
  ) {}

  /** The bytes that a caller has not read yet. */
  unreadOf(caller: string): number {
    return this.unread.get(caller) ?? 0;
  }

  /** Sends the pieces, or a 503 if the caller has too much unread. Rejects when the reader is gone or stalls. */
  async send(response: Response, { contentType, pieces }: AnswerInPieces): Promise<void> {
    // The drain of a stopping service may have answered meanwhile.
    if (response.headersSent || response.destroyed) return;
    const caller = this.callerOf(response.req);
    let left = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (this.unreadOf(caller) > 0 && this.unreadOf(caller) + left > mostUnreadBytes) return this.refuse(response);
    response.type(contentType).setHeader('Content-Length', left);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    this.count(caller, left);
    try {
      for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
        for (let at = 0; at < piece.length; at += bytesAtOnce) {
          const part = piece.subarray(at, at + bytesAtOnce);
          await writeSlowly(response, part, {
            patienceMs: this.patienceMs,
            signal: gone.signal,
            stalled: () => new Error('Unread answer'),
          });
          this.count(caller, -part.length);
          left -= part.length;
        }
      }
      response.end();
    } finally {
      this.count(caller, -left);
    }
  }

  /** Cuts a small answer whose reader takes nothing of it. */
  watch(response: Response): void {
    const { socket } = response;
    if (!socket || response.writableLength === 0) return;
    response.setTimeout(this.patienceMs, () => response.destroy());
    // Node sets the timeout anew only for a socket on which no other request waits.
    response.once('finish', () => socket.timeout === this.patienceMs && socket.setTimeout(0));
  }

  private refuse(response: Response): void {
    const error = new AnswersUnreadError(Math.ceil(this.patienceMs / 1000));
    response
      .status(error.status)
      .set(error.headers)
      .json(toErrorBody(error, isLegacyPath(response.req.path)));
  }

  private count(caller: string, bytes: number): void {
    const unread = this.unreadOf(caller) + bytes;
    if (unread > 0) this.unread.set(caller, unread);
    else this.unread.delete(caller);
  }
}
