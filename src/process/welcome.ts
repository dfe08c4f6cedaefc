import { type StartWarning } from '../config/start-warnings.js';

/** The URL at which `npm run demo` looks for the service by default. */
const demoDefaultUrl = 'http://127.0.0.1:8080';

/** Hosts that stand for all addresses of the machine. A browser cannot open them. */
const everywhere = ['0.0.0.0', '::'];

/** The URL to open in a browser on this machine. An IPv6 host needs brackets. */
export function addressOf({ host, basePath }: { host: string; basePath: string }, port: number): string {
  const name = everywhere.includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}${basePath}`;
}

/**
 * The text with addresses that the service prints when it starts. `password` is null if it was set by configuration and must not be shown.
 */
export function welcome(url: string, login: { username: string; password: string | null } | null): string {
  const lines = [
    '',
    `  服务地址 / Listening   ${url}`,
    `  接口文档 / Swagger UI  ${url}/docs`,
    ...(login
      ? [
          `  首次登录 / First login ${login.username} / ${login.password ?? 'ADMIN_INITIAL_PASSWORD | DEFAULT_PASSWORD_PATTERN'}（须先改密码 / to be changed first）`,
        ]
      : []),
    `  接下来 / Next         npm run demo${url === demoDefaultUrl ? '' : ` -- --url ${url}`}   （另开一个终端 / in another terminal）`,
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** The list of things to change before others use the service, each with the setting or request that does it. */
export function describeWarnings(warnings: StartWarning[]): string {
  const lines = warnings.flatMap(({ zh, en, remedy }) => [`  - ${zh}`, `    ${en}`, `      ${remedy}`]);
  return `${['  对外提供服务之前 / Before others use it', ...lines, ''].join('\n')}\n`;
}
