// The previous release keeps working. A run of it writes keys as the source does, and the next run of this release writes them anew.
import { Logger } from '@nestjs/common';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A label or edge type of a graph with the types of its key in each job that feeds it; null for a column that the job does not map. */
interface Element {
  kind: 'node' | 'edge';
  name: string;
  keys: (string | null)[][];
}

/**
 * Gives equal whole and decimal numbers in keys one text: 7 instead of `007` and 7.0. Each graph has a transaction of its own.
 *
 * Where that cannot be done here, `reread` makes the next run of each job read all rows and remove the elements without one: where jobs
 * differ in the type of a key, for other types with one text for equal values, for numbers in keys of edges that no property holds, and
 * where several nodes get one key. Of these, one gets it, the others keep theirs, and a warning counts them.
 */
export class WriteEqualKeysAlike1700000000044 implements MigrationInterface {
  transaction = false;
  private readonly logger = new Logger(WriteEqualKeysAlike1700000000044.name);

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE graph_elements ADD COLUMN IF NOT EXISTS reread boolean NOT NULL DEFAULT false');
    const rows = (await runner.query(`SELECT id FROM graphs WHERE to_regclass('graph_data.nodes_' || id) IS NOT NULL ORDER BY id`)) as {
      id: number;
    }[];
    for (const { id } of rows) {
      await runner.startTransaction();
      try {
        // Locks the row, so that the graph is not deleted meanwhile.
        const found = (await runner.query('SELECT FROM graphs WHERE id = $1 FOR KEY SHARE', [id])) as unknown[];
        if (found.length > 0) await this.rewrite(runner, id);
        await runner.commitTransaction();
      } catch (error) {
        await runner.rollbackTransaction();
        throw error;
      }
    }
  }

  /** The keys stay: earlier releases read them as well. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE graph_elements DROP COLUMN IF EXISTS reread');
  }

  private async rewrite(runner: QueryRunner, graphId: number): Promise<void> {
    // The lock that runs take, before they lock the row of the graph.
    await runner.query(`LOCK TABLE graph_data.nodes_${graphId}, graph_data.edges_${graphId} IN SHARE ROW EXCLUSIVE MODE`);
    const elements = (await runner.query(
      `SELECT kind, name, jsonb_agg((
         SELECT coalesce(jsonb_agg((SELECT p ->> 'type' FROM jsonb_array_elements(g.properties) AS p WHERE p ->> 'name' = k.property) ORDER BY place), '[]')
         FROM unnest(g.key_properties) WITH ORDINALITY AS k (property, place)
       )) AS keys
       FROM graph_elements g WHERE graph_id = $1 GROUP BY kind, name ORDER BY kind DESC, name`,
      [graphId],
    )) as Element[];
    let changed = 0;
    for (const element of elements) {
      const parts = partsOf(element.keys);
      const written = parts?.includes('number') ? await this.rewriteElement(runner, graphId, element, parts) : null;
      changed += written?.changed ?? 0;
      const isOpen =
        parts === null || parts.includes('open') || (parts.includes('unmapped') && (await this.hasNumbers(runner, graphId, element)));
      if (!isOpen && !written?.doubled) continue;
      await runner.query('UPDATE graph_elements SET reread = true WHERE graph_id = $1 AND kind = $2 AND name = $3', [
        graphId,
        element.kind,
        element.name,
      ]);
    }
    if (changed === 0) return;
    await runner.query('DELETE FROM graph_changes WHERE graph_id = $1', [graphId]);
    await runner.query('UPDATE graphs SET version = version + 1, version_at = now() WHERE id = $1', [graphId]);
  }

  /** @returns how many rows keep their key because another row has the new one, and how many have a new key */
  private async rewriteElement(
    runner: QueryRunner,
    graphId: number,
    { kind, name }: Element,
    parts: Part[],
  ): Promise<{ doubled: number; changed: number }> {
    const table = `graph_data.${kind === 'node' ? 'nodes' : 'edges'}_${graphId}`;
    const [column, same] = kind === 'node' ? ['label', ''] : ['type', 'source_id, target_id, '];
    const isSame = kind === 'node' ? '' : ' AND o.source_id = k.source_id AND o.target_id = k.target_id';
    const display = kind === 'node' ? ', display = CASE WHEN t.display = t.key THEN f.new_key ELSE t.display END' : '';
    const [row] = (await runner.query(
      `WITH keys AS MATERIALIZED (
         SELECT * FROM (SELECT id, ${same}key, ${rewritten(parts)} AS new_key FROM ${table} WHERE ${column} = $1 OFFSET 0) AS all_keys
         WHERE new_key <> key AND char_length(new_key) <= 500
       ), free AS MATERIALIZED (
         SELECT DISTINCT ON (${same}new_key) id, new_key FROM keys k
         WHERE NOT EXISTS (SELECT FROM ${table} o WHERE o.${column} = $1 AND o.key = k.new_key${isSame})
         ORDER BY ${same}new_key, id
       ), written AS (
         UPDATE ${table} t SET key = f.new_key${display} FROM free f WHERE t.id = f.id RETURNING 1
       )
       SELECT (SELECT count(*) FROM keys)::int AS keys, (SELECT count(*) FROM written)::int AS written`,
      [name],
    )) as { keys: number; written: number }[];
    const doubled = row!.keys - row!.written;
    if (doubled > 0) {
      const what = kind === 'node' ? 'nodes' : 'edges';
      const edges = kind === 'node' ? ', and then the jobs of their edges with ?full=true' : '';
      this.logger.warn(
        `Graph ${graphId}: ${doubled} ${what} of ${name} repeat another with an equal key, such as 007 beside 7; the next run of their job removes them: run it${edges}`,
      );
    }
    return { doubled, changed: row!.written };
  }

  /** Whether a key of an edge has a part that is a number with a sign, a leading zero or decimals. */
  private async hasNumbers(runner: QueryRunner, graphId: number, { name }: Element): Promise<boolean> {
    const rows = (await runner.query(
      `SELECT FROM graph_data.edges_${graphId} WHERE type = $1 AND key ~ '(^|")([+]|[+-]?0[0-9]|[+-]?[0-9]*[.][0-9])' LIMIT 1`,
      [name],
    )) as unknown[];
    return rows.length > 0;
  }
}

/** What becomes of a part of a key: `number` is rewritten, `text` stays, `open` and `unmapped` are left to the next run. */
type Part = 'text' | 'number' | 'open' | 'unmapped';

/** The parts of a key by its types in all jobs. Null if the jobs differ in the number of parts. */
function partsOf(keys: (string | null)[][]): Part[] | null {
  const [first = []] = keys;
  if (keys.some(({ length }) => length !== first.length)) return null;
  return first.map((_, place) => {
    const parts = [...new Set(keys.map(key => partOf(key[place] ?? null)))];
    return parts.length === 1 ? parts[0]! : 'open';
  });
}

function partOf(type: string | null): Part {
  if (type === null) return 'unmapped';
  if (/^(int|bigint|decimal.*)$/.test(type) && !type.endsWith('[]')) return 'number';
  return ['float', 'boolean', 'date'].includes(type) ? 'open' : 'text';
}

/** SQL for the new text of `key`. A key of another form stays, such as that of a stub from before the key had these parts. */
function rewritten(parts: Part[]): string {
  if (parts.length === 1) return numberText('key', parts[0]!);
  const texts = parts.map((part, place) => numberText(`(key::jsonb ->> ${place})`, part));
  const list = `CASE jsonb_array_length(key::jsonb) WHEN ${parts.length} THEN jsonb_build_array(${texts.join(', ')})::text ELSE key END`;
  return `CASE WHEN pg_input_is_valid(key, 'jsonb') THEN CASE jsonb_typeof(key::jsonb) WHEN 'array' THEN ${list} ELSE key END ELSE key END`;
}

function numberText(text: string, part: Part): string {
  if (part !== 'number') return text;
  const form = `'^\\s*[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,3})?\\s*$'`;
  return `CASE WHEN ${text} ~ ${form} AND pg_input_is_valid(${text}, 'numeric') THEN trim_scale(${text}::numeric)::text ELSE ${text} END`;
}
