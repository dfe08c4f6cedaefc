import { isTypeName } from '../../warehouse/clients/postgres/wire-types.js';
import { type UsableConnection } from '../../warehouse/warehouse.service.js';
import { type BoundTable, type TableRead } from '../plan/metric-binding.js';
import { withoutLength } from '../../sql/without-length.js';

export interface ColumnChange {
  table: string;
  column: string;
  was: string;
  /** Type of the column now. Null if the column no longer exists. */
  is: string | null;
}

/** Groups of types whose values mean the same in every formula. A change within a group changes no result. */
const kin: readonly (readonly string[])[] = [
  ['smallint', 'integer', 'bigint'],
  ['text', 'varchar', 'other'],
];

/**
 * Finds the columns whose type in the binding differs from their type in the result of a query that reads them.
 * @param types the types of the result's columns, in the order of the reads and their columns
 */
export function changesOf(reads: readonly TableRead[], types: readonly string[]): ColumnChange[] {
  const all = reads.flatMap(({ table, columns }) => columns.map(column => ({ table, column })));
  return all.flatMap(({ table, column }, index) => {
    const [was, is] = [table.columns.find(({ name }) => name === column)?.type ?? 'other', types[index] ?? 'other'];
    return meansTheSame(was, is) ? [] : [{ table: nameOf(table), column, was, is }];
  });
}

/** Finds the columns that no longer exist in their tables. Columns of queries are not checked. */
export async function columnsGone(
  reads: readonly TableRead[],
  connection: Pick<UsableConnection, 'client' | 'catalog'>,
): Promise<ColumnChange[]> {
  return (await typeChanges(reads, connection)).filter(({ is }) => is === null);
}

/**
 * Finds the columns whose type in the catalogue has changed since the binding was checked. Changed digits count too, because on databases
 * other than PostgreSQL sums are computed with the digits of the columns. A missing table is not reported: the statement that reads it
 * fails.
 */
export async function typeChanges(
  reads: readonly TableRead[],
  { client, catalog }: Pick<UsableConnection, 'client' | 'catalog'>,
): Promise<ColumnChange[]> {
  const changes: ColumnChange[] = [];
  for (const { table, columns } of reads) {
    const { source } = table;
    if ('sql' in source) continue;
    const described = await catalog.describe(source.schema === client.schema ? source.table : `${source.schema}.${source.table}`);
    for (const column of described ? columns : []) {
      const was = table.columns.find(({ name }) => name === column)?.type ?? 'other';
      const is = described?.columns.find(({ name }) => name === column)?.type ?? null;
      if (was !== is) changes.push({ table: source.table, column, was, is });
    }
  }
  return changes;
}

function nameOf({ source, alias }: BoundTable): string {
  return 'sql' in source ? alias : source.table;
}

/**
 * Whether values of the two types mean the same in every formula. The type that a result names may differ from the catalogue's, which
 * reads some types, such as enumerations, as text.
 */
function meansTheSame(was: string, is: string): boolean {
  const [first, second] = [baseOf(was), baseOf(is)];
  return first === second || kin.some(types => types.includes(first) && types.includes(second));
}

/** The type without its length; `other` for types that a result does not name. */
function baseOf(type: string): string {
  const base = withoutLength(type);
  return isTypeName(base) ? base : 'other';
}
