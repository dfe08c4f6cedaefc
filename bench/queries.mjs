// Measures p50 and p99 at the API of a search, a one-hop and a two-hop Cypher query on the loaded graph. Stored answers are not used.
// The reference is the same look-up as one prepared statement on the same tables.
import pg from 'pg';
import { quantile, report, round, timed } from './figures.mjs';

const samples = 400;
const warmUp = 40;

export async function benchQueries(api, database, graphId) {
  const client = new pg.Client(database);
  await client.connect();
  const [nodes, edges] = [`graph_data.nodes_${graphId}`, `graph_data.edges_${graphId}`];
  const customers = (await client.query(`SELECT key, display FROM ${nodes} WHERE label = '客户' ORDER BY key`)).rows;
  const pick = index => customers[(index * 7919) % customers.length];
  const query = body => api.send('POST', `/api/graphs/${graphId}/query`, { ...body, cache: 'refresh' });
  const orders = `${nodes} n1 JOIN ${edges} e1 ON e1.source_id = n1.id AND e1.type = '下单' JOIN ${nodes} n2 ON n2.id = e1.target_id`;
  const products = `JOIN ${edges} e2 ON e2.source_id = n2.id AND e2.type = '包含' JOIN ${nodes} n3 ON n3.id = e2.target_id`;
  const ofCustomer = `WHERE n1.label = '客户' AND n1.key = $1 LIMIT 50`;
  const cases = {
    search: { ours: index => query({ search: pick(index).display, limit: 10 }) },
    'one hop': {
      ours: index =>
        query({ cypher: 'MATCH (c:客户 {客户编号: $key})-[:下单]->(o:订单) RETURN o LIMIT 50', parameters: { key: pick(index).key } }),
      reference: `SELECT n2.* FROM ${orders} ${ofCustomer}`,
    },
    'two hops': {
      ours: index =>
        query({
          cypher: 'MATCH (c:客户 {客户编号: $key})-[:下单]->(:订单)-[:包含]->(p:产品) RETURN p LIMIT 50',
          parameters: { key: pick(index).key },
        }),
      reference: `SELECT n3.* FROM ${orders} ${products} ${ofCustomer}`,
    },
  };
  for (const [name, { ours, reference }] of Object.entries(cases)) {
    const cold = await timed(() => ours(0));
    const times = await measure(ours);
    const bare = reference && (await measure(index => client.query({ name, text: reference, values: [pick(index).key] })));
    report(`query: ${name}`, {
      unit: 'ms',
      p50: round(quantile(times, 0.5)),
      p99: round(quantile(times, 0.99)),
      first: round(cold.ms),
      ...(bare
        ? { reference: 'one prepared statement', reference_p50: round(quantile(bare, 0.5)), reference_p99: round(quantile(bare, 0.99)) }
        : {}),
      ...(name === 'one hop' ? { aim: 'p50 < 5' } : {}),
    });
  }
  await client.end();
}

async function measure(work) {
  for (let index = 0; index < warmUp; index++) await work(index);
  const times = [];
  for (let index = 0; index < samples; index++) times.push((await timed(() => work(index + warmUp))).ms);
  return times;
}
