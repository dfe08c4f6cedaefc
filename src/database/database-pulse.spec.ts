import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cloneDatabase, type TestDatabase } from '../../test/support/database.js';
import { DatabaseProxy } from '../../test/support/database-proxy.js';
import { DatabasePulse } from './database-pulse.js';
import { itLong } from '../../test/support/tier.js';

const times = { everyMs: 50, patienceMs: 2_000, doubtMs: 300, retryEveryMs: 30, retryPatienceMs: 150 };
/** With this patience even a busy machine misses no beat. Only an answer on a new connection can then mark the open connection as lost. */
const patient = { ...times, patienceMs: 20_000 };

const methods = pg.Client.prototype as unknown as Record<'connect' | 'query', (this: pg.Client, ...given: unknown[]) => unknown>;
const { query } = methods;

describe('DatabasePulse', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let pulse: DatabasePulse | undefined;
  let changes: boolean[];
  let connects: jest.SpyInstance;
  let queries: jest.SpyInstance;
  beforeAll(async () => {
    database = await cloneDatabase();
    proxy = await DatabaseProxy.start(database.url);
  });
  beforeEach(async () => {
    await proxy.set('pass');
    connects = jest.spyOn(methods, 'connect');
    queries = jest.spyOn(methods, 'query');
  });
  afterEach(() => {
    pulse?.stop();
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await proxy.stop();
    await database.drop();
  });

  function start(url: string, pulseTimes = times): DatabasePulse {
    changes = [];
    pulse = new DatabasePulse(url, isUp => changes.push(isUp), pulseTimes);
    pulse.start();
    return pulse;
  }

  async function until(isTrue: () => boolean, patienceMs: number): Promise<void> {
    for (const deadline = performance.now() + patienceMs; !isTrue() && performance.now() < deadline;) await sleep(5);
    expect(isTrue()).toBe(true);
  }

  /** Waits until the pulse has called a method of its connections so many times more. */
  async function untilMore(calls: jest.SpyInstance, count: number): Promise<void> {
    const isOfPulse = (client: unknown) =>
      (client as { connectionParameters: pg.ClientConfig }).connectionParameters.application_name === 'graph-service pulse';
    const made = () => calls.mock.contexts.filter(isOfPulse).length;
    const before = made();
    await until(() => made() >= before + count, 30_000);
  }

  /**
   * Waits for the first beat of the pulse, when its login is complete. A fault in the middle of the login would be another case than a
   * fault on an open connection.
   * @param former a process of the server, whose connection does not count
   * @returns the process of the server that got the beat
   */
  async function firstBeat(former = 0): Promise<number> {
    const client = new pg.Client(database.url);
    await client.connect();
    const beating = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'graph-service pulse' AND query = 'SELECT 1' AND state = 'idle' AND pid <> ${former}`;
    let beats: { pid: number }[] = [];
    while (beats.length === 0) {
      await sleep(5);
      beats = (await client.query<{ pid: number }>(beating)).rows;
    }
    await client.end();
    return beats[0]!.pid;
  }

  it.each(['hang', 'drop', 'refuse'] as const)('notices a server that starts to %s, and its return', async mode => {
    const { isUp } = start(proxy.url);
    expect(isUp).toBe(true);
    await firstBeat();
    await proxy.set(mode);
    await until(() => !pulse!.isUp, 10_000);
    await untilMore(connects, 3);
    await proxy.set('pass');
    await until(() => pulse!.isUp, 10_000);
    expect(changes).toEqual([false, true]);
  });

  it('notices that its connection is lost while new ones work', async () => {
    pulse = start(proxy.url, patient);
    await firstBeat();
    // The connection stays lost when new ones pass.
    await proxy.set('drop');
    await proxy.set('pass');
    // The limit is half of the patience, so a missed beat cannot be the cause.
    await until(() => changes.length > 0, patient.patienceMs / 2);
    await until(() => pulse!.isUp, 10_000);
    expect(changes).toEqual([false, true]);
  });

  itLong('waits for a server that hangs for a moment', async () => {
    start(proxy.url, patient);
    await firstBeat();
    for (let turn = 0; turn < 5; turn++) {
      await proxy.set('hang');
      // The hang goes on while the pulse tries one or two new connections.
      await untilMore(connects, 1 + (turn % 2));
      await proxy.set('pass');
      await untilMore(queries, 2);
    }
    expect(changes).toEqual([]);
  });

  it('does not take a cut connection or a slow network for a loss', async () => {
    // A login over a slow network on a busy machine takes longer than 300 ms, the `doubtMs` of the other tests.
    start(proxy.url, { ...patient, doubtMs: 5_000 });
    const first = await firstBeat();
    proxy.cut();
    await firstBeat(first);
    proxy.delay(100);
    await untilMore(queries, 3);
    proxy.delay(0);
    expect(changes).toEqual([]);
  });

  itLong('waits for slow statements even when logins are quick', async () => {
    start(proxy.url, patient);
    await firstBeat();
    proxy.delayStatements(700);
    // A beat takes one statement, and one for each attempt on a new connection.
    await untilMore(queries, 8);
    proxy.delayStatements(0);
    expect(changes).toEqual([]);
  });

  it('takes a refusal for a sign of life: a full server still serves the clients inside', async () => {
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query('CREATE ROLE full_house LOGIN PASSWORD $$x$$ CONNECTION LIMIT 0');
    start(database.url.replace(/\/\/[^:]+:[^@]+@/, '//full_house:x@'), patient);
    await untilMore(connects, 4);
    await client.query('DROP ROLE full_house');
    await client.end();
    expect(changes).toEqual([]);
  });

  itLong('does not take a long turn of its own event loop for a silent server', async () => {
    // The proxy runs on the same event loop and cannot answer during such a turn. The server itself can.
    start(database.url);
    await firstBeat();
    const longTurn = () => {
      for (const end = performance.now() + times.patienceMs + 100; performance.now() < end;);
    };
    for (let turn = 0; turn < 2; turn++) {
      // The turn begins right after a beat was sent. After it, the timers come before the answer.
      queries.mockImplementationOnce(function (this: pg.Client, ...given: unknown[]) {
        setImmediate(longTurn);
        return query.apply(this, given);
      });
      // The beat, an attempt on a new connection, and the next beat.
      await untilMore(queries, 3);
    }
    expect(changes).toEqual([]);
  });
});
