import { type Bilingual } from '../../../text/bilingual.js';
import { type ConnectionTest, type QueryRequest, type QueryResult } from '../warehouse.client.js';
import { type TableNames } from './table-names.js';

const testTimeoutMs = 4_000;

/**
 * SQL for the rights that the database user has outside of the read-only transaction, and for the schemas and tables that the user cannot
 * see.
 */
const rights = `
  SELECT current_setting('server_version'), current_user::text, current_setting('transaction_read_only') = 'on',
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
    EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = ANY ($1::text[]) AND has_schema_privilege(n.oid, 'CREATE'))
      OR EXISTS (
        SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ANY ($1::text[]) AND c.relkind IN ('r', 'p') AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')),
    ARRAY_TO_STRING(ARRAY(
      SELECT s FROM unnest($1::text[]) s
      WHERE NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = s AND has_schema_privilege(oid, 'USAGE'))
      ORDER BY s), ', '),
    (SELECT count(*)::int FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY ($1::text[]) AND c.relkind IN ('r', 'p', 'f', 'v', 'm') AND has_schema_privilege(n.oid, 'USAGE')
       AND NOT has_any_column_privilege(c.oid, 'SELECT'))`;

type Rights = [
  version: string,
  user: string,
  isReadOnly: boolean,
  isSuperuser: boolean,
  canWrite: boolean,
  hidden: string,
  unreadable: number,
];

/** Tests a connection with one read that runs as every query does. @throws the errors of `query` */
export async function testPostgres(
  query: (request: Omit<QueryRequest, 'claim'>) => Promise<QueryResult>,
  { schemas }: TableNames,
): Promise<ConnectionTest> {
  const { rows } = await query({ sql: rights, parameters: [schemas], timeoutMs: testTimeoutMs, maxRows: 1 });
  const [serverVersion, user, isReadOnly, isSuperuser, canWrite, hidden, unreadable] = rows[0] as Rights;
  const warnings: Bilingual[] = [];
  if (isSuperuser || canWrite) {
    warnings.push({
      zh: `用户 ${user} 可以写入；查询总在只读事务中运行，但请改用只读用户`,
      en: `The user ${user} could write. Queries run in read-only transactions, but give the connection a user that may only read`,
    });
  }
  if (hidden !== '') {
    warnings.push({
      zh: `模式 ${hidden} 不存在或不可用（USAGE）`,
      en: `These schemas do not exist, or the user lacks USAGE on them: ${hidden}`,
    });
  }
  if (unreadable > 0) {
    warnings.push({
      zh: `有 ${unreadable} 张表或视图因缺少 SELECT 权限而不可见`,
      en: `Tables and views that are not shown because the user lacks SELECT on them: ${unreadable}`,
    });
  }
  return { serverVersion, user, isReadOnly, canWrite: isSuperuser || canWrite, warnings };
}
