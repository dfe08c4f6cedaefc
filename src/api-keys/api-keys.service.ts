import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { type Principal } from '../access/principal.js';
import { SchemaError } from '../common/errors/api-error.js';
import { afterId, page, type Page, type PageQuery } from '../http/paging/page.js';
import { Settings } from '../config/settings.js';
import { Quotas } from '../database/quotas.js';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { ConnectionAccessService } from '../warehouse/connections/connection-access.service.js';
import { createApiKey } from './api-key-format.js';
import { type ApiKeyResponse, type CreateApiKeyRequest, type NewApiKeyResponse, toApiKeyResponse } from './api-keys.dto.js';
import { ApiKeyNotFoundError, PermissionNotHeldError } from './api-keys.errors.js';
import { type ApiKeyRow, ApiKeysRepository } from './api-keys.repository.js';

const defaultLifetimeMs = 90 * 86_400_000;

/** Manages the API keys of the caller. An admin may also revoke the keys of other users. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly access: GraphAccessService,
    private readonly connections: ConnectionAccessService,
    private readonly audit: AuditService,
    private readonly settings: Settings,
    private readonly quotas: Quotas,
  ) {}

  async list(principal: Principal, { limit, cursor }: PageQuery): Promise<Page<ApiKeyResponse>> {
    const rows = await this.keys.listOf(principal.userId, afterId(cursor), limit + 1);
    return page(rows.map(toApiKeyResponse), limit, key => key.id);
  }

  /**
   * Creates a key. `raw_key` appears only in the answers of this call and of a rotation.
   * @throws GraphNotFoundError, GraphAccessError, PermissionNotHeldError, QuotaReachedError
   */
  async create(principal: Principal, request: CreateApiKeyRequest): Promise<NewApiKeyResponse> {
    const expiresAt = this.readLimits(request);
    const visible = new Set(await this.access.listVisible(principal));
    // `visible` is empty for admins, who see all graphs. So `require` checks each graph that is not in `visible`.
    for (const graphId of request.graph_ids) if (!visible.has(graphId)) await this.access.require(principal, graphId, 'viewer');
    const { name, rate_limit: rateLimit, graph_ids: graphIds, permissions } = request;
    // This only refuses early. Every request with the key is checked again for the connection of that request.
    if (permissions.includes('tables:write') && !(await this.connections.mayWriteAny(principal))) throw new PermissionNotHeldError();
    const { rawKey, publicId, secretHash } = createApiKey();
    const context = { name, graph_ids: graphIds, permissions, expires_at: expiresAt.toISOString() };
    const record = { userId: principal.userId, name, publicId, secretHash, rateLimit, expiresAt, permissions, graphIds };
    const id = await this.audit.recordWith(
      async client => {
        await this.quotas.ask(client, 'api_keys', principal.userId, principal);
        await this.quotas.ask(client, 'api_key_requests', principal.userId, principal, rateLimit);
        return this.keys.create(client, record);
      },
      id => ({ action: 'api_key.created', actor: principal, target: 'api_key', targetId: id, context }),
    );
    return { ...toApiKeyResponse(await this.getOwn(principal, id)), raw_key: rawKey };
  }

  /**
   * Gives the key a new secret under the same id. The old secret fails from the next request on.
   * @throws ApiKeyRotatedError when another rotation of the key was quicker.
   */
  async rotate(principal: Principal, id: number): Promise<NewApiKeyResponse> {
    const row = await this.getOwn(principal, id);
    // A reader of the new secret can act as the key's user, so not even an admin may rotate another user's key.
    if (row.user_id !== principal.userId) throw new ApiKeyNotFoundError();
    const { rawKey, secretHash } = createApiKey(row.public_id);
    await this.audit.recordWith(
      client => this.keys.replaceSecret(client, row, secretHash),
      () => ({ action: 'api_key.rotated', actor: principal, target: 'api_key', targetId: id }),
    );
    return { ...toApiKeyResponse(row), raw_key: rawKey };
  }

  async revoke(principal: Principal, id: number): Promise<void> {
    await this.getOwn(principal, id);
    await this.audit.recordWith(
      client => this.keys.revoke(client, id),
      () => ({ action: 'api_key.revoked', actor: principal, target: 'api_key', targetId: id }),
    );
  }

  private readLimits({ rate_limit, expires_at }: CreateApiKeyRequest): Date {
    const { apiKeyMaxRateLimit } = this.settings;
    const expiresAt = expires_at === undefined ? new Date(Date.now() + defaultLifetimeMs) : new Date(expires_at);
    const problems = [];
    if (rate_limit > apiKeyMaxRateLimit) {
      problems.push({
        loc: ['body', 'rate_limit'],
        text: { zh: `至多 ${apiKeyMaxRateLimit}`, en: `at most ${apiKeyMaxRateLimit}` },
        type: 'too_large',
      });
    }
    if (!(expiresAt.getTime() > Date.now())) {
      problems.push({ loc: ['body', 'expires_at'], text: { zh: '应在将来', en: 'must lie in the future' }, type: 'too_small' });
    }
    if (problems.length > 0) throw new SchemaError(problems);
    return expiresAt;
  }

  /** Finds a key of the caller, or any key if the caller is an admin. Every other key is treated as if it did not exist. */
  private async getOwn(principal: Principal, id: number): Promise<ApiKeyRow> {
    const row = await this.keys.find(id);
    if (!row || (row.user_id !== principal.userId && !principal.isAdmin)) throw new ApiKeyNotFoundError();
    return row;
  }
}
