import pg from 'pg';
import { type ClonedDatabase, cloneDatabase } from '../../../test/support/database.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { atOnce } from '../../text/steps.js';
import { parseMapping } from '../mapping/parse-mapping.js';
import { compileStaging } from './compile-staging.js';
import { keyProperties } from './key-sql.js';
import { maxKeyLength } from './key-text.js';
import { keyMissing, keyTooLong, typeFailed } from './rule-sql.js';
import { letShowCounts } from './shown-count.js';
import { type SourceFamily } from './source-type.js';
import { sourceInSchema } from './source-sql.js';
import { guardOverSource } from './guard-target.js';
import { targetsOf, writtenSql } from './target.js';

let database: ClonedDatabase;
let client: pg.Client;
beforeAll(async () => {
  await loadSqlParser();
  database = await cloneDatabase();
  client = new pg.Client(database.url);
  await client.connect();
  await client.query(`CREATE TABLE mirror.orders (id text, line int, customer text, amount text, at date)`);
  await client.query(letShowCounts);
});
beforeEach(() => client.query('BEGIN'));
afterEach(() => client.query('ROLLBACK'));
afterAll(async () => {
  await client.end();
  await database.drop();
});

const columns = new Map<string, SourceFamily>(Object.entries({ id: 'text', line: 'int', customer: 'text', amount: 'text', at: 'date' }));

/** Stages `rows`, the VALUES of (id, line, customer, amount, at), for the last node or edge of a mapping. */
async function stage(mappingText: string, rows: string, cursorFrom: { value: string; lag: number } | null = null) {
  await client.query(`INSERT INTO mirror.orders VALUES ${rows}`);
  const { mapping } = parseMapping(`version: 1\n${mappingText}`);
  const target = targetsOf(mapping).at(-1)!;
  const shape = (of: typeof target) => ({
    columns,
    expressions: new Map<string, SourceFamily>([['line + 1', 'int']]),
    keptAsText: new Map<string, string>(),
    sql: new Map(writtenSql(of).map(({ text }) => [text, guardOverSource(of, columns)(text)])),
  });
  const plan = atOnce(
    compileStaging({
      target,
      mapping,
      shape: shape(target),
      from: sourceInSchema('mirror'),
      keys: new Map(mapping.nodes.map(each => [each.label, keyProperties(each, shape(target))])),
      cursorFrom,
    }),
  );
  await client.query(plan.createTable);
  await client.query(plan.insert.sql, plan.insert.parameters);
  return { plan, rows: (await client.query(`SELECT * FROM pg_temp.${plan.table} ORDER BY row_no`)).rows };
}

const node = (more: string, mapped: string) => `nodes: [{id: n, label: N, table: orders, ${more}, columns: [${mapped}]}]`;
const id = '{column: id, property: id, type: string}';

describe('compileStaging', () => {
  it('turns each row into what the graph stores, with its place in the source', async () => {
    const { plan, rows } = await stage(
      node(
        'key: [id], display: customer',
        `${id}, {column: customer, property: 客户}, {column: amount, property: 金额, type: 'decimal(6,2)'}, {expression: line + 1, property: 下一行}, {constant: x, property: 常数}`,
      ),
      `('a', 1, 'Ann', '1.50', NULL), ('b', 2, NULL, NULL, NULL)`,
    );
    expect(rows).toMatchObject([
      {
        row_no: '1',
        key: 'a',
        display: 'Ann',
        properties: { id: 'a', 客户: 'Ann', 金额: 1.5, 下一行: 2, 常数: 'x' },
        failures: null,
        sample: null,
      },
      { row_no: '2', key: 'b', display: 'b', failures: null },
    ]);
    expect(rows[1].properties).toEqual({ id: 'b', 下一行: 3, 常数: 'x' });
    expect(plan.types.map(({ name }) => name)).toEqual(['string', 'string', 'decimal', 'int', 'string']);
  });

  it('stages a row that breaks a rule with the rule of each column and its values, and without properties', async () => {
    const { plan, rows } = await stage(
      node(
        'key: [id]',
        `${id}, {column: amount, property: a, type: int, rules: [required, {min: 3}]}, {column: customer, property: c, sensitive: true}`,
      ),
      `('a', 1, 'Ann', '2', NULL), ('b', 1, 'Bob', 'x', NULL), ('c', 1, 'Cy', NULL, NULL), ('d', 1, 'Di', '3', NULL)`,
    );
    expect(rows.map(({ failures, sample, properties }) => [failures, sample, properties])).toEqual([
      [[null, null, 1, null], ['a', '2', 'Ann'], null],
      [[null, null, typeFailed, null], ['b', 'x', 'Bob'], null],
      [[null, null, 0, null], ['c', null, 'Cy'], null],
      [null, null, { id: 'd', a: 3, c: 'Di' }],
    ]);
    expect([plan.canFail, plan.sampled.map(({ name, isSensitive }) => [name, isSensitive])]).toEqual([
      true,
      [
        ['id', false],
        ['amount', false],
        ['customer', true],
      ],
    ]);
  });

  it('names the first broken expression of a column, where one that is unknown passes', async () => {
    const rules = `[{expression: "amount <> 'x'"}, {max_length: 2}, {expression: 'line > 1'}, {expression: 'line > 2', severity: warn}]`;
    const { rows } = await stage(
      node('key: [id]', `${id}, {column: amount, property: a, rules: ${rules}}`),
      `('a', 3, 'x', '', NULL), ('b', 1, '', 'xyz', NULL), ('c', 1, '', 'y', NULL), ('d', 2, '', 'y', NULL), ('e', NULL, '', 'y', NULL), ('f', 1, '', 'x', NULL)`,
    );
    expect(rows.map(row => [row.failures?.[2] ?? null, row.w1_3])).toEqual([
      [null, false],
      [1, true],
      [2, true],
      [null, true],
      [null, false],
      [0, true],
    ]);
  });

  it('needs every part of a key, and refuses keys that are too long', async () => {
    const longest = maxKeyLength - '["", "1"]'.length;
    const { rows } = await stage(
      node('key: [id, line]', `${id}, {column: line, property: line}`),
      ['a"', 'x'.repeat(longest), 'x'.repeat(longest + 1)].map(key => `('${key}', 1, '', '', NULL)`).join() + `, (NULL, 1, '', '', NULL)`,
    );
    expect(rows[0].key).toBe('["a\\"", "1"]');
    expect(rows.map(({ failures }) => failures?.[0])).toEqual([undefined, undefined, keyTooLong, keyMissing]);
  });

  it("spells the ends of an edge as the node's own key column does", async () => {
    const { plan, rows } = await stage(
      `nodes: [{id: c, label: C, table: customers, key: [id], columns: [{column: id, property: id, transform: [trim, upper]}]}]
edges: [{type: E, table: orders, from: {node: c, match: {customer: id}}, to: {node: c, match: {id: id}}}]`,
      `(' a', 1, 'ann ', '', NULL), ('b', 2, NULL, '', NULL)`,
    );
    expect(rows).toMatchObject([
      { key: '', from_key: 'ANN', to_key: 'A', properties: {} },
      { from_key: null, to_key: 'B' },
    ]);
    expect(plan.canFail).toBe(false);
  });

  it('gives equal numbers, booleans and dates one key, and values that cannot be read their own text', async () => {
    const keysOf = async (type: string, values: string[]): Promise<string[]> => {
      const mapping = node('key: [amount]', `{column: amount, property: a, type: '${type}'}`);
      const { rows } = await stage(mapping, values.map(value => `('a', 1, '', '${value}', NULL)`).join());
      await client.query('DROP TABLE pg_temp.staging_node_0; DELETE FROM mirror.orders');
      return rows.map(({ key }) => key);
    };
    expect(await keysOf('int', ['7', '007', '+7', ' 7', '-0', '7.0', 'x'])).toEqual(['7', '7', '7', '7', '0', '7.0', 'x']);
    expect(await keysOf('bigint', ['09007199254740993'])).toEqual(['9007199254740993']);
    expect(await keysOf('decimal(6,2)', ['7', '07.00', '1.5', '1.50'])).toEqual(['7', '7', '1.5', '1.5']);
    expect(await keysOf('float', ['7', '7.0', '-0', '1e2', '0.10'])).toEqual(['7', '7', '0', '100', '0.1']);
    expect(await keysOf('boolean', ['yes', 'TRUE', 'off'])).toEqual(['true', 'true', 'false']);
    expect(await keysOf('date', ['2024-1-5', '2024/01/05', '20240105'])).toEqual(['2024-01-05', '2024-01-05', '2024-01-05']);
    expect(await keysOf('string', ['007', '7.0'])).toEqual(['007', '7.0']);
  });

  it('gives the ends of an edge the keys of nodes with equal numbers', async () => {
    const ends = async (type: string, values: string[]): Promise<string[]> => {
      const { rows } = await stage(
        `nodes: [{id: c, label: C, table: orders, key: [id], columns: [{column: id, property: id, type: '${type}'}]}]
edges: [{type: E, table: orders, from: {node: c, match: {amount: id}}, to: {node: c, match: {line: id}}}]`,
        values.map(value => `('', 12, '', '${value}', NULL)`).join(),
      );
      await client.query('DROP TABLE pg_temp.staging_edge_0; DELETE FROM mirror.orders');
      expect(new Set(rows.map(row => row.to_key))).toEqual(new Set(['12']));
      return rows.map(row => row.from_key);
    };
    expect(await ends('int', ['12', '012', '12.0', '1.2e1', '12.5', 'x'])).toEqual(['12', '12', '12', '12', '12.5', 'x']);
    expect(await ends('decimal(6,2)', ['12.00', '12.504'])).toEqual(['12', '12.504']);
    expect(await ends('float', ['12.00', '0.10'])).toEqual(['12', '0.1']);
    expect(await ends('string', ['12', '012'])).toEqual(['12', '012']);
  });

  it('marks rows that ask to be removed, and rejects none of them', async () => {
    const { rows } = await stage(
      node('key: [id], deletes: {mode: column, column: line, equals: 9}', `${id}, {column: amount, property: a, type: int}`),
      `('a', 9, '', 'x', NULL), ('b', 1, '', 'x', NULL), ('c', NULL, '', '1', NULL)`,
    );
    expect(rows.map(({ gone, failures, properties }) => [gone, failures !== null, properties])).toEqual([
      [true, false, null],
      [false, true, null],
      [false, false, { id: 'c', a: 1 }],
    ]);
  });

  it('reads on from the last cursor, less the lag, and always reads rows without one', async () => {
    const { plan, rows } = await stage(
      node('key: [id], incremental: {cursor: at, type: date, lag: 1d}', id),
      `('old', 1, '', '', '2024-02-27'), ('late', 1, '', '', '2024-02-28'), ('new', 1, '', '', '2024-03-01'), ('none', 1, '', '', NULL)`,
      { value: '2024-02-29', lag: 86_400_000 },
    );
    expect([plan.hasCursor, rows.map(({ key }) => key)]).toEqual([true, ['late', 'new', 'none']]);
  });

  it("reads the rows that pass the author's condition, which keep their numbers", async () => {
    const { rows } = await stage(
      node(`key: [id], where: "customer = 'Ann' OR line = 3"`, id),
      `('a', 1, 'Ann', '', NULL), ('b', 2, '', '', NULL), ('c', 3, '', '', NULL)`,
    );
    expect(rows.map(({ row_no: number, key }) => [number, key])).toEqual([
      ['1', 'a'],
      ['3', 'c'],
    ]);
  });

  it('stages the columns for checks over all rows: unique values, and rules that only warn', async () => {
    const { plan, rows } = await stage(
      node(
        'key: [id]',
        `{column: id, property: id, type: string, rules: [unique]}, {column: customer, property: c, rules: [unique, {min_length: 3, severity: warn}]}`,
      ),
      `('a', 1, 'Al', '', NULL), ('b', 1, 'Bob', '', NULL)`,
    );
    expect(plan.unique.map(({ stagedAs }) => stagedAs)).toEqual(['key', 'u1_0']);
    expect(plan.warnings).toEqual([{ stagedAs: 'w1_1', column: 1, rule: 1 }]);
    expect(rows.map(({ u1_0: unique, w1_1: isShort }) => [unique, isShort])).toEqual([
      ['Al', true],
      ['Bob', false],
    ]);
  });
});
