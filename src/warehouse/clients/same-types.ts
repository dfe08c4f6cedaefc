import { RunFailure } from '../../common/errors/run-failure.js';
import { type SourceTable, toCopyFailure } from './copy-failure.js';
import { withKnownType } from './known-type.js';
import { type TableCatalog } from './warehouse.client.js';

/**
 * Checks, after a table was read, that its columns still have the types that were described before. No lock prevents a change in between,
 * and a value of another type could be rounded silently. @throws RunFailure
 */
export async function requireSameTypes(catalog: TableCatalog, connection: string, table: SourceTable): Promise<void> {
  const { name, used } = table;
  const description = await catalog.describe(name).catch((error: unknown) => {
    throw toCopyFailure(error, { connection, table });
  });
  const types = new Map(description?.columns.map(withKnownType).map(column => [column.name, column.type]));
  const changed = used.find(column => types.get(column.name) !== column.type)?.name;
  if (changed === undefined) return;
  throw new RunFailure(
    'source_changed',
    {
      zh: `连接 '${connection}' 的表 '${name}'：列 '${changed}' 的类型在读取期间变了；请再次运行`,
      en: `connection '${connection}', table '${name}': the type of the column '${changed}' changed while it was read; run again`,
    },
    { connection, table: name, column: changed },
  );
}
