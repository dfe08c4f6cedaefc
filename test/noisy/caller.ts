import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request. A body that is a string is sent as it is, any other as JSON. */
export interface Ask {
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Repeats the body `count` times, with a pause of `pauseMs` between the pieces. */
  pieces?: { count: number; pauseMs: number };
  /** Closes the connection after this many milliseconds, with or without an answer. */
  hangUpMs?: number;
}

export interface Reply {
  ask: Ask;
  /** 0 when the connection ended without an answer; -1 when the caller hung up. */
  status: number;
  ms: number;
  text: string;
  retryAfterS: number | undefined;
}

/** A client with an IP address of its own, as if behind a proxy that the service trusts. */
export class Caller {
  token: string | undefined;
  /** Each request has its own connection: one that the service has just closed as idle would look like a fault of the service. */
  private readonly agent = new http.Agent();

  constructor(
    readonly url: string,
    readonly address: string,
  ) {}

  send(ask: Ask): Promise<Reply> {
    const { method = ask.body === undefined ? 'GET' : 'POST', path, body, pieces, hangUpMs } = ask;
    const raw = typeof body === 'string';
    const payload = body === undefined ? undefined : raw ? body : JSON.stringify(body);
    const startedAt = performance.now();
    return new Promise(resolve => {
      const end = (status: number, text: string, retryAfter?: string) =>
        resolve({
          ask,
          status,
          ms: performance.now() - startedAt,
          text,
          retryAfterS: retryAfter === undefined ? undefined : Number(retryAfter),
        });
      const request = http.request(`${this.url}/api${path}`, {
        method,
        agent: this.agent,
        headers: {
          'X-Forwarded-For': this.address,
          ...(this.token === undefined ? {} : { Authorization: `Bearer ${this.token}` }),
          ...(payload === undefined ? {} : { 'Content-Type': raw ? 'text/csv' : 'application/json' }),
          ...ask.headers,
        },
      });
      request.on('error', error => end(0, String(error)));
      request.on('response', response => {
        let text = '';
        let length = 0;
        response.setEncoding('utf8');
        // Keeps only the beginning of a huge answer.
        response.on('data', (chunk: string) => {
          length += chunk.length;
          if (text.length < 4_000) text += chunk.slice(0, 4_000);
        });
        response.on('error', error => end(0, String(error)));
        response.on('end', () =>
          end(response.statusCode!, `${text}${length > text.length ? `… (${length})` : ''}`, response.headers['retry-after']),
        );
      });
      if (hangUpMs !== undefined) {
        setTimeout(() => {
          end(-1, 'hung up');
          request.destroy();
        }, hangUpMs);
      }
      if (pieces === undefined) request.end(payload);
      else void sendPieces(request, payload ?? '', pieces);
    });
  }

  /** Sends the request, again after each 503 up to ten times. @throws Error unless the final status is 2xx */
  async must<T = any>(ask: Ask): Promise<T> {
    for (let tries = 0; ; tries++) {
      const { status, text, retryAfterS } = await this.send(ask);
      if (status >= 200 && status < 300) return (text === '' ? undefined : JSON.parse(text)) as T;
      if (status !== 503 || tries === 10) throw new Error(`${ask.method ?? ''} ${ask.path}: ${status} ${text}`);
      await sleep((retryAfterS ?? 1) * 1_000);
    }
  }

  async logIn(username: string, password: string): Promise<void> {
    this.token = (await this.must<{ token: string }>({ path: '/auth/login', body: { username, password } })).token;
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Sends the piece `count` times as a chunked body, whose length the service cannot know in advance. */
async function sendPieces(request: http.ClientRequest, piece: string, { count, pauseMs }: { count: number; pauseMs: number }) {
  for (let sent = 0; sent < count && !request.destroyed; sent++) {
    // `write` returns false once the service reads too slowly. The sender then pauses for 50 ms or more.
    await sleep(request.write(piece) ? pauseMs : Math.max(pauseMs, 50));
  }
  request.end();
}
