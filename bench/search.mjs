// Measures recall at 10 on the divisions of China and on the names of MetaQA, and times on a million names in Chinese and English.
// `npm run bench -- search [--people 1000000] [--trials 300] [--parts divisions,metaqa,speed]`; the data is in `../shared/data`.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { quantile, report, round, timed } from './figures.mjs';
import { nameOf } from './large-graph.mjs';
import { rerun, runJob } from './runs.mjs';
import { chanceOf, recallQueries } from './search-queries.mjs';
import { logIn, logInAgain, startService } from './service.mjs';
import { csvOf, randomOf } from './social-graph.mjs';

const shared = path.join(import.meta.dirname, '../../shared/data');
const seed = 11;
const mappingOf = table => `version: 1
source: {connection: pg_mirror, statement_timeout: 1h}
nodes:
  - {id: name, label: Name, table: ${table}, key: [id], display: name, columns: [{column: id, property: id, type: int}, {column: name, property: name}]}
`;

export async function benchSearch(folder, { people, trials, parts }) {
  const directory = path.join(folder, 'search');
  // The queries are made before the service starts. This takes seconds, in which the service would close idle connections.
  const recall = await Promise.all(
    Object.entries({ divisions: readDivisions, metaqa: readMetaqa })
      .filter(([part]) => parts.includes(part))
      .map(async ([part, read]) => {
        const names = await read();
        return { part, names, queries: recallQueries(names, randomOf(seed), trials) };
      }),
  );
  let service = await startService(directory);
  try {
    let api = await logIn(service.url);
    for (const { part, names, queries } of recall) {
      const { graph } = await load(api, part, names.length, i => names[i]);
      await benchRecall(api, graph, part, names, queries);
    }
    if (!parts.includes('speed')) return;
    const { graph, jobId, upload } = await load(api, 'speed', people, nameOf);
    const first = async figure => {
      const { ms, result } = await timed(() => ask(api, graph, nameOf(4711)));
      report(figure, { unit: 'ms', nodes: people, ms: round(ms), graph_version: result.graph_version });
    };
    await first('search: first after a run, without an older version');
    await benchSpeed(api, graph, people, trials);
    await upload(people + 1);
    await rerun(api, jobId);
    const { ms, result } = await timed(() => ask(api, graph, nameOf(4711), { cache: 'use' }));
    report('search: at once after a further run', { unit: 'ms', nodes: people, ms: round(ms), graph_version: result.graph_version });
    const reload = await timed(async () => {
      while ((await ask(api, graph, nameOf(4711), { cache: 'use' })).graph_version < 2)
        await new Promise(resolve => setTimeout(resolve, 200));
    });
    report('search: until the new version answers', { unit: 'ms', ms: round(reload.ms) });
    await new Promise(resolve => setTimeout(resolve, 5_000));
    await service.stop();
    service = await startService(directory);
    api = await logInAgain(service.url);
    await first('search: first after a start, from the file');
  } finally {
    await service.stop();
  }
}

async function load(api, part, count, name) {
  const table = `search_${part}`;
  const quoted = i => `"${name(i).replaceAll('"', '""')}"`;
  const upload = rows =>
    api.send(
      'PUT',
      `/api/warehouse/connections/1/tables/${table}`,
      csvOf('id,name', rows, i => `${i},${quoted(i)}`),
    );
  await upload(count);
  const { id: graph } = await api.send('POST', '/api/graphs', { name: part });
  const { jobId } = await runJob(api, graph, mappingOf(table));
  return { graph, jobId, upload };
}

function ask(api, graph, search, options) {
  return api.send('POST', `/api/graphs/${graph}/query`, { search, limit: 10, cache: 'refresh', timeout_ms: 60_000, ...options });
}

/** Reports recall at 10. `by_chance` is the recall if the search drew ten of the names one edit away at random. */
async function benchRecall(api, graph, part, names, queries) {
  const byKind = new Map();
  for (const query of queries) {
    const { rows } = await ask(api, graph, query.asked);
    const found = rows.map(([node]) => node.display);
    const kind = byKind.get(query.kind) ?? { shares: [], isFirst: 0, asked: [] };
    const share = query.share(found);
    if (share < 1 && process.env.SHOW_MISSED)
      console.log(JSON.stringify({ part, kind: query.kind, asked: query.asked, name: query.name, found }));
    kind.shares.push(share);
    kind.asked.push(query.asked);
    if (found[0]?.toLowerCase() === query.name.toLowerCase()) kind.isFirst++;
    byKind.set(query.kind, kind);
  }
  for (const [kind, { shares, isFirst, asked }] of byKind) {
    const percent = number => round((100 * number) / shares.length, 1);
    const recall = percent(shares.reduce((sum, share) => sum + share, 0));
    const chance = /character/.test(kind) ? { by_chance: round(100 * chanceOf(names, asked), 1) } : {};
    report(`search: ${part}, ${kind}`, { unit: '%', queries: shares.length, recall_at_10: recall, ...chance, first: percent(isFirst) });
  }
}

/** Reports the times of the same kinds of queries as the recall table, over names of this graph. */
async function benchSpeed(api, graph, people, trials) {
  const random = randomOf(seed);
  const sample = Array.from({ length: 2_000 }, () => nameOf(Math.floor(people * random())));
  const all = [];
  const byKind = new Map();
  for (const { kind, asked } of recallQueries(sample, random, Math.ceil(trials / 5))) {
    const { ms } = await timed(() => ask(api, graph, asked));
    all.push(ms);
    byKind.set(kind, [...(byKind.get(kind) ?? []), ms]);
  }
  for (const [kind, times] of [...byKind, ['all kinds', all]])
    report(`search: ${people} names, ${kind}`, {
      unit: 'ms',
      queries: times.length,
      p50: round(quantile(times, 0.5)),
      p99: round(quantile(times, 0.99)),
    });
}

async function readDivisions() {
  const names = [];
  for (const level of ['provinces', 'cities', 'areas', 'streets']) {
    const [, ...lines] = (await readFile(path.join(shared, `china_divisions/${level}.csv`), 'utf8')).trim().split('\n');
    for (const line of lines) names.push(line.split(',')[1].replaceAll('"', ''));
  }
  return names;
}

/** The names of films and people. */
async function readMetaqa() {
  const people = new Set(['directed_by', 'written_by', 'starred_actors']);
  const names = new Set();
  const text = (await promisify(gunzip)(await readFile(path.join(shared, 'metaqa/kb.txt.gz')))).toString('utf8');
  for (const line of text.trim().split('\n')) {
    const [film, relation, other] = line.split('|');
    names.add(film);
    if (people.has(relation)) names.add(other);
  }
  return [...names];
}
