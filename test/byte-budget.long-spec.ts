import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { AnswerTooLargeError } from '../src/common/errors/answer-too-large.error.js';
import { withinBytes } from '../src/database/byte-budget.js';
import { DatabaseLink } from '../src/database/database-link.js';
import { type WatchedPool } from '../src/database/watched-pool.js';
import { cloneDatabase, type TestDatabase } from './support/database.js';

const megabyte = 1_048_576;

describe('a byte budget', () => {
  let database: TestDatabase;
  let link: DatabaseLink;
  let pool: WatchedPool;
  beforeAll(async () => {
    database = await cloneDatabase();
    link = new DatabaseLink({ url: database.url, log: pino({ enabled: false }) });
    pool = link.open('bounded', { max: 1 });
  });
  afterAll(async () => {
    link.onApplicationShutdown();
    await pool.end();
    await database.drop();
  });

  const read = async (sql: string, limitBytes = 4 * megabyte) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      return await withinBytes(client, { limitBytes, source: 'query' }, () => client.query(sql));
    } catch (error) {
      broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  };

  it.each([
    ['one value', `SELECT repeat('x', 200000000)`],
    ['many rows', `SELECT repeat('中', 1000) FROM generate_series(1, 100000)`],
    ['rows without an end', `SELECT repeat('x', 100), generate_series(1, 1000000000)`],
  ])('stops %s while the bytes arrive, and never holds more memory than the budget justifies', async (_, sql) => {
    const before = process.memoryUsage().rss;
    const error: AnswerTooLargeError = await read(sql).catch(thrown => thrown);
    expect(error).toBeInstanceOf(AnswerTooLargeError);
    expect([error.status, error.code]).toEqual([422, 'answer_too_large']);
    const { at_least_bytes: received, limit_bytes: limit } = error.context as Record<string, number>;
    expect([limit, received! > limit!, received! < limit! + megabyte]).toEqual([4 * megabyte, true, true]);
    expect(error.detail).toMatch(/4\.0 MB 的上限.* \/ .*4\.0 MB that one may have.*substring/);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * megabyte);
  });

  it('never gives the cut connection to anybody else, and ends its statement on the server', async () => {
    const { result } = await read('SELECT pg_backend_pid() AS pid');
    const { pid } = result.rows[0];
    await read(`SELECT repeat('x', 100), generate_series(1, 1000000000)`).catch(() => undefined);
    const next = await read('SELECT pg_backend_pid() AS pid');
    expect(next.result.rows[0].pid).not.toBe(pid);
    const running = async () => (await read(`SELECT FROM pg_stat_activity WHERE pid = ${pid}`)).result.rowCount;
    for (const deadline = Date.now() + 20_000; (await running()) !== 0; await sleep(20)) expect(Date.now()).toBeLessThan(deadline);
    expect(link.isUp).toBe(true);
  });

  it('passes an answer that fits, with its size, and errors of the statement as they are', async () => {
    const { result, bytes } = await read(`SELECT repeat('x', ${megabyte}) AS x`, 2 * megabyte);
    expect([result.rows[0].x.length, Math.floor(bytes / megabyte)]).toEqual([megabyte, 1]);
    await expect(read('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await expect(read('SELECT 1')).resolves.toMatchObject({ result: { rowCount: 1 } });
  });
});
