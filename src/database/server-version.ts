import type pg from 'pg';
import { type Logger } from 'pino';

/** The oldest and the newest major version of PostgreSQL on which the tests run. */
export const supportedMajors = { oldest: 16, newest: 18 };

export class PostgresTooOldError extends Error {
  constructor(found: string) {
    const { oldest, newest } = supportedMajors;
    super(
      `DATABASE_URL 的 PostgreSQL 版本为 ${found}，过旧；支持 ${oldest} 至 ${newest}，请先升级该服务器 / ` +
        `The PostgreSQL of DATABASE_URL is ${found}, which is too old: ${oldest} to ${newest} are supported; upgrade that server first`,
    );
  }
}

/** Refuses a server that is too old. A server newer than the tested versions is used, with a warning. @throws PostgresTooOldError */
export async function requireSupportedServer(client: pg.ClientBase, log?: Logger): Promise<void> {
  const number = await serverVersion(client);
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  const found = rows[0]!.server_version;
  if (number < supportedMajors.oldest * 10_000) throw new PostgresTooOldError(found);
  if (number >= (supportedMajors.newest + 1) * 10_000) {
    log?.warn(
      { found, newest_tested: supportedMajors.newest },
      'PostgreSQL 版本比本版本测试过的更新 / This PostgreSQL is newer than those that this release was tested with',
    );
  }
}

/** The server's version as a number, such as 180004 for 18.4. */
async function serverVersion(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
  return Number(rows[0]!.server_version_num);
}
