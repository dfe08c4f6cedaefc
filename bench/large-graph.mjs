// Measures a graph of a million people and five million edges: the first answers after a run, after a start, and during the load of a new
// version.
// `npm run bench -- large [--people 1000000]`
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, report, round, timed } from './figures.mjs';
import { rerun, runJob } from './runs.mjs';
import { logIn, logInAgain, startService } from './service.mjs';
import { csvOf, randomOf } from './social-graph.mjs';

const edgesEach = 5;
const [surnames, givenNames] = ['赵钱孙李周吴郑王冯陈', '伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平'];
const words = ['Amber', 'Birch', 'Cedar', 'Delta', 'Ember', 'Falcon', 'Granite', 'Harbor', 'Indigo', 'Juniper'];
const mapping = `version: 1
source: {connection: pg_mirror, statement_timeout: 1h}
nodes:
  - {id: person, label: Person, table: large_people, key: [id], display: name, columns: [{column: id, property: id, type: int}, {column: name, property: name}]}
edges:
  - {type: KNOWS, table: large_links, from: {node: person, match: {src: id}}, to: {node: person, match: {dst: id}}}
`;

/** Even numbers get a Chinese name, odd numbers an English one. */
export const nameOf = i =>
  i % 2 === 0
    ? `${surnames[(i >> 1) % 10]}${givenNames[(i >> 3) % 20]}${givenNames[(i >> 7) % 20]}${i}`
    : `${words[(i >> 1) % 10]} ${words[(i >> 5) % 10]} ${i}`;

const oneHop = seed => ({ cypher: 'MATCH (a:Person {id: $seed})-[:KNOWS]->(b) RETURN count(*) AS n', parameters: { seed } });

export async function benchLargeGraph(folder, people) {
  const directory = path.join(folder, 'large');
  let service = await startService(directory);
  try {
    let api = await logIn(service.url);
    const upload = (table, csv) => api.send('PUT', `/api/warehouse/connections/1/tables/${table}`, csv);
    const uploadPeople = count =>
      upload(
        'large_people',
        csvOf('id,name', count, i => `${i},${nameOf(i)}`),
      );
    const random = randomOf(5);
    const anyone = () => Math.floor(people * random());
    await uploadPeople(people);
    await upload(
      'large_links',
      csvOf('src,dst', people * edgesEach, () => `${anyone()},${anyone()}`),
    );
    const { id: graph } = await api.send('POST', '/api/graphs', { name: 'large' });
    const { ms, jobId } = await runJob(api, graph, mapping);
    report('ingestion', { unit: 'ms', nodes: people, edges: people * edgesEach, ms: round(ms) });

    const ask = body => api.send('POST', `/api/graphs/${graph}/query`, { cache: 'refresh', timeout_ms: 60_000, ...body });
    const first = async (figure, body) => {
      const { ms: took, result } = await timed(() => ask(body));
      report(figure, { unit: 'ms', ms: round(took), graph_version: result.graph_version });
    };
    const memory = { cypher: 'MATCH p = (a:Person {id: 1})-[:KNOWS*1..1]->() RETURN count(p) AS n' };
    const search = { search: nameOf(4711), limit: 10 };
    await first('large: first traversal after a run, from PostgreSQL', memory);
    await first('large: first search after a run, without an older version', search);
    await several('large: search', i => ask({ search: nameOf(i * 7919), limit: 10 }));
    await several('large: 1 hop, count', i => ask(oneHop(i * 7919)));

    await uploadPeople(people + 1);
    await rerun(api, jobId);
    const before = { cache: 'use' };
    await first('large: search at once after a further run', { ...search, ...before });
    await first('large: traversal at once after a further run', { ...oneHop(4711), ...before });

    // Waits until the new version is loaded (the loop) and its file is written (5 s).
    while ((await ask({ ...memory, cache: 'use' })).graph_version < 2) await sleep(200);
    await sleep(5_000);
    await service.stop();
    service = await startService(directory);
    api = await logInAgain(service.url);
    await first('large: first traversal after a start, from the file', memory);
  } finally {
    await service.stop();
  }
}

async function several(figure, work) {
  await work(0);
  const times = [];
  for (let i = 1; i <= 50; i++) times.push((await timed(() => work(i))).ms);
  report(figure, { unit: 'ms', p50: round(quantile(times, 0.5)), p99: round(quantile(times, 0.99)) });
}
