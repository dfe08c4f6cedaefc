import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { type Principal } from '../access/principal.js';
import { isSameSecret, parseApiKey } from './api-key-format.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/**
 * Finds the caller of an API key. `passReqToCallback` must stay off: with it Nest mistakes the request for passport's callback, and one
 * request with the header ends the process (nestjs/passport#1857).
 */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(HeaderAPIKeyStrategy, 'api_key') {
  constructor(private readonly keys: ApiKeysRepository) {
    super({ header: 'X-API-Key', prefix: '' }, false);
  }

  /**
   * The caller of a key. False for a text that is not a key, which needs no query, and for a key that is unknown, wrong, revoked or
   * expired.
   */
  async validate(text: string): Promise<Principal | false> {
    const parsed = parseApiKey(text);
    if (!parsed) return false;
    const holder = await this.keys.findHolder(parsed.publicId);
    if (!holder || !isSameSecret(parsed.secretHash, holder.secret_hash)) return false;
    if (holder.stale) await this.keys.touch(holder.id);
    return {
      userId: holder.user_id,
      username: holder.username,
      isAdmin: holder.is_admin,
      mustChangePassword: false,
      tokenVersion: holder.token_version,
      apiKey: { id: holder.id, rateLimit: holder.rate_limit, graphIds: holder.graph_ids, permissions: holder.permissions },
    };
  }
}
