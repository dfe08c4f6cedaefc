import { type Canaries, type Sending } from './canaries.js';

/**
 * The status, method and path of the requests in `test/secrets.long-spec.ts`, in order. A flow that no longer reaches its target would look
 * for leaks in the wrong place. `…` stands for a secret or a query string, 0 for a missing answer.
 */
export const secretFlows = `
200 POST /api/auth/login
200 PUT /api/auth/password
422 PUT /api/auth/password
422 PUT /api/auth/password
400 PUT /api/auth/password
401 POST /api/auth/login
401 POST /api/auth/login
401 POST /api/auth/login
201 POST /api/auth/register
400 POST /api/auth/register
422 POST /api/auth/register
201 POST /api/users
200 POST /api/users/3/reset-password
200 POST /api/auth/login
400 POST /api/auth/login
400 POST /api/auth/login
422 POST /api/auth/login
422 POST /api/auth/login
415 POST /api/auth/login
415 POST /api/auth/login
413 POST /api/auth/login
400 POST /api/auth/login
0 raw bytes
400 raw bytes
400 raw bytes
405 raw bytes
431 raw bytes
401 GET /api/auth/me
401 GET /api/auth/me
401 GET /api/auth/me
401 GET /api/auth/me
401 GET /api/auth/me
401 GET /api/auth/me?…
422 GET /api/graphs?…
422 GET /api/graphs?…
404 GET /api/reset/…
422 GET /api/graphs/…
400 GET /api/graphs/%FF…
200 GET /api/settings
201 POST /api/graphs
201 POST /api/api-keys
200 GET /api/graphs/1
401 GET /api/graphs/1
403 GET /api/users
401 GET /api/graphs/1
200 GET /api/api-keys
200 POST /api/api-keys/1/rotate
200 GET /api/graphs/1
200 GET /api/api-keys
204 DELETE /api/api-keys/1
401 GET /api/graphs/1
201 POST /api/warehouse/connections
200 POST /api/warehouse/connections/2/test
500 GET /api/warehouse/connections/2/tables
200 PATCH /api/warehouse/connections/2
422 PATCH /api/warehouse/connections/2
200 GET /api/warehouse/connections
422 POST /api/warehouse/connections
422 POST /api/warehouse/connections
422 POST /api/warehouse/connections
422 POST /api/warehouse/connections
201 PUT /api/warehouse/connections/1/tables/staff
422 PUT /api/warehouse/connections/1/tables/typed?…
422 PUT /api/warehouse/connections/1/tables/broken
422 PUT /api/warehouse/connections/1/tables/short
422 POST /api/ingestion/jobs
422 POST /api/ingestion/jobs
201 POST /api/ingestion/jobs
200 POST /api/ingestion/jobs/1/run
201 POST /api/ingestion/jobs
200 POST /api/ingestion/jobs/2/run
201 POST /api/metrics
400 POST /api/metrics/1/execute
400 POST /api/metrics/1/execute
400 POST /api/metrics/1/execute
200 POST /api/metrics/1/execute
200 POST /api/graphs/1/query
200 POST /api/graphs/1/query
400 POST /api/graphs/1/query
200 POST /api/graphs/1/query
500 POST /api/auth/login
500 POST /api/auth/register
500 POST /api/auth/register
500 POST /api/api-keys
200 POST /api/auth/login
204 POST /api/auth/logout
`
  .trim()
  .split('\n');

/** Sends bodies that are broken, of another type, too large, or cut off. */
export async function sendBrokenBodies({ send, sendRaw }: Sending, canaries: Canaries): Promise<void> {
  const json = { 'Content-Type': 'application/json' };
  await send('POST', '/api/auth/login', {
    headers: json,
    body: `{"username":"admin","password":${canaries.secret('password in broken JSON')}}`,
  });
  await send('POST', '/api/auth/login', { headers: json, body: `"${canaries.secret('password as a bare string')}"` });
  await send('POST', '/api/auth/login', { body: { username: 'admin', password: { [canaries.secret('password as a key')]: 1 } } });
  await send('POST', '/api/auth/login', { body: { username: 'admin', passwrod: canaries.secret('password in a misspelt field') } });
  await send('POST', '/api/auth/login', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `username=admin&password=${canaries.secret('password in a form')}`,
  });
  await send('POST', '/api/auth/login', {
    headers: { 'Content-Type': `text/${canaries.secret('secret in a content type')}` },
    body: 'x',
  });
  await send('POST', '/api/auth/login', {
    headers: json,
    body: `{"password":"${canaries.secret('password in a large body')}${'x'.repeat(30_000)}"}`,
  });
  await send('POST', '/api/auth/login', {
    headers: json,
    body: `${'['.repeat(100)}"${canaries.secret('password in a deep body')}"${']'.repeat(100)}`,
  });
  await sendRaw(
    `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"password":"${canaries.secret('password in a cut body')}`,
  );
  await sendRaw(`GET /${canaries.secret('secret in a broken request line')} HTTP/9.9\r\n\r\n`);
  await sendRaw(`GET / HTTP/1.1\r\nHost: x\r\nX-Bad Header: ${canaries.secret('secret in a broken header')}\r\n\r\n`);
  await sendRaw(`CONNECT ${canaries.secret('secret in CONNECT')}:443 HTTP/1.1\r\nHost: x\r\n\r\n`);
  await sendRaw(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${canaries.secret('secret in headers too large')}${'x'.repeat(20_000)}\r\n\r\n`);
}

/** Sends credentials in headers, paths and query strings. */
export async function sendStrayCredentials({ send }: Sending, canaries: Canaries, admin: string): Promise<void> {
  await send('GET', '/api/auth/me', { token: canaries.secret('bearer token that is none') });
  await send('GET', '/api/auth/me', { token: `${admin.split('.').slice(0, 2).join('.')}.${canaries.secret('forged signature')}` });
  await send('GET', '/api/auth/me', {
    headers: { Authorization: `Basic ${Buffer.from(`admin:${canaries.secret('basic credentials')}`).toString('base64')}` },
  });
  await send('GET', '/api/auth/me', { headers: { Cookie: `session=${canaries.secret('cookie')}` } });
  await send('GET', '/api/auth/me', { headers: { 'X-API-Key': canaries.secret('API key that is none') } });
  await send(
    'GET',
    `/api/auth/me?token=${canaries.secret('token in a query string')}&password=${canaries.secret('password in a query string')}`,
  );
  await send('GET', `/api/graphs?limit=${canaries.secret('secret as a broken parameter')}`, { token: admin });
  await send('GET', `/api/graphs?cursor=${canaries.secret('secret as a cursor')}!`, { token: admin });
  await send('GET', `/api/reset/${canaries.secret('secret in an unknown path')}`);
  await send('GET', `/api/graphs/${canaries.secret('secret in place of an id')}`, { token: admin });
  await send('GET', `/api/graphs/%FF${canaries.secret('secret in a path that cannot be decoded')}`, { token: admin });
  await send('GET', '/api/settings', {
    headers: {
      'X-Request-ID': `${canaries.text('request id of a caller that is no plain token')} !`,
      'User-Agent': canaries.text('user agent'),
      Referer: `https://x.test/?token=${canaries.secret('token in a referrer')}`,
      'X-Forwarded-For': canaries.text('forwarded address'),
      Origin: `https://${canaries.text('foreign origin')}.test`,
      Prefer: `wait=1; ${canaries.text('preference')}`,
    },
  });
}
