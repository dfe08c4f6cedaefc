import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, BusyError } from '../common/errors/api-error.js';
import { Settings } from '../config/settings.js';
import { DiskReserve } from './disk-reserve.js';
import { ServicePool } from './service-pool.js';

const patienceMs = 2_000;
const askedEveryMs = 20;

interface Quota {
  /** The FROM and WHERE clauses that select the records that count for the holder with id `$1`. */
  held: string;
  /** SQL aggregate over the selected records whose value is compared with the quota; `count(*)` if absent. */
  amount?: string;
  setting: string;
  most: (settings: Settings) => number;
  zh: (most: number) => string;
  en: (most: number) => string;
}

const perGraph = (table: string, zh: Quota['zh'], en: Quota['en']): Quota => ({
  held: `${table} WHERE graph_id = $1`,
  setting: 'MAX_RECORDS_PER_GRAPH',
  most: settings => settings.maxRecordsPerGraph,
  zh,
  en,
});

/** The quotas on what a user or a graph may hold. */
const quotas = {
  graphs: {
    held: 'graphs WHERE owner_id = $1',
    setting: 'MAX_GRAPHS_PER_USER',
    most: settings => settings.maxGraphsPerUser,
    zh: most => `您已拥有 ${most} 个图，请先删除不再使用的图`,
    en: most => `You own ${most} graphs; delete one that is no longer used`,
  },
  api_keys: {
    held: 'api_keys WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now()',
    setting: 'MAX_API_KEYS_PER_USER',
    most: settings => settings.maxApiKeysPerUser,
    zh: most => `您已有 ${most} 个有效的 API 密钥，请先撤销不再使用的密钥`,
    en: most => `You have ${most} API keys in force; revoke one that is no longer used`,
  },
  api_key_requests: {
    // A key counts for one more minute after its end, because its requests of that minute still count.
    held: `api_keys WHERE user_id = $1 AND least(expires_at, revoked_at) > now() - interval '1 minute'`,
    amount: 'sum(rate_limit)',
    setting: 'API_KEY_MAX_RATE_LIMIT',
    // Room for two keys with the largest rate limit, or for as many keys as allowed with the default rate limit of 60 requests a minute.
    most: settings => Math.max(2 * settings.apiKeyMaxRateLimit, 60 * settings.maxApiKeysPerUser),
    zh: most => `您的有效 API 密钥（含一分钟内失效的）合计至多每分钟 ${most} 次请求；请降低 rate_limit，或先撤销不再使用的密钥`,
    en: most =>
      `Your API keys in force, and those that ended within a minute, have at most ${most} requests a minute together; lower rate_limit, or revoke a key that is no longer used`,
  },
  tables: {
    held: 'mirror_tables WHERE loaded_by = $1',
    setting: 'MAX_TABLES_PER_USER',
    most: settings => settings.maxTablesPerUser,
    zh: most => `最后由您导入的表已有 ${most} 个，请先删除不再使用的表`,
    en: most => `You were the last to load ${most} tables; drop one that is no longer used`,
  },
  schedules: {
    held: 'schedules WHERE saved_by = $1 AND enabled',
    setting: 'MAX_SCHEDULES_PER_USER',
    most: settings => settings.maxSchedulesPerUser,
    zh: most => `您已启用 ${most} 个计划（含监视），请先停用或删除不再需要的计划`,
    en: most => `You have ${most} schedules enabled, those of watches among them; disable or delete one that is no longer needed`,
  },
  webhooks: {
    held: 'webhooks WHERE created_by = $1',
    setting: 'MAX_WEBHOOKS_PER_USER',
    most: settings => settings.maxWebhooksPerUser,
    zh: most => `最后由您保存的 Webhook 已有 ${most} 个，请先删除不再使用的`,
    en: most => `You were the last to save ${most} webhooks; delete one that is no longer used`,
  },
  members: perGraph(
    'graph_members',
    most => `该图已有 ${most} 个成员，请先移除不再需要的成员`,
    most => `The graph has ${most} members; remove one who no longer needs it`,
  ),
  metrics: perGraph(
    'metrics',
    most => `该图已有 ${most} 个指标，请先删除不再使用的指标`,
    most => `The graph has ${most} metrics; delete one that is no longer used`,
  ),
  jobs: perGraph(
    'ingestion_jobs',
    most => `该图已有 ${most} 个任务，请使用新的图`,
    most => `The graph has ${most} jobs; use a new graph`,
  ),
  record_bytes: {
    held: `(
      SELECT octet_length(mapping_yaml) AS bytes FROM ingestion_jobs WHERE graph_id = $1
      UNION ALL SELECT octet_length(r.mapping_yaml) FROM ingestion_revisions r JOIN ingestion_jobs j ON j.id = r.job_id WHERE j.graph_id = $1
      UNION ALL SELECT octet_length(b.binding::text) FROM metric_bindings b JOIN metrics m ON m.id = b.metric_id WHERE m.graph_id = $1) records`,
    amount: 'sum(bytes)',
    setting: 'MAX_RECORDS_PER_GRAPH',
    most: settings => settings.maxRecordsPerGraph * 256 * 1024,
    zh: most => `该图的映射（含历次修订）与指标绑定合计至多 ${most} 字节；请使用新的图`,
    en: most =>
      `The mappings of the graph, with their revisions, and the bindings of its metrics have at most ${most} bytes; use a new graph`,
  },
} satisfies Record<string, Quota>;

const amountOf = ({ amount = 'count(*)' }: Quota): string => `coalesce(${amount}, 0)::float8`;

export class QuotaReachedError extends ApiError {
  constructor(kind: keyof typeof quotas, most: number) {
    const { zh, en, setting } = quotas[kind];
    super(
      409,
      'quota_reached',
      { zh: `${zh(most)}，或请管理员调高 ${setting}`, en: `${en(most)}, or ask an administrator to raise ${setting}` },
      { context: { most } },
    );
  }
}

/** Limits how many records of a kind a caller can make. Admins set the limits, so the records of admins are not counted. */
@Injectable()
export class Quotas {
  constructor(
    private readonly settings: Settings,
    private readonly pool: ServicePool,
    private readonly disk: DiskReserve,
  ) {}

  /** For each quota of a user: the limit, and how many more records fit. The limits do not apply to an admin. */
  async ofUser(userId: number): Promise<{ name: string; limit: number; left: number }[]> {
    const names = ['graphs', 'api_keys', 'api_key_requests', 'tables', 'schedules', 'webhooks'] as const;
    const counts = names.map(name => `(SELECT ${amountOf(quotas[name])} FROM ${quotas[name].held}) AS ${name}`);
    const { rows } = await this.pool.query<Record<(typeof names)[number], number>>(`SELECT ${counts.join(', ')}`, [userId]);
    return names.map(name => {
      const limit = quotas[name].most(this.settings);
      return { name, limit, left: Math.max(0, limit - rows[0]![name]) };
    });
  }

  /**
   * Refuses one more record, or `asked` more of the amount that the quota counts, to a holder that has as much as allowed. Call it in the
   * transaction that creates the record. The check is exact: two requests at once wait for each other.
   * @param holderId id of the user or of the graph
   * @throws QuotaReachedError
   */
  async ask(client: PoolClient, kind: keyof typeof quotas, holderId: number, caller: { isAdmin: boolean }, asked = 1): Promise<void> {
    if (caller.isAdmin) return;
    const { held, most: mostOf } = quotas[kind];
    const most = mostOf(this.settings);
    await takeTurn(client, `quota.${kind}`, holderId);
    const { rows } = await client.query<{ held: number }>(`SELECT ${amountOf(quotas[kind])} AS held FROM ${held}`, [holderId]);
    if (rows[0]!.held + asked > most) throw new QuotaReachedError(kind, most);
  }

  /**
   * Refuses a record of `bytes` bytes if the graph's records would then exceed the quota on bytes.
   * @throws QuotaReachedError, DiskReserveError
   */
  async askForBytes(client: PoolClient, graphId: number, bytes: number, caller: { isAdmin: boolean }): Promise<void> {
    this.disk.requireFor(bytes);
    await this.ask(client, 'record_bytes', graphId, caller, bytes);
  }
}

/** Waits for a lock on the holder's quota. The wait is bounded, because a waiting request occupies a database connection. */
async function takeTurn(client: PoolClient, name: string, holderId: number): Promise<void> {
  for (const startedAt = performance.now(); performance.now() - startedAt < patienceMs; await sleep(askedEveryMs)) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_xact_lock(hashtextextended($1, $2)) AS taken', [name, holderId]); // prettier-ignore
    if (rows[0]!.taken) return;
  }
  throw new BusyError('creation_busy', { zh: '您正在同时创建过多对象，请稍后重试', en: 'You are creating too much at once; try again shortly' }, 1); // prettier-ignore
}
