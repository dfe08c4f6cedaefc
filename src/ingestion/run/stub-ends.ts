import { type PoolClient } from 'pg';
import { isStub } from '../../database/graph-tables.js';
import { type EdgeEnd, type EdgeMapping } from '../mapping/mapping.js';
import { parsePropertyType } from '../mapping/property-type.js';
import { parsedValue, type ResolvedType, type ValueSql } from '../staging/column-sql.js';
import { maxKeyLength } from '../staging/compile-staging.js';
import { RunFailure } from '../../common/errors/run-failure.js';
import { type StagedTarget } from './stage-target.js';
import { type WriteScope } from './write-scope.js';

/** The properties that make up the key of a node, in the order of the key. */
type KeyProperties = { property: string; type: ResolvedType }[];

/** The key properties of the stubs that an edge makes for missing nodes, for each end; null for an end that makes no stubs. */
export interface StubEnds {
  from: KeyProperties | null;
  to: KeyProperties | null;
}

/**
 * A condition for the join that finds the nodes of an end. An end finds stubs only if it makes stubs itself, so that the result does not
 * depend on the order of edges and runs.
 */
export function findsFor({ onMissing }: EdgeEnd, node: string): string {
  return onMissing === 'create' ? '' : ` AND (${isStub(node)}) IS NOT TRUE`;
}

/**
 * The key properties of the stubs that the ends of an edge make.
 * @throws RunFailure when an end makes nodes of a label that no job has loaded, because the key of the label is then not known
 */
export async function stubEnds(client: PoolClient, scope: WriteScope, edge: EdgeMapping, staged: StagedTarget[]): Promise<StubEnds> {
  const keyOf = (end: EdgeEnd): Promise<KeyProperties> | null =>
    end.onMissing === 'create' ? keyProperties(client, scope, end, staged) : null;
  return { from: await keyOf(edge.from), to: await keyOf(edge.to) };
}

async function keyProperties(
  client: PoolClient,
  { graphId }: WriteScope,
  { label, match }: EdgeEnd,
  staged: StagedTarget[],
): Promise<KeyProperties> {
  for (const { target, plan } of staged) {
    if (target.kind !== 'node' || target.element.label !== label) continue;
    const { key, columns } = target.element;
    return key.map(column => {
      const index = columns.findIndex(({ source }) => source.kind === 'column' && source.column === column);
      return { property: columns[index]!.property, type: plan.types[index]! };
    });
  }
  const { rows } = await client.query<{ key_properties: string[]; properties: { name: string; type: string }[] }>(
    `SELECT key_properties, properties FROM graph_elements WHERE graph_id = $1 AND kind = 'node' AND name = $2 ORDER BY owns_rest DESC, job_id LIMIT 1`,
    [graphId, label],
  );
  const known = rows[0];
  if (known?.key_properties.length === match.length) {
    return known.key_properties.map(property => {
      const type = known.properties.find(({ name }) => name === property)?.type ?? 'string';
      return { property, type: parsePropertyType(type) ?? { name: 'numeric' } };
    });
  }
  throw new RunFailure(
    'stub_key_unknown',
    {
      zh: `on_missing 为 create，但图中还没有「${label}」，或其键不是 ${match.length} 列，所以不知道新节点的键属性；请先运行装入「${label}」的任务，或改用 on_missing: skip`,
      en: `on_missing is create, but the graph has no ${label} yet, or its key has not ${match.length} columns, so the key properties of new nodes are not known; first run the job that loads ${label}, or use on_missing: skip`,
    },
    { label },
  );
}

/** SQL that tells whether a row's key can become the key of a stub at this end. It is never NULL for a key that is not NULL. */
export function fitsStub(properties: KeyProperties | null, key: string): string {
  if (!properties) return 'false';
  const checks = keyParts(properties, key).flatMap(({ valid }) => (valid === null ? [] : [valid]));
  return `(${[`char_length(${key}) <= ${maxKeyLength}`, ...checks].join(' AND ')})`;
}

/** SQL for the values of the key columns, which it takes out of the text of a key, see `keyText`. */
export function keyParts(properties: KeyProperties, key: string): ValueSql[] {
  return properties.map(({ type }, index) => parsedValue(properties.length === 1 ? key : `(${key}::jsonb ->> ${index})`, type));
}
