import { type Bilingual } from '../../text/bilingual.js';

/** The steps of connecting, in their order. */
export const connectionStages = ['address', 'tcp', 'tls', 'login', 'rights'] as const;
export type ConnectionStage = (typeof connectionStages)[number];

/** Called when a stage of connecting begins. */
export type Reached = (stage: ConnectionStage) => void;

/** By failure code: the stage at which connecting fails, and the sentence for users. The server's own text is never shown to users. */
export const connectionFailures = {
  DNS_FAILED: { stage: 'address', zh: '找不到主机', en: 'the host is not known' },
  BLOCKED_ADDRESS: {
    stage: 'address',
    zh: '不允许连接到该主机的地址；如确需连接，请让运维设置 WAREHOUSE_ALLOWED_ADDRESSES',
    en: 'connections to the address of this host are not allowed; if it is needed, the operator can set WAREHOUSE_ALLOWED_ADDRESSES',
  },
  REFUSED: { stage: 'tcp', zh: '该端口没有服务', en: 'nothing listens on that port' },
  UNREACHABLE: { stage: 'tcp', zh: '网络不可达', en: 'there is no way through the network to the host' },
  TIMEOUT: { stage: 'tcp', zh: '在时限内没有应答', en: 'there was no answer in time' },
  TLS_MISSING: {
    stage: 'tls',
    zh: '服务器不提供 TLS；若其网络可信，请设 options.ssl_mode 为 disable',
    en: 'the server does not offer TLS; if its network can be trusted, set options.ssl_mode to disable',
  },
  TLS_FAILED: {
    stage: 'tls',
    zh: '证书无法验证；请用 NODE_EXTRA_CA_CERTS 提供其签发机构，或设 options.ssl_mode 为 require（只加密，不验证）',
    en: 'the certificate cannot be verified; give its authority with NODE_EXTRA_CA_CERTS, or set options.ssl_mode to require, which encrypts without verifying',
  },
  TLS_REQUIRED: {
    stage: 'tls',
    zh: '服务器要求 TLS；请把 options.ssl_mode 设为 verify-full 或 require',
    en: 'the server wants TLS; set options.ssl_mode to verify-full or require',
  },
  AUTH_FAILED: { stage: 'login', zh: '用户名或密码不被接受', en: 'the user name or the password is not accepted' },
  DATABASE_MISSING: { stage: 'login', zh: '没有这个数据库', en: 'there is no such database' },
  DATABASE_FORBIDDEN: {
    stage: 'login',
    zh: '该用户不能使用这个数据库，或没有这个数据库',
    en: 'the user may not use this database, or there is none of this name',
  },
  LOGIN_UNSUPPORTED: {
    stage: 'login',
    zh: '不支持该用户的登录方式；请改用口令登录的用户',
    en: 'the way in which this user logs in is not supported; give a user that logs in with a password',
  },
  CLEAR_PASSWORD: {
    stage: 'login',
    zh: '服务器要求得到密码本身，而连接没有加密，因此没有发送；请把 options.ssl_mode 设为 verify-full，或改用不出示密码的登录方式（PostgreSQL 的 SCRAM、MySQL 的 mysql_native_password）',
    en: 'the server asks for the password itself and the connection is not encrypted, so it was not sent; set options.ssl_mode to verify-full, or let the user log in without showing it: by SCRAM in PostgreSQL, by mysql_native_password in MySQL',
  },
  TOO_MANY_CONNECTIONS: { stage: 'login', zh: '服务器的连接数已满', en: 'the server takes no more connections' },
  NOT_READY: { stage: 'login', zh: '服务器正在启动或停止', en: 'the server is starting or stopping' },
  PROTOCOL: { stage: 'login', zh: '该端口上的服务不是这一类数据库', en: 'the service at this port is not a database of this type' },
  SETTINGS_REFUSED: {
    stage: 'rights',
    zh: '该用户不能更改设置（其 profile 为 readonly = 1）；请改为 readonly = 2，它同样只许读取',
    en: 'the user may not change settings, because its profile has readonly = 1; readonly = 2 also lets it read only',
  },
  OUTSIDE_DIRECTORY: {
    stage: 'address',
    zh: '路径经由链接离开了目录 DUCKDB_DIR',
    en: 'a link leads out of the directory DUCKDB_DIR',
  },
  FILE_FORBIDDEN: { stage: 'login', zh: '服务没有读取该文件的权限', en: 'the service may not read the file' },
  NOT_A_DATABASE: { stage: 'login', zh: '该文件不是 DuckDB 数据库', en: 'the file is no DuckDB database' },
  NEWER_VERSION: {
    stage: 'login',
    zh: '该文件的存储格式与此版本的 DuckDB 不兼容；请用 DuckDB 1.5 的格式导出',
    en: 'the storage format of the file does not fit this version of DuckDB; export it in the format of DuckDB 1.5',
  },
  FILE_IN_USE: {
    stage: 'login',
    zh: '另一个进程正在写该文件，请稍后重试',
    en: 'another process is writing the file; retry when it is done',
  },
  TOO_MANY_FILES: { stage: 'rights', zh: '该文件夹中的文件超过 10000 个', en: 'the folder has more than 10000 files' },
  READ_FAILED: { stage: 'rights', zh: '登录成功，但无法读取', en: 'the login works, but nothing can be read' },
} satisfies Record<string, Bilingual & { stage: ConnectionStage }>;

export type ConnectionFailureCode = keyof typeof connectionFailures;

export const connectionFailureCodes = Object.keys(connectionFailures) as ConnectionFailureCode[];

/**
 * The server asks for the password in clear text without TLS. The password is not sent, because anyone on the network path could read it.
 */
export class ClearPasswordError extends Error {
  constructor() {
    super('The server asks for the password in clear text');
  }
}

/** Classifies an error of a socket, of TLS or of name resolution. Null for any other error. */
export function networkFailure(cause: unknown): ConnectionFailureCode | null {
  const { code = '', message = '', errors } = cause as { code?: string; message?: string; errors?: unknown[] };
  // Node tries all addresses of a host and reports the failures of all; the first one is classified.
  if (errors?.[0] !== undefined) return networkFailure(errors[0]);
  if (code === 'blocked_address') return 'BLOCKED_ADDRESS';
  if (/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/.test(code)) return 'DNS_FAILED';
  if (code === 'ECONNREFUSED') return 'REFUSED';
  if (/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/.test(code)) return 'UNREACHABLE';
  if (code === 'ETIMEDOUT' || /time(d )?-?out/i.test(message)) return 'TIMEOUT';
  if (/^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/.test(code)) return 'TLS_FAILED';
  return null;
}
