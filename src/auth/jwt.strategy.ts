import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { type Request } from 'express';
import { Strategy } from 'passport-jwt';
import { type Principal } from '../access/principal.js';
import { TokenPrincipals } from './token-principals.js';
import { TokenKey, tokenAlgorithm, tokenAudience, tokenIssuer } from '../access/token-key.js';

/** The longest Authorization value that is looked at. A token of ours has about 300 characters. */
const maxHeaderLength = 4096;

/**
 * Base64url in its canonical spelling only. Other last characters would decode to the same bytes (RFC 4648, section 3.5), which
 * would give one token several texts.
 */
const base64url = '(?:[\\w-]{4})*(?:[\\w-]{2}[AEIMQUYcgkosw048]|[\\w-][AQgw])?';
const token = new RegExp(`^${base64url}\\.${base64url}\\.${base64url}$`);

/**
 * Reads the token of `Authorization: Bearer <token>`, with exactly one space. The extractor of passport-jwt is quadratic in the
 * length of a header without spaces, and accepts several spaces, tabs and other spellings.
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
      // A string would be parsed into a key object on every call, which costs 50 times the verification itself.
      secretOrKey: key.object as unknown as string,
      algorithms: [tokenAlgorithm],
      issuer: tokenIssuer,
      audience: tokenAudience,
      passReqToCallback: true,
    });
  }

  /** Runs for a token with a good signature and lifetime. False refuses the token. */
  async validate(request: Request, payload: unknown): Promise<Principal | false> {
    const claims = this.principals.accept(extractBearer(request) ?? '', payload);
    return (claims && (await this.principals.load(claims))) ?? false;
  }
}
