// The previous release keeps working. A run of it writes keys as the source does, and the next run of this release writes them anew.
import { Logger } from '@nestjs/common';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A label or edge type of a graph with the types of its key in each job that feeds it. */
interface Element {
  kind: 'node' | 'edge';
  name: string;
  keys: (string | null)[][];
}

/**
 * Gives equal numbers, booleans and dates in keys one text: 7 instead of `007` and 7.0. Each graph has a transaction of its own. Of several
 * nodes that thereby get one key, one gets it and the others keep theirs, until a full run of their job removes them; a warning counts them.
 */
export class WriteEqualKeysAlike1700000000044 implements MigrationInterface {
  transaction = false;
  private readonly logger = new Logger(WriteEqualKeysAlike1700000000044.name);

  async up(runner: QueryRunner): Promise<void> {
    const rows = (await runner.query(`SELECT id FROM graphs WHERE to_regclass('graph_data.nodes_' || id) IS NOT NULL ORDER BY id`)) as {
      id: number;
    }[];
    for (const { id } of rows) {
      await runner.startTransaction();
      try {
        // Locks the row, so that the graph is not deleted meanwhile.
        const found = (await runner.query('SELECT FROM graphs WHERE id = $1 FOR NO KEY UPDATE', [id])) as unknown[];
        if (found.length > 0) await this.rewrite(runner, id);
        await runner.commitTransaction();
      } catch (error) {
        await runner.rollbackTransaction();
        throw error;
      }
    }
  }

  /** Earlier releases read the new keys as well. */
  async down(): Promise<void> {}

  private async rewrite(runner: QueryRunner, graphId: number): Promise<void> {
    const elements = (await runner.query(
      `SELECT kind, name, jsonb_agg((
         SELECT coalesce(jsonb_agg((SELECT p ->> 'type' FROM jsonb_array_elements(g.properties) AS p WHERE p ->> 'name' = k.property) ORDER BY place), '[]')
         FROM unnest(g.key_properties) WITH ORDINALITY AS k (property, place)
       )) AS keys
       FROM graph_elements g WHERE graph_id = $1 GROUP BY kind, name ORDER BY kind DESC, name`,
      [graphId],
    )) as Element[];
    await runner.query(`SET LOCAL DateStyle = 'ISO, YMD'`);
    let changed = 0;
    for (const element of elements) {
      const key = rewritten(element.keys);
      if (key === null) continue;
      const [doubled = 0, count = 0] = await this.rewriteElement(runner, graphId, element, key);
      changed += count;
      if (doubled > 0) {
        const what = element.kind === 'node' ? 'nodes' : 'edges';
        this.logger.warn(
          `Graph ${graphId}: ${doubled} ${what} of ${element.name} repeat another with an equal key, such as 007 beside 7; a run of their job with ?full=true removes them, unless the job deletes nothing`,
        );
      }
    }
    if (changed === 0) return;
    await runner.query('DELETE FROM graph_changes WHERE graph_id = $1', [graphId]);
    await runner.query('UPDATE graphs SET version = version + 1, version_at = now() WHERE id = $1', [graphId]);
  }

  /** @returns how many rows keep their key because another row has the new one, and how many rows have a new key */
  private async rewriteElement(runner: QueryRunner, graphId: number, { kind, name }: Element, key: string): Promise<number[]> {
    const table = `graph_data.${kind === 'node' ? 'nodes' : 'edges'}_${graphId}`;
    const [column, same] = kind === 'node' ? ['label', ''] : ['type', 'source_id, target_id, '];
    const isSame = kind === 'node' ? '' : ' AND o.source_id = k.source_id AND o.target_id = k.target_id';
    const display = kind === 'node' ? ', display = CASE WHEN t.display = t.key THEN f.new_key ELSE t.display END' : '';
    const [row] = (await runner.query(
      `WITH keys AS MATERIALIZED (
         SELECT * FROM (SELECT id, ${same}key, ${key} AS new_key FROM ${table} WHERE ${column} = $1 OFFSET 0) AS all_keys
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
    return [row!.keys - row!.written, row!.written];
  }
}

/** SQL for the new text of `key`. Null if no part of the key has a type with one text for equal values, or if the jobs differ in the key. */
function rewritten(keys: (string | null)[][]): string | null {
  const [first = []] = keys;
  if (keys.some(({ length }) => length !== first.length)) return null;
  const types = first.map((_, place) => new Set(keys.map(key => kindOf(key[place] ?? null))));
  const parts = types.map((kinds, place) => {
    const [kind = 'text'] = kinds;
    return partOf(first.length === 1 ? 'key' : `(key::jsonb ->> ${place})`, kinds.size === 1 ? kind : 'text');
  });
  if (types.every(kinds => kinds.size > 1 || kinds.has('text'))) return null;
  return parts.length === 1 ? parts[0]! : `jsonb_build_array(${parts.join(', ')})::text`;
}

/** The kind of a property's type: `number`, `decimal` with its scale, `float`, `boolean`, `date`, or `text` for all others. */
function kindOf(type: string | null): string {
  if (type === null) return 'text';
  const [, scale] = /^decimal\(\d+,(\d+)\)$/.exec(type) ?? [];
  if (scale !== undefined) return `decimal ${scale}`;
  if (['int', 'bigint', 'decimal'].includes(type)) return 'number';
  return ['float', 'boolean', 'date'].includes(type) ? type : 'text';
}

function partOf(text: string, kind: string): string {
  const number = `'^\\s*[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,3})?\\s*$'`;
  const read = (condition: string, written: string): string => `CASE WHEN ${condition} THEN (${written})::text ELSE ${text} END`;
  const [name, scale] = kind.split(' ');
  const numeric = scale === undefined ? `${text}::numeric` : `round(${text}::numeric, ${scale})`;
  switch (name) {
    case 'number':
    case 'decimal':
      return read(`${text} ~ ${number}`, `trim_scale(${numeric})`);
    case 'float':
      return read(`${text} ~ ${number} AND pg_input_is_valid(${text}, 'double precision')`, `${text}::double precision + 0`);
    case 'boolean':
      return read(`pg_input_is_valid(${text}, 'boolean')`, `${text}::boolean`);
    case 'date':
      return read(`${text} !~ '[Tt:]' AND pg_input_is_valid(${text}, 'date')`, `${text}::date`);
    default:
      return text;
  }
}
