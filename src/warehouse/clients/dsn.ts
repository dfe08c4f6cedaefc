import { type Bilingual } from '../../text/bilingual.js';
import { type FieldProblem } from '../../common/errors/api-error.js';
import { nearestName } from '../../text/nearest-name.js';

/** The form of the DSNs of one connection type: a URL with one host. */
export interface DsnForm {
  schemes: readonly string[];
  defaultPort: number;
  /** The query parameters that a DSN may have, each with the pattern of its values. */
  parameters: Readonly<Record<string, RegExp>>;
}

/** The parts of a DSN, decoded. */
export interface Dsn {
  scheme: string;
  /** A host name, or an IP address without brackets. */
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  parameters: Readonly<Record<string, string>>;
}

export interface DsnProblem {
  text: Bilingual;
  type: string;
}

const hidden = '***';
const secretParameter = /pass|pwd|secret|token|key/i;
/** Matches host names of DNS and of Docker networks. Letters beyond ASCII must be written in Punycode (`xn--…`). */
const hostName = /^(?=.{1,253}$)[a-z\d]([a-z\d_-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d_-]{0,61}[a-z\d])?)*\.?$/i;

/** Parses a DSN. Problems say where the text is wrong but never quote it, because any part of a wrong DSN may be the password. */
export function readDsn(text: string, form: DsnForm): Dsn | DsnProblem[] {
  const example = `${form.schemes[0]}://user:password@host:${form.defaultPort}/database`;
  const unreadable = [
    {
      type: 'dsn_form',
      text: { zh: `应为 ${example} 的形式`, en: `must have the form ${example}; write reserved characters as %40 and so on` },
    },
  ];
  const [, scheme = '', user, password, host = '', port, path = '', query = ''] =
    /^([a-z][a-z\d+.-]*):\/\/(?:([^\s:/?#@[\]]*)(?::([^\s/?#@[\]]*))?@)?([^/?#@]*?)(?::(\d*))?(?:\/([^\s/?#]*))?(?:\?([^\s#]*))?$/i.exec(
      text,
    ) ?? [];
  if (!form.schemes.includes(scheme.toLowerCase())) return unreadable;
  const problems: DsnProblem[] = [];
  if (host.includes(',')) problems.push({ type: 'dsn_hosts', text: { zh: '只能有一个主机', en: 'must name one host only' } });
  else if (host === '' || host.startsWith('/') || /^%2f/i.test(host))
    problems.push({
      type: 'dsn_host',
      text: { zh: '需要主机名；不支持 Unix 套接字', en: 'needs the name of a host; Unix sockets are not supported' },
    });
  else if (!hostName.test(host) && !isBracketedAddress(host))
    problems.push({
      type: 'dsn_host',
      text: { zh: '主机名无效；IPv6 地址须加方括号', en: 'the host is not valid; an IPv6 address stands in brackets' },
    });
  const number = port === undefined || port === '' ? form.defaultPort : Number(port);
  if (number < 1 || number > 65_535)
    problems.push({ type: 'dsn_port', text: { zh: '端口应为 1 到 65535', en: 'the port must be from 1 to 65535' } });
  const parameters = readParameters(query, form, problems);
  try {
    const [decodedUser, decodedPassword, database] = [user ?? '', password ?? '', path].map(decodeURIComponent) as [string, string, string];
    if ([decodedUser, decodedPassword, database].some(part => part.includes('\0'))) return unreadable;
    if (problems.length > 0) return problems;
    const bare = host.replace(/^\[(.*)\]$/, '$1');
    return { scheme: scheme.toLowerCase(), host: bare, port: number, user: decodedUser, password: decodedPassword, database, parameters };
  } catch {
    return unreadable;
  }
}

/** Reads a DSN that has been checked before. @throws Error for a DSN with problems */
export function knownDsn(text: string, form: DsnForm): Dsn {
  const dsn = readDsn(text, form);
  if (Array.isArray(dsn)) throw new Error('The DSN has not been checked');
  return dsn;
}

export function maskDsn(text: string, form: DsnForm): string {
  const { scheme, user, password, database, parameters, ...place } = knownDsn(text, form);
  const login = user === '' && password === '' ? '' : `${encodeURIComponent(user)}${password === '' ? '' : `:${hidden}`}@`;
  const query = Object.entries(parameters).map(
    ([name, value]) => `${name}=${secretParameter.test(name) ? hidden : encodeURIComponent(value)}`,
  );
  return `${scheme}://${login}${hostAndPort(place)}/${encodeURIComponent(database)}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

/** The place of a DSN as `host:port/database`, without user and password. */
export function dsnPlace(text: string, form: DsnForm): string {
  const dsn = knownDsn(text, form);
  return `${hostAndPort(dsn)}/${dsn.database}`;
}

export function toDsnProblem({ text, type }: DsnProblem): FieldProblem {
  return { loc: ['body', 'dsn'], text, type };
}

function hostAndPort({ host, port }: Pick<Dsn, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether a host is an IPv6 address in brackets. An address with a zone, such as fe80::1%eth0, is not valid in a URL. */
function isBracketedAddress(host: string): boolean {
  return /^\[[\da-f:.]+\]$/i.test(host) && URL.canParse(`http://${host}/`);
}

function readParameters(query: string, { parameters }: DsnForm, problems: DsnProblem[]): Record<string, string> {
  const read: Record<string, string> = {};
  const known = Object.keys(parameters);
  for (const [index, [name, value]] of [...new URLSearchParams(query)].entries()) {
    const fits = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (!fits) {
      const meant = nearestName(name, known);
      problems.push({
        type: 'dsn_parameter',
        // Parameter names are not quoted: if the password contains an unescaped `?`, the rest of the password is parsed as a parameter.
        text: {
          zh: `第 ${index + 1} 个参数不受支持${meant === null ? '' : `，是否想写 ${meant}？`}；可用：${known.join('、')}`,
          en: `the parameter at place ${index + 1} is not supported${meant === null ? '' : `; did you mean ${meant}?`}; known: ${known.join(', ')}`,
        },
      });
    } else if (Object.hasOwn(read, name)) {
      problems.push({ type: 'dsn_parameter', text: { zh: `参数 ${name} 重复`, en: `the parameter ${name} is given twice` } });
    } else if (!fits.test(value)) {
      problems.push({
        type: 'dsn_parameter',
        text: { zh: `参数 ${name} 的值无效`, en: `the value of the parameter ${name} is not valid` },
      });
    } else read[name] = value;
  }
  return read;
}
