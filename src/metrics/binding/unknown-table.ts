import { type FieldProblem } from '../../common/errors/api-error.js';
import { nearestName } from '../../text/nearest-name.js';
import { type TableCatalog } from '../../warehouse/clients/warehouse.client.js';

const mostShown = 20;

/** The problem of a table that is not in the catalogue, with the name that was probably meant, or else those that there are. */
export async function unknownTable(catalog: TableCatalog, table: string, loc: FieldProblem['loc']): Promise<FieldProblem> {
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
