// Traversals of a social graph through REST, the same as prepared statements of PostgreSQL on the graph's own tables, and by Ladybug in
// process. `npm ci --prefix bench/reference --ignore-scripts` installs the last. Also: the first answer after a start, and memory.
// `npm run bench -- traversals [--people 100000] [--trials 30]`
import { createRequire } from 'node:module';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { quantile, report, round, timed } from './figures.mjs';
import { runJob } from './runs.mjs';
import { databaseUrl, logIn, startService } from './service.mjs';
import { randomOf, socialGraph, socialMapping, tablesOf } from './social-graph.mjs';

const F = 'FOLLOWS';
/** Each question in Cypher for both, and in SQL over `edges` (e) and `nodes` (n). `$1` is a node's id there, `$seed` a person's here. */
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

/** `asked`: people, trials. */
export async function benchTraversals(folder, { people, trials }) {
  const directory = path.join(folder, 'traversals');
  let service = await startService(directory);
  try {
    let api = await logIn(service.url);
    const social = socialGraph(people);
    for (const [table, csv] of Object.entries(tablesOf(social))) await api.send('PUT', `/api/warehouse/connections/1/tables/${table}`, csv);
    const { id: graph } = await api.send('POST', '/api/graphs', { name: 'social' });
    const { ms: loadMs } = await runJob(api, graph, socialMapping);
    report('ingestion', { unit: 'ms', edges: social.sources.length, ms: round(loadMs) });
    const client = new pg.Client(await databaseUrl(directory));
    // An error ends the service, and with it the connection: the first one is the one to see.
    client.on('error', () => undefined);
    await client.connect();
    await client.query('VACUUM ANALYZE');
    const ids = new Map(
      (await client.query(`SELECT key, id FROM graph_data.nodes_${graph} WHERE label = 'Person'`)).rows.map(({ key, id }) => [
        Number(key),
        id,
      ]),
    );
    const ladybug = await openLadybug(folder, social);
    const ask = (cypher, parameters, more) =>
      api.send('POST', `/api/graphs/${graph}/query`, { cypher, parameters, cache: 'refresh', timeout_ms: 60_000, ...more });
    const cold = await timed(() => ask('MATCH p = (a:Person {id: 1})-[:FOLLOWS*1..1]->() RETURN count(p) AS n', {}));
    report('first query after a run', { unit: 'ms', ms: round(cold.ms), edges: social.sources.length });
    for (const question of questions) await benchQuestion(question, { ask, client, graph, ids, ladybug, people, trials });
    await benchStored(api, graph);
    await client.end();
    await service.stop();
    service = await startService(directory);
    api = await logInAgain(service.url);
    const warm = await timed(() => ask('MATCH p = (a:Person {id: 1})-[:FOLLOWS*1..1]->() RETURN count(p) AS n', {}));
    report('first query after a start', { unit: 'ms', ms: round(warm.ms) });
  } finally {
    await service.stop();
  }
}

async function benchQuestion({ name, cypher, sql, ladybug: own, once, pairs }, { ask, client, graph, ids, ladybug, people, trials }) {
  const random = randomOf(11);
  const pick = () => Math.floor(people * random());
  const seeds = Array.from({ length: once ? Math.min(5, trials) : trials }, () => ({ seed: pick(), ...(pairs ? { other: pick() } : {}) }));
  const parameters = seed => (once ? {} : seed);
  const text = sql?.replaceAll(/\b(e|n) (?=e\d|[a-z]\b)/g, (_, kind) => `graph_data.${kind === 'e' ? 'edges' : 'nodes'}_${graph} `);
  const ours = await measure(seeds, async seed => (await ask(cypher, parameters(seed))).rows);
  const bare =
    text &&
    (await measure(
      seeds,
      async ({ seed }) => (await client.query({ name, text, rowMode: 'array', values: once ? [] : [ids.get(seed)] })).rows,
    ));
  const prepared = ladybug && (await ladybug.prepare(own ?? cypher));
  const lady =
    prepared &&
    (await measure(seeds, async seed => (await (await ladybug.execute(prepared, parameters(seed))).getAll()).map(Object.values)));
  for (const other of [bare, lady]) other?.results.forEach((rows, i) => check(name, rows, ours.results[i]));
  report(name, {
    unit: 'ms',
    p50: round(ours.p50),
    ...(bare ? { sql_p50: round(bare.p50), ratio_sql: round(bare.p50 / ours.p50) } : {}),
    ...(lady ? { ladybug_p50: round(lady.p50), ratio_ladybug: round(lady.p50 / ours.p50) } : {}),
  });
}

function check(name, theirs, ours) {
  const [a, b] = [theirs, ours].map(rows =>
    JSON.stringify(rows.map(row => row.map(value => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value)))),
  );
  if (a !== b) throw new Error(`${name}: the answers differ: ${a.slice(0, 200)} and ours ${b.slice(0, 200)}`);
}

async function measure(seeds, work) {
  await work(seeds[0]);
  const [times, results] = [[], []];
  for (const seed of seeds) {
    const { ms, result } = await timed(() => work(seed));
    times.push(ms);
    results.push(result);
  }
  return { p50: quantile(times, 0.5), results };
}

/** How many stored answers a second come back, over 8 connections. */
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

async function logInAgain(url) {
  const { password } = await import('./service.mjs');
  const login = await (
    await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password }),
    })
  ).json();
  return {
    send: async (method, route, body) => {
      const response = await fetch(`${url}${route}`, {
        method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${login.token}` },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(await response.text());
      return response.json();
    },
  };
}

/** Null where it is not installed. */
async function openLadybug(folder, social) {
  let lbug;
  try {
    lbug = createRequire(new URL('./reference/package.json', import.meta.url))('ladybug');
  } catch {
    console.error('ladybug: skipped; npm ci --prefix bench/reference --ignore-scripts installs it');
    return null;
  }
  const directory = await mkdtemp(path.join(folder, 'ladybug-'));
  const files = {};
  for (const [table, csv] of Object.entries(tablesOf(social))) {
    files[table] = path.join(directory, `${table}.csv`);
    await writeFile(files[table], csv);
  }
  await writeFile(
    path.join(directory, 'lives.csv'),
    ['person,city', ...[...social.cityOf.entries()].map(([i, city]) => `${i},${city}`)].join('\n'),
  );
  const connection = new lbug.Connection(new lbug.Database(':memory:'));
  for (const statement of [
    'CREATE NODE TABLE Person (id INT64 PRIMARY KEY, name STRING, age INT64, city INT64)',
    'CREATE NODE TABLE City (id INT64 PRIMARY KEY, name STRING)',
    'CREATE NODE TABLE Interest (id INT64 PRIMARY KEY, name STRING)',
    'CREATE REL TABLE FOLLOWS (FROM Person TO Person)',
    'CREATE REL TABLE LIVES_IN (FROM Person TO City)',
    'CREATE REL TABLE LIKES (FROM Person TO Interest)',
    `COPY Person FROM '${files.social_people}' (HEADER true)`,
    `COPY City FROM '${files.social_cities}' (HEADER true)`,
    `COPY Interest FROM '${files.social_interests}' (HEADER true)`,
  ])
    await connection.query(statement);
  const { ms } = await timed(() => connection.query(`COPY FOLLOWS FROM '${files.social_follows}' (HEADER true)`));
  report('ladybug loads', { unit: 'ms', edges: social.sources.length, ms: round(ms) });
  await connection.query(`COPY LIVES_IN FROM '${directory}/lives.csv' (HEADER true)`);
  await connection.query(`COPY LIKES FROM '${files.social_likes}' (HEADER true)`);
  return connection;
}
