import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { Dice } from './support/dice.js';
import { aMapping, GraphLoads, type Mapping, toYaml } from './support/graph-loads.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';

const seeds = Array.from({ length: 40 }, (_, i) => i + 1);
const runsOfSeed = 8;

let loads: GraphLoads;
let test: TestApp;
beforeAll(async () => {
  loads = await GraphLoads.start();
  ({ test } = loads);
});
afterAll(() => loads?.close());

interface Job {
  id: number;
  prefix: string;
  mapping: Mapping;
}

describe('a version that is brought forward', () => {
  let columns = 0;
  it.each(seeds)('is the same as one that is loaded, run after run, seed %i', async seed => {
    const dice = new Dice(seed);
    const graphId = await aGraph(test);
    const tables = new Map<string, string[]>();
    const edit = async (name: string): Promise<void> => {
      const isEdge = name.endsWith('r');
      const row = (): string => (isEdge ? `${dice.below(40)},${dice.below(40)},${dice.below(9)}` : `${dice.below(40)},${dice.below(9)}`);
      const old = tables.get(name) ?? Array.from({ length: 60 }, row);
      const left = old.filter(() => !dice.chance(0.04)).map(line => (dice.chance(0.05) ? line.replace(/\d+$/, String(dice.below(9))) : line)); // prettier-ignore
      tables.set(name, [...left, ...Array.from({ length: dice.below(4) }, row)]);
      const header = isEdge ? 'f,t,u' : 'id,u';
      const types = header.split(',').map(column => `${column}:int`);
      await upload(test, name, `${header}\n${tables.get(name)!.join('\n')}\n`, types.join());
    };
    const jobs: Job[] = [];
    const run = async (job: Job): Promise<void> => {
      const { status, error } = await runToEnd(test, job.id, { allow_deletes: true });
      expect([error, status]).toEqual([null, 'succeeded']);
    };
    for (const prefix of [`bf${seed}p`, `bf${seed}q`]) {
      for (const table of ['a', 'b', 'r']) await edit(prefix + table);
      const mapping = aMapping(dice);
      jobs.push({ id: await aJob(test, graphId, toYaml(mapping, prefix)), prefix, mapping });
      await run(jobs.at(-1)!);
    }
    const graphs = loads.opened();
    await loads.elementsOf(graphs, graphId);
    for (let i = 0; i < runsOfSeed; i++) {
      const job = dice.of(jobs);
      await edit(job.prefix + dice.of(['a', 'b', 'r']));
      if (dice.chance(0.3)) {
        job.mapping = { ...job.mapping, [dice.of(['a', 'b', 'r', 's'])]: aMapping(dice).a, labels: aMapping(dice).labels };
        await test.admin
          .post(`/api/ingestion/jobs/${job.id}/revisions`)
          .send({ mapping_yaml: toYaml(job.mapping, job.prefix) })
          .expect(200);
      }
      await run(job);
      // In 30 % of cases nothing is loaded after the run, so several versions are brought forward together later.
      if (dice.chance(0.3)) continue;
      loads.copied = [];
      const brought = await loads.elementsOf(graphs, graphId);
      expect(loads.copied.filter(sql => /ORDER BY id$/.test(sql))).toEqual([]);
      columns += loads.copied.filter(sql => /graph_changes.*properties \?/s.test(sql)).length;
      expect(brought).toEqual(await loads.elementsOf(loads.opened(), graphId));
    }
  });

  it('had columns that were brought forward', () => {
    expect(columns).toBeGreaterThan(3 * seeds.length);
  });

  const isLoaded = (): boolean => loads.copied.some(sql => /ORDER BY id$/.test(sql));

  it('is loaded in full where the earlier version had other contents, and where a run noted nothing', async () => {
    const { graphId, jobId, graphs, fill } = await loads.loadedGraph('bfo');
    const next = async (rows: number, afterwards?: string): Promise<boolean> => {
      loads.copied = [];
      await fill(rows);
      const { error } = await runToEnd(test, jobId);
      expect(error).toBeNull();
      if (afterwards) await asSuperuser(test.databaseUrl, afterwards);
      const found = await loads.elementsOf(graphs, graphId);
      const full = isLoaded();
      expect(found).toEqual(await loads.elementsOf(loads.opened(), graphId));
      return full;
    };
    expect(await next(32)).toBe(false);
    await test.admin.patch(`/api/graphs/${graphId}`).send({ name: 'renamed' }).expect(200);
    expect(await next(33)).toBe(false);
    // The changed time of the version has the same effect as restoring a backup.
    await asSuperuser(test.databaseUrl, `UPDATE graphs SET version_at = now() WHERE id = ${graphId}`);
    expect(await next(34)).toBe(true);
    const notNoted = `DELETE FROM graph_changes WHERE graph_id = ${graphId}`;
    expect(await next(35, notNoted)).toBe(true);
    expect(await next(36)).toBe(false);
    expect(await next(5_000)).toBe(true);
  });

  it('keeps as many versions of changes as are of use', async () => {
    const { graphId, jobId, fill } = await loads.loadedGraph('bfk');
    for (let i = 1; i <= 10; i++) {
      await fill(30 + i);
      await runToEnd(test, jobId);
    }
    const { rows } = await test.pool.query('SELECT version FROM graph_changes WHERE graph_id = $1 ORDER BY 1', [graphId]);
    expect(rows.map(({ version }) => version as number)).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('has nothing of a run whose connection was cut before it committed', async () => {
    const { graphId, jobId, graphs, fill } = await loads.loadedGraph('bfc');
    await fill(33);
    const lock = await test.pool.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM graphs WHERE id = $1 FOR NO KEY UPDATE', [graphId]);
    const running = runToEnd(test, jobId);
    const waits = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO graph_changes%' AND pid <> pg_backend_pid()`;
    const waiting = async () => (await test.pool.query(`SELECT pid ${waits}`)).rowCount;
    for (let tries = 0; !(await waiting()) && tries < 400; tries++) await sleep(50);
    expect(await waiting()).toBe(1);
    await asSuperuser(test.databaseUrl, `SELECT pg_terminate_backend(pid) ${waits}`);
    await lock.query('ROLLBACK');
    lock.release();
    await running;
    expect(await loads.elementsOf(graphs, graphId)).toEqual(await loads.elementsOf(loads.opened(), graphId));
    await fill(34);
    await runToEnd(test, jobId);
    loads.copied = [];
    const found = await loads.elementsOf(graphs, graphId);
    expect(isLoaded()).toBe(false);
    expect(found).toEqual(await loads.elementsOf(loads.opened(), graphId));
  });
});
