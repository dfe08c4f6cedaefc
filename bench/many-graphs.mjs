// Measures what one graph costs when there are thousands: creating, querying and deleting it at the API, the sweep for orphaned
// tables, the memory of a backend that has touched every graph, and the locks that a dump of all of them takes.
import pg from 'pg';
import { findOrphanedTables, graphTables } from '../dist/src/database/graph-tables.js';
import { quantile, report, round, timed } from './figures.mjs';

const sampled = 50;

export async function benchManyGraphs(api, database, steps) {
  const client = new pg.Client(database);
  await client.connect();
  const ids = [];
  for (const step of steps) {
    const creating = [];
    while (ids.length < step) creating.push(await create());
    const queried = [];
    for (let index = 0; index < sampled; index++) {
      const id = ids[(index * 7919) % ids.length];
      queried.push((await timed(() => api.send('POST', `/api/graphs/${id}/query`, { cypher: 'MATCH (n) RETURN n', cache: 'refresh' }))).ms);
    }
    const swept = [];
    for (let index = 0; index < 5; index++) swept.push((await timed(() => client.query(findOrphanedTables))).ms);
    const deleted = await timed(() => api.send('DELETE', `/api/graphs/${ids.pop()}`));
    report(`${step} graphs`, {
      unit: 'ms',
      create_p50: round(quantile(creating.slice(-sampled), 0.5)),
      query_p50: round(quantile(queried, 0.5)),
      sweep_p50: round(quantile(swept, 0.5)),
      delete: round(deleted.ms),
      ...(await catalogue(database, ids)),
    });
  }
  await client.end();

  async function create() {
    const { ms, result } = await timed(() => api.send('POST', '/api/graphs', { name: 'one of many' }));
    ids.push(result.id);
    return ms;
  }
}

/**
 * Reads every graph in one session. Measures the cache memory of the session, and whether PostgreSQL has enough locks for a dump, which
 * locks all tables at once.
 */
async function catalogue(database, ids) {
  const client = new pg.Client(database);
  await client.connect();
  const [{ pages }] = (await client.query("SELECT pg_size_pretty(sum(pg_total_relation_size(oid))) AS pages FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace")).rows; // prettier-ignore
  const cacheMb = async () =>
    Number((await client.query("SELECT sum(total_bytes) / 1e6 AS mb FROM pg_backend_memory_contexts WHERE name ~ 'Cache|^relation|index info'")).rows[0].mb); // prettier-ignore
  const before = await cacheMb();
  for (const id of ids)
    await client.query(`SELECT FROM ${graphTables(id).nodes} n JOIN ${graphTables(id).edges} e ON e.source_id = n.id LIMIT 1`);
  const grown = (await cacheMb()) - before;
  let dumpLocks = 'enough';
  await client.query('BEGIN');
  try {
    for (const id of ids) await client.query(`LOCK TABLE ${Object.values(graphTables(id)).join(', ')} IN ACCESS SHARE MODE`);
  } catch (error) {
    dumpLocks = error.message;
  }
  await client.query('ROLLBACK');
  await client.end();
  return {
    backend_cache_mb: round(grown),
    backend_cache_kb_per_graph: round((grown * 1000) / ids.length),
    catalogue: pages,
    dump_locks: dumpLocks,
  };
}
