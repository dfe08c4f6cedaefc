import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';

export const tokenAlgorithm = 'HS256';
export const tokenIssuer = 'graph-service';
export const tokenAudience = 'graph-service';

/** The key that signs tokens: the configured one, or a random one that ends with the process. */
@Injectable()
export class TokenKey {
  readonly object: KeyObject;

  constructor({ jwtSecretKey }: Settings) {
    this.object = createSecretKey(jwtSecretKey === undefined ? randomBytes(32) : Buffer.from(jwtSecretKey));
  }
}
