// Measures traversals of R-MAT graphs as in Graph500: 2^scale nodes with sixteen edges each, most of them between a few nodes.
// `npm run bench -- r-mat [--scale 16,18,20] [--trials 10]`
import path from 'node:path';
import { AnswerComparison } from './compare-answers.mjs';
import { report, round, timed } from './figures.mjs';
import { openLadybug } from './ladybug.mjs';
import { runJob } from './runs.mjs';
import { logIn, startService } from './service.mjs';
import { csvOf, randomOf } from './social-graph.mjs';

const edgesEach = 16;
/** The chances that an edge falls into the first, second and third quarter of the adjacency matrix; the fourth has the rest. */
const [a, b, c] = [0.57, 0.19, 0.19];

/** Makes edges without loops and duplicates, as arrays of numbers. */
export function rMatGraph(scale, seed = 3) {
  const random = randomOf(seed);
  const wanted = edgesEach * 2 ** scale;
  const keys = new Float64Array(edgesEach * 2 ** scale);
  for (let made = 0; made < keys.length; made++) {
    let [source, target] = [0, 0];
    for (let bit = 0; bit < scale; bit++) {
      const chance = random();
      source = source * 2 + (chance >= a + b ? 1 : 0);
      target = target * 2 + ((chance >= a && chance < a + b) || chance >= a + b + c ? 1 : 0);
    }
    keys[made] = source * 2 ** scale + target;
  }
  const edges = keys.sort().filter((key, i) => key !== keys[i - 1] && Math.floor(key / 2 ** scale) !== key % 2 ** scale);
  return {
    nodes: 2 ** scale,
    sources: Uint32Array.from(edges, key => Math.floor(key / 2 ** scale)),
    targets: Uint32Array.from(edges, key => key % 2 ** scale),
  };
}

const mapping = `version: 1
source: {connection: pg_mirror, statement_timeout: 1h}
nodes:
  - {id: point, label: Point, table: rmat_points, key: [id], columns: [{column: id, property: id, type: int}]}
edges:
  - {type: LINK, table: rmat_links, from: {node: point, match: {src: id}}, to: {node: point, match: {dst: id}}}
`;

const hops = count =>
  ['(a:Point {id: $seed})', ...Array.from({ length: count }, (_, i) => `-[:LINK]->(${i === count - 1 ? 'b' : ''})`)].join('');
const questions = [
  {
    name: '1 hop, count',
    cypher: `MATCH ${hops(1)} RETURN count(*) AS n`,
    sql: `SELECT count(*)::int AS n FROM e e1 WHERE e1.source_id = $1 AND e1.type = 'LINK'`,
  },
  {
    name: '2 hops, distinct',
    cypher: `MATCH ${hops(2)} RETURN count(DISTINCT b) AS n`,
    sql: `SELECT count(DISTINCT e2.target_id)::int AS n FROM e e1 JOIN e e2 ON e2.source_id = e1.target_id AND e2.type = 'LINK'
          WHERE e1.source_id = $1 AND e1.type = 'LINK' AND e1.id <> e2.id`,
  },
  {
    name: '3 hops, distinct',
    cypher: `MATCH ${hops(3)} RETURN count(DISTINCT b) AS n`,
    sql: `SELECT count(DISTINCT e3.target_id)::int AS n FROM e e1 JOIN e e2 ON e2.source_id = e1.target_id AND e2.type = 'LINK'
          JOIN e e3 ON e3.source_id = e2.target_id AND e3.type = 'LINK'
          WHERE e1.source_id = $1 AND e1.type = 'LINK' AND e1.id <> e2.id AND e2.id <> e3.id AND e1.id <> e3.id`,
  },
  {
    name: 'all 2-hop paths, count',
    once: true,
    cypher: 'MATCH (:Point)-[:LINK]->(:Point)-[:LINK]->(:Point) RETURN count(*) AS n',
    sql: `SELECT count(*)::bigint AS n FROM e e1 JOIN e e2 ON e2.source_id = e1.target_id AND e2.type = 'LINK' WHERE e1.type = 'LINK' AND e1.id <> e2.id`,
  },
  {
    name: 'shortest path, length',
    pairs: true,
    cypher: 'MATCH (a:Point {id: $seed}), (b:Point {id: $other}), p = shortestPath((a)-[:LINK*..8]->(b)) RETURN length(p) AS n',
    ladybug: 'MATCH p = (a:Point)-[:LINK* SHORTEST 1..8]->(b:Point) WHERE a.id = $seed AND b.id = $other RETURN length(p) AS n',
  },
];

export async function benchRMat(folder, { scales, trials }) {
  for (const scale of scales) {
    const directory = path.join(folder, `r-mat-${scale}`);
    // The graph is made before the service starts, because this takes longer than the service keeps an idle connection open.
    const graph = rMatGraph(scale);
    const service = await startService(directory);
    try {
      const api = await logIn(service.url);
      const tables = {
        rmat_points: () => csvOf('id', graph.nodes, i => `${i}`),
        rmat_links: () => csvOf('src,dst', graph.sources.length, i => `${graph.sources[i]},${graph.targets[i]}`),
      };
      for (const [table, csv] of Object.entries(tables)) await api.send('PUT', `/api/warehouse/connections/1/tables/${table}`, csv());
      const { id } = await api.send('POST', '/api/graphs', { name: `r-mat ${scale}` });
      const inSet = { graph: `R-MAT ${scale}`, edges: graph.sources.length };
      const { ms } = await runJob(api, id, mapping);
      report('ingestion', { ...inSet, unit: 'ms', ms: round(ms) });
      const ladybug = await openLadybug(folder, { Point: tables.rmat_points(), LINK: tables.rmat_links() }, [
        'CREATE NODE TABLE Point (id INT64 PRIMARY KEY)',
        'CREATE REL TABLE LINK (FROM Point TO Point)',
      ]);
      const comparison = await AnswerComparison.open(api, id, directory, 'Point', ladybug);
      const first = await timed(() => comparison.ask('MATCH p = (a:Point {id: 1})-[:LINK*1..1]->() RETURN count(p) AS n'));
      report('first query after a run', { ...inSet, unit: 'ms', ms: round(first.ms) });
      for (const question of questions) await comparison.compare(question, trials, inSet);
      await comparison.close();
    } finally {
      await service.stop();
    }
  }
}
