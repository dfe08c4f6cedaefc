import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cloneDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { OwnPostgres } from './support/own-postgres.js';
import { mulberry32 } from './support/seeded.js';
import { firstToken, ServiceProcess } from './support/service-process.js';
import { type Answer, SteadyLoad } from './support/steady-load.js';

const longestAnswerMs = 15_000;
const longestReturnMs = 15_000;
const jwtKey = 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7c8d9e0f1a2b3c4d5';

/** A fault of the database while clients send requests. After `undo` the database can answer again. */
interface Fault {
  name: string;
  lastsMs: number;
  begin: () => Promise<void> | void;
  undo: () => Promise<void> | void;
}

describe('a database that fails', () => {
  let postgres: OwnPostgres;
  let proxy: DatabaseProxy;
  let service: ServiceProcess;
  let token: string;
  let graphId: number;
  let apiKey: string;

  const environment = () => ({ DATABASE_URL: proxy.url, JWT_SECRET_KEY: jwtKey, LOG_LEVEL: 'error', DATABASE_POOL_SIZE: '10' });

  beforeAll(async () => {
    postgres = await OwnPostgres.start();
    proxy = await DatabaseProxy.start(postgres.url);
    service = await ServiceProcess.start({ environment: environment() });
    token = await firstToken(service.url);
    const create = async (path: string, body: object) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const created = await fetch(`${service.url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await created.json()) as { id: number; raw_key: string };
    };
    graphId = (await create('/graphs', { name: '图' })).id;
    apiKey = (await create('/api-keys', { name: 'k', graph_ids: [graphId] })).raw_key;
  });

  afterAll(async () => {
    await service?.kill();
    await proxy?.stop();
    await postgres?.remove();
  });

  async function terminateBackends(): Promise<void> {
    const client = new pg.Client(postgres.url);
    await client.connect();
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await client.end();
  }

  const faults: Fault[] = [
    { name: 'refuses connections', lastsMs: 2_000, begin: () => proxy.set('refuse'), undo: () => proxy.set('pass') },
    { name: 'cuts every connection', lastsMs: 0, begin: () => proxy.cut(), undo: () => undefined },
    { name: 'ends every session', lastsMs: 0, begin: terminateBackends, undo: () => undefined },
    { name: 'hangs, then goes on', lastsMs: 8_000, begin: () => proxy.set('hang'), undo: () => proxy.set('pass') },
    { name: 'drops packets for ever on what is open', lastsMs: 8_000, begin: () => proxy.set('drop'), undo: () => proxy.set('pass') },
    { name: 'forgets what is open, in a moment', lastsMs: 100, begin: () => proxy.set('drop'), undo: () => proxy.set('pass') },
    { name: 'hangs so shortly that nobody may notice', lastsMs: 1_500, begin: () => proxy.set('hang'), undo: () => proxy.set('pass') },
    { name: 'is frozen (SIGSTOP)', lastsMs: 8_000, begin: () => postgres.signalAll('SIGSTOP'), undo: () => postgres.signalAll('SIGCONT') },
    { name: 'is stopped and started again', lastsMs: 2_000, begin: () => postgres.stop(), undo: () => postgres.startAgain() },
    { name: 'crashes (kill -9)', lastsMs: 0, begin: () => postgres.signal('SIGKILL'), undo: () => postgres.accepts() },
    { name: 'stops at once (SIGQUIT)', lastsMs: 0, begin: () => postgres.signal('SIGQUIT'), undo: () => postgres.accepts() },
  ];

  /** Clients send requests before, during and after the fault. Returns their answers. */
  async function through(fault: Fault): Promise<{ answers: Answer[]; returnMs: number }> {
    const load = new SteadyLoad(
      service.url,
      token,
      [
        { path: '/auth/me' },
        { path: '/auth/me', apiKey },
        { path: '/graphs' },
        { path: `/graphs/${graphId}` },
        { method: 'PATCH', path: `/graphs/${graphId}`, body: { name: '图' } },
        { method: 'POST', path: `/graphs/${graphId}/query`, body: { search: '华为', cache: 'refresh' } },
      ],
      6,
      20,
    );
    await sleep(300);
    await fault.begin();
    await sleep(fault.lastsMs);
    await fault.undo();
    const returnMs = await load.firstGood(performance.now(), 20_000);
    await sleep(300);
    return { answers: await load.stop(), returnMs };
  }

  const figures: string[] = [];
  afterAll(() => process.stdout.write(`${figures.join('\n')}\n`));

  /**
   * Checks the answers around a fault.
   * @returns how many requests failed
   */
  async function check(fault: Fault): Promise<number> {
    const { answers, returnMs } = await through(fault);
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    const good = answers.filter(({ status }) => status === 200);
    const failed = answers.filter(({ status }) => status !== 200);
    figures.push(
      `${fault.name}, ${fault.lastsMs} ms: ${answers.length} answers, ${failed.length} failed, slowest ${Math.round(slowest)} ms, first good after ${Math.round(returnMs)} ms`,
    );
    expect(service.isRunning).toBe(true);
    expect(good.length).toBeGreaterThan(0);
    for (const { status, body, what } of failed) {
      expect({ what, status, body }).toEqual({
        what,
        status: 500,
        body: expect.stringMatching(/^\{"detail":".+ \/ .+","code":"[a-z_]+"\}$/),
      });
    }
    expect(slowest).toBeLessThan(longestAnswerMs);
    expect(returnMs).toBeLessThan(longestReturnMs);
    return failed.length;
  }

  it.each(faults)('$name: answers in time and in shape, keeps every token, and works again at once', async fault => {
    const failed = await check(fault);
    // These faults last longer than any retry, so some requests must fail. Otherwise the fault did not happen.
    if (fault.lastsMs >= 2_000) expect(failed).toBeGreaterThan(0);
  });

  it('does so 200 times in a row, in random order and for random times', async () => {
    const seed = Date.now() % 2 ** 31;
    figures.push(`seed ${seed}`);
    const random = mulberry32(seed);
    for (let event = 0; event < 200; event++) {
      const fault = faults[Math.floor(random() * faults.length)]!;
      await check({ ...fault, lastsMs: Math.round(fault.lastsMs * 1.5 * random()) });
    }
  }, 3_600_000);

  it('leaves no connection behind', async () => {
    // Pools keep idle connections for 10 s. The remaining ones are the health checks of the API and the retrieval process, and the pollers
    // for runs, queries, copies, watches, schedules and deliveries; some of them use two at a time. If faults left connections open, there
    // would be more than 14.
    for (const deadline = Date.now() + 15_000; proxy.connections > 14 && Date.now() < deadline;) await sleep(100);
    expect(proxy.connections).toBeLessThanOrEqual(14);
  });
});

describe('a database that is not there yet', () => {
  it('is waited for at the start, and the service comes up with it', async () => {
    const database = await cloneDatabase();
    const proxy = await DatabaseProxy.start(database.url);
    await proxy.set('refuse');
    const service = await ServiceProcess.spawn({ environment: { DATABASE_URL: proxy.url } });
    try {
      const isWaiting = () => service.log.some(({ msg }) => /waiting for it/.test(String(msg)));
      for (const deadline = Date.now() + 20_000; !isWaiting() && Date.now() < deadline;) await sleep(50);
      await sleep(20_000);
      expect(service.isRunning).toBe(true);
      expect(service.log.filter(({ msg }) => /waiting for it/.test(String(msg)))).toHaveLength(1);
      await proxy.set('pass');
      await service.listening();
      expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    } finally {
      await service.kill();
      await proxy.stop();
      await database.drop();
    }
  });

  it('is not waited for when it refuses the password', async () => {
    const url = process.env.TEST_POSTGRES_URL!.replace(/:[^:@]+@/, ':canary-of-a-password@');
    const service = await ServiceProcess.spawn({ environment: { DATABASE_URL: url } });
    try {
      expect((await service.ended).code).toBe(1);
      expect(service.stderr).toContain('password authentication failed');
      expect(service.stdout + service.stderr).not.toContain('canary-of-a-password');
    } finally {
      await service.kill();
    }
  });
});
