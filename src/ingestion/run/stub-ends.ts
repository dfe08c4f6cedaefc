import { isStub } from '../../database/graph-tables.js';
import { type EdgeEnd, type EdgeMapping } from '../mapping/mapping.js';
import { parsedValue, type ValueSql } from '../staging/column-sql.js';
import { type KeyProperties } from '../staging/key-sql.js';
import { isRounded, maxKeyLength } from '../staging/key-text.js';
import { RunFailure } from '../../common/errors/run-failure.js';

/** The key properties of the stubs that an edge makes for missing nodes, for each end; null for an end that makes no stubs. */
export interface StubEnds {
  from: KeyProperties | null;
  to: KeyProperties | null;
}

/**
 * SQL condition for the join that finds the nodes of an end. An end finds stubs only if it makes stubs itself, so that the result does not
 * depend on the order of edges and runs.
 */
export function findsFor({ onMissing }: EdgeEnd, node: string): string {
  return onMissing === 'create' ? '' : ` AND (${isStub(node)}) IS NOT TRUE`;
}

/**
 * The key properties of the stubs that the ends of an edge make.
 * @throws RunFailure when an end makes nodes of a label that no job has loaded, because the key of the label is then not known
 */
export function stubEnds(edge: EdgeMapping, keys: ReadonlyMap<string, KeyProperties>): StubEnds {
  const keyOf = (end: EdgeEnd): KeyProperties | null => (end.onMissing === 'create' ? stubKey(end, keys) : null);
  return { from: keyOf(edge.from), to: keyOf(edge.to) };
}

function stubKey({ label, match }: EdgeEnd, keys: ReadonlyMap<string, KeyProperties>): KeyProperties {
  const known = keys.get(label);
  if (known?.length === match.length) return known;
  throw new RunFailure(
    'stub_key_unknown',
    {
      zh: `on_missing 为 create，但图中还没有「${label}」，或其键不是 ${match.length} 列，所以不知道新节点的键属性；请先运行装入「${label}」的任务，或改用 on_missing: skip`,
      en: `on_missing is create, but the graph has no ${label} yet, or its key has not ${match.length} columns, so the key properties of new nodes are not known; first run the job that loads ${label}, or use on_missing: skip`,
    },
    { label },
  );
}

/** SQL that checks whether a row's key can become the key of a stub at this end. The result is NULL only for a NULL key. */
export function fitsStub(properties: KeyProperties | null, key: string): string {
  if (!properties) return 'false';
  // A decimal with more digits than the type of the key would be rounded to the key of another number.
  const checks = keyParts(properties, key).flatMap((part, index) => {
    const { type } = properties[index]!;
    if (part.valid === null) return [];
    return type.name === 'decimal' ? [part.valid, `NOT ${isRounded(part)}`] : [part.valid];
  });
  return `(${[`char_length(${key}) <= ${maxKeyLength}`, ...checks].join(' AND ')})`;
}

/** SQL that extracts the values of the key columns from the text of a key (see `keyText`). */
export function keyParts(properties: KeyProperties, key: string): ValueSql[] {
  return properties.map(({ type }, index) => parsedValue(properties.length === 1 ? key : `(${key}::jsonb ->> ${index})`, type));
}
