import { graphTables } from '../src/database/graph-tables.js';
import { type TestApp, startTestApp } from './support/app.js';
import { Dice } from './support/dice.js';
import { aGraph, aJob, upload } from './support/ingestion.js';
import { NotedChanges } from './support/noted-changes.js';
import { type RunCounts, type TargetCounts } from './sync/naive-counts.js';
import { type EdgeSpec, type JobSpec, NaiveGraph, type NodeSpec, type Row, RunFails, type Tables } from './sync/naive-graph.js';
import { isLong, itLong } from './support/tier.js';

const seeds = isLong ? Array.from({ length: 25 }, (_, index) => 1_000 + index) : [1_000];
const stepsOfSeed = isLong ? 40 : 7;
const labels = ['A', 'B'];
const types = ['R', 'S'];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
});

const nodeColumns = 'id:text,alt:text,v:text,w:text,c:int,gone:text';
const edgeColumns = 'a:text,b:text,k:text,p:text,c:int,gone:text';
const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

function nodeRow(dice: Dice): Row {
  return {
    id: dice.chance(0.05) ? null : dice.of(ids),
    alt: dice.chance(0.05) ? null : dice.of(ids),
    v: dice.chance(0.1) ? 'bad' : dice.chance(0.2) ? null : String(dice.below(4)),
    w: dice.chance(0.2) ? null : dice.of(['x', 'y', 'z']),
    c: dice.chance(0.1) ? null : String(dice.below(10)),
    gone: dice.chance(0.15) ? 'y' : 'n',
  };
}

function edgeRow(dice: Dice): Row {
  return {
    a: dice.chance(0.1) ? null : dice.of(ids),
    b: dice.chance(0.1) ? null : dice.of(ids),
    k: dice.chance(0.05) ? null : dice.of(['1', '2']),
    p: dice.chance(0.1) ? 'bad' : dice.chance(0.2) ? null : String(dice.below(4)),
    c: dice.chance(0.1) ? null : String(dice.below(10)),
    gone: dice.chance(0.15) ? 'y' : 'n',
  };
}

/** Changes, adds and removes some rows; sometimes removes all of them. */
function edited(dice: Dice, rows: Row[], aRow: (dice: Dice) => Row): Row[] {
  if (dice.chance(0.06)) return [];
  const left = rows.filter(() => !dice.chance(0.15)).map(row => (dice.chance(0.2) ? { ...row, ...pick(dice, aRow(dice)) } : row));
  return [...left, ...Array.from({ length: dice.below(5) }, () => aRow(dice))];
}

function pick(dice: Dice, row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(() => dice.chance(0.4)));
}

function aSpec(dice: Dice, before: JobSpec | null): JobSpec {
  const shared = (table: string) => ({
    table: `${table}${dice.below(2)}`,
    where: dice.chance(0.25) ? 3 + dice.below(6) : null,
    deletes: dice.of(['snapshot', 'snapshot', 'none', 'column'] as const),
  });
  const properties = (columns: string[]): Record<string, string> =>
    Object.fromEntries(columns.filter(() => dice.chance(0.6)).map(column => [column, dice.of([column, `${column}2`])]));
  const node = (label: string): NodeSpec => {
    const common = shared('n');
    const isIncremental = common.deletes !== 'snapshot' && dice.chance(0.4);
    const key = dice.of(['id', 'id', 'alt'] as const);
    const write = dice.chance(0.15) ? ('replace' as const) : ('merge' as const);
    return { ...common, label, key, write, isIncremental, columns: { id: 'id', alt: 'alt', ...properties(['v', 'w']) } };
  };
  const edge = (type: string, own: string[]): EdgeSpec => {
    const common = shared('e');
    const end = (): string => dice.of(own.length > 0 && dice.chance(0.9) ? own : labels);
    return { ...common, type, from: end(), to: end(), hasKey: dice.chance(0.4), columns: properties(['p', 'k']) };
  };
  // Each part of a mapping is kept with a chance of 70 %, so most revisions change little.
  const keep = <T>(old: T | undefined, made: () => T): T => (old !== undefined && dice.chance(0.7) ? old : made());
  const nodes = labels.flatMap(label => {
    const old = before?.nodes.find(each => each.label === label);
    return dice.chance(old ? 0.9 : 0.6) ? [keep(old, () => node(label))] : [];
  });
  const own = nodes.map(({ label }) => label);
  const edges = types.flatMap(type => {
    const old = before?.edges.find(each => each.type === type);
    return dice.chance(old ? 0.9 : own.length > 0 ? 0.6 : 0.15) ? [keep(old, () => edge(type, own))] : [];
  });
  if (nodes.length + edges.length === 0) nodes.push(node('A'));
  return { onError: dice.chance(0.1) ? 'fail' : 'quarantine', nodes, edges };
}

function toYaml({ onError, nodes, edges }: JobSpec, prefix: string): string {
  const columns = (mapped: Record<string, string>): string =>
    Object.entries(mapped)
      .map(
        ([column, property]) => `{column: ${column}, property: ${property}, type: ${column === 'v' || column === 'p' ? 'int' : 'string'}}`,
      )
      .join(', ');
  const common = ({ table, where, deletes, columns: mapped }: NodeSpec | EdgeSpec): string =>
    [
      `table: ${prefix}${table}`,
      ...(where === null ? [] : [`where: 'c < ${where}'`]),
      deletes === 'column' ? 'deletes: {mode: column, column: gone, equals: y}' : `deletes: {mode: ${deletes}}`,
      `columns: [${columns(mapped)}]`,
    ].join(', ');
  const end = (column: string, label: string): string => {
    const node = nodes.find(each => each.label === label);
    return `{node: ${node ? `n${label}` : `'label:${label}'`}, match: {${column}: ${node?.key ?? 'id'}}}`;
  };
  return [
    'version: 1',
    `defaults: {on_error: ${onError}, max_error_rate: 1}`,
    ...(nodes.length === 0 ? [] : ['nodes:']),
    ...nodes.map(
      node =>
        `  - {id: n${node.label}, label: ${node.label}, key: [${node.key}], write: ${node.write}, ${node.isIncremental ? 'incremental: {cursor: c, type: int}, ' : ''}${common(node)}}`,
    ),
    ...(edges.length === 0 ? [] : ['edges:']),
    ...edges.map(
      edge =>
        `  - {type: ${edge.type}, from: ${end('a', edge.from)}, to: ${end('b', edge.to)}, ${edge.hasKey ? 'key: [k], ' : ''}${common(edge)}}`,
    ),
    '',
  ].join('\n');
}

async function shown(graphId: number): Promise<Record<string, unknown>> {
  const { nodes, edges } = graphTables(graphId);
  const { rows } = await app.pool.query(
    `SELECT '(' || label || ') ' || key AS name, properties FROM ${nodes}
     UNION ALL
     SELECT a.label || '-' || e.type || '->' || b.label || ' ' || '["' || a.key || '","' || b.key || '","' || e.key || '"]', e.properties
     FROM ${edges} e LEFT JOIN ${nodes} a ON a.id = e.source_id LEFT JOIN ${nodes} b ON b.id = e.target_id`,
  );
  return Object.fromEntries(rows.map(row => [row.name as string, row.properties as unknown]));
}

/**
 * The nodes' labels and edge types whose stored counts are wrong: another count than in the graph's tables, or rows without owners that
 * belong to none or several of the jobs. Empty if all is right.
 */
async function books(graphId: number): Promise<unknown> {
  const { nodes, edges } = graphTables(graphId);
  const { rows } = await app.pool.query(
    `SELECT kind, name, source_label, target_label, sum(row_count)::int AS counted, count(*) FILTER (WHERE owns_rest)::int AS owners,
            CASE kind WHEN 'node' THEN (SELECT count(*)::int FROM ${nodes} n WHERE n.label = g.name)
            ELSE (SELECT count(*)::int FROM ${edges} e JOIN ${nodes} a ON a.id = e.source_id JOIN ${nodes} b ON b.id = e.target_id
                  WHERE e.type = g.name AND a.label = g.source_label AND b.label = g.target_label) END AS there
     FROM graph_elements g WHERE graph_id = $1 GROUP BY 1, 2, 3, 4`,
    [graphId],
  );
  return rows.filter(({ counted, there, owners }) => counted !== there || owners !== 1);
}

/** Returns the counts of a report, and checks that the rows of each target add up. A run that repeats the last one counts the same rows. */
function countsOf({ targets, totals }: any): RunCounts {
  const isSum = ({ read, inserted, updated, unchanged, rejected, skipped, marked_deleted: gone }: any): boolean =>
    read === inserted + updated + unchanged + rejected + skipped + gone;
  expect([...targets, totals].filter(each => !isSum(each))).toEqual([]);
  const shown = ({ read, inserted, updated, unchanged, deleted, lost_properties, shared }: any): TargetCounts =>
    ({ read, inserted, updated, unchanged, deleted, lost_properties, shared }); // prettier-ignore
  return { targets: Object.fromEntries(targets.map((each: any) => [each.target, shown(each)])), edges_removed: totals.edges_removed };
}

/** The number of nodes and edges that lost properties, in all runs. */
const losses = { node: 0, edge: 0 };
/** The number of nodes and edges that runs have changed and noted as changed. */
let changed = 0;
/** How the runs of all seeds ended. */
const outcomes = new Map<string, number>();

describe('a graph whose sources, mappings and jobs change at random', () => {
  it.each(seeds)('equals what the mappings yield, seed %i', async seed => {
    const dice = new Dice(seed);
    const prefix = `r${seed}_`;
    const graphId = await aGraph(app);
    const tables: Tables = { n0: [], n1: [], e0: [], e1: [] };
    const naive = new NaiveGraph();
    const noted = await NotedChanges.of(app, graphId);
    const jobs: { id: number; spec: JobSpec }[] = [];
    const story: string[] = [];

    const edit = async (name: string, aRow: (dice: Dice) => Row, columns: string): Promise<void> => {
      tables[name] = edited(dice, tables[name]!, aRow);
      const names = columns.split(',').map(column => column.split(':')[0]!);
      const lines = tables[name].map(row => names.map(column => row[column] ?? '').join(','));
      await upload(app, prefix + name, [names.join(','), ...lines, ''].join('\n'), columns);
      story.push(`${name}:\n${lines.join('\n')}`);
    };
    const run = async (job: { id: number; spec: JobSpec }, isEnd: boolean): Promise<void> => {
      const allows = isEnd || dice.chance(0.6);
      let expected = 'succeeded';
      let counts: RunCounts | null = null;
      try {
        counts = naive.run(job.id, isEnd ? null : job.spec, tables, allows);
      } catch (error) {
        if (!(error instanceof RunFails)) throw error;
        expected = error.message;
      }
      story.push(`job ${job.id}: ${isEnd ? 'retire' : toYaml(job.spec, '')} allow ${allows} expect ${expected}`);
      const path = isEnd ? 'retire' : `run?allow_deletes=${allows}`;
      const { body } = await app.admin.post(`/api/ingestion/jobs/${job.id}/${path}`).set('Prefer', 'wait=60').expect(200);
      const outcome = body.status === 'succeeded' ? 'succeeded' : body.error.code;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      expect({ story, outcome, graph: await shown(graphId) }).toEqual({ story, outcome: expected, graph: naive.shown() });
      expect({ story, books: await books(graphId) }).toEqual({ story, books: [] });
      changed += await noted.check();
      if (counts) expect({ story, counts: countsOf(body.report) }).toEqual({ story, counts });
      for (const { kind, lost_properties } of body.report.targets) losses[kind as 'node' | 'edge'] += lost_properties;
    };

    for (const name of ['n0', 'n1']) for (let time = 0; time < 3; time++) await edit(name, nodeRow, nodeColumns);
    for (const name of ['e0', 'e1']) for (let time = 0; time < 3; time++) await edit(name, edgeRow, edgeColumns);
    for (let step = 0; step < stepsOfSeed; step++) {
      const job = jobs.length === 0 ? undefined : dice.of(jobs);
      if (!job || (jobs.length < 3 && dice.chance(0.3))) {
        const spec = aSpec(dice, null);
        const created = { id: await aJob(app, graphId, toYaml(spec, prefix)), spec };
        jobs.push(created);
        await run(created, false);
      } else if (dice.chance(0.35)) {
        const name = dice.of(['n0', 'n1', 'e0', 'e1']);
        await edit(name, name.startsWith('n') ? nodeRow : edgeRow, name.startsWith('n') ? nodeColumns : edgeColumns);
      } else if (dice.chance(0.35)) {
        job.spec = aSpec(dice, job.spec);
        await app.admin
          .post(`/api/ingestion/jobs/${job.id}/revisions`)
          .send({ mapping_yaml: toYaml(job.spec, prefix) })
          .expect(200);
        if (dice.chance(0.7)) await run(job, false);
      } else if (dice.chance(0.08)) {
        await run(job, true);
        jobs.splice(jobs.indexOf(job), 1);
      } else await run(job, false);
    }
    for (const job of jobs) await run(job, false);
  });

  // A single seed need not have all of these cases, so only the long tests, with more seeds, check this.
  itLong('had runs that failed, more that succeeded, and nodes and edges that lost properties', () => {
    expect(Math.min(losses.node, losses.edge)).toBeGreaterThan(0);
    expect(changed).toBeGreaterThan(100);
    expect(outcomes.size).toBeGreaterThan(1);
    const all = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
    expect(outcomes.get('succeeded')! / all).toBeGreaterThan(0.5);
  });
});
