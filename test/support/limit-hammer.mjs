// A child process that sends requests to a storage of rate limits, at the same time as other such processes:
// `node limit-hammer.mjs postgres|redis URL`. Its parent controls it by messages.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { limitsPool, PostgresStorage } from '../../dist/src/limits/storage/postgres.storage.js';
import { RedisStorage } from '../../dist/src/limits/storage/redis.storage.js';

const [kind, url] = process.argv.slice(2);
// On a busy machine, a burst takes longer than the time that a request of the service may wait.
const patienceMs = 60_000;
const storage =
  kind === 'redis'
    ? await RedisStorage.connect(url, undefined, patienceMs)
    : new PostgresStorage(new pg.Pool({ connectionString: url, ...limitsPool }));

/** Milliseconds on a clock that all processes of the machine share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

async function hit({ key, windowMs, limit }) {
  const sentAt = now();
  const { isBlocked, timeToBlockExpire } = await storage.increment(key, windowMs, limit, 0, 'test');
  return { key, sentAt, receivedAt: now(), isBlocked, retryAfterS: Math.ceil(timeToBlockExpire) };
}

/** All clients send one request to each key at the same time, each in an order of its own. */
async function burst(task) {
  const hits = Array.from({ length: task.clients }, () => inAnyOrder(keysOf(task)).map(key => hit({ ...task, key })));
  return Promise.all(hits.flat());
}

function keysOf({ key, keys }) {
  return keys === undefined ? [key] : Array.from({ length: keys }, (_, index) => `${key} ${index}`);
}

function inAnyOrder(keys) {
  return keys
    .map(key => ({ key, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ key }) => key);
}

/** All clients send requests at random intervals until the time is over. Returns the admitted ones. */
async function flood(task) {
  const admitted = [];
  const until = now() + task.forMs;
  const client = async () => {
    while (now() < until) {
      const result = await hit(task);
      if (!result.isBlocked) admitted.push(result);
      await sleep(Math.random() * task.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: task.clients }, client));
  return admitted;
}

process.on('message', async ({ id, work, task }) => {
  const run = { burst, flood }[work];
  try {
    process.send({ id, results: await run(task) });
  } catch (error) {
    process.send({ id, error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
// Connects before the first burst, so that all processes can start it together.
await hit({ key: `warm-up of ${process.pid}`, windowMs: 1, limit: 1 });
process.send({ ready: true });
