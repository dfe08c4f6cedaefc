import { type Bilingual } from '../../../text/bilingual.js';
import { ConnectionFailedError, WarehouseTimeoutError, WarehouseUnavailableError } from '../../warehouse.errors.js';
import { type ConnectionTest } from '../warehouse.client.js';
import { type Settings } from './clickhouse-transport.js';
import { quoteName } from './quote-name.js';
import { ServerError } from './server-error.js';

const writes = ['INSERT', 'ALTER', 'DROP TABLE'];

export type TestRead = (sql: string, settings?: Settings) => Promise<Record<string, string | null>[]>;

/** Tests a connection with a read that uses the settings of every query. @throws ConnectionFailedError, and the errors of reads */
export async function testClickHouse(read: TestRead, database: string): Promise<ConnectionTest> {
  const [found] = await read(`SELECT version() AS version, currentUser() AS user, getSetting('readonly') AS mode`).catch(classify);
  if (!found) throw new ConnectionFailedError('PROTOCOL', undefined);
  const { version, user, mode } = found;
  const may = await Promise.all(writes.map(right => isGranted(read, `${right} ON ${quoteName(database)}.*`)));
  const canWrite = may.includes(true);
  const warnings: Bilingual[] = [];
  if (canWrite) {
    warnings.push({
      zh: `用户 ${user} 可以写入；查询总以 readonly=2 运行，但请改用只有 SELECT 权限的用户`,
      en: `The user ${user} could write. Queries run with readonly=2, but give the connection a user that has SELECT only`,
    });
  }
  return { serverVersion: String(version), user: String(user), isReadOnly: mode === '1' || mode === '2', canWrite, warnings };
}

/**
 * Whether the user has a right. The setting `readonly` is not sent, because ClickHouse would then always answer no. A server before 24.10
 * fails on CHECK GRANT; the right then counts as granted.
 */
async function isGranted(read: TestRead, right: string): Promise<boolean> {
  try {
    const [found] = await read(`CHECK GRANT ${right}`, { readonly: undefined });
    return Object.values(found ?? {})[0] !== '0';
  } catch (error) {
    if (error instanceof ConnectionFailedError) throw error;
    return true;
  }
}

/**
 * Classifies an error of the test. A timeout becomes TIMEOUT at the stage `login`: the server is busy, or is not ClickHouse. A failure
 * without an error message from ClickHouse, such as an answer that is not HTTP, becomes PROTOCOL.
 */
function classify(error: unknown): never {
  if (error instanceof WarehouseTimeoutError) throw new ConnectionFailedError('TIMEOUT', error, 'login');
  if (error instanceof WarehouseUnavailableError && !(error.cause instanceof ServerError))
    throw new ConnectionFailedError('PROTOCOL', error);
  throw error;
}
