import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Bilingual } from '../text/bilingual.js';
import { protocolVersion } from './protocol.js';
import { CredentialsError } from './retrieval.errors.js';

/** The parts of a call that its signature covers, in addition to its time, its nonce and the hash of its body. */
export interface SignedHead {
  method: string;
  path: string;
}

export interface SignedCall extends SignedHead {
  body: Buffer;
}

/** How far the clocks of two machines may differ, in milliseconds. A signature is accepted for this long before and after its time. */
export const clockToleranceMs = 60_000;

const form = /^t=(\d{1,16}),n=([\w-]{22}),h=([\w-]{43}),s=([\w-]{43})$/;

interface Claims {
  time: string;
  nonce: string;
  /** SHA-256 of the call's body, in base64url. */
  hash: string;
}

/**
 * Signs a call with HMAC-SHA256. The header reads `t=<ms since 1970>,n=<16 random bytes>,h=<SHA-256 of the body>,s=<the signature>`,
 * in base64url.
 */
export function sign(key: string, { body, ...head }: SignedCall, nowMs = Date.now()): string {
  const claims = { time: String(nowMs), nonce: randomBytes(16).toString('base64url'), hash: hashOf(body) };
  return `t=${claims.time},n=${claims.nonce},h=${claims.hash},s=${macOf(key, head, claims).toString('base64url')}`;
}

/**
 * Checks the signatures of incoming calls. A signature is accepted once, and only near its time, so that a call that somebody has
 * intercepted cannot be sent again.
 */
export class SignatureCheck {
  /**
   * The nonces of accepted calls, each with the time in ms until which it must be remembered, oldest first. Only holders of the key can add
   * nonces.
   */
  private readonly seen = new Map<string, number>();

  constructor(
    private readonly key: string,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Checks a signature before the body is read, because strangers could send bodies without end. Returns a function that checks the body.
   * @throws CredentialsError; the returned function throws it too
   */
  checkHead(header: string | undefined, head: SignedHead): (body: Buffer) => void {
    const { mac, ...claims } = this.read(header);
    if (!timingSafeEqual(Buffer.from(mac, 'base64url'), macOf(this.key, head, claims))) throw new CredentialsError(reasons.wrongKey);
    for (const [number, untilMs] of this.seen) {
      if (untilMs > this.now()) break;
      this.seen.delete(number);
    }
    if (this.seen.has(claims.nonce)) throw new CredentialsError(reasons.repeated);
    // A signature whose time lies in the future stays valid for longer, up to twice the tolerance from now.
    this.seen.set(claims.nonce, this.now() + 2 * clockToleranceMs);
    return body => {
      if (claims.hash !== hashOf(body)) throw new CredentialsError(reasons.wrongBody);
    };
  }

  private read(header: string | undefined): Claims & { mac: string } {
    if (header === undefined) throw new CredentialsError(reasons.missing);
    const [, time, nonce, hash, mac] = form.exec(header) ?? [];
    if (time === undefined || nonce === undefined || hash === undefined || mac === undefined) throw new CredentialsError(reasons.malformed);
    const apartMs = Math.abs(this.now() - Number(time));
    if (apartMs > clockToleranceMs) throw new CredentialsError(clocksDiffer(apartMs));
    return { time, nonce, hash, mac };
  }
}

function macOf(key: string, { method, path }: SignedHead, { time, nonce, hash }: Claims): Buffer {
  return createHmac('sha256', key)
    .update([`graph-retrieval ${protocolVersion}`, method, path, time, nonce, hash].join('\n'))
    .digest();
}

function hashOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('base64url');
}

const reasons = {
  missing: { zh: '请求没有签名，请在 API 一侧设置 RETRIEVAL_KEY', en: 'The request has no signature; set RETRIEVAL_KEY for the API too' },
  malformed: { zh: '签名无法读取', en: 'The signature cannot be read' },
  wrongKey: { zh: '签名不符，两侧的 RETRIEVAL_KEY 须相同', en: 'The signature is wrong; RETRIEVAL_KEY must be the same on both sides' },
  wrongBody: { zh: '请求体与签名不符', en: 'The body is not the one that was signed' },
  repeated: { zh: '该请求已收到过', en: 'This request has come before' },
} satisfies Record<string, Bilingual>;

function clocksDiffer(apartMs: number): Bilingual {
  const [apart, most] = [Math.round(apartMs / 1000), clockToleranceMs / 1000];
  return {
    zh: `两台机器的时钟相差 ${apart} 秒，最多允许 ${most} 秒；请校准时钟`,
    en: `The clocks of the two machines differ by ${apart} s, and ${most} s are allowed; set them right`,
  };
}
