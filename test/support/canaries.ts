import http from 'node:http';
import net from 'node:net';

interface Sent {
  headers?: Record<string, string>;
  /** A text is sent as it is, an object as JSON. */
  body?: string | object;
  token?: string;
}

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/**
 * Secrets that the tests send, set or create in every way that the service offers, while it logs everything. No output of the service may
 * contain one of them afterwards. Each is a unique word, so that a leak can be traced to its request.
 */
export class Canaries {
  /** The values by their descriptions. Each value is unique and longer than any ordinary word. */
  readonly all = new Map<string, string>();
  /** The descriptions of credentials. The database may not contain these values either. */
  readonly credentials = new Set<string>();

  secret(what: string, value = `Zq7canary${String(this.all.size).padStart(2, '0')}${Math.random().toString(36).slice(2, 12)}`): string {
    this.credentials.add(what);
    return this.text(what, value);
  }

  /** Descriptions of the words that an error may quote to the caller who wrote them. */
  readonly quotable = new Set<string>();

  /** A word of a clause, or a value that is refused, which the error shows to its sender. */
  quoted(what: string): string {
    this.quotable.add(what);
    return this.text(what);
  }

  /** Data of a user. It may be stored, but must not appear in logs and errors. */
  text(what: string, value = `Zq7canary${String(this.all.size).padStart(2, '0')}${Math.random().toString(36).slice(2, 12)}`): string {
    this.all.set(what, value);
    return value;
  }

  /** Descriptions of the secrets that a text contains, as they are or encoded. */
  foundIn(text: string, only?: ReadonlySet<string>): string[] {
    return [...this.all]
      .filter(([what]) => !only || only.has(what))
      .filter(([, value]) => {
        const bytes = Buffer.from(value);
        return [value, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex'), encodeURIComponent(value)].some(form =>
          text.includes(form),
        );
      })
      .map(([what]) => what);
  }
}

export type Sending = ReturnType<typeof keepAnswers>;

/** Sends requests to a service, and keeps every answer. */
export function keepAnswers(url: () => string) {
  const answers: { what: string; answer: Answer }[] = [];

  function send(method: string, path: string, { headers = {}, body, token }: Sent = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const json = typeof body === 'object' ? { 'Content-Type': 'application/json' } : {};
      const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const request = http.request(
        `${url()}${path}`,
        { method, headers: { ...json, ...authorization, ...headers }, agent: false },
        response => {
          let text = '';
          response.on('data', (part: Buffer) => (text += part.toString()));
          response.on('end', () => {
            const answer = { status: response.statusCode!, headers: response.headers, text };
            answers.push({ what: `${method} ${path.replace(/Zq7canary\w+/g, '…').replace(/\?.*/, '?…')}`, answer });
            resolve(answer);
          });
        },
      );
      request.on('error', reject);
      request.end(typeof body === 'object' ? JSON.stringify(body) : body);
    });
  }

  /** Sends raw bytes to a socket, for the answers that Node gives itself. */
  function sendRaw(bytes: string): Promise<void> {
    return new Promise(resolve => {
      const socket = net.connect(Number(new URL(url()).port), '127.0.0.1');
      let text = '';
      socket.on('data', part => (text += part.toString()));
      socket.on('error', () => undefined);
      socket.once('close', () => {
        answers.push({ what: 'raw bytes', answer: { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), headers: {}, text } });
        resolve();
      });
      socket.write(bytes);
      setTimeout(() => socket.destroy(), 1_500);
    });
  }

  return { answers, send, sendRaw };
}
