import { Injectable } from '@nestjs/common';
import { type GraphStanding } from '../access/graph-standing.js';
import { type Principal } from '../access/principal.js';
import { UsersService } from '../users/users.service.js';

export interface TokenClaims {
  userId: number;
  tokenVersion: number;
  expiresAtMs: number;
}

/** The most tokens that are remembered. An entry takes about 400 bytes, so the map takes a few megabytes at most. */
const capacity = 10_000;

/**
 * Whether the header of a token lists critical extensions, which a reader must understand (RFC 7515, section 4.1.11). This service
 * understands none, so it refuses such tokens; jsonwebtoken would ignore the list.
 */
function hasExtensions(token: string): boolean {
  const header = JSON.parse(Buffer.from(token.split('.', 1)[0]!, 'base64url').toString()) as object;
  return 'crit' in header || 'b64' in header;
}

/** Turns tokens into callers. The signature of a token is verified once; the user's account is read on every request. */
@Injectable()
export class TokenPrincipals {
  private readonly verified = new Map<string, TokenClaims>();

  constructor(private readonly users: UsersService) {}

  /**
   * Reads and remembers the claims of a token whose signature and lifetime have been verified. Null when a claim is missing or has the
   * wrong type.
   */
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

  /** The claims of a token that was accepted before and has not expired; otherwise null. */
  recall(token: string): TokenClaims | null {
    const claims = this.verified.get(token);
    if (claims && claims.expiresAtMs <= Date.now()) this.verified.delete(token);
    return claims && claims.expiresAtMs > Date.now() ? claims : null;
  }

  /** The caller of a token. Null when the user was deleted or disabled, and when the token has an earlier token version than the user. */
  async load(claims: TokenClaims): Promise<Principal | null> {
    return toPrincipal(claims, await this.users.findAccountState(claims.userId));
  }

  /** Loads the caller as `load` does, together with the caller's standing in a graph. */
  async loadInGraph(claims: TokenClaims, graphId: number): Promise<{ principal: Principal; standing: GraphStanding } | null> {
    const account = await this.users.findAccountInGraph(claims.userId, graphId);
    const principal = toPrincipal(claims, account);
    return account && principal && { principal, standing: account.standing };
  }
}

function toPrincipal(
  { userId, tokenVersion }: TokenClaims,
  account: Awaited<ReturnType<UsersService['findAccountState']>>,
): Principal | null {
  if (!account || account.disabled || account.token_version !== tokenVersion) return null;
  const { username, is_admin: isAdmin, must_change_password: mustChangePassword } = account;
  return { userId, username, isAdmin, mustChangePassword, tokenVersion };
}
