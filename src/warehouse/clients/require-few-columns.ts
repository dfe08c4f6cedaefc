import { sqlstates } from '../../sql/sqlstate.js';
import { WarehouseQueryError } from '../warehouse.errors.js';

/** As many as a table of MySQL may have. ClickHouse and DuckDB have no bound of their own. */
export const mostColumns = 4_096;

/** 400: a table has more columns than any use of them takes. */
export class TableTooWideError extends WarehouseQueryError {
  constructor() {
    super(
      {
        zh: `这张表超过 ${mostColumns} 列；请在来源库中用列较少的视图代替它`,
        en: `the table has more than ${mostColumns} columns; use a view of fewer columns in its place`,
      },
      sqlstates.tooManyColumns,
      null,
      undefined,
    );
  }
}

/** Each catalog asks before it describes the columns. @throws TableTooWideError */
export function requireFewColumns(columns: readonly unknown[]): void {
  if (columns.length > mostColumns) throw new TableTooWideError();
}
