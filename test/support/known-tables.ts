import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { sharedFolder } from './shared-data.js';

/** A table of the shared data, for which `knownNumbers` lists the nodes and edges. A column without an entry in `types` is text. */
interface KnownTable {
  file: string;
  /** The names of the columns, for a file without a header line. */
  header?: string;
  types: Record<string, string>;
}

const airports = 'airport_id,name,city,country,iata,icao,latitude,longitude,altitude,timezone,dst,tz,type,source';
const routes = 'airline,airline_id,source,source_id,destination,destination_id,codeshare,stops,equipment';

export const knownTables: Record<string, KnownTable> = {
  customers: { file: 'northwind/csv/customers.csv', types: {} },
  orders: {
    file: 'northwind/csv/orders.csv',
    types: { order_id: 'INTEGER', order_date: 'DATE', required_date: 'DATE', shipped_date: 'DATE', freight: 'DECIMAL(12,2)' },
  },
  products: {
    file: 'northwind/csv/products.csv',
    types: { product_id: 'INTEGER', unit_price: 'DECIMAL(12,4)', discontinued: 'INTEGER' },
  },
  order_details: {
    file: 'northwind/csv/order_details.csv',
    types: { order_id: 'INTEGER', product_id: 'INTEGER', unit_price: 'DECIMAL(12,4)', quantity: 'INTEGER', discount: 'DECIMAL(4,2)' },
  },
  airports: { file: 'openflights/airports.dat', header: airports, types: {} },
  routes: { file: 'openflights/routes.dat', header: routes, types: { stops: 'INTEGER' } },
  provinces: { file: 'china_divisions/provinces.csv', types: {} },
  cities: { file: 'china_divisions/cities.csv', types: {} },
  areas: { file: 'china_divisions/areas.csv', types: {} },
  streets: { file: 'china_divisions/streets.csv', types: {} },
};

/** Writes each table to `<folder>/<table>.<ending>` with DuckDB's COPY and the given COPY options. */
export async function writeKnownTables(folder: string, ending: string, options: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    for (const [table, { file, header, types }] of Object.entries(knownTables)) {
      const names = header === undefined ? 'header = true' : `header = false, names = ['${header.replaceAll(',', "', '")}']`;
      const typed = Object.entries(types).map(([column, type]) => `${column}::${type} AS ${column}`);
      const columns = typed.length === 0 ? '*' : `* REPLACE (${typed.join(', ')})`;
      const rows = `SELECT ${columns} FROM read_csv('${path.join(sharedFolder, 'data', file)}', all_varchar = true, quote = '"', ${names})`;
      await connection.run(`COPY (${rows}) TO '${path.join(folder, `${table}.${ending}`)}' (${options})`);
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The columns of a table with their types in SQL. */
export function columnsOf(table: string, csv: string): [name: string, type: string][] {
  const { types } = knownTables[table]!;
  return csv.split('\n', 1)[0]!.split(',').map(name => [name, types[name] ?? 'TEXT']); // prettier-ignore
}

const level = (id: string, label: string, table: string): string =>
  `  - {id: ${id}, label: ${label}, table: ${table}, key: [code], display: name, columns: [{column: code, type: string, rules: [required, unique]}, {column: name}]}`;
const under = (child: string, table: string, column: string, parent: string): string =>
  `  - {type: 属于, table: ${table}, from: {node: ${child}, match: {code: code}, on_missing: fail}, to: {node: ${parent}, match: {${column}: code}, on_missing: fail}}`;

export const flights = `version: 1
source: {connection: pg_mirror}
defaults: {on_error: quarantine}
nodes:
  - {id: airport, label: 机场, table: airports, key: [airport_id], display: name, columns: [{column: airport_id, type: string, rules: [required, unique]}, {column: name}]}
edges:
  - type: 航线
    table: routes
    from: {node: airport, match: {source_id: airport_id}}
    to: {node: airport, match: {destination_id: airport_id}}
    key: [airline, source, destination]
    columns:
      - {column: source_id, property: 出发, transform: [{null_if: ['\\N']}]}
      - {column: destination_id, property: 到达, transform: [{null_if: ['\\N']}]}
      - {column: stops, property: 经停, type: int}
`;

export const divisions = [
  'version: 1',
  'source: {connection: pg_mirror}',
  'nodes:',
  level('province', '省', 'provinces'),
  level('city', '市', 'cities'),
  level('area', '区县', 'areas'),
  level('street', '街道', 'streets'),
  'edges:',
  under('city', 'cities', 'provinceCode', 'province'),
  under('area', 'areas', 'cityCode', 'city'),
  under('street', 'streets', 'areaCode', 'area'),
].join('\n');

/** The expected counts of each target, in this order: read, inserted, updated, unchanged, deleted, rejected, skipped. */
export const knownNumbers = {
  northwind: {
    客户: [91, 91, 0, 0, 0, 0, 0],
    订单: [830, 830, 0, 0, 0, 0, 0],
    产品: [77, 67, 0, 0, 0, 0, 0],
    下单: [830, 830, 0, 0, 0, 0, 0],
    包含: [2155, 1845, 0, 0, 0, 0, 310],
  },
  flights: { 机场: [7698, 7698, 0, 0, 0, 0, 0], 航线: [67663, 66771, 0, 0, 0, 469, 423] },
  divisions: {
    省: [31, 31, 0, 0, 0, 0, 0],
    市: [342, 342, 0, 0, 0, 0, 0],
    区县: [2978, 2978, 0, 0, 0, 0, 0],
    街道: [41352, 41352, 0, 0, 0, 0, 0],
    '市-[属于]->省': [342, 342, 0, 0, 0, 0, 0],
    '区县-[属于]->市': [2978, 2978, 0, 0, 0, 0, 0],
    '街道-[属于]->区县': [41352, 41352, 0, 0, 0, 0, 0],
  },
};
