import http from 'node:http';
import { type TestApp } from './app.js';

export interface ProbeRequest {
  method: string;
  /** The path exactly as it is sent: nothing is normalised or escaped. */
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

export interface ProbeAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** The differences from the OpenAPI document, and every fault of the service (500, 502 and 503). */
  problems: string[];
}

/** Longer than any request of a test needs. A request that takes longer fails the test. */
const patienceMs = 20_000;
const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });

/** Sends a request that a normal client would not send, and checks the answer against the OpenAPI document. */
export async function probe(test: TestApp, { method, path, headers = {}, body }: ProbeRequest): Promise<ProbeAnswer> {
  const { hostname, port } = new URL(test.url);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, host: hostname, port, method, path, headers: { ...length, ...headers }, timeout: patienceMs });
    request.on('timeout', () => request.destroy(new Error(`${method} ${path} took longer than ${patienceMs} ms`)));
    request.on('error', reject);
    request.on('response', response => {
      const chunks: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const status = response.statusCode ?? 0;
        const problems = test.check.problems({ method, path, status, headers: response.headers, body: text, sent: jsonOf(body) });
        if (status >= 500 && status !== 501) problems.push(`${method} ${path} → ${status} ${text}`);
        resolve({ status, headers: response.headers, body: text, problems });
      });
    });
    request.end(body);
  });
}

export function asPerson(token: string | null): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/**
 * Parses the sent JSON, so that `ResponseCheck` can report a request that the document forbids and the service accepts. Returns undefined
 * if the body is not JSON.
 */
function jsonOf(body: string | Buffer | undefined): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}
