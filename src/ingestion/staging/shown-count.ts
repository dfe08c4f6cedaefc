import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

const shownEveryRows = 1_000;
/**
 * Name of a setting that PostgreSQL does not know and so refuses to set. The refusal carries this name, and ends a statement without
 * room: SQL lacks RAISE.
 */
const noRoom = 'staging_room_used_up';

/**
 * Lets the statements of a session show how many rows they have gone through, by `application_name`. Others see that setting at once,
 * and it falls back at the end of the transaction. Other ways fail: rows are unseen until they are committed, the progress views of
 * PostgreSQL leave out INSERT, and the size of a file does not tell the number of rows. The reader of a source may not call
 * `set_config`, which can do more than this. A statement that fills the table `counted` ends when that has used up its room, see
 * `boundStaging`.
 */
export const letShowCounts = `
  CREATE OR REPLACE FUNCTION pg_temp.show_count(counted text, rows bigint) RETURNS boolean LANGUAGE sql VOLATILE SECURITY DEFINER AS
  $$ SELECT pg_catalog.set_config(CASE
       WHEN nullif(pg_catalog.current_setting('graph_service.room', true), '')::pg_catalog.float8
         < pg_catalog.pg_total_relation_size(pg_catalog.to_regclass('pg_temp.' || counted)) THEN '${noRoom}'
       ELSE 'application_name' END, 'graph-service ' || counted || ' ' || rows, true) <> '' $$`;

/** Sets the most that the next tables of the transaction may take, $1 bytes; '' for any. */
export const boundStaging = `SELECT set_config('graph_service.room', $1, true)`;

/**
 * SQL of `value` that also shows the count, every 1,000 rows. It belongs in the list of a SELECT without ORDER BY and GROUP BY. On a
 * million rows it cost less than two runs of the same statement differ.
 * @param counted up to 40 letters and digits that tell the statement from others of its session
 */
export function showingCount(value: string, counted: string): string {
  const row = 'row_number() OVER ()';
  return `CASE WHEN ${row} % ${shownEveryRows} <> 0 THEN ${value} WHEN pg_temp.show_count('${counted}', ${row}) THEN ${value} END`;
}

/** The statement was ended because its table had no room. */
export function hadNoRoom(error: unknown): boolean {
  return sqlstateOf(error) === sqlstates.undefinedObject && (error as Error).message.includes(noRoom);
}

/** Reads the count from the `application_name` of a session; null if its statement shows none, or another one does. */
export function shownCount(applicationName: string, counted: string): number | null {
  const start = `graph-service ${counted} `;
  return applicationName.startsWith(start) ? Number(applicationName.slice(start.length)) : null;
}
