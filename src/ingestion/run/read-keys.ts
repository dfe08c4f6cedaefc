import { type PoolClient } from 'pg';
import { parsePropertyType } from '../mapping/property-type.js';
import { type ResolvedType } from '../staging/column-sql.js';
import { type KeyProperties, keyProperties } from '../staging/key-sql.js';
import { type SourceShape, type Target } from '../staging/target.js';

/**
 * Reads the keys of the labels that the targets write, or name at ends of edges or in references. A label of no target has the key that
 * other jobs gave it. A label that no job has loaded is left out.
 * @param shapes the shapes of the targets' sources, in the order of the targets
 */
export async function readKeys(
  client: PoolClient,
  graphId: number,
  targets: Target[],
  shapes: SourceShape[],
): Promise<ReadonlyMap<string, KeyProperties>> {
  const keys = new Map<string, KeyProperties>();
  targets.forEach(
    (target, index) => target.kind === 'node' && keys.set(target.element.label, keyProperties(target.element, shapes[index]!)),
  );
  const foreign = [...new Set(targets.flatMap(labelsNamed))].filter(label => !keys.has(label));
  if (foreign.length === 0) return keys;
  const { rows } = await client.query<{ name: string; key: { property: string; types: (string | null)[] }[] }>(
    // The job that is first has the most rows. Its key counts if the jobs of a label do not agree on the number of columns.
    `SELECT DISTINCT ON (name) name, (
       SELECT jsonb_agg(jsonb_build_object('property', k.property, 'types', (
         SELECT jsonb_agg(DISTINCT p ->> 'type') FROM graph_elements o, jsonb_array_elements(o.properties) AS p
         WHERE o.graph_id = $1 AND o.kind = 'node' AND o.name = g.name AND p ->> 'name' = k.property
       )) ORDER BY k.place)
       FROM unnest(g.key_properties) WITH ORDINALITY AS k (property, place)
     ) AS key
     FROM graph_elements g WHERE graph_id = $1 AND kind = 'node' AND name = ANY ($2)
     ORDER BY name, owns_rest DESC, job_id`,
    [graphId, foreign],
  );
  for (const { name, key } of rows)
    keys.set(
      name,
      key.map(({ property, types }) => ({ property, type: typeOf(types ?? []) })),
    );
  return keys;
}

function labelsNamed({ kind, element }: Target): string[] {
  const references = element.columns.flatMap(({ rules }) => rules.flatMap(rule => (rule.kind === 'references' ? [rule.label] : [])));
  return kind === 'edge' ? [element.from.label, element.to.label, ...references] : references;
}

/** The type of a key property by the names of its types in all jobs. Jobs that differ in the type have only the text in common. */
function typeOf([name, ...others]: (string | null)[]): ResolvedType {
  if (name == null || others.length > 0) return { name: 'string' };
  return parsePropertyType(name) ?? { name: 'numeric' };
}
