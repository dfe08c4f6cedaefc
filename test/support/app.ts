import { mkdtemp } from 'node:fs/promises';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type DestinationStream } from 'pino';
import supertest, { type Response, type Test } from 'supertest';
import { createLog } from '../../src/common/logging/log.js';
import { readSettings } from '../../src/config/settings.js';
import { createApp } from '../../src/create-app.js';
import { type DatabaseAccess } from '../../src/database/roles/database-access.js';
import { ServicePool } from '../../src/database/service-pool.js';
import { openApiDocumentOf } from '../../src/openapi/openapi.js';
import { type RetrievalPlace } from '../../src/retrieval/retrieval.module.js';
import { cloneDatabase } from './database.js';
import { ResponseCheck } from './response-check.js';
import { type BootedApp, takeSharedApp } from './shared-app.js';
import { checkStatements } from './statement-check.js';

checkStatements();

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Requests as one person: `await asAdmin.post('/api/graphs').send({ name: '图' })`. */
export type Client = Record<Method, (path: string) => Test> & { token: string | null };

export const userPassword = 'correct-horse-8';

export interface TestApp {
  app: NestExpressApplication;
  url: string;
  databaseUrl: string;
  pool: ServicePool;
  /** Checks answers against the OpenAPI document. The clients below check every answer; a test that sends other requests can call it. */
  check: ResponseCheck;
  anonymous: Client;
  /** The first admin, after the forced password change. */
  admin: Client;
  /** A registered user. The same name gives the same user. */
  asUser(username: string): Promise<Client>;
  close(): Promise<void>;
}

export const adminPassword = 'correct-horse-7';

export interface TestAppOptions {
  /** Starts an application of the suite's own instead of the shared one: its ids begin at 1, and nothing has used it. */
  own?: true;
  /** Receives the log, instead of standard output. */
  logTo?: DestinationStream;
  /** Starts retrieval processes and returns their place. Without it, the application starts one as a child process. */
  retrieval?: (access: DatabaseAccess) => Promise<RetrievalPlace>;
  /** Starts retrieval with the application, as the service does, instead of at the first query. */
  retrievalAtStart?: boolean;
  /** The number of threads of the retrieval process. By default one: it starts faster than one thread for each core. */
  retrievalThreads?: number;
}

/**
 * Starts the whole application on a port and a database of its own, with the given settings. Without settings and options, the suites of a
 * Jest worker take turns with one shared application.
 */
export async function startTestApp(environment: Record<string, string> = {}, options: TestAppOptions = {}): Promise<TestApp> {
  const isPlain = Object.keys(environment).length + Object.keys(options).length === 0;
  const { app, url, database, check, close } = isPlain ? await takeSharedApp(bootApp) : await bootApp(environment, options);
  checks.set(url, check);
  const anonymous = client(url, null);
  const login = async (username: string, password: string): Promise<Client> => {
    const { body } = await anonymous.post('/api/auth/login').send({ username, password }).expect(200);
    return client(url, body.token);
  };
  return {
    app,
    url,
    databaseUrl: database.url,
    pool: app.get(ServicePool),
    check,
    anonymous,
    admin: await login('admin', adminPassword),
    async asUser(username) {
      await anonymous.post('/api/auth/register').send({ username, password: userPassword });
      return login(username, userPassword);
    },
    close,
  };
}

/** Starts an application, and changes the first password of its admin. */
async function bootApp(
  environment: Record<string, string> = {},
  { logTo, retrieval, retrievalAtStart = false, retrievalThreads = 1 }: TestAppOptions = {},
): Promise<BootedApp> {
  const database = await cloneDatabase();
  const settings = readSettings({
    BCRYPT_COST: '5',
    SECRET_ENCRYPTION_KEY: 'a key for the tests of at least 32 bytes',
    LOG_LEVEL: 'error',
    DATABASE_POOL_SIZE: '10',
    RATE_LIMIT_SCALE: '1000000',
    WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1',
    ...environment,
  });
  // This directory is removed with that of the test server.
  const socketDirectory = await mkdtemp(path.join(process.env.TEST_DIRECTORY!, 'app-'));
  const app = await createApp({
    settings,
    database: database.access,
    log: createLog(settings.logLevel, logTo && { destination: logTo }),
    // The program that the service also runs, from the build of the global set-up.
    retrieval: (await retrieval?.(database.access)) ?? {
      entry: path.resolve(__dirname, '..', '..', 'dist', 'src', 'retrieval.main.js'),
      socketDirectory,
      startsAtFirstCall: !retrievalAtStart,
      threads: retrievalThreads,
      databaseUrl: database.access.retrieval,
      memoryMb: settings.retrievalMemoryMb,
      answerMaxBytes: settings.answerMaxBytes,
      snapshotDirectory: settings.retrievalSnapshotDirectory ?? null,
      logLevel: settings.logLevel,
    },
  });
  await app.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  const { body: first } = await supertest(url).post('/api/auth/login').send({ username: 'admin', password: 'admin@Graph123' }).expect(200);
  await supertest(url)
    .put('/api/auth/password')
    .set('Authorization', `Bearer ${first.token}`)
    .send({ old_password: 'admin@Graph123', new_password: adminPassword })
    .expect(200);
  return {
    app,
    url,
    database,
    check: new ResponseCheck(openApiDocumentOf(app) as unknown as ConstructorParameters<typeof ResponseCheck>[0]),
    async close() {
      await app.close();
      await database.drop();
    },
  };
}

/** Grants a registered user, or `everyone`, the use of the mirror. */
export async function grantConnection({ admin }: TestApp, username: string, right = 'read'): Promise<void> {
  const grantee = username === 'everyone' ? { user_id: username } : { username };
  const { status, body } = await admin.post('/api/permissions/connections/1/users').send({ ...grantee, right });
  if (status !== 201 && status !== 200) throw new Error(JSON.stringify(body));
}

export function client(url: string, token: string | null): Client {
  return withHeaders(url, token === null ? {} : { Authorization: `Bearer ${token}` }, token);
}

/** Sends requests with an API key. */
export function keyClient(url: string, rawKey: string): Client {
  return withHeaders(url, { 'X-API-Key': rawKey }, null);
}

/** The check of each application, by its URL. */
const checks = new Map<string, ResponseCheck>();

function describedIn(check: ResponseCheck | undefined, method: string, path: string) {
  return ({ status, headers, text, request }: Response & { request?: { _data?: unknown } }): void => {
    const body = text as string | undefined;
    const problems = check?.problems({ method: method.toUpperCase(), path, status, headers, body, sent: request?._data }) ?? [];
    if (problems.length > 0) throw new Error(`The OpenAPI document does not describe this answer:\n${problems.join('\n')}\n${body}`);
  };
}

function withHeaders(url: string, headers: Record<string, string>, token: string | null): Client {
  const agent = supertest(url);
  const as = (method: Method) => (path: string) =>
    agent[method](path)
      .set(headers)
      .expect(describedIn(checks.get(url), method, path));
  return { token, get: as('get'), post: as('post'), put: as('put'), patch: as('patch'), delete: as('delete') };
}
