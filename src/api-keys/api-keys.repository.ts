import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type KeyPermission } from '../access/access.decorator.js';
import { BatchedLookup } from '../database/batched-lookup.js';
import { ServicePool } from '../database/service-pool.js';
import { ApiKeyExpiredError, ApiKeyRevokedError, ApiKeyRotatedError } from './api-keys.errors.js';

export interface ApiKeyRow {
  id: number;
  user_id: number;
  name: string;
  public_id: string;
  secret_hash: Buffer;
  graph_ids: number[];
  permissions: KeyPermission[];
  rate_limit: number;
  expires_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

/** A key with the state of its user, as read for each request that carries a key. */
export interface ApiKeyHolder {
  id: number;
  public_id: string;
  secret_hash: Buffer;
  rate_limit: number;
  graph_ids: number[];
  permissions: KeyPermission[];
  stale: boolean;
  user_id: number;
  username: string;
  is_admin: boolean;
  token_version: number;
}

export interface NewKeyRecord {
  userId: number;
  name: string;
  publicId: string;
  secretHash: Buffer;
  rateLimit: number;
  expiresAt: Date;
  graphIds: number[];
  permissions: KeyPermission[];
}

const key = `
  SELECT k.id, k.user_id, k.name, k.public_id, k.secret_hash, k.permissions, k.rate_limit, k.expires_at, k.revoked_at, k.last_used_at, k.created_at,
         ARRAY(SELECT graph_id FROM api_key_graphs WHERE api_key_id = k.id ORDER BY graph_id) AS graph_ids
  FROM api_keys k`;

/** Number of expired and revoked keys that are kept for each user. */
const endedKept = 1_000;

@Injectable()
export class ApiKeysRepository {
  private readonly holders = new BatchedLookup<string, ApiKeyHolder>(
    publicIds => this.readHolders(publicIds),
    holder => holder.public_id,
  );

  constructor(private readonly pool: ServicePool) {}

  async listOf(userId: number, afterId: number, limit: number): Promise<ApiKeyRow[]> {
    const { rows } = await this.pool.query<ApiKeyRow>(`${key} WHERE k.user_id = $1 AND k.id > $2 ORDER BY k.id LIMIT $3`, [
      userId,
      afterId,
      limit,
    ]);
    return rows;
  }

  async find(id: number): Promise<ApiKeyRow | null> {
    const { rows } = await this.pool.query<ApiKeyRow>(`${key} WHERE k.id = $1`, [id]);
    return rows[0] ?? null;
  }

  /** Finds a key in force whose user is enabled and does not have to change the password. Read on every request that carries a key. */
  findHolder(publicId: string): Promise<ApiKeyHolder | null> {
    return this.holders.get(publicId);
  }

  async touch(id: number): Promise<void> {
    await this.pool.query('UPDATE api_keys SET last_used_at = now() WHERE id = $1', [id]);
  }

  async create(
    client: PoolClient,
    { userId, name, publicId, secretHash, rateLimit, expiresAt, permissions, graphIds }: NewKeyRecord,
  ): Promise<number> {
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO api_keys (user_id, name, public_id, secret_hash, rate_limit, expires_at, permissions)
       VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
      [userId, name, publicId, secretHash, rateLimit, expiresAt, permissions],
    );
    const { id } = rows[0]!;
    await client.query('INSERT INTO api_key_graphs (api_key_id, graph_id) SELECT $1, unnest($2::int[])', [id, graphIds]);
    await this.removeEnded(client, userId);
    return id;
  }

  /**
   * Keeps the last `endedKept` expired or revoked keys of a user and removes older ones. Keys that ended within the last hour are not
   * removed, because the quotas in quotas.ts still count them.
   */
  private async removeEnded(client: PoolClient, userId: number): Promise<void> {
    await client.query(
      `DELETE FROM api_keys WHERE id IN (
         SELECT id FROM api_keys WHERE user_id = $1 AND least(expires_at, revoked_at) < now() - interval '1 hour' ORDER BY id DESC OFFSET $2)`,
      [userId, endedKept],
    );
  }

  /**
   * Replaces the secret of a key.
   * @throws ApiKeyExpiredError, ApiKeyRevokedError; ApiKeyRotatedError when the key no longer has the secret of the given row. If two
   * rotations run at once, one succeeds.
   */
  async replaceSecret(client: PoolClient, { id, secret_hash }: ApiKeyRow, secretHash: Buffer): Promise<void> {
    const { rows } = await client.query<{ revoked: boolean; expired: boolean; rotated: boolean }>(
      `SELECT revoked_at IS NOT NULL AS revoked, expires_at <= now() AS expired, secret_hash <> $2 AS rotated
       FROM api_keys WHERE id = $1 FOR UPDATE`,
      [id, secret_hash],
    );
    if (rows[0]?.revoked !== false) throw new ApiKeyRevokedError();
    if (rows[0].expired) throw new ApiKeyExpiredError();
    if (rows[0].rotated) throw new ApiKeyRotatedError();
    await client.query('UPDATE api_keys SET secret_hash = $2 WHERE id = $1', [id, secretHash]);
  }

  async revoke(client: PoolClient, id: number): Promise<void> {
    await client.query('UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1', [id]);
  }

  private async readHolders(publicIds: string[]): Promise<ApiKeyHolder[]> {
    const { rows } = await this.pool.query<ApiKeyHolder>({
      name: 'api-key-holders',
      text: `
        SELECT k.id, k.public_id, k.secret_hash, k.permissions, k.rate_limit, coalesce(k.last_used_at < now() - interval '1 minute', true) AS stale,
               ARRAY(SELECT graph_id FROM api_key_graphs WHERE api_key_id = k.id) AS graph_ids,
               u.id AS user_id, u.username, u.is_admin, u.token_version
        FROM api_keys k JOIN users u ON u.id = k.user_id
        WHERE k.public_id = ANY ($1::text[])
          AND k.revoked_at IS NULL AND k.expires_at > now() AND u.disabled_at IS NULL AND NOT u.must_change_password`,
      values: [publicIds],
    });
    return rows;
  }
}
