import pg from 'pg';
import { type Response, type Test } from 'supertest';
import { type Client, client, type TestApp, userPassword } from './app.js';

let addresses = 0;
let users = 0;

/**
 * Returns an IP address that nothing else in the suite uses. Applications that trust this machine as a proxy read it from X-Forwarded-For.
 */
export const newAddress = () => `198.51.${100 + (addresses >> 8)}.${addresses++ & 255}`;

/** A user `limited-<n>`, counted from 0, whose limits nobody has used yet. */
export async function aLimitedUser({ anonymous, url }: TestApp): Promise<Client & { id: number }> {
  const credentials = { username: `limited-${users++}`, password: userPassword };
  const address = newAddress();
  await anonymous.post('/api/auth/register').set('X-Forwarded-For', address).send(credentials).expect(201);
  const { body } = await anonymous.post('/api/auth/login').set('X-Forwarded-For', address).send(credentials).expect(200);
  return { ...client(url, body.token), id: body.user_id };
}

/** Sends a login from an address. By default it fails. */
export function sendLogin({ anonymous }: TestApp, address: string, body: object = bodyOfNobody, path = '/api/auth/login'): Test {
  return anonymous.post(path).set('X-Forwarded-For', address).send(body);
}

export const bodyOfNobody = { username: 'nobody', password: 'wrong-wrong' };

/** Sends `count` requests, ten at a time. */
export async function send(
  count: number,
  request: (index: number) => PromiseLike<Response>,
): Promise<{ admitted: Response[]; refused: Response[] }> {
  const responses: Response[] = [];
  for (let index = 0; index < count; index += 10) {
    const batch = Array.from({ length: Math.min(10, count - index) }, (_, offset) => Promise.resolve(request(index + offset)));
    responses.push(...(await Promise.all(batch)));
  }
  return {
    admitted: responses.filter(({ status }) => status !== 429),
    refused: responses.filter(({ status }) => status === 429),
  };
}

/**
 * Records the statements that the application sends to its database. It omits periodic ones: the check whether the database answers, and
 * the search for queries whose process has ended.
 */
export function noteStatements({ databaseUrl }: TestApp): { noted: () => unknown[]; stop: () => void } {
  const { database } = new pg.Client(databaseUrl);
  const spy = jest.spyOn(pg.Client.prototype, 'query');
  const isByItself = (query: unknown): boolean => query === 'SELECT 1' || String(query).startsWith('UPDATE query_runs');
  return {
    // Keeps only statements to the database of this application, because the shared application runs in the same process.
    noted: () =>
      spy.mock.calls
        .flatMap(([query], i) => ((spy.mock.contexts[i] as pg.Client).database === database ? [query as unknown] : []))
        .filter(query => !isByItself(query)),
    stop: () => spy.mockRestore(),
  };
}
