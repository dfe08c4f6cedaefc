import { type FieldProblem, SchemaError } from '../../common/errors/api-error.js';
import { type WarehouseClient } from '../clients/warehouse.client.js';
import { tableNameProblem } from '../files/csv-header.js';
import { type CopyTableRequest } from './mirror-copies.dto.js';
import { type TableDefinition } from './mirror-copies.repository.js';

/**
 * Checks the tables of a request and fills in defaults. A source table keeps the name that the request gives; its name in the mirror is by
 * default the bare name. @throws SchemaError with all problems
 */
export function readCopyRequest(
  tables: readonly CopyTableRequest[],
  client: Pick<WarehouseClient, 'place' | 'nameProblem'>,
): TableDefinition[] {
  const problems: FieldProblem[] = [];
  const names = new Set<string>();
  const definitions = tables.map((asked, index): TableDefinition => {
    const refuse = (field: keyof CopyTableRequest, type: string, zh: string, en: string): void => {
      problems.push({ loc: ['body', 'tables', index, field], text: { zh, en }, type });
    };
    const { table, mode = 'full', cursor = null, lag = null, key = [], replace = false } = asked;
    const name = asked.as ?? client.place(table).table;
    const atSource = client.nameProblem(table);
    if (atSource) refuse('table', atSource.type, atSource.zh, atSource.en);
    const inMirror = tableNameProblem(name);
    if (inMirror) refuse('as', inMirror.type, inMirror.zh, inMirror.en);
    if (names.has(name)) refuse('as', 'duplicate_table', `镜像中的表“${name}”写了两次`, `the table "${name}" of the mirror is given twice`);
    names.add(name);
    if (mode === 'cursor' && cursor === null) {
      refuse('cursor', 'missing', 'mode=cursor 需要游标列', 'mode=cursor needs the column of the cursor');
    }
    for (const field of ['cursor', 'lag', 'key'] as const) {
      if (mode === 'full' && asked[field] !== undefined) {
        refuse(field, 'no_effect', '仅在 mode=cursor 时有效', 'has an effect only with mode=cursor');
      }
    }
    return { name, source: table, mode, cursor, lag, key, replaces: replace };
  });
  if (problems.length > 0) throw new SchemaError(problems);
  return definitions;
}
