import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { type Request } from 'express';
import { Strategy } from 'passport-jwt';
import { type Principal } from '../access/principal.js';
import { extractBearer } from '../access/extract-bearer.js';
import { TokenPrincipals } from './token-principals.js';
import { TokenKey, tokenAlgorithm, tokenAudience, tokenIssuer } from '../access/token-key.js';

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
