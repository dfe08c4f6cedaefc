import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { startTestApp, type TestApp } from '../../../test/support/app.js';
import { asSuperuser } from '../../../test/support/database.js';
import { ApiError } from '../../common/errors/api-error.js';
import { Settings } from '../../config/settings.js';
import { type QueryResult } from '../../warehouse/clients/warehouse.client.js';
import { KeptResults, type ReadWork } from './kept-results.service.js';
import { type ResultKey, ResultsRepository } from './results.repository.js';
import { itLong } from '../../../test/support/tier.js';

/** Each instance of `KeptResults` plays a process of its own: the instances share only the database. */
describe('kept results', () => {
  let test: TestApp;
  let repository: ResultsRepository;
  let graphId: number;
  let here: KeptResults;
  let there: KeptResults;
  const users: number[] = [];

  beforeAll(async () => {
    test = await startTestApp();
    repository = test.app.get(ResultsRepository);
    for (const name of ['lin', 'wei']) {
      const user = await test.asUser(name);
      users.push((await user.get('/api/auth/me').expect(200)).body.user_id);
    }
    graphId = (await test.admin.post('/api/graphs').send({ name: 'g' }).expect(201)).body.id;
  });
  afterAll(() => test?.close());

  beforeEach(async () => {
    await test.pool.query(`DELETE FROM metric_results; DELETE FROM mirror_tables; INSERT INTO mirror_tables (name) VALUES ('a'), ('b')`);
    [here, there] = [aProcess(), aProcess()];
  });

  const aProcess = (settings: object = {}): KeptResults =>
    new KeptResults(repository, { ...test.app.get(Settings), ...settings }, pino({ level: 'silent' }));
  const aKey = (more: Partial<ResultKey> = {}): ResultKey => ({
    graphId, key: Buffer.from('key'), connectionId: 1, callerId: users[0]!, tables: ['a', 'b'], maxAgeS: null, ...more,
  }); // prettier-ignore

  const raise = (table: string) => test.pool.query('UPDATE mirror_tables SET version = DEFAULT WHERE name = $1', [table]);
  async function versions(): Promise<Map<string, number>> {
    const { rows } = await test.pool.query<{ name: string; version: string }>('SELECT name, version FROM mirror_tables');
    return new Map(rows.map(({ name, version }) => [name, Number(version)]));
  }
  const rowsOf = (value: unknown, bytes = 10): QueryResult[] => [{ columns: [{ name: 'v', type: 'text' }], rows: [[value]], truncated: false, bytes }]; // prettier-ignore

  /** Work that ends when the test calls `end`, and counts how often it began. */
  function aWork(value: unknown = 'x') {
    const state = { began: 0, aborted: 0, end: (_?: Error) => undefined as void };
    const gate = new Promise<void>((resolve, reject) => (state.end = error => (error ? reject(error) : resolve())));
    gate.catch(() => undefined);
    const work: ReadWork = async signal => {
      const seen = await versions();
      const stopped = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => {
          state.aborted++;
          reject(signal.reason as Error);
        }),
      );
      state.began++;
      await Promise.race([gate, stopped]);
      return { results: rowsOf(value), versions: seen };
    };
    return { state, work };
  }
  const quick =
    (value: unknown): ReadWork =>
    async () => ({ results: rowsOf(value), versions: await versions() });
  const valueOf = async (answer: ReturnType<KeptResults['read']>) => (await answer).results[0]!.rows[0]![0];
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await holds())) await sleep(10);
  };

  it('are read once by two processes', async () => {
    const { state, work } = aWork();
    const first = here.read(aKey(), work);
    await until(() => state.began === 1);
    const others = [here.read(aKey(), work), there.read(aKey({ callerId: users[1]! }), work), there.read(aKey(), work)];
    await until(() => here.waiting === 2 && there.waiting === 2);
    state.end();
    const answers = await Promise.all([first, ...others]);
    expect(state.began).toBe(1);
    expect(answers.map(({ hit }) => hit)).toEqual([false, false, true, true]);
    expect(new Set(answers.map(({ asOf }) => asOf)).size).toBe(1);
  });

  it('are not joined by a caller who asks after a change of the data', async () => {
    const old = aWork('old');
    const first = here.read(aKey(), old.work);
    await until(() => old.state.began === 1);
    await raise('b');
    for (const each of [here, there]) expect(await valueOf(each.read(aKey(), quick('new')))).toBe('new');
    old.state.end();
    expect(await valueOf(first)).toBe('old');
    expect(await valueOf(there.read(aKey(), quick('newer')))).toBe('new');
  });

  it('are not given once a table is gone, or made anew', async () => {
    await here.read(aKey(), quick('x'));
    await test.pool.query(`DELETE FROM mirror_tables WHERE name = 'a'`);
    expect(await valueOf(here.read(aKey(), quick('y')))).toBe('y');
    await test.pool.query(`INSERT INTO mirror_tables (name) VALUES ('a')`);
    expect(await valueOf(here.read(aKey(), quick('z')))).toBe('z');
  });

  it('are read on while a caller waits, and no longer when the last one leaves', async () => {
    const { state, work } = aWork();
    const leaving = [new AbortController(), new AbortController()];
    const asked = leaving.map(({ signal }) => here.read(aKey(), work, signal));
    for (const each of asked) each.catch(() => undefined);
    await until(() => state.began === 1 && here.waiting === 2);
    leaving[0]!.abort(new Error('gone'));
    await expect(asked[0]).rejects.toThrow('gone');
    expect(state.aborted).toBe(0);
    leaving[1]!.abort(new Error('gone too'));
    await expect(asked[1]).rejects.toThrow('gone too');
    expect(state.aborted).toBe(1);
    // The stopped read is marked as ended, so another process does not wait for it.
    expect(await valueOf(there.read(aKey(), quick('y')))).toBe('y');
  });

  it('may be left while another process reads them', async () => {
    const { state, work } = aWork();
    const first = here.read(aKey(), work);
    await until(() => state.began === 1);
    const leaving = new AbortController();
    const second = there.read(aKey(), quick('y'), leaving.signal);
    await until(() => there.waiting === 1);
    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    state.end();
    expect(await valueOf(first)).toBe('x');
  });

  it('are read by another process when the first one fails or dies', async () => {
    const { state, work } = aWork();
    const first = here.read(aKey(), work);
    first.catch(() => undefined);
    await until(() => state.began === 1);
    const second = there.read(aKey(), quick('y'));
    await until(() => there.waiting === 1);
    state.end(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    expect(await valueOf(second)).toBe('y');

    await raise('a');
    const found = await repository.find(aKey());
    expect(await repository.begin(aKey(), found.versions, randomUUID())).toBe(true);
    const third = there.read(aKey(), quick('z'));
    await until(() => there.waiting === 1);
    await test.pool.query('UPDATE metric_results SET run_until = now()');
    expect(await valueOf(third)).toBe('z');
  });

  itLong('stay those of one process as long as it reads', async () => {
    const { state, work } = aWork();
    const first = here.read(aKey(), work);
    await until(() => state.began === 1);
    const second = there.read(aKey(), quick('y'));
    await until(() => there.waiting === 1);
    const shorten = `UPDATE metric_results SET run_until = now() + interval '3 s' RETURNING run_until::text AS until`;
    const { rows } = await test.pool.query<{ until: string }>(shorten);
    // By then the first process has renewed its lease, every two seconds.
    await until(async () => (await test.pool.query('SELECT now() > $1 AS over', [rows[0]!.until])).rows[0].over as boolean);
    const looks = jest.spyOn(repository, 'find');
    await until(() => looks.mock.calls.length > 1 || there.waiting === 0);
    looks.mockRestore();
    state.end();
    expect(await valueOf(first)).toBe('x');
    expect(await valueOf(second)).toBe('x');
  });

  it('fail for all who joined, but a caller without a place fails alone', async () => {
    class BusyError extends ApiError {
      constructor() {
        super(429, 'warehouse_busy', { zh: '忙', en: 'busy' });
      }
    }
    const ask = async (error: Error) => {
      const { state, work } = aWork();
      const asked = [here.read(aKey(), work)];
      await until(() => state.began === 1);
      asked.push(here.read(aKey(), work), here.read(aKey({ callerId: users[1]! }), quick('mine')));
      for (const each of asked) each.catch(() => undefined);
      const { running } = here as unknown as { running: Map<string, { waiting: number }> };
      await until(() => [...running.values()].some(({ waiting }) => waiting === 3));
      state.end(error);
      return (await Promise.allSettled(asked)).map(each => each.status);
    };
    expect(await ask(new Error('no such column'))).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await ask(new BusyError())).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  it('are read and returned even if they cannot be stored', async () => {
    await asSuperuser(test.databaseUrl, 'ALTER TABLE metric_results ADD CONSTRAINT closed CHECK (false) NOT VALID');
    try {
      for (const maxAgeS of [null, 0]) expect(await valueOf(here.read(aKey({ maxAgeS }), quick('x')))).toBe('x');
    } finally {
      await asSuperuser(test.databaseUrl, 'ALTER TABLE metric_results DROP CONSTRAINT closed');
    }
  });

  it('are not kept when they are too large, so that each process reads them', async () => {
    const [small, large] = [aProcess({ metricResultMaxKb: 1 }), async () => ({ results: rowsOf('x', 2_000), versions: await versions() })];
    await small.read(aKey(), large);
    expect((await small.read(aKey(), large)).hit).toBe(false);
    expect((await test.pool.query('SELECT FROM metric_results')).rowCount).toBe(0);
  });

  it('do not evict the results of another caller', async () => {
    // All callers together have 1 MiB, and one caller has at most an eighth of it.
    const tight = aProcess({ metricResultsMaxMb: 1 });
    const text = 'x'.repeat(20_000);
    await tight.read(aKey({ callerId: users[1]! }), quick('theirs'));
    for (let index = 0; index < 30; index++) await tight.read(aKey({ key: Buffer.from(`key ${index}`) }), quick(text));
    const { rows } = await test.pool.query<{ bytes: number }>('SELECT sum(bytes)::int AS bytes FROM metric_results WHERE created_by = $1', [
      users[0],
    ]);
    expect(rows[0]!.bytes).toBeGreaterThan(60_000);
    expect(rows[0]!.bytes).toBeLessThan(170_000);
    expect((await tight.read(aKey(), quick('again'))).hit).toBe(true);
    expect((await tight.read(aKey({ key: Buffer.from('key 29') }), quick('again'))).hit).toBe(true);
    await test.pool.transaction(client => tight.removeBeyondShare(client, 1_000));
    const { rowCount } = await test.pool.query('SELECT FROM metric_results WHERE created_by = $1', [users[0]]);
    expect(rowCount).toBe(6);
  });

  it('are swept when they are old, of older data, or given up, and not while they are read', async () => {
    const keyOf = (name: string, more: Partial<ResultKey> = {}) => aKey({ key: Buffer.from(name), ...more });
    await here.read(keyOf('current'), quick('x'));
    await here.read(keyOf('aged', { tables: [], maxAgeS: 60 }), quick('x'));
    await here.read(keyOf('old'), quick('x'));
    await test.pool.query(`UPDATE metric_results SET read_at = now() - interval '25 h' WHERE key = 'old'`);
    await here.read(keyOf('changed', { tables: ['a'] }), () => Promise.resolve({ results: rowsOf('x'), versions: new Map([['a', 1]]) }));
    await test.pool.query(`UPDATE metric_results SET versions = '{"a": 0}' WHERE key = 'changed'`);
    await repository.begin(keyOf('running'), null, randomUUID());
    await repository.begin(keyOf('given up'), null, randomUUID());
    await test.pool.query(`UPDATE metric_results SET run_until = now() - interval '1 s' WHERE key = 'given up'`);
    expect(await test.pool.transaction(client => here.removeOutdated(client, 1_000))).toBe(3);
    const { rows } = await test.pool.query<{ name: string }>(`SELECT convert_from(key, 'UTF8') AS name FROM metric_results ORDER BY name`);
    expect(rows.map(({ name }) => name)).toEqual(['aged', 'current', 'running']);
  });

  it('go with their graph', async () => {
    const { body } = await test.admin.post('/api/graphs').send({ name: 'gone' }).expect(201);
    await here.read(aKey({ graphId: body.id }), quick('x'));
    await test.admin.delete(`/api/graphs/${body.id}`).expect(({ status }) => expect(status).toBeLessThan(300));
    expect((await test.pool.query('SELECT FROM metric_results WHERE graph_id = $1', [body.id])).rowCount).toBe(0);
  });
});
