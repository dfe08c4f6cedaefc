/**
 * Implements as much of ClickHouse's HTTP interface as the client needs, with the engine of the package chdb. It runs as a child process
 * with a folder for the data, and sends its port to the parent. Users: `admin` may do everything, `reader` may only read, `strict` has a
 * profile with readonly = 1.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../engines/package.json', import.meta.url));
/** The native binding of the package, see index.js of the npm package chdb 3.4.0. */
const engine = require('chdb');
const folder = process.argv[2];
const users = { admin: 'rules', reader: 'p@ss/word', strict: 'locked' };
/** The HTTP status for error codes, as of the real server: https://clickhouse.com/docs/interfaces/http#http_response_codes */
const statuses = { 60: 404, 81: 404, 159: 408, 516: 403 };
/** The default of the server's setting `http_max_field_value_size`, in bytes. */
const longestField = 131_072;
const urlOnly = new Set(['query_id', 'database', 'default_format', 'query']);
/** Keeps one connection open, because the engine closes the data with its last connection. */
const keeper = engine.CreateConnection(folder);
/** The number of statements that are running. */
let running = 0;
/** `{ kind: 'error' | 'tagged' | 'end' | 'cut', afterBytes }`: makes the next answer fail once it has this many bytes. */
let fault = null;

const quote = text => `'${text.replace(/[\\']/g, '\\$&')}'`;

async function answer(request, response) {
  const { searchParams } = new URL(request.url, 'http://localhost');
  const [user, password] = credentials(request);
  if (users[user] === undefined || users[user] !== password) {
    return fail(response, `Code: 516. DB::Exception: ${user}: Authentication failed. (AUTHENTICATION_FAILED) (version 26.7.2.1)`);
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  let sql = body.toString();
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(body, { headers: { 'content-type': type } }).formData();
    sql = form.get('query') ?? '';
    for (const [name, value] of form) if (name !== 'query') searchParams.set(name, value);
    // The server refuses such a field too: https://clickhouse.com/docs/reference/settings/session-settings/http-max
    const isTooLong = [...form.values()].some(value => Buffer.byteLength(value) > longestField);
    if (isTooLong) return fail(response, 'Poco::Exception. Code: 1000, e.code() = 0, HTML Form Exception: Field value too long');
  }
  if (user === 'strict' && searchParams.has('readonly')) {
    return fail(response, "Code: 164. DB::Exception: Cannot modify 'readonly' setting in readonly mode. (READONLY)");
  }
  const format = searchParams.get('default_format') ?? 'TabSeparated';
  // The engine would write the closing delimiter after each block; a server writes it once, after the last row.
  const end = searchParams.get('format_custom_result_after_delimiter') ?? '';
  const connection = engine.CreateConnection(folder);
  running++;
  const gone = new Promise(resolve => response.once('close', resolve));
  const isGone = () => response.destroyed && !response.writableFinished;
  try {
    await prepare(connection, searchParams);
    if (user !== 'admin' && sql.startsWith('CHECK GRANT')) return send(response, searchParams, ['result\nUInt8\n0\n', end]);
    if (format.endsWith('WithNamesAndTypes') || !/^\s*(SELECT|WITH)/i.test(sql)) {
      const { bytes } = await engine.QueryAsyncConnection(connection, sql, format);
      return send(response, searchParams, [bytes, end]);
    }
    await stream(connection, sql, format, async (block, sent) => {
      if (!response.headersSent) begin(response, searchParams);
      const isFaulty = fault !== null && sent + block.length >= fault.afterBytes;
      const isFull = !response.write(isFaulty ? block.subarray(0, fault.afterBytes - sent) : block);
      if (isFaulty) breakOff(response);
      else if (isFull && !isGone()) await Promise.race([gone, new Promise(resolve => response.once('drain', resolve))]);
      return !isFaulty && !isGone();
    });
    if (!isGone() && !response.writableEnded) send(response, searchParams, [end]);
  } catch (error) {
    if (isGone()) return;
    if (response.headersSent) response.end(error.message);
    else fail(response, error.message);
  } finally {
    running--;
    engine.CloseConnection(connection);
  }
}

/** Passes the blocks of an answer to `take` until it returns false. */
async function stream(connection, sql, format, take) {
  const handle = engine.StreamQuery(connection, sql, format);
  try {
    for (let sent = 0; ;) {
      const { done, bytes } = await engine.StreamFetch(handle);
      if (done || !(await take(bytes, sent))) return;
      sent += bytes.length;
    }
  } finally {
    engine.StreamCancel(handle);
  }
}

async function prepare(connection, searchParams) {
  const run = sql => engine.QueryAsyncConnection(connection, sql, 'Null');
  const set = (name, value) => run(`SET ${name} = ${quote(value)}`);
  if (searchParams.has('database')) await run(`USE \`${searchParams.get('database')}\``);
  for (const [name, value] of searchParams) {
    if (urlOnly.has(name) || name === 'readonly' || name === 'format_custom_result_after_delimiter') continue;
    await set(name, value);
  }
  if (searchParams.has('readonly')) await set('readonly', searchParams.get('readonly'));
}

function credentials(request) {
  const [, encoded = ''] = /^Basic (.*)$/.exec(request.headers.authorization ?? '') ?? [];
  const text = Buffer.from(encoded, 'base64').toString();
  return [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
}

function begin(response, searchParams) {
  response.writeHead(200, { 'X-ClickHouse-Query-Id': searchParams.get('query_id') ?? '', 'Content-Type': 'text/plain' });
}

function send(response, searchParams, parts) {
  if (!response.headersSent) begin(response, searchParams);
  for (const part of parts) response.write(part);
  response.end();
}

function fail(response, message) {
  const code = /Code: (\d+)/.exec(message)?.[1] ?? '1000';
  response.writeHead(statuses[code] ?? 500, { 'X-ClickHouse-Exception-Code': code });
  response.end(message);
}

/** Ends the answer after its first rows, as real servers fail: with an error text, older or newer (`tagged`), or with none. */
function breakOff(response) {
  const { kind } = fault;
  fault = null;
  const message = 'Code: 241. DB::Exception: Memory limit (total) exceeded. (MEMORY_LIMIT_EXCEEDED)';
  if (kind === 'error') response.end(`${message} (version 24.8.1)\n`);
  else if (kind === 'tagged')
    response.end(`\r\n__exception__\r\nabcdefghijklmnop\r\n${message}\n${message.length} abcdefghijklmnop\r\n__exception__\r\n`);
  else if (kind === 'end') response.end();
  else response.destroy();
}

const server = createServer((request, response) => {
  answer(request, response).catch(error => response.destroy(error));
});
process.on('message', message => {
  if ('fault' in message) fault = message.fault;
  process.send({ running });
});
process.on('disconnect', () => process.exit());
await engine.QueryAsyncConnection(keeper, 'SELECT 1', 'Null');
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
