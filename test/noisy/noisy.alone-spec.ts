import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { type Reply } from './caller.js';
import { calls, type Fared, Neighbour } from './neighbour.js';
import { type Resource } from './resource.js';
import { resources } from './resources.js';
import { faultsIn, type Peaks, Watch } from './watch.js';
import { type Owner, World } from './world.js';

const seed = Number(process.env.NOISY_SEED ?? 20_261_122);
/** Parts of names from `NOISY_ONLY`: only resources whose name contains one of them are tested. */
const only = process.env.NOISY_ONLY?.split(',');
const waves = 3;
const roundsPerWave = 3;
const wavePauseMs = 1_500;

/**
 * The longest allowed answer time in milliseconds on a quiet machine. `beforeAll` raises it to five times the slowest quiet answer, for a
 * machine that other tests keep busy.
 */
const answerMs = 1_000;

/**
 * Upper bounds in megabytes. A query may leave 1 GB in temporary files, and one caller has only a share of the queries that run at once,
 * see docs/decisions/0010.
 */
const ceilings: Peaks = { apiMb: 600, retrievalMb: 1_200, backendMb: 600, temporaryMb: 6_144 };

interface Outcome {
  resource: string;
  fared: Fared[];
  replies: Reply[];
  peaks: Peaks;
  healthMs: number;
}

describe('one caller who takes everything available', () => {
  let world: World;
  let neighbour: Neighbour;
  let watch: Watch;
  let allowedMs = answerMs;

  beforeAll(async () => {
    world = await World.start({ BCRYPT_COST: undefined, RETRIEVAL_MEMORY_MB: '64' });
    neighbour = await Neighbour.settle(world, 3);
    // Two rounds load the graphs and warm up. The slowest call of the third shows how busy this machine is otherwise.
    await neighbour.round();
    await neighbour.round();
    const quiet = await neighbour.round();
    expect(quiet.map(({ call, fault }) => [call, fault])).toEqual(calls.map(call => [call, undefined]));
    allowedMs = Math.max(answerMs, 5 * Math.max(...quiet.map(({ ms }) => ms)));
    watch = new Watch(world.service);
    process.stdout.write(`seed ${seed}, ${os.availableParallelism()} cores, bound ${allowedMs} ms\n`);
  }, 180_000);

  afterAll(async () => {
    watch?.stop();
    await world?.stop();
  });

  const chosen = resources.filter(({ name }) => only?.some(part => name.includes(part)) ?? true);

  it.each(chosen)(
    '$name: answers the others while one caller sends $sends',
    async resource => {
      const noisy = await world.owner(`noisy-${resources.indexOf(resource)}`, 'noisy_rows');
      const outcome = await saturate(resource, noisy);
      process.stdout.write(`${describeOutcome(outcome)}\n`);
      noisy.caller.close();
      expect(problemsOf(outcome)).toEqual([]);
    },
    600_000,
  );

  async function saturate(resource: Resource, noisy: Owner): Promise<Outcome> {
    const made = (await resource.prepare?.(noisy)) ?? [];
    const health = watchHealth();
    watch.takePeaks();
    const sent: Promise<Reply>[] = [];
    const fared: Fared[] = [];
    const worst = resource.worst ? [resource.worst(noisy)] : [];
    for (const wave of [...worst, ...fc.sample(resource.waves(noisy, made), { seed, numRuns: waves })]) {
      sent.push(...wave.map(ask => noisy.caller.send({ hangUpMs: 120_000, ...ask })));
      for (let round = 0; round < roundsPerWave; round++) {
        await sleep(wavePauseMs);
        fared.push(...(await neighbour.round()));
      }
    }
    const replies = await Promise.all(sent);
    fared.push(...(await neighbour.round()));
    // Cancels the runs that are still under way, so that they do not count against the next resource.
    const runs = replies.filter(({ ask, status }) => ask.path.endsWith('/run') && status >= 200 && status < 300);
    for (const { text } of runs)
      await noisy.caller.send({ path: `/ingestion/runs/${(JSON.parse(text) as { id: number }).id}/cancel`, body: {} });
    return { resource: resource.name, fared, replies, peaks: watch.takePeaks(), healthMs: await health() };
  }

  /** Lists everything that went wrong while this resource was taken. */
  function problemsOf({ fared, replies, peaks }: Outcome): unknown[] {
    const named = (what: string, wrong: unknown[]) => (wrong.length === 0 ? [] : [{ what, wrong: wrong.slice(0, 5), count: wrong.length }]);
    return [
      ...named(
        'the neighbour was failed',
        fared.filter(({ fault }) => fault !== undefined),
      ),
      ...named(
        `the neighbour waited longer than ${allowedMs} ms`,
        fared.filter(({ ms, fault }) => fault === undefined && ms > allowedMs),
      ),
      ...named('the noisy caller was answered as if it were our fault', replies.filter(isFault).map(blame)),
      ...named(
        'a process was replaced',
        Object.entries(watch.findPids()).filter(([name, pid]) => pid !== watch.pids[name as keyof typeof watch.pids]),
      ),
      ...named('the log tells of a fault', faultsIn(world.service)),
      ...named(
        'a ceiling was passed (MB)',
        Object.entries(peaks).filter(([name, mb]) => mb > ceilings[name as keyof Peaks]),
      ),
    ];
  }

  /** The longest wait for `/health`, which needs nothing: it shows how long the event loop of the API was blocked. */
  function watchHealth(): () => Promise<number> {
    const caller = world.stranger();
    let slowest = 0;
    let isOver = false;
    const asking = (async () => {
      while (!isOver) {
        slowest = Math.max(slowest, (await caller.send({ path: '/health' })).ms);
        await sleep(50);
      }
    })();
    return async () => {
      isOver = true;
      await asking;
      caller.close();
      return Math.round(slowest);
    };
  }
});

/**
 * A connection that ends without an answer is a fault only if the body was sent in one piece: the service may refuse a caller who still
 * sends pieces, and close the connection before the caller reads the answer.
 */
const isFault = ({ ask, status, retryAfterS }: Reply) =>
  (status === 0 && !ask.pieces) || (status >= 500 && (status !== 503 || retryAfterS === undefined));

const blame = ({ ask, status, text }: Reply) => ({
  status,
  text: text.slice(0, 300),
  path: ask.path,
  body: JSON.stringify(ask.body ?? '').slice(0, 300),
});

function describeOutcome({ resource, fared, replies, peaks, healthMs }: Outcome): string {
  const slowest = calls.map(call => `${call} ${Math.max(...fared.filter(one => one.call === call).map(({ ms }) => ms))}`);
  const statuses: Record<number, number> = {};
  for (const { status } of replies) statuses[status] = (statuses[status] ?? 0) + 1;
  const refusals = fared.reduce((sum, one) => sum + one.refusals, 0);
  return [
    resource,
    `  neighbour, slowest in ms: ${slowest.join(', ')}; told to come again ${refusals} times; /health ${healthMs} ms`,
    `  noisy: ${JSON.stringify(statuses)}; peaks: ${JSON.stringify(peaks)}`,
  ].join('\n');
}
