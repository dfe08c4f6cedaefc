// The tables of the ingestion figures: order lines of 13 columns, half of them Chinese text, and the orders and products that they join.
import { mkdir } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';

const linesPerOrder = 4;
const products = 1000;

const list = values => `['${values.join("', '")}']`;
const cities = list(['北京市', '上海市', '广州市', '深圳市', '杭州市', '成都市', '武汉市', '西安市', '南京市', '重庆市']);
const statuses = list(['待付款', '已付款', '已发货', '已签收', '已退货']);
const districts = list(['朝阳区建国路', '浦东新区世纪大道', '天河区体育西路', '南山区科技园南路', '西湖区文三路', '武侯区人民南路']);
const carriers = list(['顺丰速运', '京东物流', '中通快递', '圆通速递']);
const notes = list(['请在工作日上午送货，送货前先打电话联系收货人', '发票随货寄出，抬头为公司全称', '外包装如有破损请当场拒收并拍照']);
const pick = (values, number) => `${values}[1 + (${number}) % ${values.split(',').length}]`;

/** The order lines. With `changed` every hundredth line has another quantity and a later `updated_at`. */
const lines = (rows, changed) => `
  SELECT i AS line_id, i // ${linesPerOrder} AS order_id, (i * 7919) % ${products} AS product_id,
         (1 + i % 50 + ${changed ? '(i % 100 = 7)::INTEGER' : '0'})::INTEGER AS quantity,
         ((i * 37) % 1000000 / 100)::DECIMAL(12,2) AS unit_price, ((i % 20) / 100)::DECIMAL(4,2) AS discount,
         ${pick(statuses, 'i * 31')} AS status, ${pick(cities, 'i * 17')} AS city,
         ${pick(cities, 'i * 17')} || ${pick(districts, 'i * 13')} || i % 2000 || '号' || i % 30 || '楼' || i % 9 || '单元' AS address,
         ${pick(carriers, 'i * 11')} AS carrier, ${pick(notes, 'i * 7')} || '，单号' || i AS note,
         (DATE '2024-01-01' + (i % 365)::INTEGER)::DATE AS ordered_on,
         TIMESTAMP '2024-01-01 08:00:00' + to_seconds(i)${changed ? " + CASE WHEN i % 100 = 7 THEN INTERVAL '2 years' ELSE INTERVAL 0 DAY END" : ''} AS updated_at
  FROM range(${rows}) AS t (i)`;

const orders = rows => `
  SELECT i AS order_id, 'NO-' || lpad(i::VARCHAR, 9, '0') AS order_no, '客户' || i % 5000 AS customer
  FROM range(${Math.ceil(rows / linesPerOrder)}) AS t (i)`;

const productRows = `SELECT i AS product_id, '产品' || i AS product_name FROM range(${products}) AS t (i)`;

/** The column types for CREATE TABLE and for uploads with declared types. */
export const columnTypes = {
  bench_lines: `line_id bigint, order_id bigint, product_id bigint, quantity int, unit_price numeric(12,2), discount numeric(4,2), status text,
    city text, address text, carrier text, note text, ordered_on date, updated_at timestamp`,
  bench_orders: 'order_id bigint, order_no text, customer text',
  bench_products: 'product_id bigint, product_name text',
};

/** An UPDATE that makes the change that `changed` makes above, in PostgreSQL. */
export const change = table =>
  `UPDATE ${table} SET quantity = quantity + 1, updated_at = updated_at + interval '2 years' WHERE line_id % 100 = 7`;

/** Writes `<table>.parquet` or `<table>.csv` for each table, and returns their paths by table. */
export async function writeTables(folder, rows, format, { changed = false } = {}) {
  await mkdir(folder, { recursive: true });
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const files = {};
  try {
    const tables = { bench_orders: orders(rows), bench_products: productRows, bench_lines: lines(rows, changed) };
    for (const [table, sql] of Object.entries(tables)) {
      files[table] = `${folder}/${table}.${format}`;
      await connection.run(`COPY (${sql}) TO '${files[table]}' (FORMAT ${format})`);
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  return files;
}

const nodes = [
  { label: '订单', table: 'bench_orders', key: 'order_id', columns: { order_id: '订单编号', order_no: '单号', customer: '客户' } },
  { label: '产品', table: 'bench_products', key: 'product_id', columns: { product_id: '产品编号', product_name: '名称' } },
];
const properties = {
  quantity: '数量', unit_price: '单价', discount: '折扣', status: '状态', city: '城市', address: '收货地址', carrier: '承运商', note: '备注',
  ordered_on: '下单日期', updated_at: '更新时间',
}; // prettier-ignore

const head = connection => `version: 1\nsource: {connection: ${connection}, statement_timeout: 1h}\n`;
const columnsOf = (columns, rules = {}) =>
  Object.entries(columns)
    .map(([column, property]) => `      - {column: ${column}, property: ${property}${rules[column] ? `, rules: ${rules[column]}` : ''}}\n`)
    .join('');

export function nodesMapping(connection) {
  const mapped = nodes.map(
    ({ label, table, key, columns }, index) =>
      `  - id: n${index}\n    label: ${label}\n    table: ${table}\n    key: [${key}]\n    columns:\n${columnsOf(columns)}`,
  );
  return `${head(connection)}nodes:\n${mapped.join('')}`;
}

export function edgesMapping(connection, { rules = false, incremental = false } = {}) {
  return `${head(connection)}nodes: []
edges:
  - type: 包含
    table: bench_lines
    from: {node: 'label:订单', match: {order_id: order_id}}
    to: {node: 'label:产品', match: {product_id: product_id}}
    key: [line_id]
${incremental ? '    incremental: {cursor: updated_at, type: datetime}\n' : ''}    columns:
${columnsOf({ line_id: '行号', ...properties }, rules ? tenRules : {})}`;
}

const textRules = column =>
  `[required, {min_length: 2}, {max_length: 200}, {pattern: '[^<>]*'}, {pattern: '\\S.*'}, {expression: "${column} <> '无'"}, ` +
  `{expression: "${column} <> '-'"}, {expression: "${column} <> '？'"}, {expression: "${column} > ' '"}, {expression: "length(${column}) < 500"}]`;
const numberRules = column =>
  `[required, {min: 0}, {max: 1000000}, {precision: [12, 2]}, {expression: '${column} >= 0'}, {expression: '${column} <> -1'}, ` +
  `{expression: '${column} < 99999999'}, {expression: '${column} + 1 > 0'}, {expression: '${column} * 2 >= 0'}, {expression: '${column} <> -2'}]`;
const dateRules = column =>
  `[required, {min: 2000-01-01}, {max: 2100-01-01}, {expression: "${column} > '1999-01-01'"}, {expression: "${column} < '2999-01-01'"}, ` +
  `{expression: "${column} <> '2000-01-01'"}, {expression: "${column} <> '2000-01-02'"}, {expression: "${column} > '1980-01-01'"}, ` +
  `{expression: "${column} <> '1970-01-01'"}, {expression: '${column} IS NOT NULL'}]`;
const tenRules = {
  quantity: numberRules('quantity'),
  unit_price: numberRules('unit_price'),
  discount: numberRules('discount'),
  ...Object.fromEntries(['status', 'city', 'address', 'carrier', 'note'].map(column => [column, textRules(column)])),
  ordered_on: dateRules('ordered_on'),
  updated_at: dateRules('updated_at'),
};
