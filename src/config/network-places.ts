import { isIP } from 'node:net';
import { readHttpUrl } from '../text/http-url.js';
import { trimEndOf } from '../text/trim-zeros.js';

const name = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?)*\.?$/i;

/**
 * Whether a text is a host name or an IP address. A name whose last label is digits would be read as an address, so it is refused: `127.1`,
 * `300.0.0.1`.
 */
function isHost(text: string): boolean {
  return isIP(text) !== 0 || (name.test(text) && !/(^|\.)\d+\.?$/.test(text));
}

/**
 * Checks an address to listen on.
 * @throws Error with the sentence for the list of problems.
 */
export function readHost(text: string): string {
  if (isHost(text)) return text;
  throw new Error(`应为主机名或 IP 地址（IPv6 不加方括号） / must be a host name or an IP address (IPv6 without brackets), got "${text}"`);
}

/**
 * Checks `RETRIEVAL_URL`. It has no path, because the protocol between the processes has fixed paths.
 * @throws Error with the sentence for the list of problems.
 */
export function readRetrievalUrl(text: string): string {
  const url = readHttpUrl(text);
  if (url && `${url.origin}/` === url.href) return text;
  throw new Error(
    '应为 http://host:port 或 https://host:port，不含路径与账号 / must be http://host:port or https://host:port, without path and user name',
  );
}

/**
 * Checks `RETRIEVAL_URLS`, a list of URLs with commas between them.
 * @throws Error with the sentence for the list of problems.
 */
export function readRetrievalUrls(text: string): string[] {
  const urls = text.split(',').map(part => readRetrievalUrl(part.trim()));
  const twice = urls.find((url, i) => urls.slice(0, i).some(other => new URL(other).origin === new URL(url).origin));
  if (twice !== undefined) throw new Error(`${twice} 出现两次 / ${twice} occurs twice`);
  return urls;
}

/**
 * Checks `LLM_BASE_URL`, to which the path of each call is appended.
 * @returns the URL without a slash at its end
 * @throws Error with the sentence for the list of problems.
 */
export function readModelUrl(text: string): string {
  const url = readHttpUrl(text);
  if (url && `${url.origin}${url.pathname}` === url.href) return trimEndOf(url.href, '/');
  throw new Error(
    '应为 http(s)://host/path，如 https://host/v1，不含账号、查询与片段 / must be http(s)://host/path, such as https://host/v1, without user name, query and fragment',
  );
}

/**
 * Checks `RETRIEVAL_LISTEN`. A text with a slash is a socket path; any other text is a host and a port.
 * @throws Error with the sentence for the list of problems.
 */
export function readListenPlace(text: string): string {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (text.includes('/') || (isHost(host.replace(/^\[(.+)\]$/, '$1')) && Number(port) <= 65_535)) return text;
  throw new Error(`应为 host:port 或套接字路径 / must be host:port or a socket path, got "${text}"`);
}
