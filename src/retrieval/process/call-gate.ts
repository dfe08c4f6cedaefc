import { type IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { type Logger } from 'pino';
import { headers, protocolVersion } from '../protocol.js';
import { CredentialsError, ProtocolError, RetrievalVersionError } from '../retrieval.errors.js';
import { SignatureCheck } from '../signature.js';

const mostTold = 5;

export interface CallGateOptions {
  /** The key with which calls must be signed; undefined if calls need no signature. */
  key?: string | undefined;
  /** Whether callers must have a certificate. */
  asksCertificate?: boolean;
}

/** Lets calls in only if they speak this process's version of the protocol and show the credentials that the process asks for. */
export class CallGate {
  private readonly signatures: SignatureCheck | null;
  private readonly asksCertificate: boolean;
  /**
   * Versions of callers that were already logged. At most `mostTold` are kept and logged, because a caller can send any number of versions.
   */
  private readonly told = new Set<string | undefined>();

  constructor(
    { key, asksCertificate = false }: CallGateOptions,
    private readonly log: Logger,
  ) {
    this.signatures = key === undefined ? null : new SignatureCheck(key);
    this.asksCertificate = asksCertificate;
  }

  /**
   * Checks the headers of a call before its body is read. Returns a function that checks the body.
   * @throws RetrievalVersionError, CredentialsError
   */
  checkHeaders(request: IncomingMessage): (body: Buffer) => void {
    const theirs = single(request, headers.version);
    if (theirs !== String(protocolVersion)) {
      const error = new RetrievalVersionError(theirs?.slice(0, 20) ?? null, String(protocolVersion));
      if (!this.told.has(theirs) && this.told.size < mostTold) this.log.error(error.detail);
      if (this.told.size < mostTold) this.told.add(theirs);
      throw error;
    }
    if (this.asksCertificate && !(request.socket instanceof TLSSocket && request.socket.authorized)) {
      throw new CredentialsError({
        zh: '对方没有出示由 RETRIEVAL_TLS_CA 签发的证书',
        en: 'The caller shows no certificate that RETRIEVAL_TLS_CA has signed',
      });
    }
    if (this.signatures === null) return () => undefined;
    return this.signatures.checkHead(single(request, headers.signature), { method: request.method ?? '', path: request.url ?? '' });
  }
}

/** Milliseconds within which the caller wants the answer. @throws ProtocolError */
export function timeoutOf(request: IncomingMessage): number {
  return integerOf(request, headers.timeout);
}

/** The most bytes that the caller accepts as an answer. @throws ProtocolError */
export function budgetOf(request: IncomingMessage): number {
  return integerOf(request, headers.budget);
}

function integerOf(request: IncomingMessage, name: string): number {
  const text = single(request, name) ?? '';
  if (/^[1-9]\d{0,9}$/.test(text)) return Math.min(Number(text), 2_147_483_647);
  throw new ProtocolError({ zh: `请求头 ${name} 无效`, en: `The header ${name} is invalid` });
}

function single(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}
