import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { parseMapping } from '../mapping/parse-mapping.js';
import { asText, SourceRow } from './source-row.js';
import { showingCount } from './shown-count.js';
import { sourceInSchema } from './source-sql.js';
import { SqlBuilder } from './sql-builder.js';
import { guardOverSource } from './guard-target.js';
import { targetsOf, writtenSql } from './target.js';

beforeAll(loadSqlParser);

const rowOf = (written: string, cursor: 'text' | 'date' = 'date') => {
  const { mapping } = parseMapping(`version: 1
nodes:
  - {id: n, label: N, ${written}, key: [k], columns: [{column: k, property: k}]}`);
  const columns = new Map([
    ['k', 'int'],
    ['at', cursor],
  ] as const);
  const sql = new SqlBuilder();
  const target = targetsOf(mapping)[0]!;
  const guard = guardOverSource(target, columns);
  const shape = {
    columns,
    expressions: new Map(),
    keptAsText: new Map(),
    sql: new Map(writtenSql(target).map(({ text }) => [text, guard(text)])),
  };
  return { sql, row: new SourceRow(sql, target, shape, sourceInSchema('mirror'), 'staging_node_0') };
};

const numbered = showingCount('row_number() OVER ()', 'staging_node_0');

describe('SourceRow', () => {
  it('numbers the rows of a table or a query before it filters them', () => {
    expect(rowOf('table: t').row.select(' WHERE k > 1')).toBe(
      `SELECT "#row" AS row_no
          FROM (SELECT ${numbered} AS "#row", t.* FROM "mirror"."t" AS t) AS "t" WHERE k > 1`,
    );
    expect(rowOf("query: 'SELECT k FROM u'").row.select('')).toContain(
      `(SELECT ${numbered} AS "#row", t.* FROM (\nSELECT k FROM u\n) AS t) AS "source"`,
    );
  });

  it('carries a value once', () => {
    const { row } = rowOf('table: t');
    expect([row.carry('a', 'v'), row.carry('b', 'v'), row.carry('a', 'v')]).toEqual(['v0', 'v1', 'v0']);
    expect(row.select('').match(/AS v\d/g)).toEqual(['AS v0', 'AS v1']);
  });

  it('qualifies a column, and finds none that the source lacks', () => {
    const { row } = rowOf('table: t');
    expect(row.column('k')).toEqual({ sql: '"t"."k"', family: 'int' });
    expect(() => row.column('other')).toThrow('other');
  });

  it("joins the author's condition and the cursor's", () => {
    const { row } = rowOf('table: t, where: k > 1');
    expect(row.whereSql(null)).toMatch(/^\s+WHERE '\u00010\u0001'$/);
    expect(row.whereSql('c')).toMatch(/WHERE '\u0001\d\u0001' AND c$/);
    expect(rowOf('table: t').row.whereSql(null)).toBe('');
  });

  it('carries whether the row asks to be removed, if the mapping says how', () => {
    expect(rowOf('table: t').row.carryGone()).toBeNull();
    const { row } = rowOf('table: t, deletes: {mode: column, column: k, equals: 9}');
    expect([row.carryGone(), row.select('')]).toEqual([
      'gone',
      expect.stringContaining('coalesce(("t"."k")::text = $1::text, false) AS gone'),
    ]);
  });

  it('reads on from the last cursor less the lag, and always reads rows without a cursor', () => {
    const incremental = 'table: t, incremental: {cursor: at, type: date, lag: 1d}';
    expect(rowOf('table: t').row.carryCursor(null)).toBeNull();
    expect(rowOf(incremental).row.carryCursor(null)).toEqual({ type: 'date', filter: null });
    expect(rowOf(incremental).row.carryCursor({ value: '2024-02-29', lag: 86_400_000 })).toEqual({
      type: 'date',
      filter: '("t"."at"::date >= $1::text::date - $2::interval) IS NOT FALSE',
    });
  });

  it('takes a text that is not a cursor as a missing one', () => {
    const { row } = rowOf('table: t, incremental: {cursor: at, type: date}', 'text');
    expect(row.carryCursor(null)).toEqual({ type: 'date', filter: null });
    expect(row.select('')).toMatch(/CASE WHEN .*pg_input_is_valid.* THEN "t"\."at"::date END AS cursor_value/);
  });
});

describe('asText', () => {
  it('puts brackets around an expression that is not a text before the cast', () => {
    expect([asText('a', 'text'), asText('-1', 'int')]).toEqual(['a::text', '(-1)::text']);
  });
});
