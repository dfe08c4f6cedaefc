import type pg from 'pg';
import { type Logger } from 'pino';

/**
 * Reports the limits that an external server leaves open, with the SQL to set them, which only its administrator may run. A limit may be
 * set for the server, for the database or for a role.
 */
export async function reportServerBounds(client: pg.ClientBase, log: Logger | undefined): Promise<void> {
  const { rows } = await client.query<{ unbounded: boolean }>("SELECT current_setting('temp_file_limit') = '-1' AS unbounded");
  if (!rows[0]?.unbounded) return;
  log?.warn(
    { sql: ["ALTER SYSTEM SET temp_file_limit = '8GB'", 'SELECT pg_reload_conf()'] },
    '数据库未限制临时文件，一个查询可能占满磁盘；请由管理员执行 sql / ' +
      'The database does not limit temporary files, so that one query may fill its disk; its administrator can run the SQL given here',
  );
}
