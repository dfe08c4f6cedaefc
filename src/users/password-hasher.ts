import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { compare, hash } from 'bcrypt';
import { Settings } from '../config/settings.js';

/** bcrypt over a pre-hash: 72 bytes is all bcrypt reads, and a SHA-384 in base64 has 64, so no character is cut. */
@Injectable()
export class PasswordHasher {
  private readonly cost: number;
  /** Compared with when there is no user, so that an unknown name takes the time of a wrong password. */
  private readonly nobody: Promise<string>;

  constructor({ bcryptCost }: Settings) {
    this.cost = bcryptCost;
    this.nobody = hash(preHash('nobody'), this.cost);
  }

  hash(password: string): Promise<string> {
    return hash(preHash(password), this.cost);
  }

  /** False, after the same work, where there is no stored hash. */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const matches = await compare(preHash(password), stored ?? (await this.nobody));
    return matches && stored !== undefined;
  }
}

function preHash(password: string): string {
  return createHash('sha384').update(password, 'utf8').digest('base64');
}
