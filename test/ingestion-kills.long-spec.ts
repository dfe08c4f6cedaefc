import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { KillWorld, type RunRow } from './kills/kill-world.js';
import { type KillSource, mariaSource, mirrorSource, parquetSource, postgresSource } from './kills/sources.js';
import { contentOf, empty, firstVersion, mappingOf, nextVersion, type Version } from './kills/versions.js';
import { Dice } from './support/dice.js';
import { hasMariaDb } from './support/mariadb.js';

const kills = Number(process.env.KILLS ?? 200);
const seed = Number(process.env.KILLS_SEED ?? 20_260_102);
/** Codes with which a disturbed run may fail. */
const failures = ['source_lost', 'source_unreachable', 'source_failed', 'too_many_attempts', 'source_changed', 'connection_failed'];

type Victim = 'worker' | 'backend' | 'server' | 'source' | 'both workers';
type Doing = 'run' | 'dry run' | 'retire' | 'cancel';

interface Job {
  source: KillSource;
  graphId: number;
  jobId: number;
  inSource: Version;
  inGraph: Version;
  /** Milliseconds that the job's last undisturbed run took. */
  usualMs: number;
}

const dice = new Dice(seed);
const outcomes = new Map<string, number>();
let world: KillWorld;
let jobs: Job[];
let removals: (() => Promise<void>)[];
/** Failures of runs that the kills do not explain. */
const unexpected: string[] = [];

beforeAll(async () => {
  const parquet = await parquetSource(() => world.killReaders());
  const [postgres, maria] = await Promise.all([postgresSource(), hasMariaDb() ? mariaSource() : null]);
  world = await KillWorld.start({ DUCKDB_DIR: parquet.directory });
  const mirror = mirrorSource(async (table, csv, types) => {
    await world.must('PUT', `/warehouse/connections/1/tables/${table}?types=${encodeURIComponent(types)}`, csv);
  });
  const sources = [mirror, postgres, ...(maria ? [maria] : []), parquet];
  removals = sources.map(source => () => source.remove());
  for (const { connection: name, type, dsn } of sources) {
    if (type !== 'mirror') await world.must('POST', '/warehouse/connections', { name, type, dsn, options: {} });
  }
  jobs = [];
  for (const source of sources) jobs.push(await aJob(source));
}, 240_000);

afterAll(async () => {
  console.log(`Kills by what was done, what was killed and how it ended:\n${[...outcomes].sort().map(([name, count]) => `${name}: ${count}`).join('\n')}`); // prettier-ignore
  await world.remove();
  for (const remove of removals) await remove();
});

/** Makes a job with a graph of its own, which has loaded the first rows of its source. */
async function aJob(source: KillSource): Promise<Job> {
  const { id: graphId } = await world.must('POST', '/graphs', { name: `${source.name} ${dice.below(1e9)}` });
  const inSource = firstVersion(dice);
  await source.write(inSource);
  const mapping = mappingOf(source.connection, source.things, source.links);
  const { id: jobId } = await world.must('POST', '/ingestion/jobs', { graph_id: graphId, mapping_yaml: mapping });
  const job = { source, graphId, jobId, inSource, inGraph: empty, usualMs: 500 };
  await runUndisturbed(job);
  return job;
}

async function runUndisturbed(job: Job): Promise<void> {
  const begun = performance.now();
  await world.must('POST', `/ingestion/jobs/${job.jobId}/run?allow_deletes=true`);
  expect(await world.untilEnded(job.jobId)).toMatchObject({ status: 'succeeded' });
  job.usualMs = performance.now() - begun;
  expect(await world.contentOf(job.graphId)).toEqual(contentOf(job.inSource));
  job.inGraph = job.inSource;
}

const digestOf = (content: string[]): string => createHash('md5').update(content.join('\n')).digest('hex');

async function kill(victim: Victim, { source }: Job): Promise<void> {
  if (victim === 'worker') await world.killService(0);
  else if (victim === 'both workers') await Promise.all([world.killService(0), world.killService(1)]);
  else if (victim === 'source') await source.lose();
  else if (victim === 'server' || !(await world.killBackend())) world.postgres.signal('SIGKILL');
}

/** Reads the graph again and again during `work`. Returns the digests of all contents that it saw. */
async function watched(graphId: number, work: () => Promise<void>): Promise<Set<string>> {
  const seen = new Set<string>();
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      seen.add(await world.digestOf(graphId));
      await sleep(50);
    }
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await watching;
  }
  return seen;
}

function begin(doing: Doing, { jobId, source }: Job): Promise<unknown> {
  if (doing === 'retire') return world.send(0, 'POST', `/ingestion/jobs/${jobId}/retire`);
  if (doing !== 'dry run') return world.send(0, 'POST', `/ingestion/jobs/${jobId}/run?allow_deletes=true`);
  const mapping = mappingOf(source.connection, source.things, source.links);
  return world.send(0, 'POST', `/ingestion/jobs/${jobId}/revisions?dry_run=true`, { mapping_yaml: mapping });
}

async function untilClean(source: KillSource): Promise<void> {
  for (let tries = 0; ; tries++) {
    const left = [...(await world.leftovers()), ...((await source.busy()) > 0 ? ['a statement at the source'] : [])];
    if (left.length === 0) return;
    // After a crash, leftovers may stay until autovacuum has run.
    if (tries > 300) throw new Error(`Left behind: ${left.join('; ')}`);
    await sleep(100);
  }
}

async function disturb(job: Job, doing: Doing, victim: Victim, waitsForLease: boolean): Promise<void> {
  const { source, graphId, jobId } = job;
  const before = await world.latestRun(jobId);
  if (doing !== 'retire') {
    job.inSource = nextVersion(dice, job.inSource);
    await source.write(job.inSource);
  }
  const after = doing === 'retire' ? empty : job.inSource;
  let ended: RunRow | null = null;
  let wasOpen = false;
  const seen = await watched(graphId, async () => {
    const begun = begin(doing, job);
    await sleep(dice.below(Math.ceil(job.usualMs * 0.7)));
    if (doing === 'cancel') {
      const run = await world.latestRun(jobId);
      if (run) void world.send(1, 'POST', `/ingestion/runs/${run.id}/cancel`);
      await sleep(dice.below(60));
    }
    wasOpen = ((await world.sql(`SELECT FROM ingestion_runs WHERE status IN ('queued', 'running')`)) as unknown[]).length > 0;
    await kill(victim, job);
    await begun;
    const restored = world.restore();
    if (!waitsForLease && victim.includes('worker')) await world.expireLeases();
    ended = await world.untilEnded(jobId);
    await restored;
  });
  const run = ended as RunRow | null;
  const isNew = run !== null && run.id !== before?.id;
  const hasChanged = isNew && run.status === 'succeeded';
  const end = isNew ? (run.error?.code ?? run.status) : doing === 'dry run' ? 'rolled back' : 'not begun';
  if (isNew && run.status === 'failed' && !failures.includes(run.error!.code))
    unexpected.push(`${source.name}: ${JSON.stringify(run.error)}`, ...world.warnings());
  const name = `${doing}, ${victim}${doing === 'dry run' || wasOpen ? '' : isNew ? ' after its end' : ' before its beginning'}: ${end}${isNew && run.attempt > 1 ? ' at another attempt' : ''}`;
  outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
  const [old, next] = [contentOf(job.inGraph), contentOf(after)];
  for (const digest of seen) expect([digestOf(old), digestOf(next)]).toContain(digest);
  expect(await world.contentOf(graphId)).toEqual(hasChanged ? next : old);
  if (hasChanged) job.inGraph = after;
  await untilClean(source);
  if (doing !== 'retire') return void (dice.chance(0.1) && (await runUndisturbed(job)));
  if (!hasChanged) {
    await world.must('POST', `/ingestion/jobs/${jobId}/retire`);
    await world.untilEnded(jobId);
    expect(await world.contentOf(graphId)).toEqual([]);
  }
  Object.assign(job, await aJob(source));
}

const many = (victim: Victim, times: number): Victim[] => Array<Victim>(times).fill(victim);

describe('a graph whose runs are killed at random moments', () => {
  it(`is the old or the new one after each of ${kills} kills, with nothing left of the rest`, async () => {
    for (let index = 0; index < kills; index++) {
      const job = jobs[index % jobs.length]!;
      const doing = dice.of(['run', 'run', 'run', 'run', 'run', 'run', 'run', 'cancel', 'retire', 'dry run'] as const);
      const victim = dice.of<Victim>([
        ...many('worker', 6),
        ...many('backend', 10),
        'both workers',
        'server',
        ...many('source', job.source.type === 'mirror' ? 0 : 6),
      ]);
      const waitsForLease = dice.chance(0.06);
      const at = performance.now();
      try {
        await disturb(job, doing, victim, waitsForLease);
      } catch (error) {
        throw new Error(`Kill ${index}: ${doing} of ${job.source.name}, ${victim} killed: ${(error as Error).message}`, { cause: error });
      }
      process.stderr.write(`${index} ${doing} ${job.source.name} ${victim} ${waitsForLease} ${Math.round(performance.now() - at)}\n`);
    }
    for (const job of jobs) await runUndisturbed(job);
    expect(unexpected).toEqual([]);
  }, 7_200_000);
});
