import { type TestApp, startTestApp } from './support/app.js';
import { Dice } from './support/dice.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';
import { NotedChanges } from './support/noted-changes.js';
import { isLong } from './support/tier.js';

const seeds = isLong ? Array.from({ length: 15 }, (_, i) => 500 + i) : [500];
const steps = isLong ? 15 : 3;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** A text in the source, and the expected JSON in the graph. */
type Pair = readonly [text: string, json: unknown];
const pad = (value: number): string => String(value).padStart(2, '0');

/** Functions that make random values of each type, independent of the service's code. */
const scalars: Record<string, (dice: Dice) => Pair> = {
  string: dice => same(dice.of(['a', '华为', "o'k", '{"', 'NULL', '[x', ' y'])),
  bigint: dice => number(dice.between(-1e9, 1e9)),
  float: dice => number(dice.between(-1000, 1000) / 8),
  'decimal(12,3)': dice => number(dice.between(-1e6, 1e6) / 1000),
  boolean: dice => dice.of([['true', true], ['f', false], ['1', true], ['no', false]] as Pair[]), // prettier-ignore
  date: dice => same(`${dice.between(1900, 2100)}-${pad(dice.between(1, 12))}-${pad(dice.between(1, 28))}`),
  time: dice => same(clock(dice)),
  timetz: dice => {
    const [time, zone] = [clock(dice), dice.of(['+08:00', '-05:30', '+00:00'])];
    return [time + (zone === '+00:00' && dice.chance(0.5) ? 'Z' : zone.replace(/:00$/, '')), time + zone];
  },
  localdatetime: dice => {
    const [day, time] = [scalars.date!(dice)[0], clock(dice)];
    return [`${day}${dice.of(['T', ' '])}${time}`, `${day}T${time}`];
  },
  datetime: dice => {
    const [day, time] = [scalars.date!(dice)[0], clock(dice)];
    return [`${day} ${time}${dice.of(['Z', '', '+00'])}`, `${day}T${time}+00:00`];
  },
  duration: dice => {
    const [months, days, hours, seconds] = [dice.between(0, 30), dice.between(-40, 40), dice.between(0, 30), dice.between(0, 59)];
    const dates = [
      [Math.trunc(months / 12), 'Y'],
      [months % 12, 'M'],
      [days, 'D'],
    ] as const;
    const iso = (parts: readonly (readonly [number, string])[]): string => parts.map(([n, unit]) => (n === 0 ? '' : `${n}${unit}`)).join('');
    const times = iso([[hours, 'H'], [seconds, 'S']]); // prettier-ignore
    const shown = iso(dates) + (times === '' ? '' : `T${times}`);
    return [dice.chance(0.5) ? `P${months}M${days}DT${hours}H${seconds}S` : `${months} months ${days} days ${hours}:00:${pad(seconds)}`, shown === '' ? 'PT0S' : `P${shown}`];
  }, // prettier-ignore
};

function same(text: string): Pair {
  return [text, text];
}
function number(value: number): Pair {
  return [String(value), value];
}
function clock(dice: Dice): string {
  return `${pad(dice.below(24))}:${pad(dice.below(60))}:${pad(dice.below(60))}${dice.chance(0.3) ? `.${dice.between(1, 999_999).toString().padStart(6, '0').replace(/0+$/, '')}` : ''}`; // prettier-ignore
}

/** Makes a list as JSON or as a PostgreSQL array. */
function list(dice: Dice, type: string): Pair {
  const items = dice.many(4, () => (dice.chance(0.2) ? null : scalars[type]!(dice)));
  const json = items.map(item => item && item[1]);
  if (dice.chance(0.5)) return [`{${items.map(item => (item ? `"${item[0].replace(/["\\]/g, '\\$&')}"` : 'NULL')).join(',')}}`, json];
  const isText = !/^(bigint|float|decimal|boolean)/.test(type);
  return [JSON.stringify(items.map(item => item && (isText ? item[0] : item[1]))), json];
}

function document(dice: Dice, depth = 2): unknown {
  if (depth === 0 || dice.chance(0.3)) return dice.of([1, 'x', true, null, 0.5]);
  return dice.chance(0.5) ? dice.many(3, () => document(dice, depth - 1)) : map(dice, depth - 1);
}
function map(dice: Dice, depth = 2): Record<string, unknown> {
  return Object.fromEntries(dice.many(3, () => [dice.of(['a', 'b', '键']), document(dice, depth)] as const));
}

const types = [...Object.keys(scalars), ...Object.keys(scalars).map(type => `${type}[]`), 'map'];
function value(dice: Dice, type: string): Pair {
  if (type === 'map') {
    const made = map(dice);
    return [JSON.stringify(made), made];
  }
  return type.endsWith('[]') ? list(dice, type.slice(0, -2)) : scalars[type]!(dice);
}

const flags = ['f', 'g'] as const;
interface Row {
  id: string;
  f: boolean | null;
  g: boolean | null;
  values: (Pair | null)[];
}
interface Label {
  name: string;
  when: 'f' | 'g' | 'not f' | null;
}
interface Job {
  id: number;
  table: string;
  where: 'f' | 'g' | null;
  labels: Label[];
  write: 'merge' | 'replace';
  /** The labels in the mapping of the job's last run. */
  mapped: Set<string>;
}

const labelNames = ['甲', 'B', 'Ω', '𝄞', 'Key2'];
const holds = (row: Row, when: Label['when']): boolean => (when === null ? true : when === 'not f' ? row.f === false : row[when] === true);

function aRow(dice: Dice, id: string, columns: string[]): Row {
  const flag = (): boolean | null => dice.of([true, false, null]);
  return { id, f: flag(), g: flag(), values: columns.map(type => (dice.chance(0.15) ? null : value(dice, type))) };
}
function someLabels(dice: Dice): Label[] {
  return labelNames.filter(() => dice.chance(0.45)).map(name => ({ name, when: dice.of([null, 'f', 'g', 'not f'] as const) }));
}

function csvOf(rows: Row[]): string {
  const cell = (text: string | null): string => (text === null ? '' : `"${text.replaceAll('"', '""')}"`);
  return rows.map(({ id, f, g, values }) => [id, f ?? '', g ?? '', ...values.map(each => cell(each && each[0]))].join(',')).join('\n');
}

describe.each(seeds)('random tables with further labels and values of all types, seed %i', seed => {
  it('are the same graph as worked out from the tables, run after run', async () => {
    const dice = new Dice(seed);
    const columns = types.filter(() => dice.chance(0.4));
    const graphId = await aGraph(app);
    const tables = new Map<string, Row[]>();
    const graph = new Map<string, { labels: Set<string>; owners: Set<number>; values: unknown[] }>();
    const fill = async (name: string): Promise<void> => {
      const old = tables.get(name);
      const rows = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
        .filter(() => dice.chance(0.8))
        .map(id => (dice.chance(0.6) ? old?.find(row => row.id === id) : undefined) ?? aRow(dice, id, columns));
      tables.set(name, rows);
      const header = ['id', ...flags, ...columns.map((_, i) => `v${i}`)];
      const written = ['id:text', ...flags.map(flag => `${flag}:boolean`), ...columns.map((_, i) => `v${i}:text`)];
      await upload(app, name, `${header.join(',')}\n${csvOf(rows)}\n`, written.join(','));
    };
    const mappingOf = ({ table, where, labels, write }: Omit<Job, 'id' | 'mapped'>): string => `version: 1
defaults: {empty_as_null: false}
nodes:
  - id: n
    label: K
    table: ${table}
    write: ${write}
    ${where === null ? '' : `where: ${where}`}
    key: [id]
    labels: [${labels.map(({ name, when }) => `{name: '${name}', aliases: ['${name}的别名']${when === null ? '' : `, when: '${when}'`}}`).join(', ')}]
    columns: [{column: id}${columns.map((type, i) => `, {column: v${i}, type: '${type}'}`).join('')}]
`;
    const specOf = (table: string): Omit<Job, 'id' | 'mapped'> => ({ table, where: dice.of([null, null, 'f', 'g'] as const), labels: someLabels(dice), write: dice.chance(0.2) ? 'replace' : 'merge' }); // prettier-ignore
    const jobs: Job[] = [];
    for (const table of [`lv${seed}a`, `lv${seed}b`]) {
      await fill(table);
      const spec = specOf(table);
      jobs.push({ ...spec, id: await aJob(app, graphId, mappingOf(spec)), mapped: new Set() });
    }

    /** Changes the expected graph as a run of the job should change the real one. */
    const apply = (job: Job): void => {
      const now = new Set(job.labels.map(({ name }) => name));
      const onlyOwn = (owners: Set<number>, names: Iterable<string>): string[] =>
        [...names].filter(name => !jobs.some(other => other !== job && owners.has(other.id) && other.mapped.has(name)));
      const rows = new Map(
        tables
          .get(job.table)!
          .filter(row => holds(row, job.where))
          .map(row => [row.id, row]),
      );
      for (const [id, row] of rows) {
        const node = graph.get(id) ?? { labels: new Set<string>(), owners: new Set<number>(), values: [] };
        node.owners.add(job.id);
        if (job.write === 'replace') node.labels.clear();
        for (const name of [
          ...now,
          ...onlyOwn(
            node.owners,
            [...job.mapped].filter(name => !now.has(name)),
          ),
        ])
          node.labels.delete(name);
        for (const { name, when } of job.labels) if (holds(row, when)) node.labels.add(name);
        node.values = row.values.map(each => each && each[1]);
        graph.set(id, node);
      }
      for (const [id, node] of graph) {
        if (rows.has(id) || !node.owners.delete(job.id)) continue;
        if (node.owners.size === 0) graph.delete(id);
        // Both jobs map all columns, so the node keeps all properties.
        else for (const name of onlyOwn(node.owners, job.mapped)) node.labels.delete(name);
      }
      job.mapped = now;
    };

    const noted = await NotedChanges.of(app, graphId);
    for (let step = 0; step < steps; step++) {
      const job = dice.of(jobs);
      if (dice.chance(0.6)) await fill(job.table);
      if (dice.chance(0.4)) {
        Object.assign(job, specOf(job.table));
        const saved = await app.admin.post(`/api/ingestion/jobs/${job.id}/revisions`).send({ mapping_yaml: mappingOf(job) });
        if (saved.status !== 200) throw new Error(JSON.stringify(saved.body));
      }
      const run = await runToEnd(app, job.id, { allow_deletes: true });
      if (run.status !== 'succeeded') throw new Error(JSON.stringify(run.error));
      apply(job);
      await noted.check();
      expect(await shown(graphId)).toEqual(Object.fromEntries([...graph].map(([id, { labels, values }]) => [id, { labels: [...labels].sort(), values }]))); // prettier-ignore
      const has = (name: string): number => [...graph.values()].filter(({ labels }) => labels.has(name)).length;
      const { body } = await app.admin.get(`/api/graphs/${graphId}/schema`).expect(200);
      for (const { source, labels } of body.nodes) {
        const own = jobs.find(({ id }) => id === source.job_id)!;
        expect(labels.map(({ name, count }: any) => [name, count])).toEqual(own.labels.map(({ name }) => [name, has(name)]));
      }
      for (const name of labelNames.filter(each => jobs.some(({ mapped }) => mapped.has(each))))
        for (const middle of ['', 'WITH n '])
          expect(await rowsOf(graphId, `MATCH (n:\`${name}的别名\`) ${middle}RETURN count(n)`)).toEqual([[has(name)]]);
    }

    async function shown(graph: number): Promise<Record<string, unknown>> {
      const rows = await rowsOf(graph, `MATCH (n:K) WITH n RETURN n, [${columns.map((_, i) => `n.v${i}`).join(', ')}]`);
      return Object.fromEntries(
        rows.map(([{ key, labels, properties }, values]: any) => {
          expect(columns.map((_, i) => properties[`v${i}`] ?? null)).toEqual(values);
          expect(labels[0]).toBe('K');
          return [key, { labels: labels.slice(1).sort(), values }];
        }),
      );
    }
  });
});

async function rowsOf(graphId: number, cypher: string): Promise<any[]> {
  const { body, status } = await app.admin.post(`/api/graphs/${graphId}/query`).send({ cypher });
  if (status !== 200) throw new Error(`${cypher}: ${JSON.stringify(body)}`);
  return body.rows;
}
