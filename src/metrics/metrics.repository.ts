import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../access/principal.js';
import { Quotas } from '../database/quotas.js';
import { type RowPage, ServicePool } from '../database/service-pool.js';
import { GraphMetrics } from './graph-metrics.js';
import { type MetricFields, type MetricName, type MetricRow, type StoredBinding } from './metric-rows.js';
import { MetricNameTakenError } from './metrics.errors.js';
import { quoteIdentifier } from '../sql/quote-identifier.js';
import { mostPossible, soughtIn } from '../warehouse/tables/table-readers.js';
import { sqlstates, sqlstateOf } from '../sql/sqlstate.js';

const metricRow = `
  SELECT m.id, m.graph_id AS "graphId", m.name, m.aliases, m.formula, m.unit, m.format, m.description,
         m.created_at AS "createdAt", m.updated_at AS "updatedAt", b.binding,
         CASE WHEN u.id IS NOT NULL THEN jsonb_build_object('id', u.id, 'username', u.username) END AS "savedBy"
  FROM metrics m LEFT JOIN metric_bindings b ON b.metric_id = m.id LEFT JOIN users u ON u.id = b.saved_by`;

@Injectable()
export class MetricsRepository {
  constructor(
    private readonly pool: ServicePool,
    private readonly quotas: Quotas,
  ) {}

  /**
   * Lists the metrics of the visible graphs.
   * @param visible ids of graphs; null for all
   * @param graphId only the metrics of this graph, if it is visible; null for all visible graphs
   */
  async list(visible: number[] | null, graphId: number | null, afterId: number, limit: number): Promise<RowPage<MetricRow>> {
    return this.pool.readPage<MetricRow>('metric', {
      text: `${metricRow}
             WHERE m.id > $1 AND ($2::int IS NULL OR m.graph_id = $2) AND ($3::int[] IS NULL OR m.graph_id = ANY ($3)) ORDER BY m.id`,
      values: [afterId, graphId, visible],
      limit,
      sizeOf: `octet_length(formula) + octet_length(coalesce(description, '')) + octet_length(coalesce(binding::text, ''))`,
    });
  }

  async find(id: number): Promise<MetricRow | null> {
    const { rows } = await this.pool.query<MetricRow>({ name: 'find-metric', text: `${metricRow} WHERE m.id = $1`, values: [id] });
    return rows[0] ?? null;
  }

  /** Lists up to `mostPossible` + 1 metrics that are bound to the mirror and may read the table. */
  async listNaming(table: string): Promise<{ id: number; graphId: number }[]> {
    const { rows } = await this.pool.query<{ id: number; graphId: number }>(
      `SELECT m.id, m.graph_id AS "graphId"
       FROM metric_bindings b JOIN metrics m ON m.id = b.metric_id JOIN warehouse_connections c ON c.id = b.connection_id
       WHERE c.type = 'pg_mirror' AND (position(lower($1::text) IN lower(b.binding::text)) > 0 OR b.binding::text ~* 'U&')
       ORDER BY m.id LIMIT $2`,
      [soughtIn(table), mostPossible + 1],
    );
    return rows;
  }

  /** Loads the names and formulas of all metrics of a graph. A formula's `[name]` is looked up in them. */
  async openGraph(graphId: number): Promise<GraphMetrics> {
    const { rows } = await this.pool.query<MetricName>({
      name: 'list-metric-names',
      text: 'SELECT id, graph_id AS "graphId", name, aliases, formula, unit FROM metrics WHERE graph_id = $1 ORDER BY id',
      values: [graphId],
    });
    return new GraphMetrics(rows, ids => this.listByIds(ids));
  }

  private async listByIds(ids: number[]): Promise<MetricRow[]> {
    return this.pool.readBounded<MetricRow>('metric', `${metricRow} WHERE m.id = ANY ($1) ORDER BY m.id`, [ids]);
  }

  /** A hash that changes with each change of a metric of the graph or of its binding. */
  async versionOf(graphId: number): Promise<string> {
    const { rows } = await this.pool.query<{ version: string }>({
      name: 'version-of-metrics',
      text: `SELECT coalesce(md5(string_agg(concat_ws(' ', m.id, m.xmin, b.xmin), ',' ORDER BY m.id)), '') AS version
             FROM metrics m LEFT JOIN metric_bindings b ON b.metric_id = m.id WHERE m.graph_id = $1`,
      values: [graphId],
    });
    return rows[0]!.version;
  }

  /** @throws MetricNameTakenError, QuotaReachedError */
  async create(
    client: PoolClient,
    graphId: number,
    creator: Principal,
    fields: MetricFields,
    binding: StoredBinding | null,
  ): Promise<number> {
    return refuseTakenName(fields.name, async () => {
      await this.quotas.ask(client, 'metrics', graphId, creator);
      const { rows } = await client.query<{ id: number }>(
        `INSERT INTO metrics (graph_id, name, aliases, formula, unit, format, description, created_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
        [graphId, fields.name, fields.aliases, fields.formula, fields.unit, fields.format, fields.description, creator.userId],
      );
      const id = rows[0]!.id;
      if (binding) await this.putBinding(client, id, creator, binding);
      return id;
    });
  }

  /** @throws MetricNameTakenError */
  async update(client: PoolClient, id: number, changes: Partial<MetricFields>): Promise<void> {
    const set = Object.keys(changes).map((column, index) => `${quoteIdentifier(column)} = $${index + 2}`);
    await refuseTakenName(changes.name ?? '', () =>
      client.query(`UPDATE metrics SET ${set.join(', ')}, updated_at = now() WHERE id = $1`, [id, ...Object.values(changes)]),
    );
  }

  async delete(client: PoolClient, id: number): Promise<void> {
    await client.query('DELETE FROM metrics WHERE id = $1', [id]);
  }

  /**
   * Replaces the binding of a metric and raises its `version`. The write also changes `versionOf` the graph, which is part of every
   * cache key.
   */
  async putBinding(client: PoolClient, id: number, saver: Principal, binding: StoredBinding): Promise<void> {
    const text = JSON.stringify(binding);
    const { rows } = await client.query<{ graphId: number; former: number }>(
      `SELECT graph_id AS "graphId", coalesce(octet_length(binding::text), 0) AS former
       FROM metrics LEFT JOIN metric_bindings ON metric_id = id WHERE id = $1`,
      [id],
    );
    if (rows[0]) await this.quotas.askForBytes(client, rows[0].graphId, Buffer.byteLength(text) - rows[0].former, saver);
    await client.query(putBinding, [id, binding.bound.connection_id, text, saver.userId]);
  }
}

const putBinding = `
  INSERT INTO metric_bindings (metric_id, connection_id, binding, saved_by) VALUES ($1, $2, $3, $4)
  ON CONFLICT (metric_id) DO UPDATE
  SET connection_id = EXCLUDED.connection_id, binding = EXCLUDED.binding, saved_by = EXCLUDED.saved_by, version = metric_bindings.version + 1, updated_at = now()`;

async function refuseTakenName<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (sqlstateOf(error) === sqlstates.uniqueViolation) throw new MetricNameTakenError(name);
    throw error;
  }
}
