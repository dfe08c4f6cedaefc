import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { ServicePool } from '../database/service-pool.js';
import { type LargeAnswer, type QueryKind, type RetrievalAnswer } from '../retrieval/protocol.js';

/** A stored answer: the answer of retrieval, under an id that is never used again. */
export interface StoredAnswer {
  id: number;
  version: number;
  answer: RetrievalAnswer;
  createdAt: Date;
}

/** An answer before it is shaped into a response. `id` is null if the answer is not stored. */
export type Answered = Omit<StoredAnswer, 'id' | 'answer'> & { id: number | null; answer: RetrievalAnswer | LargeAnswer };

/** A stored answer with the request that it answers: `request` is a JSON object with `text`, `parameters`, `limit` and `offset`. */
export type AskedAnswer = StoredAnswer & { kind: QueryKind; request: string; isOfEarlierVersion: boolean };

/** The limits on the stored answers of one graph. */
export interface AnswerShare {
  bytes: number;
  count: number;
}

export interface NewAnswer extends Omit<StoredAnswer, 'answer'> {
  /** The answer as JSON text, and the bytes of that text in UTF-8. */
  text: string;
  bytes: number;
  graphId: number;
  hash: Buffer;
  kind: QueryKind;
  /** The JSON object of the request's fields that decide the answer. */
  request: string;
  userId: number;
}

/**
 * Identifies the work of a query: the graph, and a hash of the graph's version and of everything else that the answer and its time-out
 * depend on.
 */
export interface WorkKey {
  graphId: number;
  key: Buffer;
}

export interface FoundAnswer {
  version: number;
  /** The newest version of the graph that the user has had an answer from; 0 if none. */
  seen: number;
  stored: StoredAnswer | null;
}

interface AskedRow {
  kind: QueryKind;
  request: string;
  graph_version: number;
  answer: string;
  created_at: Date;
  is_earlier: boolean;
}

const idsAtOnce = 64;
/**
 * Maximum stored answers to one request. The limit keeps a caller who refreshes one request again and again from evicting many answers to
 * other requests.
 */
const mostOfOneRequest = 20;
/** Seconds after the last renewal of its claim at which a process no longer counts as computing a query. */
const claimS = 6;

/**
 * SQL that finds the answers to remove: those to each request beyond its newest {@link mostOfOneRequest}, and of the rest the oldest beyond
 * the graph's limits. $1 is the limit in bytes, $2 the limit in number.
 */
const beyondShare = (ofGraphs: string) => `
  SELECT id FROM (
    SELECT id, repetition, sum(bytes) FILTER (WHERE repetition <= ${mostOfOneRequest}) OVER newest_first AS bytes,
           count(*) FILTER (WHERE repetition <= ${mostOfOneRequest}) OVER newest_first AS place
      FROM (SELECT id, graph_id, bytes, created_at,
                   row_number() OVER (PARTITION BY graph_id, request_hash ORDER BY created_at DESC, id DESC) AS repetition
              FROM queries ${ofGraphs}) numbered
    WINDOW newest_first AS (PARTITION BY graph_id ORDER BY created_at DESC, id DESC)) ranked
  WHERE repetition > ${mostOfOneRequest} OR bytes > $1 OR place > $2`;

/** Stored answers, and claims. A claim records which process computes an answer now. */
@Injectable()
export class QueriesRepository {
  private ids: number[] = [];

  constructor(private readonly pool: ServicePool) {}

  /**
   * Reads the graph's version, the newest version that the user has had an answer from, and the stored answer to `hash`, if any, in one
   * statement. Null when the graph is gone.
   */
  async findAnswer(graphId: number, hash: Buffer | null, userId: number): Promise<FoundAnswer | null> {
    const { rows } = await this.pool.query<{ version: number; seen: number; id: number | null; answer: string | null; created_at: Date }>({
      name: 'find-answer',
      text: `SELECT g.version, coalesce(seen.version, 0) AS seen, q.id, q.answer::text AS answer, q.created_at
               FROM graphs g LEFT JOIN LATERAL (
                 SELECT * FROM queries WHERE graph_id = g.id AND request_hash = $2 AND graph_version = g.version
                  ORDER BY created_at DESC, id DESC LIMIT 1) q ON true
               LEFT JOIN seen_versions seen ON seen.graph_id = g.id AND seen.user_id = $3
              WHERE g.id = $1`,
      values: [graphId, hash, userId],
    });
    const row = rows[0];
    if (!row) return null;
    const { version, seen, id, answer, created_at: createdAt } = row;
    return {
      version,
      seen,
      stored: id === null || answer === null ? null : { id, version, answer: JSON.parse(answer) as RetrievalAnswer, createdAt },
    };
  }

  /**
   * Records that the user has had an answer from this version. The commit does not wait for the disk, so a crash of the server may lose the
   * record.
   */
  async noteSeen(graphId: number, userId: number, version: number): Promise<void> {
    await this.pool.query(
      `WITH hurry AS (SELECT set_config('synchronous_commit', 'off', true))
       INSERT INTO seen_versions AS seen (graph_id, user_id, version) SELECT $1, $2, $3 FROM hurry
       ON CONFLICT (graph_id, user_id) DO UPDATE SET version = excluded.version WHERE seen.version < excluded.version`,
      [graphId, userId, version],
    );
  }

  async findById(graphId: number, id: number): Promise<AskedAnswer | null> {
    const { rows } = await this.pool.query<AskedRow>(
      `SELECT q.kind, q.request::text AS request, q.graph_version, q.answer::text AS answer, q.created_at, q.graph_version < g.version AS is_earlier
         FROM queries q JOIN graphs g ON g.id = q.graph_id WHERE q.graph_id = $1 AND q.id = $2`,
      [graphId, id],
    );
    const row = rows[0];
    if (!row) return null;
    const { kind, request, graph_version: version, created_at: createdAt, is_earlier: isOfEarlierVersion } = row;
    return { id, kind, request, version, answer: JSON.parse(row.answer) as RetrievalAnswer, createdAt, isOfEarlierVersion };
  }

  /**
   * Returns the id of an answer that is about to be stored. Ids are taken from the sequence 64 at a time, so that an answer has its id
   * before its row is written.
   */
  async nextId(): Promise<number> {
    if (this.ids.length === 0) {
      const { rows } = await this.pool.query<{ id: number }>(
        `SELECT nextval(pg_get_serial_sequence('queries', 'id'))::int AS id FROM generate_series(1, ${idsAtOnce})`,
      );
      this.ids.push(...rows.map(row => row.id).reverse());
    }
    return this.ids.pop() as number;
  }

  /**
   * Stores an answer beside the earlier answers to the same request, so that links to these go on showing them. A lost answer only has to
   * be computed again, so the commit does not wait for the disk; `set_config(…, true)` holds for this statement's own transaction only.
   */
  async save(entry: NewAnswer): Promise<void> {
    await this.pool.query(
      `WITH hurry AS (SELECT set_config('synchronous_commit', 'off', true))
       INSERT INTO queries (id, graph_id, graph_version, request_hash, kind, request, answer, bytes, created_by, created_at)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM hurry`,
      [
        entry.id,
        entry.graphId,
        entry.version,
        entry.hash,
        entry.kind,
        entry.request,
        entry.text,
        entry.bytes,
        entry.userId,
        entry.createdAt,
      ],
    );
  }

  /** Claims an answer for the caller's process, which computes it now. @returns false if another process holds the claim */
  async claim({ graphId, key }: WorkKey, claimId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'claim-query',
      text: `INSERT INTO query_claims AS c (graph_id, key, claim_id, claimed_until) VALUES ($1, $2, $3, now() + make_interval(secs => $4))
             ON CONFLICT (graph_id, key) DO UPDATE SET claim_id = excluded.claim_id, claimed_until = excluded.claimed_until
             WHERE c.claimed_until <= now()`,
      values: [graphId, key, claimId, claimS],
    });
    return rowCount === 1;
  }

  async renewClaim({ graphId, key }: WorkKey, claimId: string): Promise<void> {
    await this.pool.query(
      'UPDATE query_claims SET claimed_until = now() + make_interval(secs => $4) WHERE graph_id = $1 AND key = $2 AND claim_id = $3',
      [graphId, key, claimId, claimS],
    );
  }

  async releaseClaim({ graphId, key }: WorkKey, claimId: string): Promise<void> {
    await this.pool.query({
      name: 'release-query',
      text: 'DELETE FROM query_claims WHERE graph_id = $1 AND key = $2 AND claim_id = $3',
      values: [graphId, key, claimId],
    });
  }

  async isClaimed({ graphId, key }: WorkKey): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'is-query-claimed',
      text: 'SELECT FROM query_claims WHERE graph_id = $1 AND key = $2 AND claimed_until > now()',
      values: [graphId, key],
    });
    return rowCount === 1;
  }

  /** Removes the claims of processes that have ended. */
  async removeOldClaims(client: PoolClient, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `DELETE FROM query_claims WHERE (graph_id, key) IN (
         SELECT graph_id, key FROM query_claims WHERE claimed_until < now() - interval '1 hour' LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [most],
    );
    return rowCount ?? 0;
  }

  async removeOld(client: PoolClient, keptDays: number, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `DELETE FROM queries WHERE id IN (
         SELECT id FROM queries WHERE created_at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [keptDays, most],
    );
    return rowCount ?? 0;
  }

  async removeBeyondShare(client: PoolClient, { bytes, count }: AnswerShare, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `DELETE FROM queries WHERE id IN (
         SELECT id FROM queries WHERE id IN (${beyondShare('')}) ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED)`,
      [bytes, count, most],
    );
    return rowCount ?? 0;
  }

  /** Removes the oldest stored answers of one graph beyond its limits, without a bound on how many are removed at once. */
  async cutToShare(graphId: number, { bytes, count }: AnswerShare): Promise<void> {
    await this.pool.query(
      `DELETE FROM queries WHERE id IN (
         SELECT id FROM queries WHERE id IN (${beyondShare('WHERE graph_id = $3')}) FOR UPDATE SKIP LOCKED)`,
      [bytes, count, graphId],
    );
  }
}
