import { type PoolClient } from 'pg';
import { parsePropertyType } from '../mapping/property-type.js';
import { isNumber, type ResolvedType } from '../staging/column-sql.js';
import { type KeyProperties, keyProperties } from '../staging/key-sql.js';
import { type SourceShape, type Target } from '../staging/target.js';

/** Whose keys are read: those of the labels that the targets of a job write or name. */
interface KeyScope {
  graphId: number;
  jobId: number;
  targets: Target[];
}

/**
 * Reads the keys of all labels that the targets write, and of all labels that ends of edges or references name. A label that no target
 * writes has the key that other jobs gave it. A label that no other job loads is left out, because this run takes away what the job itself
 * may have loaded.
 * @param shapes the shapes of the targets' sources, in the order of the targets
 */
export async function readKeys(
  client: Pick<PoolClient, 'query'>,
  scope: KeyScope,
  shapes: SourceShape[],
): Promise<ReadonlyMap<string, KeyProperties>> {
  const own = scope.targets.flatMap((target, index): [string, KeyProperties][] =>
    target.kind === 'node' ? [[target.element.label, keyProperties(target.element, shapes[index]!)]] : [],
  );
  return new Map([...own, ...(await foreignKeys(client, scope))]);
}

/** Whether the keys of other jobs are the same as when `readKeys` read them. */
export async function hasSameKeys(client: PoolClient, scope: KeyScope, keys: ReadonlyMap<string, KeyProperties>): Promise<boolean> {
  const now = new Map(await foreignKeys(client, scope));
  return foreignLabels(scope.targets).every(label => JSON.stringify(now.get(label)) === JSON.stringify(keys.get(label)));
}

async function foreignKeys(client: Pick<PoolClient, 'query'>, { graphId, jobId, targets }: KeyScope): Promise<[string, KeyProperties][]> {
  const labels = foreignLabels(targets);
  if (labels.length === 0) return [];
  const { rows } = await client.query<{ name: string; properties: string[]; types: (string | null)[] }>(
    `SELECT name, key_properties AS properties, ARRAY(
       SELECT (SELECT p ->> 'type' FROM jsonb_array_elements(g.properties) AS p WHERE p ->> 'name' = k.property)
       FROM unnest(g.key_properties) WITH ORDINALITY AS k (property, place) ORDER BY place
     ) AS types
     FROM graph_elements g WHERE graph_id = $1 AND kind = 'node' AND name = ANY ($2) AND job_id <> $3
     ORDER BY owns_rest DESC, job_id`,
    [graphId, labels, jobId],
  );
  return labels.flatMap((label): [string, KeyProperties][] => {
    const jobs = rows.filter(({ name }) => name === label);
    const [first] = jobs;
    if (!first) return [];
    const key = first.properties.map((property, place) => ({
      property,
      type: typeOf(first.types[place]),
      comparedAs: inCommon(jobs.map(({ types }) => typeOf(types[place]))),
    }));
    return [[label, key]];
  });
}

/** The labels that ends of edges or references name, but that no target writes. */
function foreignLabels(targets: Target[]): string[] {
  const own = new Set(targets.flatMap(({ kind, element }) => (kind === 'node' ? [element.label] : [])));
  return [...new Set(targets.flatMap(labelsNamed))].filter(label => !own.has(label));
}

function labelsNamed({ kind, element }: Target): string[] {
  const references = element.columns.flatMap(({ rules }) => rules.flatMap(rule => (rule.kind === 'references' ? [rule.label] : [])));
  return kind === 'edge' ? [element.from.label, element.to.label, ...references] : references;
}

function typeOf(name: string | null | undefined): ResolvedType {
  if (name == null) return { name: 'string' };
  return parsePropertyType(name) ?? { name: 'numeric' };
}

/** The type in which keys of several jobs are compared: their common type, else `numeric` if all are numbers, else text. */
function inCommon(types: ResolvedType[]): ResolvedType {
  const [first = { name: 'string' }] = types;
  if (types.every(type => JSON.stringify(type) === JSON.stringify(first))) return first;
  return types.every(isNumber) ? { name: 'numeric' } : { name: 'string' };
}
