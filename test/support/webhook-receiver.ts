import { webcrypto } from 'node:crypto';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Received {
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** A receiver whose answers a test decides. */
export class Receiver {
  readonly received: Received[] = [];
  /** The status of the answer. With null, the receiver never answers. */
  answer: (request: Received) => number | null = () => 204;
  delayMs: (path: string) => number = () => 0;
  private readonly server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', text => (body += text));
    request.on('end', () => {
      const received = { path: request.url!, headers: request.headers, body };
      this.received.push(received);
      const status = this.answer(received);
      const end = () => response.writeHead(status!, { location: '/elsewhere' }).end('x'.repeat(100_000));
      if (status !== null) setTimeout(end, this.delayMs(received.path));
    });
  });

  async listen(): Promise<void> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async until(count: number, path = '/hook'): Promise<Received[]> {
    for (const deadline = Date.now() + 20_000; ; await sleep(20)) {
      const found = this.received.filter(each => each.path === path);
      if (found.length >= count) return found;
      if (Date.now() > deadline) throw new Error(`${found.length} of ${count} received`);
    }
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Verifies the signature at the position `at` of the header's list, with code that the service does not use. */
export async function isSigned(secret: string, { headers, body }: Received, at = 0): Promise<boolean> {
  const bytes = Uint8Array.from(atob(secret.slice('whsec_'.length)), character => character.charCodeAt(0));
  const key = await webcrypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const [version, signature] = String(headers['webhook-signature']).split(' ')[at]!.split(',');
  const signed = new TextEncoder().encode(`${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`);
  const given = Uint8Array.from(atob(signature!), character => character.charCodeAt(0));
  return version === 'v1' && webcrypto.subtle.verify('HMAC', key, given, signed);
}
