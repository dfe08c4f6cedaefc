import { setTimeout as sleep } from 'node:timers/promises';

export interface Answer {
  /** Milliseconds on the clock of `performance.now()`. */
  sentAt: number;
  ms: number;
  /** 0 if no answer came. */
  status: number;
  body: string;
  what: string;
}

interface Ask {
  method?: string;
  path: string;
  body?: unknown;
  /** Sent instead of the token. */
  apiKey?: string;
}

/** Clients that each send one request after the other, through the list again and again, until they are stopped. Every answer is kept. */
export class SteadyLoad {
  readonly answers: Answer[] = [];
  private isStopping = false;
  private readonly clients: Promise<void>[];

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly asks: Ask[],
    clients: number,
    private readonly pauseMs: number,
  ) {
    this.clients = Array.from({ length: clients }, (_, index) => this.run(index));
  }

  async stop(): Promise<Answer[]> {
    this.isStopping = true;
    await Promise.all(this.clients);
    return this.answers;
  }

  /** The milliseconds from `since` until the first 2xx answer to a request sent after it. Infinity if none comes within `patienceMs`. */
  async firstGood(since: number, patienceMs: number): Promise<number> {
    for (const deadline = performance.now() + patienceMs; performance.now() < deadline; await sleep(10)) {
      const good = this.answers.filter(({ sentAt, status }) => sentAt >= since && status >= 200 && status < 300);
      if (good.length > 0) return Math.min(...good.map(({ sentAt, ms }) => sentAt + ms)) - since;
    }
    return Infinity;
  }

  private async run(offset: number): Promise<void> {
    for (let turn = offset; !this.isStopping; turn++) {
      await this.ask(this.asks[turn % this.asks.length]!);
      await sleep(this.pauseMs);
    }
  }

  private async ask({ method = 'GET', path, body, apiKey }: Ask): Promise<void> {
    const sentAt = performance.now();
    const answer = { sentAt, status: 0, body: '', what: `${method} ${path}${apiKey === undefined ? '' : ' with an API key'}` };
    try {
      const response = await fetch(`${this.url}/api${path}`, {
        method,
        headers: {
          ...(apiKey === undefined ? { Authorization: `Bearer ${this.token}` } : { 'X-API-Key': apiKey }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      });
      answer.status = response.status;
      answer.body = await response.text();
    } catch (error) {
      answer.body = String((error as Error).cause ?? error);
    }
    this.answers.push({ ...answer, ms: performance.now() - sentAt });
  }
}
