import { sqlstates } from '../sql/sqlstate.js';

const loginRefused: ReadonlySet<string> = new Set([
  sqlstates.invalidPassword,
  sqlstates.invalidAuthorization,
  sqlstates.invalidCatalogName,
]);

interface SystemError {
  message?: string;
  code?: string;
  syscall?: string;
  port?: number;
  address?: string;
  path?: string;
}

/** Returns one line, in both languages, with the reason why the service could not start and what to change. */
export function describeStartFailure(thrown: unknown): string {
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as SystemError;
  const { code, syscall, port, address, path, message = String(thrown) } = error;
  if (syscall === 'listen' && code === 'EADDRINUSE') {
    return `端口 ${port} 已被占用，请用 PORT 指定另一个端口 / Port ${port} is taken: set PORT to another one`;
  }
  if (syscall === 'listen') {
    return `无法在 ${address}:${port} 监听（${code}），请检查 HOST 与 PORT / Cannot listen on ${address}:${port} (${code}): check HOST and PORT`;
  }
  if (syscall === 'connect' || loginRefused.has(code ?? '') || code === 'ENOTFOUND') {
    return `无法连接数据库（${message}），请检查 DATABASE_URL / Cannot connect to the database (${message}): check DATABASE_URL`;
  }
  if (path !== undefined && ['EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOTDIR', 'ENOENT', 'ENOSPC'].includes(code ?? '')) {
    return `无法使用 ${path}（${code}），请用 DATA_DIR 指定可写的目录 / Cannot use ${path} (${code}): set DATA_DIR to a directory that can be written`;
  }
  return message;
}
