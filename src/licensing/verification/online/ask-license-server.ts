import http from 'node:http';
import https from 'node:https';
import { LicenceRefusedError } from '../../licensing.errors.js';

export interface AskLimits {
  /** Time limit for the whole exchange, from the name lookup to the last byte. */
  timeoutMs: number;
  maxBytes: number;
}

export const defaultAskLimits: AskLimits = { timeoutMs: 10_000, maxBytes: 64 * 1024 };

export interface ServerAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** The result if no connection to the licence server could be made. `unreachable` is the system's error code, such as ECONNREFUSED. */
export interface Unreachable {
  unreachable: string;
}

/**
 * Posts a JSON document and reads the answer, on a connection of its own. The request follows no redirect and accepts only a certificate
 * that verifies, whatever NODE_TLS_REJECT_UNAUTHORIZED says. A server counts as unreachable only when no connection can be made; after
 * that, silence and a broken answer are refusals.
 * @throws LicenceRefusedError server_timeout, answer_broken or answer_too_large.
 */
export function askLicenseServer(
  endpoint: URL,
  question: unknown,
  { timeoutMs, maxBytes }: AskLimits,
): Promise<ServerAnswer | Unreachable> {
  const body = Buffer.from(JSON.stringify(question));
  const headers = {
    'Content-Type': 'application/vnd.api+json',
    Accept: 'application/vnd.api+json, application/json',
    'Accept-Encoding': 'identity',
    'Keygen-Accept-Signature': 'algorithm="ed25519"',
    'Content-Length': body.length,
  };
  return new Promise((resolve, reject) => {
    let connected = false;
    let request: http.ClientRequest | null = null;
    const settle = (outcome: ServerAnswer | Unreachable | LicenceRefusedError) => {
      clearTimeout(patience);
      if (outcome instanceof LicenceRefusedError) reject(outcome);
      else resolve(outcome);
      request?.destroy();
    };
    const patience = setTimeout(
      () => settle(connected ? new LicenceRefusedError('server_timeout') : { unreachable: 'ETIMEDOUT' }),
      timeoutMs,
    );
    const fail = (error: NodeJS.ErrnoException) => {
      const code = /^[A-Z0-9_]{1,64}$/.exec(error.code ?? '')?.[0];
      settle(connected ? new LicenceRefusedError('answer_broken', code) : { unreachable: code ?? 'unknown' });
    };
    const receive = (response: http.IncomingMessage) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > maxBytes) settle(new LicenceRefusedError('answer_too_large'));
      });
      response.on('error', fail);
      response.on('end', () => settle({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    };
    const options = { method: 'POST', headers, agent: false as const };
    request =
      endpoint.protocol === 'https:'
        ? https.request(endpoint, { ...options, rejectUnauthorized: true }, receive)
        : http.request(endpoint, options, receive);
    request.on('socket', socket => socket.once('connect', () => (connected = true)));
    request.on('error', fail);
    request.end(body);
  });
}
