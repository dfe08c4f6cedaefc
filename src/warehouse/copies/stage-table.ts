import { type PoolClient, type QueryConfig } from 'pg';
import { RunFailure } from '../../common/errors/run-failure.js';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { sqlstateOf } from '../../sql/sqlstate.js';
import { type CopyTask, copyRows } from '../clients/copy-rows.js';
import { type Reading, type WarehouseDialect } from '../clients/warehouse.client.js';
import { columnList, commentStatements } from './copied-columns.js';
import { warn } from './copy-report.js';
import { type TablePlan } from './plan-table.js';

/**
 * Copies the rows of a plan into a new table that nobody else sees yet: a table of the mirror with key and comments, or a temporary table
 * for the rows since a cursor.
 * @throws RunFailure, or an error of the service's own database
 */
export async function stageTable(
  client: PoolClient,
  reading: Reading,
  plan: TablePlan,
  { dialect, ...task }: Omit<CopyTask, 'copy'> & { dialect: WarehouseDialect },
): Promise<void> {
  const { staged, columns, comment, isDelta } = plan;
  // queryMode limits the text to one statement, because the column types come from a foreign server.
  const create: QueryConfig & { queryMode: 'extended' } = {
    text: `CREATE ${isDelta ? 'TEMPORARY ' : ''}TABLE ${staged} (${columnList(columns, dialect)})${isDelta ? ' ON COMMIT DROP' : ''}`,
    queryMode: 'extended',
  };
  await client.query(create);
  const names = columns.map(({ name }) => quoteIdentifier(name)).join(', ');
  // With FREEZE, vacuum does not need to rewrite the pages of the new table later.
  await copyRows(client, reading, { ...task, copy: `COPY ${staged} (${names}) FROM STDIN${isDelta ? '' : ' (FREEZE)'}` });
  if (isDelta) return;
  await addKey(client, plan);
  const comments = commentStatements(staged, comment, columns);
  if (comments !== '') await client.query(comments);
  await client.query(`ANALYZE ${staged}`);
}

/** Adds the primary key. A copy by cursor fails if the read rows violate the key. A full copy leaves the key out in this case. */
async function addKey(client: PoolClient, { staged, key, cursor, report }: TablePlan): Promise<void> {
  if (key.length === 0) return;
  await client.query('SAVEPOINT before_key');
  try {
    await client.query(`ALTER TABLE ${staged} ADD PRIMARY KEY (${key.map(quoteIdentifier).join(', ')})`);
  } catch (error) {
    if (cursor !== null) throw toKeyFailure(error, key);
    if (!isUnfitKey(error)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT before_key');
    const list = key.join(', ');
    warn(report, 'key_not_carried_over', {
      zh: `主键（${list}）没有保留：读到的值有重复或为空，或不能作索引`,
      en: `the primary key (${list}) was left out: the values that were read repeat or are empty, or cannot be indexed`,
    });
  }
}

/** The failure of a copy by cursor whose rows violate the key; any other error is returned unchanged. */
export function toKeyFailure(error: unknown, key: readonly string[]): unknown {
  if (!isUnfitKey(error)) return error;
  const list = key.join(', ');
  return new RunFailure(
    'key_not_unique',
    {
      zh: `key 的列（${list}）有重复或空的值，或不能作索引，无法据此更新`,
      en: `the columns of the key (${list}) hold repeated or empty values, or cannot be indexed, so rows cannot be updated by them`,
    },
    { key },
  );
}

/** Whether the key's values repeat, are NULL, are too long for an index, or have a type without an order. */
function isUnfitKey(error: unknown): boolean {
  return /^(23|54|42704)/.test(sqlstateOf(error));
}
