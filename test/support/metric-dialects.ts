import { type Test } from 'supertest';
import { type Client, grantConnection, startTestApp, type TestApp } from './app.js';
import { connectTo } from './mirror-copies.js';
import { type ForeignEngine, startEngines } from './translations.js';

export const dialects = ['duckdb', 'mysql', 'clickhouse'] as const;
type Dialect = (typeof dialects)[number];
export type Place = 'mirror' | Dialect;

/** Products that some collations treat as equal, times around midnight in Shanghai, and times around a change of the clock in New York. */
const products = ['tea', 'Tea', 'tea ', 'té', '茶', "o'clock", 'a%b', null];
export const sold = Array.from({ length: 64 }, (_, index) => ({
  id: index + 1,
  at: new Date(Date.UTC(2023, 10, 1, 15 + (index % 3), 59) + index * 4.3 * 86_400_000).toISOString().slice(0, 19).replace('T', ' '),
  day: index % 9 === 0 ? null : new Date(Date.UTC(2023, 11, 20) + index * 3 * 86_400_000).toISOString().slice(0, 10),
  amount: index % 11 === 0 ? null : (((index * 7919) % 10_007) - 2_000) / 100,
  quantity: index % 13 === 0 ? null : (index * 31) % 17,
  ratio: [0.1, 0.2, 1.1, 2.675][index % 4]!,
  product: products[index % 8]!,
  buyer: (index * 5) % 9,
}));
export const buyers = Array.from({ length: 8 }, (_, id) => ({ id, region: ['east', 'west', null][id % 3]!, level: id % 4 }));

const types: Record<Place, { sold: string; buyers: string }> = {
  mirror: {
    sold: 'id int, "at" timestamptz, day date, amount numeric(12,2), quantity int, ratio float8, product text, buyer int',
    buyers: 'id int, region text, level int',
  },
  duckdb: {
    sold: 'id int, "at" timestamptz, day date, amount decimal(12,2), quantity int, ratio double, product text, buyer int',
    buyers: 'id int, region text, level int',
  },
  mysql: {
    sold: '`id` int, `at` timestamp NULL, day date, amount decimal(12,2), quantity int, ratio double, product text, buyer int',
    buyers: 'id int, region text, level int',
  },
  clickhouse: {
    sold: `id Int32, at DateTime('UTC'), day Nullable(Date), amount Nullable(Decimal(12,2)), quantity Nullable(Int32), ratio Float64,
      product Nullable(String), buyer Int32`,
    buyers: 'id Int32, region Nullable(String), level Int32',
  },
};

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value);
}

function insert(table: string, rows: object[]): string {
  return `INSERT INTO ${table} VALUES ${rows.map(row => `(${Object.values(row).map(literal).join(', ')})`).join(', ')}`;
}

export const month = { grain: 'month', from: '2023-11-01', to: '2024-07-01' };
export const byRegion = { dimensions: ['地区'] };
export const newYork = { grain: 'day', from: '2024-03-08', to: '2024-03-14', timezone: 'America/New_York', fill: 'zero' };

/** Creates the same metrics on tables of the mirror and on equal tables of the other databases, as a user who may edit the graph. */
export class MetricDialects {
  test: TestApp;
  editor: Client;
  private graphId: number;
  private engines: ForeignEngine[] = [];
  private readonly connections: Partial<Record<Place, number>> = { mirror: 1 };
  private names = 0;

  /** @param more statements that make further tables, for each of the other databases */
  async start(more: Partial<Record<Dialect, string[]>> = {}): Promise<void> {
    this.engines = await startEngines();
    this.test = await startTestApp({ DUCKDB_DIR: this.engines[0]!.directory! });
    const { pool } = this.test;
    this.editor = await this.test.asUser('lin');
    await grantConnection(this.test, 'lin');
    await pool.query(`CREATE TABLE mirror.sold (${types.mirror.sold}); CREATE TABLE mirror.buyers (${types.mirror.buyers})`);
    await pool.query(`SET timezone = 'UTC'; ${insert('mirror.sold', sold)}; ${insert('mirror.buyers', buyers)}`);
    for (const engine of this.engines) await this.fill(engine, more[engine.dialect] ?? []);
    this.graphId = (await this.editor.post('/api/graphs').send({ name: '多引擎' }).expect(201)).body.id;
  }

  private async fill({ dialect, dsn, run }: ForeignEngine, more: string[]): Promise<void> {
    const engine = dialect === 'clickhouse' ? ' ENGINE = MergeTree ORDER BY id' : '';
    const zone = dialect === 'duckdb' ? [`SET timezone = 'UTC'`] : dialect === 'mysql' ? [`SET time_zone = '+00:00'`] : [];
    await run(
      ...zone,
      `CREATE TABLE sold (${types[dialect].sold})${engine}`,
      `CREATE TABLE buyers (${types[dialect].buyers})${engine}`,
      insert('sold', sold),
      insert('buyers', buyers),
      ...more,
    );
    const id = await connectTo(this.test, dialect, dsn);
    this.connections[dialect] = id;
    await this.test.admin.post(`/api/permissions/connections/${id}/users`).send({ username: 'lin', right: 'read' }).expect(201);
  }

  async close(): Promise<void> {
    await this.test?.close();
    for (const engine of this.engines) await engine.close();
  }

  /** Runs a statement on one of the other databases. */
  run(dialect: Dialect, statement: string): Promise<unknown> {
    return this.engines.find(engine => engine.dialect === dialect)!.run(statement);
  }

  newName(prefix: string): string {
    return `${prefix}${this.names++}`;
  }

  bindingAt(place: Place, more: object = {}) {
    return {
      connection_id: this.connections[place],
      relation: { table: 'sold' },
      alias: 's',
      time: { column: 's.at', timezone: 'Asia/Shanghai' },
      joins: [{ alias: 'b', table: 'buyers', on: [['s.buyer', 'b.id']] }],
      columns: {
        amount: 's.amount',
        quantity: 's.quantity',
        ratio: 's.ratio',
        product: 's.product',
        day: 's.day',
        buyer: 's.buyer',
        level: 'b.level',
      },
      dimensions: [
        { name: '地区', column: 'b.region' },
        { name: '级', column: 'b.level' },
        { name: '产品', column: 's.product' },
        { name: '日', column: 's.day' },
        { name: '星期', column: 'EXTRACT(dow FROM s.day)' },
        { name: '时', column: "EXTRACT(hour FROM s.at AT TIME ZONE 'Asia/Shanghai')" },
        { name: '大额', column: 's.amount > 10.5' },
        { name: '茶否', column: "CASE WHEN s.product IN ('tea', '茶') THEN '是' ELSE 'no' END" },
      ],
      ...more,
    };
  }

  post(name: string, formula: string, binding?: object): Test {
    return this.editor.post('/api/metrics').send({ graph_id: this.graphId, name, formula, binding });
  }

  async define(place: Place, formula: string, more: object = {}): Promise<number> {
    const { body, status } = await this.post(this.newName('m'), formula, this.bindingAt(place, more));
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.id;
  }

  /** Defines a conversion metric. Both of its bindings have a join and a row filter, and some of their rows have the same time. */
  async defineConversion(place: Place, rest: string): Promise<number> {
    const [base, event] = [this.newName('base'), this.newName('event')];
    const more = { grain: ['s.product', 's.id'], row_filter: 's.quantity IS NULL OR s.quantity < 15' };
    const ids = { [base]: 'COUNT(* WHERE level < 3)', [event]: `COUNT(* WHERE level >= 1 AND product <> 'a%b')` };
    for (const [name, formula] of Object.entries(ids)) await this.post(name, formula, this.bindingAt(place, more)).expect(201);
    const { body } = await this.post(this.newName('m'), `CONVERSION([${base}] -> [${event}] BY ${rest})`).expect(201);
    return body.id;
  }

  execute(id: number, request: object = {}): Test {
    return this.editor.post(`/api/metrics/${id}/execute`).send(request);
  }

  async rowsOf(place: Place, formula: string, request: object, more: object = {}): Promise<unknown> {
    const { body, status } = await this.execute(await this.define(place, formula, more), request);
    if (status !== 200) return { status, code: body.code, detail: body.detail };
    const types = body.columns.map(({ type }: { type: string }) => type);
    return { types, rows: body.rows.map(plainRow), totals: body.totals && plainRow(Object.values(body.totals)) };
  }
}

export function plainRow(row: unknown[]): unknown[] {
  return row.map(value => (typeof value === 'string' ? plain(value) : value));
}

/** Removes zeros at the end of a decimal: each database writes another number of decimal places. */
export function plain(value: string): string {
  return /^-?\d+\.\d+$/.test(value) ? value.replace(/\.?0+$/, '') : value;
}
