// Sends each question to the service through REST, to PostgreSQL as a prepared statement on the graph's own tables, and to Ladybug in
// process. It compares every answer with the service's.
import pg from 'pg';
import { quantile, report, round, timed } from './figures.mjs';
import { databaseUrl } from './service.mjs';
import { randomOf } from './social-graph.mjs';

/** PostgreSQL's statement timeout. A statement that exceeds it is reported as `over 60000`. */
const sqlPatienceMs = 60_000;
const timedOut = '57014';

export class AnswerComparison {
  /** @param ids maps the source's id of a node to its id in the graph's tables, which is `$1` of a question's SQL */
  constructor(api, graph, client, ids, ladybug) {
    Object.assign(this, { api, graph, client, ids, ladybug });
  }

  /** @param label the label of the nodes that questions start from */
  static async open(api, graph, dataDirectory, label, ladybug) {
    const client = new pg.Client({ connectionString: await databaseUrl(dataDirectory) });
    // If the bench fails, the service stops and breaks this connection. Without a listener this second error would hide the first.
    client.on('error', () => undefined);
    await client.connect();
    await client.query('VACUUM ANALYZE');
    await client.query(`SET statement_timeout = ${sqlPatienceMs}`);
    const { rows } = await client.query(`SELECT key, id FROM graph_data.nodes_${graph} WHERE label = $1`, [label]);
    return new AnswerComparison(api, graph, client, new Map(rows.map(({ key, id }) => [Number(key), id])), ladybug);
  }

  ask(cypher, parameters = {}, more = {}) {
    const body = { cypher, parameters, cache: 'refresh', timeout_ms: 60_000, ...more };
    return this.api.send('POST', `/api/graphs/${this.graph}/query`, body);
  }

  /**
   * Reports one question: the medians of the service, of SQL and of Ladybug, and how many times longer the others take than the service.
   * @param question `once`: few trials, without parameters; `pairs`: a parameter `$other` besides `$seed`; `ladybug`: Cypher for Ladybug,
   *   if it differs; `repeats`: Ladybug may follow a relationship twice, which openCypher forbids, so its answer is not compared
   */
  async compare({ name, cypher, sql, ladybug: own, once, pairs, repeats }, trials, inSet = {}) {
    const random = randomOf(11);
    const known = [...this.ids.keys()];
    const pick = () => known[Math.floor(known.length * random())];
    const seeds = Array.from({ length: once ? Math.min(5, trials) : trials }, () => ({ seed: pick(), ...(pairs && { other: pick() }) }));
    const parameters = seed => (once ? {} : seed);
    const text = sql?.replaceAll(/\b(e|n) (?=e\d|[a-z]\b)/g, (_, kind) => `graph_data.${kind === 'e' ? 'edges' : 'nodes'}_${this.graph} `);
    const { plan } = await this.ask(cypher, parameters(seeds[0]), { include: ['plan'] });
    const ours = await measure(seeds, async seed => (await this.ask(cypher, parameters(seed))).rows);
    const values = ({ seed, other }) => (once ? [] : [seed, ...(pairs ? [other] : [])].map(each => this.ids.get(each)));
    const bare = text && (await this.measureSql(seeds, { name, text, rowMode: 'array' }, values));
    const prepared = this.ladybug && (await this.ladybug.prepare(own ?? cypher));
    const lady = prepared && (await measure(seeds, seed => prepared(parameters(seed))));
    bare?.results.forEach((rows, i) => check(`${name}, SQL`, rows, ours.results[i]));
    if (!repeats) lady?.results.forEach((rows, i) => check(`${name}, Ladybug`, rows, ours.results[i]));
    report(name, {
      ...inSet,
      unit: 'ms',
      executor: plan.executor,
      p50: round(ours.p50),
      ...(bare ? { sql_p50: round(bare.p50), ratio_sql: round(bare.p50 / ours.p50) } : {}),
      ...(text && !bare ? { sql_p50: `over ${sqlPatienceMs}` } : {}),
      ...(lady ? { ladybug_p50: round(lady.p50), ratio_ladybug: round(lady.p50 / ours.p50) } : {}),
    });
  }

  async close() {
    await this.client.end();
    await this.ladybug?.close();
  }

  /** Returns null if the statement exceeds `sqlPatienceMs`. */
  async measureSql(seeds, statement, values) {
    try {
      return await measure(seeds, async seed => (await this.client.query({ ...statement, values: values(seed) })).rows);
    } catch (error) {
      if (error.code === timedOut) return null;
      throw error;
    }
  }
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
