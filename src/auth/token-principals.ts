import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { UsersService } from '../users/users.service.js';

interface TokenClaims {
  userId: number;
  tokenVersion: number;
  expiresAtMs: number;
}

/** Some 400 bytes each: a few megabytes at most. */
const capacity = 10_000;

/** Extensions that a header calls critical must be understood (RFC 7515, section 4.1.11), and we know none; jsonwebtoken ignores them. */
function hasExtensions(token: string): boolean {
  const header = JSON.parse(Buffer.from(token.split('.', 1)[0]!, 'base64url').toString()) as object;
  return 'crit' in header || 'b64' in header;
}

/** Whom a token stands for. A signature is verified once; the account behind it is read on every request. */
@Injectable()
export class TokenPrincipals {
  private readonly verified = new Map<string, TokenClaims>();

  constructor(private readonly users: UsersService) {}

  /** The claims of a token whose signature and lifetime are good; null when one is missing or of the wrong type. */
  accept(token: string, payload: unknown): TokenClaims | null {
    const { sub, tv, exp, iat, jti, aud } = (typeof payload === 'object' && payload !== null ? payload : {}) as Record<string, unknown>;
    if (typeof sub !== 'string' || !/^[1-9]\d{0,9}$/.test(sub) || Number(sub) > 2_147_483_647) return null;
    if (!Number.isSafeInteger(tv) || !Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) return null;
    if (typeof jti !== 'string' || jti === '' || typeof aud !== 'string' || hasExtensions(token)) return null;
    const claims = { userId: Number(sub), tokenVersion: tv as number, expiresAtMs: (exp as number) * 1000 };
    const oldest = this.verified.size >= capacity ? this.verified.keys().next().value : undefined;
    if (oldest !== undefined) this.verified.delete(oldest);
    this.verified.set(token, claims);
    return claims;
  }

  /** The claims of a token that was accepted before and has not expired since. */
  recall(token: string): TokenClaims | null {
    const claims = this.verified.get(token);
    if (claims && claims.expiresAtMs <= Date.now()) this.verified.delete(token);
    return claims && claims.expiresAtMs > Date.now() ? claims : null;
  }

  /** Null for a user who is gone or disabled, and for a token of an earlier version. */
  async load({ userId, tokenVersion }: TokenClaims): Promise<Principal | null> {
    const account = await this.users.findAccountState(userId);
    if (!account || account.disabled || account.token_version !== tokenVersion) return null;
    return {
      userId,
      username: account.username,
      isAdmin: account.is_admin,
      mustChangePassword: account.must_change_password,
      tokenVersion,
    };
  }
}
