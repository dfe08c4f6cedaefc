import { graphTables } from '../../src/database/graph-tables.js';
import { type Client, grantConnection, type TestApp } from './app.js';

/** A small graph of a trading company with its mirror tables and one metric, written straight into the database. */
export interface TradingGraph {
  id: number;
  metricId: number;
  /** Commits a further version, as an ingestion run does. */
  raiseVersion(): Promise<void>;
}

const TABLES = `
  CREATE TABLE mirror.regions (region_id int PRIMARY KEY, region_name text);
  INSERT INTO mirror.regions VALUES (1, '华东'), (2, '华北'), (3, '华南');
  CREATE TABLE mirror.customers (customer_id text PRIMARY KEY, company_name text, country text, region_id int);
  INSERT INTO mirror.customers VALUES
    ('ALFKI', 'Alfreds Futterkiste', '德国', 1), ('HWTEC', '华为技术有限公司', '中国', 1), ('BJCYQ', '北京朝阳商贸', '中国', 2), ('KOENE', 'Königlich Essen', '德国', 3);
  CREATE TABLE mirror.suppliers (supplier_id int PRIMARY KEY, company_name text, country text);
  INSERT INTO mirror.suppliers VALUES (1, 'Exotic Liquids', '英国'), (2, '长江食品', '中国'), (3, 'Tokyo Traders', '日本');
  CREATE TABLE mirror.products (product_id int PRIMARY KEY, product_name text, category text, unit_price numeric(12, 2), supplier_id int);
  INSERT INTO mirror.products VALUES
    (1, 'Chai', '饮料', 18.00, 1), (2, 'Chang', '饮料', 19.00, 1), (3, '茉莉花茶', '饮料', 12.50, 2), (4, '海苔', '零食', 9.90, 3), (5, 'Kobe Beef', '肉类', 97.00, 3);
  CREATE TABLE mirror.orders (order_id bigint PRIMARY KEY, customer_id text, order_date date, status text);
  INSERT INTO mirror.orders VALUES
    (10248, 'ALFKI', '2024-03-05', '已完成'), (10249, 'ALFKI', '2025-01-15', '已完成'), (10250, 'HWTEC', '2025-02-10', '已完成'),
    (10251, 'BJCYQ', '2025-02-20', '已取消'), (9007199254740993, 'KOENE', '2025-07-01', '已完成');
  CREATE TABLE mirror.order_lines (order_id bigint, line_no int, product_id int, quantity int, unit_price numeric(12, 2), discount numeric(4, 2), PRIMARY KEY (order_id, line_no));
  INSERT INTO mirror.order_lines VALUES
    (10248, 1, 1, 10, 18.00, 0), (10249, 1, 2, 5, 19.00, 0.10), (10249, 2, 3, 4, 12.50, 0), (10250, 1, 1, 20, 18.00, 0.05), (10250, 2, 5, 2, 97.00, 0),
    (10251, 1, 4, 100, 9.90, 0), (9007199254740993, 1, 5, 1, 97.00, 0);
`;

const NODES: [label: string, alias: string, table: string, key: string, display: string, properties: [name: string, type: string, column: string][]][] = [
  ['客户', 'Customer', 'customers', 'customer_id', 'company_name', [['客户编号', 'string', 'customer_id'], ['公司名称', 'string', 'company_name'], ['国家', 'string', 'country']]],
  ['供应商', 'Supplier', 'suppliers', 'supplier_id', 'company_name', [['供应商编号', 'int', 'supplier_id'], ['公司名称', 'string', 'company_name'], ['国家', 'string', 'country']]],
  ['产品', 'Product', 'products', 'product_id', 'product_name', [['产品编号', 'int', 'product_id'], ['产品名称', 'string', 'product_name'], ['类别', 'string', 'category'], ['单价', 'decimal(12,2)', 'unit_price']]],
  ['订单', 'Order', 'orders', 'order_id', 'order_id', [['订单号', 'bigint', 'order_id'], ['下单日期', 'date', 'order_date'], ['状态', 'string', 'status']]],
  ['地区', 'Region', 'regions', 'region_id', 'region_name', [['地区编号', 'int', 'region_id'], ['地区名称', 'string', 'region_name']]],
]; // prettier-ignore

const EDGES: [type: string, alias: string, from: string, to: string, table: string, fromColumn: string, toColumn: string, key: string[], properties: [string, string, string][]][] = [
  ['下单', 'PLACED', '客户', '订单', 'orders', 'customer_id', 'order_id', ['order_id'], []],
  ['包含', 'CONTAINS', '订单', '产品', 'order_lines', 'order_id', 'product_id', ['order_id', 'line_no'], [['数量', 'int', 'quantity']]],
  ['供应', 'SUPPLIES', '供应商', '产品', 'products', 'supplier_id', 'product_id', ['product_id'], []],
  ['位于', 'LOCATED_IN', '客户', '地区', 'customers', 'customer_id', 'region_id', ['customer_id'], []],
]; // prettier-ignore

const keysOf = new Map(NODES.map(([label, , , key]) => [label, key]));

/** What the graph's job would have loaded it with. */
const MAPPING = `version: 1
nodes:
${NODES.map(
  ([label, , table, key, display, properties]) =>
    `  - {id: ${table}, label: ${label}, table: ${table}, key: [${key}], display: ${display}, columns: [${properties.map(([name, , column]) => `{column: ${column}, property: ${name}}`).join(', ')}]}`,
).join('\n')}
edges:
${EDGES.map(
  ([type, , from, to, table, fromColumn, toColumn, key]) =>
    `  - {type: ${type}, table: ${table}, key: [${key.join(', ')}], from: {node: ${tableOf(from)}, match: {${fromColumn}: ${keysOf.get(from)}}}, to: {node: ${tableOf(to)}, match: {${toColumn}: ${keysOf.get(to)}}}}`,
).join('\n')}
`;

function tableOf(label: string): string {
  return NODES.find(([name]) => name === label)?.[2] ?? '';
}

const listed = (properties: [string, string, string][]): string =>
  JSON.stringify(properties.map(([name, type, column]) => ({ name, type, column })));
const built = (properties: [string, string, string][]): string =>
  properties.length === 0
    ? `'{}'::jsonb`
    : `jsonb_build_object(${properties.map(([name, , column]) => `'${name}', ${column}`).join(', ')})`;

export async function createTradingGraph(test: TestApp, owner: Client): Promise<TradingGraph> {
  const { body: graph } = await owner.post('/api/graphs').send({ name: '贸易公司' }).expect(201);
  const id: number = graph.id;
  const tables = graphTables(id);
  await grantConnection(test, (await owner.get('/api/auth/me').expect(200)).body.username);
  const { rows: jobs } = await test.pool.query(
    `INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml, created_by)
     SELECT g.id, c.id, 'trading', $2, g.owner_id FROM graphs g, warehouse_connections c WHERE g.id = $1 AND c.is_default
     RETURNING id, connection_id`,
    [id, MAPPING],
  );
  const [{ id: jobId, connection_id: connectionId }] = jobs;
  const { rows: runs } = await test.pool.query(
    `INSERT INTO ingestion_runs (job_id, status, started_at, finished_at) VALUES ($1, 'succeeded', '2026-01-15T08:00:00Z', '2026-01-15T08:00:01Z') RETURNING id`,
    [jobId],
  );
  const runId: number = runs[0].id;
  await test.pool.query(TABLES);
  for (const [label, alias, table, key, display, properties] of NODES) {
    const { rowCount } = await test.pool.query(
      `INSERT INTO ${tables.nodes} (label, key, display, properties, run_id) SELECT $1, ${key}::text, ${display}::text, ${built(properties)}, $2 FROM mirror.${table}`,
      [label, runId],
    );
    const [keyName] = properties[0] ?? [''];
    const displayName = properties.find(([, , column]) => column === display)?.[0] ?? null;
    await test.pool.query(
      `INSERT INTO graph_elements (graph_id, kind, name, job_id, aliases, connection_id, connection, source_table, key_columns, key_properties, display_property, properties, row_count)
       VALUES ($1, 'node', $2, $3, $4, $5, 'pg_mirror', $6, $7, $8, $9, $10, $11)`,
      [id, label, jobId, [alias], connectionId, table, [key], [keyName], displayName, listed(properties), rowCount],
    );
  }
  for (const [type, alias, from, to, table, fromColumn, toColumn, key, properties] of EDGES) {
    const keyText = key.length === 1 ? `${key[0]}::text` : `jsonb_build_array(${key.map(column => `${column}::text`).join(', ')})::text`;
    const { rowCount } = await test.pool.query(
      `INSERT INTO ${tables.edges} (type, source_id, target_id, key, properties, run_id)
       SELECT $1, s.id, t.id, ${keyText}, ${built(properties)}, $2 FROM mirror.${table}
         JOIN ${tables.nodes} s ON s.label = $3 AND s.key = ${fromColumn}::text
         JOIN ${tables.nodes} t ON t.label = $4 AND t.key = ${toColumn}::text`,
      [type, runId, from, to],
    );
    await test.pool.query(
      `INSERT INTO graph_elements (graph_id, kind, name, source_label, target_label, job_id, aliases, connection_id, connection, source_table, key_columns, properties, row_count)
       VALUES ($1, 'edge', $2, $3, $4, $5, $6, $7, 'pg_mirror', $8, $9, $10, $11)`,
      [id, type, from, to, jobId, [alias], connectionId, table, key, listed(properties), rowCount],
    );
  }
  await test.pool.query('UPDATE graphs SET version = 1 WHERE id = $1', [id]);
  const { body: metric } = await owner
    .post('/api/metrics')
    .send({
      graph_id: id,
      name: '销售额',
      aliases: ['revenue'],
      formula: 'SUM(order_lines.unit_price * order_lines.quantity * (1 - order_lines.discount))',
      unit: 'CNY',
      binding: {
        relation: { table: 'order_lines' },
        grain: ['order_id', 'line_no'],
        time: { column: 'orders.order_date', type: 'date' },
        joins: [
          { table: 'orders', on: [['order_lines.order_id', 'order_id']] },
          { table: 'customers', on: [['orders.customer_id', 'customer_id']] },
          { table: 'regions', on: [['customers.region_id', 'region_id']] },
          { table: 'products', on: [['order_lines.product_id', 'product_id']] },
        ],
        dimensions: [
          { name: '地区', aliases: ['region'], column: 'regions.region_name' },
          { name: '产品', aliases: ['product'], column: 'products.product_name' },
          { name: '类别', aliases: ['category'], column: 'products.category' },
        ],
      },
    })
    .expect(201);
  return {
    id,
    metricId: metric.id,
    raiseVersion: async () => {
      await test.pool.query('UPDATE graphs SET version = version + 1 WHERE id = $1', [id]);
    },
  };
}
