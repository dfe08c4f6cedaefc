// Compares traversals of a social graph through REST with prepared statements of PostgreSQL on the graph's own tables, and with Ladybug
// in process. Also measures the first answer after a run and after a start, and stored answers.
// `npm run bench -- traversals [--people 100000] [--trials 30]`
import path from 'node:path';
import { benchBareHops } from './bare-hops.mjs';
import { AnswerComparison } from './compare-answers.mjs';
import { quantile, report, round, timed } from './figures.mjs';
import { openLadybug } from './ladybug.mjs';
import { runJob } from './runs.mjs';
import { databaseUrl, logIn, logInAgain, startService } from './service.mjs';
import { csvOf, socialGraph, socialMapping, tablesOf } from './social-graph.mjs';

const F = 'FOLLOWS';
/**
 * Each question in Cypher, and in SQL in which `e` and `n` stand for the graph's edges and nodes. SQL's `$1` is a node id, Cypher's `$seed`
 * a person's id.
 */
const questions = [
  {
    name: '1 hop, count',
    cypher: `MATCH (a:Person {id: $seed})-[:${F}]->(b) RETURN count(*) AS n`,
    sql: `SELECT count(*)::int AS n FROM e e1 WHERE e1.source_id = $1 AND e1.type = '${F}'`,
  },
  {
    name: '2 hops, distinct',
    cypher: `MATCH (a:Person {id: $seed})-[:${F}]->()-[:${F}]->(b) RETURN count(DISTINCT b) AS n`,
    sql: `SELECT count(DISTINCT e2.target_id)::int AS n FROM e e1 JOIN e e2 ON e2.source_id = e1.target_id AND e2.type = '${F}'
          WHERE e1.source_id = $1 AND e1.type = '${F}' AND e1.id <> e2.id`,
  },
  {
    name: '3 hops, distinct',
    repeats: true,
    cypher: `MATCH (a:Person {id: $seed})-[:${F}]->()-[:${F}]->()-[:${F}]->(b) RETURN count(DISTINCT b) AS n`,
    sql: `SELECT count(DISTINCT e3.target_id)::int AS n FROM e e1 JOIN e e2 ON e2.source_id = e1.target_id AND e2.type = '${F}'
          JOIN e e3 ON e3.source_id = e2.target_id AND e3.type = '${F}'
          WHERE e1.source_id = $1 AND e1.type = '${F}' AND e1.id <> e2.id AND e2.id <> e3.id AND e1.id <> e3.id`,
  },
  {
    name: 'all 2-hop paths, count',
    once: true,
    cypher: `MATCH (a:Person)-[:${F}]->(b:Person)-[:${F}]->(c:Person) RETURN count(*) AS n`,
    sql: `SELECT count(*)::bigint AS n FROM e e1 JOIN e e2 ON e2.source_id = e1.target_id AND e2.type = '${F}' WHERE e1.type = '${F}' AND e1.id <> e2.id`,
  },
  {
    name: 'all 2-hop paths between ages, count',
    once: true,
    cypher: `MATCH (a:Person)-[:${F}]->(b:Person)-[:${F}]->(c:Person) WHERE a.age > 50 AND c.age < 30 RETURN count(*) AS n`,
    sql: `SELECT count(*)::bigint AS n FROM e e1 JOIN e e2 ON e2.source_id = e1.target_id AND e2.type = '${F}'
          JOIN n a ON a.id = e1.source_id JOIN n c ON c.id = e2.target_id
          WHERE e1.type = '${F}' AND e1.id <> e2.id AND (a.properties ->> 'age')::int > 50 AND (c.properties ->> 'age')::int < 30`,
  },
  {
    name: 'followers by city, grouped',
    once: true,
    cypher: `MATCH (c:City)<-[:LIVES_IN]-(p:Person) WHERE p.age >= 30 RETURN c.name AS city, count(*) AS n ORDER BY n DESC, city LIMIT 10`,
    ladybug: `MATCH (c:City)<-[:LIVES_IN]-(p:Person) WHERE p.age >= 30 RETURN c.name AS city, count(*) AS n ORDER BY n DESC, city LIMIT 10`,
    sql: `SELECT * FROM (SELECT c.properties ->> 'name' AS city, count(*)::int AS n FROM e e1 JOIN n p ON p.id = e1.source_id JOIN n c ON c.id = e1.target_id
          WHERE e1.type = 'LIVES_IN' AND (p.properties ->> 'age')::int >= 30 GROUP BY 1) found ORDER BY n DESC, city COLLATE \"C\" LIMIT 10`,
  },
  {
    name: 'shortest path, length',
    pairs: true,
    cypher: `MATCH (a:Person {id: $seed}), (b:Person {id: $other}), p = shortestPath((a)-[:${F}*..8]->(b)) RETURN length(p) AS n`,
    ladybug: `MATCH p = (a:Person)-[:${F}* SHORTEST 1..8]->(b:Person) WHERE a.id = $seed AND b.id = $other RETURN length(p) AS n`,
  },
  {
    name: 'friends of friends with an interest, 20 rows',
    cypher: `MATCH (a:Person {id: $seed})-[:${F}]->(b:Person)-[:LIKES]->(i:Interest) RETURN i.name AS interest, count(*) AS n ORDER BY n DESC, interest LIMIT 20`,
    sql: `SELECT * FROM (SELECT i.properties ->> 'name' AS interest, count(*)::int AS n FROM e e1 JOIN e e2 ON e2.source_id = e1.target_id AND e2.type = 'LIKES'
          JOIN n i ON i.id = e2.target_id WHERE e1.source_id = $1 AND e1.type = '${F}' GROUP BY 1) found ORDER BY n DESC, interest COLLATE \"C\" LIMIT 20`,
  },
];

/** Short reads like those of LDBC's social network benchmark. */
const shortReads = [
  {
    name: 'short read: a person and the city',
    cypher: 'MATCH (a:Person {id: $seed})-[:LIVES_IN]->(c:City) RETURN a.name AS name, a.age AS age, c.name AS city',
    sql: `SELECT a.properties ->> 'name', (a.properties ->> 'age')::int, c.properties ->> 'name' FROM n a
          JOIN e e1 ON e1.source_id = a.id AND e1.type = 'LIVES_IN' JOIN n c ON c.id = e1.target_id WHERE a.id = $1`,
  },
  {
    name: 'short read: whom a person follows, oldest first',
    cypher: `MATCH (a:Person {id: $seed})-[:${F}]->(b:Person) RETURN b.id AS id, b.name AS name, b.age AS age ORDER BY age DESC, id LIMIT 20`,
    sql: `SELECT (b.properties ->> 'id')::int AS id, b.properties ->> 'name', (b.properties ->> 'age')::int AS age FROM e e1 JOIN n b ON b.id = e1.target_id
          WHERE e1.source_id = $1 AND e1.type = '${F}' ORDER BY age DESC, id LIMIT 20`,
  },
  {
    name: 'short read: mutual follows',
    cypher: `MATCH (a:Person {id: $seed})-[:${F}]->(b:Person)-[:${F}]->(a) RETURN b.id AS id ORDER BY id`,
    sql: `SELECT (b.properties ->> 'id')::int AS id FROM e e1 JOIN e e2 ON e2.source_id = e1.target_id AND e2.target_id = $1 AND e2.type = '${F}'
          JOIN n b ON b.id = e1.target_id WHERE e1.source_id = $1 AND e1.type = '${F}' AND e1.id <> e2.id ORDER BY id`,
  },
  {
    name: 'short read: friends of friends in the same city',
    cypher: `MATCH (c:City)<-[:LIVES_IN]-(a:Person {id: $seed})-[:${F}]->(:Person)-[:${F}]->(b:Person)-[:LIVES_IN]->(c)
             WHERE b.id <> $seed RETURN b.id AS id, count(*) AS n ORDER BY n DESC, id LIMIT 10`,
    sql: `SELECT (b.properties ->> 'id')::int AS id, count(*)::int AS n FROM e e0 JOIN e e1 ON e1.source_id = e0.source_id AND e1.type = '${F}'
          JOIN e e2 ON e2.source_id = e1.target_id AND e2.type = '${F}' AND e2.target_id <> $1
          JOIN e e3 ON e3.source_id = e2.target_id AND e3.type = 'LIVES_IN' AND e3.target_id = e0.target_id JOIN n b ON b.id = e2.target_id
          WHERE e0.source_id = $1 AND e0.type = 'LIVES_IN' AND e1.id <> e2.id GROUP BY 1 ORDER BY n DESC, id LIMIT 10`,
  },
  {
    name: 'short read: common follows of two',
    pairs: true,
    cypher: `MATCH (a:Person {id: $seed})-[:${F}]->(m:Person)<-[:${F}]-(b:Person {id: $other}) RETURN count(*) AS n`,
    sql: `SELECT count(*)::int AS n FROM e e1 JOIN e e2 ON e2.target_id = e1.target_id AND e2.type = '${F}' AND e2.source_id = $2
          WHERE e1.source_id = $1 AND e1.type = '${F}'  AND e1.id <> e2.id`,
  },
];

/** `asked`: the options people and trials. */
export async function benchTraversals(folder, { people, trials }) {
  const directory = path.join(folder, 'traversals');
  let service = await startService(directory);
  try {
    const api = await logIn(service.url);
    const social = socialGraph(people);
    for (const [table, csv] of Object.entries(tablesOf(social))) await api.send('PUT', `/api/warehouse/connections/1/tables/${table}`, csv);
    const { id: graph } = await api.send('POST', '/api/graphs', { name: 'social' });
    const { ms: loadMs } = await runJob(api, graph, socialMapping);
    report('ingestion', { unit: 'ms', edges: social.sources.length, ms: round(loadMs) });
    const comparison = await AnswerComparison.open(api, graph, directory, 'Person', await openLadybug(folder, ...ladybugTables(social)));
    const first = 'MATCH p = (a:Person {id: 1})-[:FOLLOWS*1..1]->() RETURN count(p) AS n';
    const cold = await timed(() => comparison.ask(first));
    report('first query after a run', { unit: 'ms', ms: round(cold.ms), edges: social.sources.length });
    for (const question of [...questions, ...shortReads]) await comparison.compare(question, trials);
    const hops = await benchBareHops(await databaseUrl(directory), directory, trials);
    report('the hops of a query between processes, bare', { unit: 'ms', p50: round(hops) });
    await benchStored(api, graph);
    await comparison.close();
    await service.stop();
    service = await startService(directory);
    const again = await logInAgain(service.url);
    const warm = await timed(() => again.send('POST', `/api/graphs/${graph}/query`, { cypher: first, cache: 'refresh' }));
    report('first query after a start', { unit: 'ms', ms: round(warm.ms) });
  } finally {
    await service.stop();
  }
}

/** The tables of the social graph as CSV for Ladybug, and their schema. */
function ladybugTables(social) {
  const {
    social_people: Person,
    social_cities: City,
    social_interests: Interest,
    social_follows: FOLLOWS,
    social_likes: LIKES,
  } = tablesOf(social);
  const LIVES_IN = csvOf('person,city', social.people, i => `${i},${social.cityOf[i]}`);
  return [
    { Person, City, Interest, FOLLOWS, LIVES_IN, LIKES },
    [
      'CREATE NODE TABLE Person (id INT64 PRIMARY KEY, name STRING, age INT64, city INT64)',
      'CREATE NODE TABLE City (id INT64 PRIMARY KEY, name STRING)',
      'CREATE NODE TABLE Interest (id INT64 PRIMARY KEY, name STRING)',
      'CREATE REL TABLE FOLLOWS (FROM Person TO Person)',
      'CREATE REL TABLE LIVES_IN (FROM Person TO City)',
      'CREATE REL TABLE LIKES (FROM Person TO Interest)',
    ],
  ];
}

/** Measures stored answers per second, over 8 connections. */
async function benchStored(api, graph) {
  const body = { cypher: 'MATCH (a:Person {id: 7})-[:FOLLOWS]->(b) RETURN b LIMIT 20' };
  const ask = () => api.send('POST', `/api/graphs/${graph}/query`, body);
  await ask();
  await new Promise(resolve => setTimeout(resolve, 200));
  const times = [];
  const { ms } = await timed(() =>
    Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 150; i++) times.push((await timed(ask)).ms);
      }),
    ),
  );
  const alone = [];
  for (let i = 0; i < 100; i++) alone.push((await timed(ask)).ms);
  report('stored answer', { unit: 'ms', p50: round(quantile(alone, 0.5)), per_second: Math.round((times.length * 1000) / ms) });
}
