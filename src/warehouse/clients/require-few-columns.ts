import { sqlstates } from '../../sql/sqlstate.js';
import { WarehouseQueryError } from '../warehouse.errors.js';

/** The most columns of a table that can be used. It is MySQL's own limit; ClickHouse and DuckDB have none. */
export const mostColumns = 4_096;

/** 400: a table has more than `mostColumns` columns. */
export class TableTooWideError extends WarehouseQueryError {
  constructor() {
    super(
      {
        zh: `这张表超过 ${mostColumns} 列；请在来源库中用列较少的视图代替它，文件夹的表请把文件分开`,
        en: `the table has more than ${mostColumns} columns; use a view of fewer columns in its place, or split the file of a folder`,
      },
      sqlstates.tooManyColumns,
      null,
      undefined,
    );
  }
}

/** Refuses a table with more than `mostColumns` columns. @throws TableTooWideError */
export function requireFewColumns(columns: readonly unknown[]): void {
  if (columns.length > mostColumns) throw new TableTooWideError();
}
