import { randomUUID } from 'node:crypto';

/**
 * The most characters of a parameter that is sent in the URL. Longer ones go into the request body, because servers and proxies limit the
 * length of a URL.
 */
const longestInAddress = 4_096;

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

export interface RequestBody {
  body: string;
  headers: Record<string, string>;
  /** The parameters that are sent in the URL. */
  parameters: Record<string, unknown>;
}

/**
 * The request body of a statement. It is a multipart form if a parameter is too long for the URL:
 * https://clickhouse.com/docs/interfaces/http#cli-queries-with-parameters
 */
export function toRequestBody(sql: string, parameters: Record<string, unknown>): RequestBody {
  const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > longestInAddress;
  const all = Object.entries(parameters);
  const long = all.flatMap(([name, value]) => (isLong(value) ? [[name, value] as const] : []));
  if (long.length === 0) return { body: sql, headers: {}, parameters };
  const boundary = randomUUID();
  const part = (name: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const escaped = (value: string): string => value.replace(/[\\\t\n\r]/g, character => escapes[character]!);
  const body = [part('query', sql), ...long.map(([name, value]) => part(`param_${name}`, escaped(value))), `--${boundary}--\r\n`];
  return {
    body: body.join(''),
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    parameters: Object.fromEntries(all.filter(([, value]) => !isLong(value))),
  };
}
