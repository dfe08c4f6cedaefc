import { type TestApp, startTestApp } from './support/app.js';
import { Dice } from './support/dice.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection, copyFromMirror } from './support/foreign-tables.js';
import { aGraph, aJob, counts, tablesPath } from './support/ingestion.js';
import { isLong, itLong } from './support/tier.js';
import { column, isSkipped, loadRows, nodesOf, revise, shownRows } from './support/unchanged-runs.js';

let app: TestApp;
let foreign: ForeignPostgres;
beforeAll(async () => {
  [app, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  await aForeignConnection(app, foreign);
});
afterAll(async () => {
  await Promise.all([app.close(), foreign.remove()]);
});

const load = (table: string, rows: string[], query: Record<string, string> = {}) => loadRows(app, table, rows, query);
const shown = (graphId: number) => shownRows(app, graphId);

async function rowsOf(table: string): Promise<string[]> {
  const { rows } = await app.pool.query(`SELECT concat_ws(',', id, ref, coalesce(v, ''), c) AS row FROM mirror.${table}`);
  return rows.map(({ row }) => row);
}

const steps = isLong ? 25 : 4;
const seeds = Array.from({ length: isLong ? 25 : 1 }, (_, index) => 3_000 + index);
const skipped = { mirror: 0, foreign: 0 };
let worked = 0;

describe('a graph that does all work each time, and another with the same jobs', () => {
  it.each(seeds)('stay equal, seed %i', async seed => {
    const dice = new Dice(seed);
    const names = ['a', 'b'].map(name => `same_${seed}_${name}`);
    const id = (): string => dice.of(['1', '2', '3', '4', '5', '6']);
    const rows = (): string[] =>
      Array.from({ length: dice.below(8) }, () => `${id()},${id()},${dice.of(['x', 'y', 'bad', ''])},${dice.below(6)}`);
    const aMapping = (): string => {
      const [first, second] = [dice.of(names), dice.of(names)];
      const source = dice.chance(0.5) ? 'source: {connection: far}\n' : '';
      const isIncremental = dice.chance(0.3);
      const deletes = isIncremental || dice.chance(0.3) ? 'none' : 'snapshot';
      const where = dice.chance(0.3) ? `where: 'c < ${2 + dice.below(4)}', ` : '';
      const rules = dice.chance(0.2) ? `, rules: [{pattern: '[xy]'}]` : '';
      const more = `${where}deletes: {mode: ${deletes}}, write: ${dice.of(['merge', 'merge', 'replace'])}, ${isIncremental ? `incremental: {cursor: c, type: int${dice.chance(0.5) ? ', lag: 2' : ''}}, ` : ''}`;
      const label = dice.of(['A', 'B']);
      const nodes = nodesOf(first, more, [column('id'), column('v', rules)]).replace('label: N', `label: ${label}`);
      const ends = `from: {node: n, match: {id: id}, on_missing: skip}, to: {node: n, match: {ref: id}, on_missing: skip}`;
      const edges = `edges:\n  - {type: R, table: ${second}, ${ends}, ${dice.chance(0.3) ? 'key: [c], ' : ''}columns: [{column: c, type: int}]}\n`;
      const head = `${source}defaults: {on_error: quarantine, max_error_rate: 1}\nnodes:`;
      return (nodes + (dice.chance(0.6) ? edges : '')).replace('nodes:', head);
    };
    const graphs = [await aGraph(app), await aGraph(app)];
    const jobs: number[][] = [];
    const story: string[] = [];
    const runBoth = async (both: number[], path: string): Promise<void> => {
      const ended: any[] = [];
      for (const [index, jobId] of both.entries()) {
        const full = index === 1 && path === 'run' ? '&full=true' : '';
        const query = path === 'run' ? `?allow_deletes=true${full}` : '';
        const { body } = await app.admin.post(`/api/ingestion/jobs/${jobId}/${path}${query}`).set('Prefer', 'wait=60').expect(200);
        ended.push(body);
      }
      const [own, twin] = ended;
      story.push(`${path} ${jobs.indexOf(both)}: ${isSkipped(own) ? 'nothing to do' : own.status}`);
      if (isSkipped(own)) skipped[own.report.source.copied ? 'foreign' : 'mirror']++;
      else worked++;
      expect({ story, status: own.status, code: own.error?.code }).toEqual({ story, status: twin.status, code: twin.error?.code });
      if (own.status === 'succeeded') expect({ story, counts: counts(own) }).toEqual({ story, counts: counts(twin) });
      expect({ story, graph: await shown(graphs[0]!) }).toEqual({ story, graph: await shown(graphs[1]!) });
      const cursors = await Promise.all(both.map(async each => (await app.admin.get(`/api/ingestion/jobs/${each}`)).body.cursors));
      expect(cursors[0]).toEqual(cursors[1]);
    };
    const change = async (): Promise<void> => {
      const table = dice.of(names);
      const how = dice.of(['replace', 'append', 'upsert', 'drop', 'repeat'] as const);
      const made = [...new Map(rows().map(row => [row.split(',')[0], row])).values()];
      story.push(`${how} ${table}\n${made.join('\n')}`);
      if (how === 'drop') await app.admin.delete(`${tablesPath}/${table}?force=true`).expect(204);
      const byMode: Record<string, string> = how === 'upsert' ? { mode: how, key: 'id' } : how === 'append' ? { mode: how } : {};
      // Loads the same rows again, which gives them a new data version.
      if (how === 'repeat') await load(table, await rowsOf(table));
      else if (how !== 'upsert') await load(table, rows(), byMode);
      // An upsert requires unique keys, so the table is loaded with unique rows first.
      else await load(table, made).then(() => load(table, made.slice(0, 2), byMode));
      await copyOut(table);
    };
    const copyOut = async (table: string): Promise<void> => {
      await foreign.run(`DROP TABLE IF EXISTS ${table}`);
      await copyFromMirror(app, foreign, table);
    };
    for (const name of names) await load(name, rows()).then(() => copyOut(name));
    for (let step = 0; step < steps; step++) {
      const both = jobs.length === 0 ? undefined : dice.of(jobs);
      if (!both || (jobs.length < 2 && dice.chance(0.15))) {
        const mapping = aMapping();
        story.push(mapping);
        jobs.push([await aJob(app, graphs[0]!, mapping), await aJob(app, graphs[1]!, mapping)]);
        await runBoth(jobs.at(-1)!, 'run');
      } else if (dice.chance(0.2)) await change();
      else if (dice.chance(0.12)) {
        const mapping = aMapping();
        story.push(`revise ${jobs.indexOf(both)}\n${mapping}`);
        for (const jobId of both) await revise(app, jobId, mapping);
      } else if (dice.chance(0.05)) {
        await runBoth(both, 'retire');
        jobs.splice(jobs.indexOf(both), 1);
      } else await runBoth(both, 'run');
    }
  });

  itLong('had runs with and without work', () => {
    expect(Math.min(skipped.mirror + skipped.foreign, worked)).toBeGreaterThan(seeds.length);
    expect(Math.min(skipped.mirror, skipped.foreign)).toBeGreaterThan(0);
  });
});
