import { type Client, grantConnection, type TestApp } from './app.js';
import { aJob, runToEnd, upload } from './ingestion.js';

/** A small graph of a trading company, ingested from uploaded tables, and one metric. */
export interface TradingGraph {
  id: number;
  metricId: number;
  /** The time when its run ended. */
  loadedAt: string;
  /** Runs its job again in full, which makes a new version from the current tables. */
  ingestAgain(): Promise<void>;
  /** Sends a query as the owner of the graph, expects the status, and returns the body of the answer. */
  ask(query: object, status?: number): Promise<any>;
}

const tables: [name: string, types: string, csv: string][] = [
  ['regions', 'region_id:int', `region_id,region_name
1,华东
2,华北
3,华南`],
  ['customers', 'region_id:int', `customer_id,company_name,country,region_id
ALFKI,Alfreds Futterkiste,德国,1
HWTEC,华为技术有限公司,中国,1
BJCYQ,北京朝阳商贸,中国,2
KOENE,Königlich Essen,德国,3`],
  ['suppliers', 'supplier_id:int', `supplier_id,company_name,country
1,Exotic Liquids,英国
2,长江食品,中国
3,Tokyo Traders,日本`],
  ['products', 'product_id:int,unit_price:numeric,supplier_id:int', `product_id,product_name,category,unit_price,supplier_id
1,Chai,饮料,18.00,1
2,Chang,饮料,19.00,1
3,茉莉花茶,饮料,12.50,2
4,海苔,零食,9.90,3
5,Kobe Beef,肉类,97.00,3`],
  ['orders', 'order_id:bigint,order_date:date', `order_id,customer_id,order_date,status
10248,ALFKI,2024-03-05,已完成
10249,ALFKI,2025-01-15,已完成
10250,HWTEC,2025-02-10,已完成
10251,BJCYQ,2025-02-20,已取消
9007199254740993,KOENE,2025-07-01,已完成`],
  ['order_lines', 'order_id:bigint,line_no:int,product_id:int,quantity:int,unit_price:numeric,discount:numeric', `order_id,line_no,product_id,quantity,unit_price,discount
10248,1,1,10,18.00,0
10249,1,2,5,19.00,0.10
10249,2,3,4,12.50,0
10250,1,1,20,18.00,0.05
10250,2,5,2,97.00,0
10251,1,4,100,9.90,0
9007199254740993,1,5,1,97.00,0`],
]; // prettier-ignore

const mapping = `version: 1
nodes:
  - id: customers
    label: 客户
    aliases: [Customer]
    table: customers
    key: [customer_id]
    display: company_name
    columns:
      - {column: customer_id, property: 客户编号, type: string}
      - {column: company_name, property: 公司名称, type: string}
      - {column: country, property: 国家, type: string}
  - id: suppliers
    label: 供应商
    aliases: [Supplier]
    table: suppliers
    key: [supplier_id]
    display: company_name
    columns:
      - {column: supplier_id, property: 供应商编号, type: int}
      - {column: company_name, property: 公司名称, type: string}
      - {column: country, property: 国家, type: string}
  - id: products
    label: 产品
    aliases: [Product]
    table: products
    key: [product_id]
    display: product_name
    columns:
      - {column: product_id, property: 产品编号, type: int}
      - {column: product_name, property: 产品名称, type: string}
      - {column: category, property: 类别, type: string}
      - {column: unit_price, property: 单价, type: 'decimal(12,2)'}
  - id: orders
    label: 订单
    aliases: [Order]
    table: orders
    key: [order_id]
    display: order_id
    columns:
      - {column: order_id, property: 订单号, type: bigint}
      - {column: order_date, property: 下单日期, type: date}
      - {column: status, property: 状态, type: string}
  - id: regions
    label: 地区
    aliases: [Region]
    table: regions
    key: [region_id]
    display: region_name
    columns:
      - {column: region_id, property: 地区编号, type: int}
      - {column: region_name, property: 地区名称, type: string}
edges:
  - type: 下单
    aliases: [PLACED]
    table: orders
    key: [order_id]
    from: {node: customers, match: {customer_id: customer_id}}
    to: {node: orders, match: {order_id: order_id}}
  - type: 包含
    aliases: [CONTAINS]
    table: order_lines
    key: [order_id, line_no]
    from: {node: orders, match: {order_id: order_id}}
    to: {node: products, match: {product_id: product_id}}
    columns:
      - {column: quantity, property: 数量, type: int}
  - type: 供应
    aliases: [SUPPLIES]
    table: products
    key: [product_id]
    from: {node: suppliers, match: {supplier_id: supplier_id}}
    to: {node: products, match: {product_id: product_id}}
  - type: 位于
    aliases: [LOCATED_IN]
    table: customers
    key: [customer_id]
    from: {node: customers, match: {customer_id: customer_id}}
    to: {node: regions, match: {region_id: region_id}}
`;

export async function createTradingGraph(test: TestApp, owner: Client): Promise<TradingGraph> {
  const { body: graph } = await owner.post('/api/graphs').send({ name: '贸易公司' }).expect(201);
  await grantConnection(test, (await owner.get('/api/auth/me').expect(200)).body.username);
  for (const [name, types, csv] of tables) await upload(test, name, csv, types);
  const jobId = await aJob(test, graph.id, mapping);
  const { finished_at: loadedAt } = await ingested(test, jobId);
  const { body: metric } = await owner
    .post('/api/metrics')
    .send({
      graph_id: graph.id,
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
    id: graph.id,
    metricId: metric.id,
    loadedAt,
    ingestAgain: async () => void (await ingested(test, jobId, { full: 'true' })),
    ask: async (query, status = 200) => (await owner.post(`/api/graphs/${graph.id}/query`).send(query).expect(status)).body,
  };
}

async function ingested(test: TestApp, jobId: number, query = {}): Promise<any> {
  const run = await runToEnd(test, jobId, query);
  if (run.status !== 'succeeded') throw new Error(JSON.stringify(run, null, 2));
  return run;
}
