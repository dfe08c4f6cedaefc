import { createCipheriv, createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import http from 'node:http';
import { type AddressInfo } from 'node:net';

export interface FileOptions {
  kind?: 'license' | 'machine';
  payload?: unknown;
  /** Encrypts with this secret; without it the file is plain. */
  secret?: string;
  /** Overrides, for files that no genuine licensor would make. */
  enc?: string;
  alg?: string;
  prefix?: string;
  signed?: string;
  envelope?: Record<string, unknown>;
}

/** A licensor: makes files and signed answers in Keygen's formats with a real Ed25519 key pair. */
export class Licensor {
  private readonly privateKey: KeyObject;
  readonly publicKeyHex: string;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.privateKey = privateKey;
    this.publicKeyHex = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
  }

  /** The text of a licence or machine file. */
  file(options: FileOptions = {}): string {
    return frame(JSON.stringify(this.envelope(options)), options.kind);
  }

  envelope({ kind = 'license', payload = {}, secret, enc, alg, prefix, signed, envelope }: FileOptions): Record<string, unknown> {
    const content = Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload));
    const encoded = enc ?? (secret === undefined ? content.toString('base64') : encrypt(content, secret));
    return {
      enc: encoded,
      sig: this.sign(signed ?? `${prefix ?? `${kind}/`}${encoded}`),
      alg: alg ?? (secret === undefined ? 'base64+ed25519' : 'aes-256-gcm+ed25519'),
      ...envelope,
    };
  }

  sign(text: string): string {
    return sign(null, Buffer.from(text), this.privateKey).toString('base64');
  }

  /** The headers that sign an answer as genuine. */
  signAnswer(body: string | Buffer, { target, host, date }: { target: string; host: string; date: string }): Record<string, string> {
    const digest = `sha-256=${createHash('sha256').update(body).digest('base64')}`;
    const signature = this.sign(`(request-target): ${target}\nhost: ${host}\ndate: ${date}\ndigest: ${digest}`);
    return {
      Date: date,
      Digest: digest,
      'Keygen-Signature': `keyid="1fddcec8", algorithm="ed25519", signature="${signature}", headers="(request-target) host date digest"`,
    };
  }
}

/** Wraps an envelope as Keygen does: base64 in lines of 60 characters between two marks. */
export function frame(envelope: string | Buffer, kind: 'license' | 'machine' = 'license'): string {
  const lines = Buffer.from(envelope)
    .toString('base64')
    .replace(/.{60}(?=.)/g, '$&\n');
  return `-----BEGIN ${kind.toUpperCase()} FILE-----\n${lines}\n-----END ${kind.toUpperCase()} FILE-----\n`;
}

export function encrypt(content: Buffer, secret: string, { ivBytes = 12, tagBytes = 16 } = {}): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(secret).digest(), iv, { authTagLength: tagBytes });
  const ciphertext = Buffer.concat([cipher.update(content), cipher.final()]);
  return [ciphertext, iv, cipher.getAuthTag()].map(part => part.toString('base64')).join('.');
}

/** A request as the server received it. */
export interface Asked {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: { meta: { key: string; nonce: number; scope?: { fingerprint: string } } };
}

export type Answering = (response: http.ServerResponse, asked: Asked) => void;

/** A licence server on a free port of this machine, whose answer each test chooses. */
export class LicenseServer {
  private readonly server: http.Server;
  readonly asked: Asked[] = [];
  answering: Answering = response => response.writeHead(500).end();

  constructor() {
    this.server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => {});
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const asked = {
          method: request.method!,
          path: request.url!,
          headers: request.headers,
          body: (body === '' ? {} : JSON.parse(body)) as Asked['body'],
        };
        this.asked.push(asked);
        this.answering(response, asked);
      });
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }
}
