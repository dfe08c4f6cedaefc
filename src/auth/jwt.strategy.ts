import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { type Request } from 'express';
import { Strategy } from 'passport-jwt';
import { type Principal } from '../access/principal.js';
import { TokenPrincipals } from './token-principals.js';
import { TokenKey, tokenAlgorithm, tokenAudience, tokenIssuer } from '../access/token-key.js';

/** The longest Authorization header that is read. A token of this service has about 300 characters. */
const maxHeaderLength = 4096;

/**
 * Base64url in its canonical spelling only. With other last characters a text would decode to the same bytes (RFC 4648, section 3.5), so
 * one token could be written in several ways.
 */
const base64url = '(?:[\\w-]{4})*(?:[\\w-]{2}[AEIMQUYcgkosw048]|[\\w-][AQgw])?';
const token = new RegExp(`^${base64url}\\.${base64url}\\.${base64url}$`);

/**
 * The token of `Authorization: Bearer <token>`, with exactly one space; null for any other header. The extractor of passport-jwt needs
 * quadratic time for long headers without spaces, and accepts several spaces, tabs and other spellings.
 */
export function extractBearer({ headers: { authorization } }: Request): string | null {
  if (authorization === undefined || authorization.length > maxHeaderLength || !authorization.startsWith('Bearer ')) return null;
  const shown = authorization.slice('Bearer '.length);
  return token.test(shown) ? shown : null;
}

@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(
    key: TokenKey,
    private readonly principals: TokenPrincipals,
  ) {
    super({
      jwtFromRequest: extractBearer,
      // A string would be parsed into a key object on every call, which takes 50 times as long as the verification itself.
      secretOrKey: key.object as unknown as string,
      algorithms: [tokenAlgorithm],
      issuer: tokenIssuer,
      audience: tokenAudience,
      passReqToCallback: true,
    });
  }

  /** Loads the caller of a token whose signature and lifetime are good. False refuses the token. */
  async validate(request: Request, payload: unknown): Promise<Principal | false> {
    const claims = this.principals.accept(extractBearer(request) ?? '', payload);
    return (claims && (await this.principals.load(claims))) ?? false;
  }
}
