import { isTypeName } from '../../warehouse/clients/postgres/wire-types.js';
import { type UsableConnection } from '../../warehouse/warehouse.service.js';
import { type BoundTable, type TableRead } from '../plan/metric-binding.js';
import { withoutLength } from '../../sql/without-length.js';

export interface ColumnChange {
  table: string;
  column: string;
  was: string;
  /** Null if the column is gone. */
  is: string | null;
}

/** Types whose values mean the same in every formula, so that a change among them changes no result. */
const kin: readonly (readonly string[])[] = [
  ['smallint', 'integer', 'bigint'],
  ['text', 'varchar', 'other'],
];

/**
 * Compares columns with the result of a query that reads them.
 * @param types those of the result, in the order of the reads and their columns
 */
export function changesOf(reads: readonly TableRead[], types: readonly string[]): ColumnChange[] {
  const all = reads.flatMap(({ table, columns }) => columns.map(column => ({ table, column })));
  return all.flatMap(({ table, column }, index) => {
    const [was, is] = [table.columns.find(({ name }) => name === column)?.type ?? 'other', types[index] ?? 'other'];
    return meansTheSame(was, is) ? [] : [{ table: nameOf(table), column, was, is }];
  });
}

/** Finds the columns that tables no longer have. Those of queries cannot be told. */
export async function columnsGone(
  reads: readonly TableRead[],
  connection: Pick<UsableConnection, 'client' | 'catalog'>,
): Promise<ColumnChange[]> {
  return (await typeChanges(reads, connection)).filter(({ is }) => is === null);
}

/**
 * Compares the columns of tables with what the catalogue of another database than PostgreSQL says of them now. Digits count as well,
 * since sums are computed with as many as columns have. A table that is gone is told by the statement that reads it.
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

/** A result does not name every type that the catalogue reads as text, such as an enumeration. */
function meansTheSame(was: string, is: string): boolean {
  const [first, second] = [baseOf(was), baseOf(is)];
  return first === second || kin.some(types => types.includes(first) && types.includes(second));
}

/** The type without its length, and `other` for those that a result does not name. */
function baseOf(type: string): string {
  const base = withoutLength(type);
  return isTypeName(base) ? base : 'other';
}
