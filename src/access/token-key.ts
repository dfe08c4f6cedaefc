import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';

export const tokenAlgorithm = 'HS256';
export const tokenIssuer = 'graph-service';
export const tokenAudience = 'graph-service';

/** The key that signs tokens. It is the configured key, or else a random key that is lost when the process ends. */
@Injectable()
export class TokenKey {
  readonly object: KeyObject;

  constructor({ jwtSecretKey }: Settings) {
    this.object = createSecretKey(jwtSecretKey === undefined ? randomBytes(32) : Buffer.from(jwtSecretKey));
  }
}

@Module({ providers: [TokenKey], exports: [TokenKey] })
export class TokenKeyModule {}

/** Whether `key` signed the token, which may have expired. The check takes some microseconds and no query. */
export function hasSigned(key: KeyObject, token: string): boolean {
  const [signed = '', signature = ''] = token.split(/\.(?=[^.]*$)/);
  // The texts of the signatures are compared, because many other texts decode to the same bytes.
  const expected = Buffer.from(createHmac('sha256', key).update(signed).digest('base64url'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
