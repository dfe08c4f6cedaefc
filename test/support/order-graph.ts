import pg from 'pg';
import { type ApiError } from '../../src/common/errors/api-error.js';
import { toApiError } from '../../src/common/errors/to-api-error.js';
import { compilePlan, type CompiledQuery, type CompileOptions } from '../../src/cypher/executors/sql/compile-plan.js';
import { type GraphSchema } from '../../src/cypher/semantics/graph-schema.js';
import { type QueryWarning } from '../../src/cypher/semantics/typed-tree.js';
import { type CypherValue } from '../../src/cypher/values/cypher-value.js';
import { Decimal } from '../../src/cypher/values/decimal.js';
import { decodeRows } from '../../src/retrieval/process/decode-rows.js';
import { prepareCypher } from '../../src/cypher/prepare-cypher.js';
import { Pace } from '../../src/common/turns/pace.js';
import { createGraphTables, graphTables } from '../../src/database/graph-tables.js';
import { cloneDatabase, type TestDatabase } from './database.js';
import { aLabel, anEdge } from './graph-schema.js';

const schema: GraphSchema = {
  labels: [
    aLabel('客户', {
      aliases: ['Customer'],
      keyProperties: ['客户编号'],
      properties: [
        { name: '客户编号', type: 'string', column: 'customer_id' },
        { name: '名称', type: 'string', column: 'company_name' },
        { name: '国家', type: 'string', column: 'country' },
      ],
    }),
    aLabel('订单', {
      aliases: ['Order'],
      keyProperties: ['订单编号'],
      properties: [
        { name: '订单编号', type: 'int', column: 'order_id' },
        { name: '日期', type: 'date', column: 'order_date' },
        { name: '运费', type: 'decimal(12,2)', column: 'freight' },
      ],
    }),
    aLabel('产品', {
      aliases: ['Product'],
      keyProperties: ['产品编号'],
      properties: [
        { name: '产品编号', type: 'int', column: 'product_id' },
        { name: '单价', type: 'decimal(12,2)', column: 'unit_price' },
        { name: '停产', type: 'boolean' },
      ],
    }),
    aLabel('批次', {
      keyProperties: ['年', '号'],
      properties: [
        { name: '年', type: 'int' },
        { name: '号', type: 'string' },
      ],
    }),
  ],
  edges: [
    anEdge('下单', '客户', '订单', { aliases: ['PLACED'] }),
    anEdge('包含', '订单', '产品', { aliases: ['CONTAINS'], properties: [{ name: '数量', type: 'int' }] }),
    anEdge('替代', '产品', '产品'),
  ],
};

export const nodes: [id: number, label: string, key: string, properties: object | string][] = [
  [1, '客户', 'ALFKI', { 客户编号: 'ALFKI', 名称: '阿尔弗', 国家: '德国' }],
  [2, '客户', 'BERGS', { 客户编号: 'BERGS', 名称: 'Bergs', 国家: '瑞典' }],
  [3, '客户', "O'NEIL", { 客户编号: "O'NEIL", 名称: null }],
  [11, '订单', '101', '{"订单编号": 101, "日期": "1997-03-01", "运费": 12.50}'],
  [12, '订单', '102', { 订单编号: 102, 日期: '1998-11-30', 运费: 7 }],
  [13, '订单', '103', { 订单编号: 103, 日期: '1998-01-15' }],
  [21, '产品', '1', { 产品编号: 1, 单价: 18, 停产: false }],
  [22, '产品', '2', '{"产品编号": 2, "单价": 9007199254740993.25, "停产": true}'],
  // The price and `停产` do not have their declared types. They must never cause a cast error in SQL.
  [23, '产品', '3', { 产品编号: 3, 单价: '约 20', 停产: '否' }],
  [31, '批次', '["1997", "a\\"b"]', { 年: 1997, 号: 'a"b' }],
];

const edges: [id: number, type: string, source: number, target: number, properties: object][] = [
  [1, '下单', 1, 11, {}],
  [2, '下单', 1, 12, {}],
  [3, '下单', 2, 13, {}],
  [4, '包含', 11, 21, { 数量: 2 }],
  [5, '包含', 11, 22, { 数量: 1 }],
  [6, '包含', 12, 21, { 数量: 5 }],
  [7, '包含', 13, 23, { 数量: 3 }],
  [8, '替代', 21, 22, {}],
  [9, '替代', 21, 21, {}],
];

/** Compiles a query to SQL. @throws Error if SQL cannot run it exactly */
export function compile(text: string, parameters: Record<string, unknown> = {}, options: Partial<CompileOptions> = {}): CompiledQuery {
  const { plan } = prepareCypher(text, schema, JSON.stringify(parameters));
  if (plan === null) throw new Error(`not in SQL: ${text}`);
  return compilePlan(plan, { graphId: 7, limit: 1000, ...options });
}

/** Whether SQL can run the query. */
export function isInSql(text: string, parameters: Record<string, unknown> = {}): boolean {
  return prepareCypher(text, schema, JSON.stringify(parameters)).plan !== null;
}

export function warningsOf(text: string, parameters: Record<string, unknown> = {}): QueryWarning[] {
  return prepareCypher(text, schema, JSON.stringify(parameters)).warnings;
}

export function errorOf(text: string, parameters: Record<string, unknown> = {}): ApiError {
  try {
    prepareCypher(text, schema, JSON.stringify(parameters));
  } catch (error) {
    return toApiError(error);
  }
  throw new Error(`compiled: ${text}`);
}

/** Loads the graph before the tests of a file, as graph 7, and runs compiled queries on it. */
export class OrderGraph {
  private database!: TestDatabase;
  client!: pg.Client;

  constructor() {
    beforeAll(() => this.load());
    afterAll(async () => {
      await this.client.end();
      await this.database.drop();
    });
  }

  /** The rows with integers, floats and decimals as numbers, and elements as their ids. */
  readonly execute = async (compiled: CompiledQuery): Promise<unknown[][]> => {
    const { rows } = await this.client.query<(string | null)[]>({ text: compiled.sql, values: compiled.parameters, rowMode: 'array' });
    return (await decodeRows(compiled, rows, Infinity, new Pace())).map(({ values }) => values.map(shown));
  };

  readonly run = (text: string, parameters: Record<string, unknown> = {}, options: Partial<CompileOptions> = {}): Promise<unknown[][]> =>
    this.execute(compile(text, parameters, options));

  private async load(): Promise<void> {
    this.database = await cloneDatabase();
    this.client = new pg.Client(this.database.url);
    await this.client.connect();
    for (const graph of [7, 8]) {
      await this.client.query(createGraphTables(graph));
    }
    for (const [id, label, key, properties] of nodes) {
      const json =
        typeof properties === 'string'
          ? properties
          : JSON.stringify(Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null)));
      for (const graph of [7, 8]) {
        // Graph 8 has the same data with other ids. A result must never contain any of it.
        await this.client.query(
          `INSERT INTO ${graphTables(graph).nodes} (id, label, key, display, properties, run_id) VALUES ($1, $2, $3, $3, $4, 1)`,
          [id + (graph - 7) * 1000, label, key, json],
        );
      }
    }
    for (const [id, type, source, target, properties] of edges) {
      await this.client.query(
        `INSERT INTO ${graphTables(7).edges} (id, type, source_id, target_id, key, properties, run_id) VALUES ($1, $2, $3, $4, '', $5, 1)`,
        [id, type, source, target, JSON.stringify(properties)],
      );
    }
  }
}

function shown(value: CypherValue): unknown {
  if (typeof value === 'bigint' || value instanceof Decimal) return Number(value.toString());
  if (value === null || typeof value !== 'object') return value;
  if ('id' in value) return value.id;
  return (value as { source?: string }).source ?? value;
}
