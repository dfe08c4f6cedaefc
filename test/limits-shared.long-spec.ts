import { type ChildProcess, fork, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneDatabase } from './support/database.js';
import { bodyOfNobody } from './support/limited-clients.js';
import { describeWithRedis, startRedis } from './support/redis.js';
import { notesStatements } from './support/statement-check.js';

const processes = 4;
const clients = 200;
const trials = 1_000;
const retryTrials = 100;
const floodMs = 60_000;

interface Task {
  key: string;
  windowMs: number;
  limit: number;
  clients: number;
  /** How many keys each client uses, in an order of its own; one by default. */
  keys?: number;
  forMs?: number;
  pauseMs?: number;
}

interface Hit {
  key: string;
  sentAt: number;
  receivedAt: number;
  isBlocked: boolean;
  retryAfterS: number;
}

/** Several processes that use limits, each with its own connections to one storage. */
class Hammers {
  private constructor(private readonly children: ChildProcess[]) {}

  static async start(kind: string, url: string): Promise<Hammers> {
    const children = Array.from({ length: processes }, () => fork(path.join(__dirname, 'support', 'limit-hammer.mjs'), [kind, url]));
    await Promise.all(children.map(child => new Promise((resolve, reject) => child.once('message', resolve).once('exit', reject))));
    return new Hammers(children);
  }

  /** Runs the work and returns the hits of all processes. The clients of `task` are divided among the processes. */
  async run(work: 'burst' | 'flood', task: Task): Promise<Hit[]> {
    const share = { ...task, clients: task.clients / processes };
    return (await Promise.all(this.children.map(child => this.ask(child, work, share)))).flat();
  }

  one(task: Task): Promise<Hit[]> {
    return this.ask(this.children[Math.floor(Math.random() * processes)]!, 'burst', task);
  }

  stop(): void {
    for (const child of this.children) child.disconnect();
  }

  private ask(child: ChildProcess, work: string, task: Task): Promise<Hit[]> {
    const id = `${work} ${task.key} ${Math.random()}`;
    return new Promise((resolve, reject) => {
      const listen = (answer: { id: string; results: Hit[]; error?: string }) => {
        if (answer.id !== id) return;
        child.off('message', listen);
        if (answer.error === undefined) resolve(answer.results);
        else reject(new Error(answer.error));
      };
      child.on('message', listen);
      child.send({ id, work, task });
    });
  }
}

function isExact(kind: string, open: () => Promise<{ url: string; close: () => Promise<void> }>): void {
  let stand: Awaited<ReturnType<typeof open>>;
  let hammers: Hammers;
  beforeAll(async () => {
    stand = await open();
    hammers = await Hammers.start(kind, stand.url);
  });
  afterAll(async () => {
    hammers.stop();
    await stand.close();
  });

  it(`admits exactly the limit of ${clients} clients over ${processes} processes, ${trials} times`, async () => {
    const counts: Record<number, number> = {};
    for (let trial = 0; trial < trials; trial++) {
      const hits = await hammers.run('burst', { key: `trial ${trial}`, windowMs: 60_000, limit: 10, clients });
      expect(hits).toHaveLength(clients);
      const admitted = hits.filter(hit => !hit.isBlocked).length;
      counts[admitted] = (counts[admitted] ?? 0) + 1;
    }
    expect(counts).toEqual({ 10: trials });
  }, 600_000);

  it('admits exactly the limit of each of many keys that all processes hit at once, each in another order', async () => {
    for (let trial = 0; trial < 100; trial++) {
      const hits = await hammers.run('burst', { key: `many ${trial}`, windowMs: 60_000, limit: 10, clients: 40, keys: 130 });
      expect(hits).toHaveLength(40 * 130);
      const admitted: Record<string, number> = {};
      for (const { key } of hits.filter(hit => !hit.isBlocked)) admitted[key] = (admitted[key] ?? 0) + 1;
      expect(Object.keys(admitted)).toHaveLength(130);
      expect(new Set(Object.values(admitted))).toEqual(new Set([10]));
    }
  }, 600_000);

  it('admits a request that is sent at Retry-After, from any process', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: retryTrials }, async (_, trial) => {
        await sleep(Math.random() * 1_000);
        const task = { key: `retry ${trial}`, windowMs: 1_200 + trial, limit: 10, clients: 40 };
        const refused = (await hammers.run('burst', task)).filter(hit => hit.isBlocked);
        const { receivedAt, retryAfterS } = refused[trial % refused.length]!;
        const now = Number(process.hrtime.bigint()) / 1e6;
        await sleep(Math.max(0, Math.ceil(receivedAt + retryAfterS * 1_000 - now)));
        const [again] = await hammers.one({ ...task, clients: 1 });
        return again!.isBlocked;
      }),
    );
    expect(outcomes).toEqual(Array.from({ length: retryTrials }, () => false));
  }, 600_000);

  it('admits at most the limit in any window of a flood across many windows, and no fewer than it must', async () => {
    const [windowMs, limit] = [1_000, 10];
    const task = { key: 'flood', windowMs, limit, clients: 40, forMs: floodMs, pauseMs: 20 };
    const admitted = (await hammers.run('flood', task)).sort((first, second) => first.sentAt - second.sentAt);
    // A request was certainly decided within a window if it was sent and answered in it.
    const most = Math.max(
      ...admitted.map(({ sentAt }) => admitted.filter(hit => hit.sentAt >= sentAt && hit.receivedAt < sentAt + windowMs).length),
    );
    expect(most).toBeLessThanOrEqual(limit);
    expect(admitted.length).toBeGreaterThanOrEqual(limit * Math.floor(floodMs / windowMs));
    expect(admitted.length).toBeLessThanOrEqual(limit * (Math.floor(floodMs / windowMs) + 2));
  }, 600_000);
}

describe('limits of four processes in PostgreSQL', () => {
  isExact('postgres', async () => {
    const database = await cloneDatabase();
    return { url: database.url, close: database.drop };
  });
});

describeWithRedis('limits of four processes in Redis', () => {
  isExact('redis', async () => {
    const redis = await startRedis();
    return { url: redis.url, close: () => redis.stop() };
  });
});

describe('limits of several processes on one database', () => {
  const started: ChildProcess[] = [];
  afterAll(() => started.forEach(child => child.kill('SIGKILL')));

  async function startProcess(databaseUrl: string): Promise<string> {
    const child = spawn(process.execPath, [...notesStatements, path.join(__dirname, '..', 'dist', 'src', 'main.js')], {
      env: {
        ...process.env,
        ...{
          DATABASE_URL: databaseUrl,
          PORT: '0',
          BCRYPT_COST: '4',
          LOG_LEVEL: 'error',
          WORKER: 'off',
          RETRIEVAL_URL: 'http://127.0.0.1:9',
        },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    return new Promise((resolve, reject) => {
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
        if (url !== undefined) resolve(url);
      });
      child.once('exit', code => reject(new Error(`The service exited with code ${code}: ${output}`)));
    });
  }

  it('admit ten of forty logins', async () => {
    const database = await cloneDatabase();
    try {
      const urls = await Promise.all([1, 2].map(() => startProcess(database.url)));
      const login = (index: number) =>
        fetch(`${urls[index % 2]}/api/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(bodyOfNobody),
        });
      const statuses = (await Promise.all(Array.from({ length: 40 }, (_, index) => login(index)))).map(({ status }) => status);
      expect(statuses.filter(status => status === 401)).toHaveLength(10);
      expect(statuses.filter(status => status === 429)).toHaveLength(30);
    } finally {
      started.splice(0).forEach(child => child.kill('SIGKILL'));
      await database.drop();
    }
  });
});
