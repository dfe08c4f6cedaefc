import { type FieldProblem } from '../../common/errors/api-error.js';
import { nearestName } from '../../text/nearest-name.js';
import { type TableDescription } from '../../warehouse/clients/warehouse.client.js';
import { type UsableConnection } from '../../warehouse/warehouse.service.js';
import { isIdentifier } from './binding-expressions.js';

type Source = Pick<UsableConnection, 'client' | 'catalog'>;

const mostShown = 20;

/** Describes a table. Null for a table that does not exist, or that the SQL of a binding cannot name. */
export async function findTable({ client, catalog }: Source, table: string): Promise<TableDescription | null> {
  return client.nameProblem(table) || !isIdentifier(client.place(table).table) ? null : catalog.describe(table);
}

/**
 * The problem of a table that was not found: its name cannot be used, or no table has it. In the latter case the text has the name that
 * was probably meant, or else the existing names.
 */
export async function missingTable({ client, catalog }: Source, table: string, loc: FieldProblem['loc']): Promise<FieldProblem> {
  const reserved = client.nameProblem(table);
  if (reserved) return { loc, text: { zh: reserved.zh, en: reserved.en }, type: reserved.type };
  if (!isIdentifier(client.place(table).table)) return { loc, text: tooLong, type: 'name_form' };
  const names = await catalog.listNames();
  const nearest = nearestName(table, names);
  const list = `${names.slice(0, mostShown).join(', ')}${names.length > mostShown ? ', …' : ''}`;
  const known = names.length > 0 ? { zh: `，可用：${list}`, en: `; known: ${list}` } : { zh: '', en: '' };
  const hint = nearest === null ? known : { zh: `，是否为“${nearest}”？`, en: `; did you mean '${nearest}'?` };
  return {
    loc,
    text: { zh: `没有表“${table}”${hint.zh}`, en: `there is no table '${table}'${hint.en}` },
    type: 'unknown_table',
  };
}

const tooLong = { zh: '绑定中的表名最多 63 字节', en: 'a binding can name tables of at most 63 bytes' };
