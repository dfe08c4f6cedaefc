import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { ServicePool } from '../database/service-pool.js';
import { type Synonym } from '../questions/vocabulary.js';
import { SynonymNotFoundError, TooManySynonymsError } from './queries.errors.js';

/** Maximum synonyms of a graph. All of them are sent with every question. */
export const mostSynonyms = 2_000;

export interface SynonymRow extends Synonym {
  id: number;
  created_at: Date;
}

const columns = 'id, kind, name, synonym, created_at';

/** The synonyms of a graph. */
@Injectable()
export class LexiconRepository {
  constructor(private readonly pool: ServicePool) {}

  /** Synonyms of a graph, by ascending id, beginning after the id `after`. */
  async list(graphId: number, after: number, most: number): Promise<SynonymRow[]> {
    const { rows } = await this.pool.query<SynonymRow>(
      `SELECT ${columns} FROM graph_synonyms WHERE graph_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
      [graphId, after, most],
    );
    return rows;
  }

  /** All synonyms of a graph, in an order that depends only on the synonyms themselves. */
  async synonyms(graphId: number): Promise<Synonym[]> {
    return (await this.readAll(graphId)).synonyms;
  }

  /**
   * A text that changes with every change of the graph's synonyms: their number and their largest id. Synonyms are added and removed but
   * never changed. Those of one graph are added by one request after the other, so that their ids rise. So while the largest id stays the
   * same, the number of synonyms can only fall.
   */
  async versionOf(graphId: number): Promise<string> {
    const { rows } = await this.pool.query<{ count: number; last: number | null }>({
      name: 'version-of-synonyms',
      text: 'SELECT count(*)::int AS count, max(id) AS last FROM graph_synonyms WHERE graph_id = $1',
      values: [graphId],
    });
    const { count, last } = rows[0]!;
    return toVersion(count, last ?? 0);
  }

  /** All synonyms of a graph, with the version that `versionOf` would return for them. */
  async readAll(graphId: number): Promise<{ version: string; synonyms: Synonym[] }> {
    const { rows } = await this.pool.query<Synonym & { id: number }>({
      name: 'synonyms-and-ids',
      text: 'SELECT id, kind, name, synonym FROM graph_synonyms WHERE graph_id = $1 ORDER BY kind, name, synonym',
      values: [graphId],
    });
    let last = 0;
    for (const { id } of rows) last = Math.max(last, id);
    return { version: toVersion(rows.length, last), synonyms: rows.map(({ id: _, ...synonym }) => synonym) };
  }

  /** Adds the synonyms that the graph does not have yet. @returns the number of added synonyms @throws TooManySynonymsError */
  async add(client: PoolClient, graphId: number, userId: number, synonyms: readonly Synonym[]): Promise<number> {
    // Requests for one graph run one after the other, so that each is counted before the next.
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('synonyms of graph ' || $1::int, 0))`, [graphId]);
    const { rowCount } = await client.query(
      `INSERT INTO graph_synonyms (graph_id, created_by, kind, name, synonym)
       SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::text[]) ON CONFLICT DO NOTHING`,
      [graphId, userId, synonyms.map(({ kind }) => kind), synonyms.map(({ name }) => name), synonyms.map(({ synonym }) => synonym)],
    );
    const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM graph_synonyms WHERE graph_id = $1', [
      graphId,
    ]);
    if (rows[0]!.count > mostSynonyms) throw new TooManySynonymsError(mostSynonyms);
    return rowCount ?? 0;
  }

  /** Removes a synonym of the graph. @throws SynonymNotFoundError */
  async remove(client: PoolClient, graphId: number, id: number): Promise<Synonym> {
    const { rows } = await client.query<Synonym>(
      'DELETE FROM graph_synonyms WHERE graph_id = $1 AND id = $2 RETURNING kind, name, synonym',
      [graphId, id],
    );
    if (!rows[0]) throw new SynonymNotFoundError();
    return rows[0];
  }
}

function toVersion(count: number, last: number): string {
  return `${count} ${last}`;
}
