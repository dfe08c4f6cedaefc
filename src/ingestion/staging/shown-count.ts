import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

const shownEveryRows = 1_000;
/**
 * The name of a setting that does not exist. `show_count` sets it when a staging table has used up its room: PostgreSQL then fails the
 * statement with an error that contains the name. SQL has no RAISE, so the function raises its error in this way.
 */
const noRoom = 'staging_room_used_up';

/**
 * Creates the function with which the statements of a session show their row counts in the setting `application_name`. Other sessions see
 * this setting at once, and it reverts at the end of the transaction. Alternatives fail: rows are invisible before they are committed,
 * PostgreSQL's progress views leave out INSERT, and the size of a file does not give the number of rows. The function is SECURITY DEFINER
 * because the role that reads a source may not call `set_config`, which can do more than show a count. A statement that fills the table
 * `counted` fails when the table has used up its room, see `boundStaging`.
 */
export const letShowCounts = `
  CREATE OR REPLACE FUNCTION pg_temp.show_count(counted text, rows bigint) RETURNS boolean LANGUAGE sql VOLATILE SECURITY DEFINER AS
  $$ SELECT pg_catalog.set_config(CASE
       WHEN nullif(pg_catalog.current_setting('graph_service.room', true), '')::pg_catalog.float8
         < pg_catalog.pg_total_relation_size(pg_catalog.to_regclass('pg_temp.' || counted)) THEN '${noRoom}'
       ELSE 'application_name' END, 'graph-service ' || counted || ' ' || rows, true) <> '' $$`;

/** Sets the maximum bytes ($1) of each staging table that the transaction fills from now on; '' sets no bound. */
export const boundStaging = `SELECT set_config('graph_service.room', $1, true)`;

/**
 * SQL for `value` that also shows the number of rows so far, every 1,000 rows. It belongs in the select list of a SELECT without ORDER BY
 * and GROUP BY. For a million rows its cost was below the difference between two runs of the same statement.
 * @param counted up to 40 letters and digits that distinguish the statement from other statements of its session
 */
export function showingCount(value: string, counted: string): string {
  const row = 'row_number() OVER ()';
  return `CASE WHEN ${row} % ${shownEveryRows} <> 0 THEN ${value} WHEN pg_temp.show_count('${counted}', ${row}) THEN ${value} END`;
}

/** Whether a statement failed because its table had used up its room. */
export function hadNoRoom(error: unknown): boolean {
  return sqlstateOf(error) === sqlstates.undefinedObject && (error as Error).message.includes(noRoom);
}

/**
 * The number of rows that a session shows in its `application_name` for the statement `counted`; null if it shows none, or that of another
 * statement.
 */
export function shownCount(applicationName: string, counted: string): number | null {
  const start = `graph-service ${counted} `;
  return applicationName.startsWith(start) ? Number(applicationName.slice(start.length)) : null;
}
