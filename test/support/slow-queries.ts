import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type TestApp } from './app.js';
import { asSuperuser } from './database.js';

/** A query that keeps PostgreSQL busy for minutes on any machine, in little memory. Another `n` makes another query. */
export const endless = (n = 0) =>
  `MATCH (a:产品), (b:产品), (c:产品), (d:产品), (e:产品), (f:产品), (g:产品), (h:产品), (i:产品), (j:产品), (k:产品), (l:产品), (m:产品), (o:产品) RETURN count(*) + ${n} AS n`;

/** A query that takes some tenths of a second. */
export const slow = (n = 0) =>
  `MATCH (a:产品), (b:产品), (c:产品), (d:产品), (e:产品), (f:产品), (g:产品), (h:产品), (i:产品) RETURN count(*) + ${n} AS n`;
export const slowRows = (n = 0) => [[5 ** 9 + n]];

export interface StreamedEvent {
  type: string;
  id: string;
  data: any;
}

/**
 * Reads an event stream to its end, for `forMs` at most. With a body, it sends a POST. Comments are returned as events of type `comment`.
 */
export async function readEvents(
  app: TestApp,
  path: string,
  as: Client,
  { lastId = '', body = null as object | null, forMs = 30_000, onEvent = (_: StreamedEvent) => undefined } = {},
) {
  const response = await fetch(`${app.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      Authorization: `Bearer ${as.token}`,
      ...(lastId && { 'Last-Event-ID': lastId }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(forMs),
  });
  const events: StreamedEvent[] = [];
  let text = '';
  try {
    for await (const bytes of response.body ?? []) {
      text += Buffer.from(bytes as Uint8Array).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks.map(each => each.trim()).filter(each => each !== '')) {
        const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
        const event = block.startsWith(':')
          ? { type: 'comment', id: '', data: null }
          : { type: field('event'), id: field('id'), data: JSON.parse(field('data')) };
        events.push(event);
        onEvent(event);
      }
    }
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') throw error;
  }
  return { status: response.status, headers: response.headers, events };
}

/** The number of statements of retrieval that run now. */
export async function statementsNow(app: TestApp): Promise<number> {
  const { rows } = await asSuperuser(
    app.databaseUrl,
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE '%retrieval%' AND state = 'active' AND query LIKE '%count(*)%'`,
  );
  return rows[0].n;
}

export async function until(holds: () => Promise<boolean>, patienceMs = 90_000): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await holds()); await sleep(20)) {
    if (Date.now() > deadline) throw new Error(`Not within ${patienceMs} ms: ${holds.toString()}`);
  }
}
