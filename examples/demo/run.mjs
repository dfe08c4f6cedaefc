// `npm run demo`: all steps from tables to an answer with its sources, on a running service.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { DemoClient, endProgress, progress, style } from './client.mjs';
import { sampleTables, toCsv } from './sample-data.mjs';

// The service reads its PORT from .env, so the demo reads .env too.
try {
  process.loadEnvFile();
} catch {
  // No .env.
}
const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: `http://127.0.0.1:${process.env.PORT || 8080}` },
    scale: { type: 'string', default: '1' },
    username: { type: 'string', default: 'admin' },
    password: { type: 'string', default: 'demo-Graph-2026' },
    'first-password': { type: 'string', default: process.env.ADMIN_INITIAL_PASSWORD || 'admin@Graph123' },
    help: { type: 'boolean', default: false },
  },
});
const scale = Number(options.scale);
if (options.help || !(scale > 0)) {
  console.log(
    'npm run demo -- [--url http://127.0.0.1:8080] [--scale 1] [--password …] [--first-password …]\n  --scale 1000 makes a million orders',
  );
  process.exit(options.help ? 0 : 1);
}
const client = new DemoClient(options.url);

let graph;
let mirror;
let run;
let metric;
try {
  await step('1. 登录并修改初始密码 / Log in and change the first password', logIn);
  ({ body: graph } = await step('2. 建图 / Create a graph', () =>
    client.call('POST', '/api/graphs', { name: `贸易图谱 ${new Date().toISOString().slice(0, 16)}` }),
  ));
  await step('3. 上传表 / Upload the tables', uploadTables);
  run = await step('4. 摄取 / Ingest', ingest);
  await step('5. 图的结构 / The graph’s schema', () => client.call('GET', `/api/graphs/${graph.id}/schema`));
  await step('6. 提问 / Ask', ask);
  metric = await step('7. 指标 / A metric', defineMetric);
  await step('8. 夜间装载，不需要密码 / A nightly load, without a password', loadAgain);
  end();
} catch (error) {
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}

async function step(title, work) {
  console.log(`\n${style.title(`──── ${title}`)}`);
  return work();
}

async function logIn() {
  const { username } = options;
  const login = (password, expect) =>
    client.call('POST', '/api/auth/login', { username, password }, { expect, show: { username, password: '…' } });
  let { status, body } = await login(options['first-password'], [200, 401]);
  if (status === 401) {
    ({ status, body } = await login(options.password, [200, 401]));
    if (status === 401)
      throw new Error(
        '密码已被修改，请用 npm run demo -- --password … 给出 / The password has been changed: pass it with npm run demo -- --password …',
      );
  }
  client.token = body.token;
  if (!body.must_change_password) return;
  await client.call('GET', '/api/graphs', undefined, { expect: [403] });
  const change = { old_password: options['first-password'], new_password: options.password };
  ({ body } = await client.call('PUT', '/api/auth/password', change, { show: { old_password: '…', new_password: '…' } }));
  client.token = body.token;
  console.log(`  新密码 / The new password: ${options.password}`);
}

async function uploadTables() {
  const { body } = await client.call('GET', '/api/warehouse/connections');
  mirror = body.items.find(connection => connection.name === 'pg_mirror');
  for (const table of sampleTables(scale)) {
    let sent = 0;
    const stream = (async function* () {
      let shownAt = 0;
      for (const chunk of toCsv(table)) {
        const bytes = Buffer.from(chunk);
        sent += bytes.length;
        yield bytes;
        if (Date.now() - shownAt > 500 && sent > 1_000_000) {
          shownAt = Date.now();
          progress(`${table.name}: ${(sent / 1e6).toFixed(0)} MB`);
        }
      }
    })();
    const show = [...toCsv({ ...table, rows: () => firstOf(table.rows(), 2) })].join('') + '…';
    await client.call('PUT', `/api/warehouse/connections/${mirror.id}/tables/${table.name}`, stream, { show });
  }
  await client.call('GET', `/api/warehouse/connections/${mirror.id}/tables`);
}

function* firstOf(rows, count) {
  for (const row of rows) {
    if (count-- <= 0) return;
    yield row;
  }
}

async function ingest() {
  const mapping = await readFile(path.join(import.meta.dirname, 'mapping.yaml'), 'utf8');
  const show = { graph_id: graph.id, name: '样例 / sample', mapping_yaml: `${mapping.slice(0, 260)}…` };
  const { body: job } = await client.call('POST', '/api/ingestion/jobs', { ...show, mapping_yaml: mapping }, { show });
  const { body: queued } = await client.call('POST', `/api/ingestion/jobs/${job.id}/run`);
  // One event stream reports every step. Polling would use up the requests that a caller may send in a minute.
  for await (const { status, phase, report } of client.events(`/api/ingestion/runs/${queued.id}/events`)) {
    const { read = 0, inserted = 0 } = report?.totals ?? {};
    progress(`${status} ${phase ?? ''}: ${read} 行已读 / rows read, ${inserted} 已写 / inserted`);
  }
  endProgress();
  const { body: current } = await client.call('GET', `/api/ingestion/runs/${queued.id}`);
  if (current.status !== 'succeeded') throw new Error(`The run ended as ${current.status}`);
  return current;
}

async function ask() {
  const query = body => client.call('POST', `/api/graphs/${graph.id}/query`, body);
  await query({ search: '华南电子', limit: 3 });
  await query({
    cypher:
      'MATCH (s:供应商)-[:供应]->(p:产品) WHERE p.单价 > $min RETURN s.公司名称 AS 供应商, count(p) AS 产品数 ORDER BY 产品数 DESC, 供应商 LIMIT 3',
    parameters: { min: 100 },
  });
  await query({ question: '华南电子有限公司供应哪些产品？' });
  await query({ question: 'Which products does Alpine Dairy GmbH supply?' });
}

async function defineMetric() {
  const { body: created } = await client.call('POST', '/api/metrics', {
    graph_id: graph.id,
    name: '销售额',
    aliases: ['revenue', 'sales'],
    formula: 'SUM(unit_price * quantity * (1 - discount))',
    unit: 'CNY',
    binding: {
      relation: { table: 'demo_order_lines' },
      alias: 'l',
      grain: ['order_id', 'line_no'],
      joins: [
        { alias: 'o', table: 'demo_orders', kind: 'left', relationship: 'many_to_one', on: [['l.order_id', 'o.order_id']] },
        { alias: 'c', table: 'demo_customers', kind: 'left', relationship: 'many_to_one', on: [['o.customer_id', 'c.customer_id']] },
        { alias: 'r', table: 'demo_regions', kind: 'left', relationship: 'many_to_one', on: [['c.region_id', 'r.region_id']] },
        { alias: 'p', table: 'demo_products', kind: 'left', relationship: 'many_to_one', on: [['l.product_id', 'p.product_id']] },
      ],
      time: { column: 'o.order_date', type: 'date', timezone: 'Asia/Shanghai', min_grain: 'day' },
      columns: { unit_price: 'l.unit_price', quantity: 'l.quantity', discount: 'l.discount', 状态: 'o.status' },
      dimensions: [
        { name: '地区', aliases: ['region'], column: 'r.region_name', type: 'string' },
        { name: '类别', aliases: ['category'], column: 'p.category', type: 'string' },
        { name: '产品', aliases: ['product'], column: 'p.product_name', type: 'string' },
      ],
    },
  });
  await client.call('POST', `/api/metrics/${created.id}/execute`, {
    dimensions: ['地区'],
    time: { from: '2025-01-01', to: '2026-01-01', grain: 'quarter' },
    filter_clause: '"状态" <> \'cancelled\'',
  });
  await client.call('POST', `/api/graphs/${graph.id}/query`, { question: '2025年各地区的销售额是多少？' });
  await client.call('POST', `/api/graphs/${graph.id}/query`, { question: 'revenue by category in 2024' });
  return created;
}

/** Acts as a scheduler would, with an API key that can only load tables and use this graph. */
async function loadAgain() {
  const permissions = ['tables:write'];
  const { body: key } = await client.call('POST', '/api/api-keys', { name: 'nightly', graph_ids: [graph.id], permissions });
  const scheduler = new DemoClient(options.url, key.raw_key);
  const [table] = sampleTables(scale);
  const csv = [...toCsv(table)].join('');
  console.log(`\n  X-API-Key: ${key.raw_key.slice(0, 12)}…`);
  await scheduler.call('PUT', `/api/warehouse/connections/${mirror.id}/tables/${table.name}`, csv, { show: `${csv.slice(0, 80)}…` });
  await scheduler.call('POST', `/api/ingestion/jobs/${run.job_id}/run`, undefined, { headers: { prefer: 'wait=60' } });
}

function end() {
  console.log(`
${style.title('──── 接下来 / What to try next')}
  Swagger UI            ${options.url}/docs   （在其中登录 / log in there as ${options.username}, ${options.password}）
  同样的搜索再来一次      "cache": {"status": "hit"} —— 直到下一次摄取 / search again: from the store, until the next run
  再运行一次作业          POST /api/ingestion/jobs/${run.job_id}/run —— 什么都不会改变 / run it again: nothing changes
  另一种公式             PATCH /api/metrics/${metric.id}  {"formula": "SUM(quantity)", "unit": "件"}
  更多数据               npm run demo -- --scale 100
`);
}
