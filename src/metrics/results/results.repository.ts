import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { ServicePool } from '../../database/service-pool.js';

/** Identifies a kept result by graph and key, with the tables that its rows depend on and the caller who asks for it. */
export interface ResultKey {
  graphId: number;
  key: Buffer;
  connectionId: number;
  callerId: number;
  /** The tables of the mirror that the result depends on. Empty if data versions cannot show whether the result is still current. */
  tables: readonly string[];
  /** The greatest age in seconds that the caller accepts. Null accepts any age, but only for results with current data versions. */
  maxAgeS: number | null;
}

/**
 * The data versions of tables, as PostgreSQL writes them in a JSON document, so that equal versions have equal texts. Null without
 * tables.
 */
export type VersionsText = string | null;

export interface FoundResult {
  /** The current data versions of the tables. */
  versions: VersionsText;
  knownTables: number;
  kept: { text: string; ageS: number } | null;
  /** Whether a process is reading the result now and found `versions` when it began. */
  isRunning: boolean;
}

export interface NewResult {
  text: string;
  bytes: number;
  /** The data versions in the snapshot that the result was read from; null if they are not known. */
  versions: Record<string, number> | null;
  ageS: number;
}

/** The limits on kept results: `bytes` of all callers, `mostOfOne` bytes of one caller, `count` results of one caller. */
export interface ResultShare {
  bytes: number;
  mostOfOne: number;
  count: number;
}

/** Seconds after the last `renew` at which a process that reads a result counts as stopped. */
const leaseS = 6;

const currentVersions = `SELECT jsonb_object_agg(name, version) AS versions, count(*)::int AS known FROM mirror_tables WHERE name = ANY ($3::text[])`;

const isOutdated = `EXISTS (
  SELECT FROM jsonb_each_text(k.versions) made LEFT JOIN mirror_tables t ON t.name = made.key WHERE t.version IS DISTINCT FROM made.value::bigint)`;

/** SQL that finds the oldest results beyond the share of their caller. $1 is `bytes`, $2 `mostOfOne` and $3 `count` of `ResultShare`. */
const beyondShare = (ofCallers: string) => `
  SELECT graph_id, key FROM (
    SELECT graph_id, key, sum(bytes) OVER newest_first AS bytes, row_number() OVER newest_first AS place FROM metric_results ${ofCallers}
    WINDOW newest_first AS (PARTITION BY created_by ORDER BY read_at DESC NULLS FIRST, graph_id, key)) ranked
  WHERE bytes > least($2::float8, $1::float8 / (SELECT count(DISTINCT created_by) FROM metric_results)) OR place > $3`;

/** Kept results of metrics, by graph and key, and the reads in progress. All times come from the clock of the database. */
@Injectable()
export class ResultsRepository {
  constructor(private readonly pool: ServicePool) {}

  /** Reads the current data versions, and the result that is kept for them. One statement reads both, so that they belong to one moment. */
  async find({ graphId, key, tables, maxAgeS }: ResultKey): Promise<FoundResult> {
    const { rows } = await this.pool.query<{ versions: string | null; known: number; text: string | null; age: number; running: boolean }>({
      name: 'find-metric-result',
      text: `WITH current AS (${currentVersions}), found AS (
               SELECT k.*, extract(epoch FROM now() - k.read_at)::float8 AS age FROM metric_results k WHERE k.graph_id = $1 AND k.key = $2)
             SELECT current.versions::text AS versions, current.known, found.age,
                    coalesce(found.run_until > now() AND found.run_versions IS NOT DISTINCT FROM current.versions, false) AS running,
                    CASE WHEN ($4::float8 IS NULL OR found.age < $4) AND (found.versions = current.versions OR found.versions IS NULL AND $4 IS NOT NULL)
                         THEN found.result END AS text
             FROM current LEFT JOIN found ON true`,
      values: [graphId, key, tables, maxAgeS],
    });
    const { versions, known: knownTables, text, age, running: isRunning } = rows[0]!;
    return { versions, knownTables, isRunning, kept: text === null ? null : { text, ageS: Math.max(0, age) } };
  }

  /** Records that this process reads the result now. @returns false if another process is reading it at the same versions */
  async begin({ graphId, key, connectionId, callerId }: ResultKey, versions: VersionsText, runId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'begin-metric-result',
      text: `INSERT INTO metric_results AS k (graph_id, key, connection_id, created_by, run_id, run_versions, run_until)
             VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
             ON CONFLICT (graph_id, key) DO UPDATE SET run_id = excluded.run_id, run_versions = excluded.run_versions, run_until = excluded.run_until
             WHERE k.run_until IS NULL OR k.run_until <= now() OR k.run_versions IS DISTINCT FROM excluded.run_versions`,
      values: [graphId, key, connectionId, callerId, runId, versions, leaseS],
    });
    return rowCount === 1;
  }

  async renew({ graphId, key }: ResultKey, runId: string): Promise<void> {
    await this.pool.query(
      'UPDATE metric_results SET run_until = now() + make_interval(secs => $4) WHERE graph_id = $1 AND key = $2 AND run_id = $3',
      [graphId, key, runId, leaseS],
    );
  }

  /** Records that this process no longer reads the result. */
  async end({ graphId, key }: ResultKey, runId: string): Promise<void> {
    await this.pool.query(
      `WITH gone AS (DELETE FROM metric_results WHERE graph_id = $1 AND key = $2 AND run_id = $3 AND result IS NULL)
       UPDATE metric_results SET run_id = NULL, run_versions = NULL, run_until = NULL
       WHERE graph_id = $1 AND key = $2 AND run_id = $3 AND result IS NOT NULL`,
      [graphId, key, runId],
    );
  }

  /** Keeps a result in place of an older one. */
  async save({ graphId, key, connectionId, callerId }: ResultKey, { text, bytes, versions, ageS }: NewResult): Promise<void> {
    await this.pool.query({
      name: 'save-metric-result',
      text: `INSERT INTO metric_results AS k (graph_id, key, connection_id, created_by, result, bytes, versions, read_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, now() - make_interval(secs => $8))
             ON CONFLICT (graph_id, key) DO UPDATE
             SET created_by = excluded.created_by, result = excluded.result, bytes = excluded.bytes, versions = excluded.versions, read_at = excluded.read_at
             WHERE k.read_at IS NULL OR k.read_at <= excluded.read_at`,
      values: [graphId, key, connectionId, callerId, text, bytes, versions && JSON.stringify(versions), ageS],
    });
  }

  /**
   * Removes at most `most` results that are too old or were read from older data, and entries without a result whose process has stopped.
   * @returns the number of removed rows
   */
  async removeOutdated(client: PoolClient, keptHours: number, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `DELETE FROM metric_results WHERE (graph_id, key) IN (
         SELECT graph_id, key FROM metric_results k
         WHERE coalesce(k.run_until, '-infinity') < now()
           AND (k.result IS NULL OR k.read_at < now() - make_interval(hours => $1) OR ${isOutdated})
         LIMIT $2 FOR UPDATE OF k SKIP LOCKED)`,
      [keptHours, most],
    );
    return rowCount ?? 0;
  }

  async removeBeyondShare(client: PoolClient, { bytes, mostOfOne, count }: ResultShare, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `DELETE FROM metric_results WHERE (graph_id, key) IN (
         SELECT graph_id, key FROM metric_results WHERE (graph_id, key) IN (${beyondShare('')}) LIMIT $4 FOR UPDATE SKIP LOCKED)`,
      [bytes, mostOfOne, count, most],
    );
    return rowCount ?? 0;
  }

  /** Removes the results of one caller beyond the caller's share. */
  async cutToShare(callerId: number, { bytes, mostOfOne, count }: ResultShare): Promise<void> {
    await this.pool.query(
      `DELETE FROM metric_results WHERE (graph_id, key) IN (
         SELECT graph_id, key FROM metric_results WHERE (graph_id, key) IN (${beyondShare('WHERE created_by = $4')}) FOR UPDATE SKIP LOCKED)`,
      [bytes, mostOfOne, count, callerId],
    );
  }
}
