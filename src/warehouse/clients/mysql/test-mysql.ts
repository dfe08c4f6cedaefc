import { type Bilingual } from '../../../text/bilingual.js';
import { type ConnectionTest } from '../warehouse.client.js';
import { type MysqlCatalog } from './mysql-catalog.js';

interface ServerReads {
  isMariaDb: boolean;
  database: string;
  catalog: MysqlCatalog;
  read: (sql: string) => Promise<unknown[][]>;
}

/** Privileges with which a user cannot change anything. */
const readingOnly = new Set([
  'USAGE',
  'SELECT',
  'SHOW VIEW',
  'SHOW DATABASES',
  'PROCESS',
  'EXECUTE',
  'REPLICATION CLIENT',
  'BINLOG MONITOR',
  'LOCK TABLES',
]);

/** Tests a connection with a read in the same kind of session as every statement, and checks the privileges of the database user. */
export async function testMysql({ isMariaDb, database, catalog, read }: ServerReads): Promise<ConnectionTest> {
  const variable = isMariaDb ? '@@SESSION.tx_read_only' : '@@SESSION.transaction_read_only';
  const [[serverVersion, user, isReadOnly] = []] = await read(`SELECT VERSION(), CURRENT_USER(), ${variable}`);
  const grants = (await read('SHOW GRANTS')).flatMap(([grant]) => toGrant(grant as string) ?? []);
  const here = grants.filter(({ place }) => reaches(place, database));
  const canWrite = here.some(({ privileges }) => privileges.some(privilege => !readingOnly.has(privilege)));
  const onServer = grants.filter(({ place }) => place === '*').flatMap(({ privileges }) => privileges);
  const reachesFiles = onServer.some(privilege => privilege === 'FILE' || privilege.startsWith('ALL'));
  const warnings: Bilingual[] = [];
  if (canWrite) {
    warnings.push({
      zh: `用户 ${String(user)} 可以写入；会话总是只读的，但请改用只读用户`,
      en: `The user ${String(user)} could write. Sessions are read-only, but give the connection a user that may only read`,
    });
  }
  if (reachesFiles) {
    warnings.push({
      zh: '该用户有 FILE 权限，只读会话也挡不住读写服务器上的文件；请收回该权限',
      en: 'The user has the FILE privilege: a read-only session does not keep it from files of the server. Revoke it',
    });
  }
  if (!(await catalog.hasSnapshots())) {
    warnings.push({
      zh: '库中有视图或非 InnoDB 的表：一次读取的各张表不保证是同一时刻的',
      en: 'The database has views, or tables that are not InnoDB: the tables of one reading may be of different moments',
    });
  }
  return { serverVersion: String(serverVersion), user: String(user), isReadOnly: Number(isReadOnly) === 1, canWrite, warnings };
}

/**
 * Parses a grant such as `GRANT SELECT (a, b), INSERT ON `sales`.* TO …`. Null for the grant of a role, which has no ON; the server lists
 * the privileges of active roles as well.
 */
function toGrant(grant: string): { privileges: string[]; place: string } | null {
  const [, privileges, place] = /^GRANT (.+?) ON (?:TABLE )?(\*|`[^`]*(?:``[^`]*)*`)\./.exec(grant) ?? [];
  if (privileges === undefined || place === undefined) return null;
  return { privileges: privileges.replace(/ ?\([^()]*\)/g, '').split(', '), place };
}

/** Whether a grant applies to a database. The database name in a grant is a pattern of LIKE. */
function reaches(place: string, database: string): boolean {
  if (place === '*') return true;
  const name = place.slice(1, -1).replaceAll('``', '`');
  return isLike([...database.toLowerCase()], name.toLowerCase().match(/\\?[\s\S]/gu) ?? []);
}

/**
 * Matches a LIKE pattern in time proportional to both lengths, because the pattern comes from a server that may be hostile. `signs` are the
 * characters of the pattern, each with the backslash before it.
 */
function isLike(text: string[], signs: string[]): boolean {
  let at = 0;
  let sign = 0;
  let wildcard: { sign: number; at: number } | null = null;
  while (at < text.length) {
    const wanted = signs[sign];
    if (wanted === '%') wildcard = { sign: sign++, at };
    else if (wanted === '_' || (wanted !== undefined && [...wanted].at(-1) === text[at])) {
      sign++;
      at++;
    } else if (wildcard) {
      at = ++wildcard.at;
      sign = wildcard.sign + 1;
    } else return false;
  }
  return signs.slice(sign).every(rest => rest === '%');
}
