import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

interface Outcome {
  status: number;
  body: string;
  headers: http.IncomingHttpHeaders;
}

interface Ask {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Parts of the body, sent one after the other, `everyMs` apart. */
  chunks?: string[];
  everyMs?: number;
  agent?: http.Agent | undefined;
  /** Called with the part of the answer that has arrived. */
  onText?: (text: string) => void;
}

/** Sends one request and reads its whole answer. Rejects if the request or the answer is cut off. */
export function ask(
  url: string,
  token: string,
  { method = 'GET', path: route, headers = {}, body, chunks, everyMs = 0, agent, onText }: Ask,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/api${route}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...headers },
      ...(agent ? { agent } : { agent: false }),
    });
    request.on('error', reject);
    request.on('response', response => {
      let text = '';
      response.on('data', (part: Buffer) => {
        text += part.toString();
        onText?.(text);
      });
      response.on('aborted', () => reject(new Error('The answer was cut')));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode!, body: text, headers: response.headers }));
    });
    void (async () => {
      for (const chunk of chunks ?? []) {
        if (request.destroyed) return;
        request.write(chunk);
        await sleep(everyMs);
      }
      request.end(body);
    })();
  });
}

/** Sends requests from clients with kept-alive connections until the service no longer listens. */
export async function askUntilRefused(
  url: string,
  token: string,
  clients: number,
  pauseMs = 0,
): Promise<{ answered: number; cut: string[] }> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  const result = { answered: 0, cut: [] as string[] };
  const client = async (index: number): Promise<void> => {
    for (let turn = index; ; turn++) {
      try {
        const route = ['/auth/me', '/graphs', '/settings'][turn % 3]!;
        const { status } = await ask(url, token, { path: route, agent });
        if (status !== 200) result.cut.push(`${route}: ${status}`);
        result.answered++;
        if (pauseMs > 0) await sleep(pauseMs);
      } catch (error) {
        const { code, syscall } = error as NodeJS.ErrnoException;
        if (code === 'ECONNREFUSED' && syscall === 'connect') return;
        result.cut.push(`${code}: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  agent.destroy();
  return result;
}
