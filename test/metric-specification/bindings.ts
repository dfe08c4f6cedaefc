import { on, type Question, sale } from '../support/metric-traps.js';
import { account, march, same } from './asked.js';

const lines = on('line', { joins: [{ table: 'product', on: [['line.product', 'product.id']] }] });

/** Questions about each part of a binding (section A.3 of the specification of metrics). */
export const bindings: Record<string, Question[]> = {
  connection_id: [{ formula: 'COUNT(*)', binding: { ...sale, connection_id: null }, rows: ['4'] }],
  'relation.schema, relation.table': [{ formula: 'COUNT(*)', binding: { relation: { schema: 'mirror', table: 'sale' } }, rows: ['4'] }],
  'relation.sql': [
    { formula: 'SUM(n)', binding: { relation: { sql: "SELECT amount * 2 AS n FROM sale WHERE status = 'open'" } }, rows: ['114'] },
    { formula: 'SUM(n)', binding: { relation: { sql: 'SELECT 1 AS n; DROP TABLE sale' } }, refused: ['unsafe_filter_clause'] },
  ],
  alias: [{ formula: 'SUM(x)', binding: { ...sale, alias: 's', columns: { x: 's.amount' } }, rows: ['187'] }],
  grain: [
    { formula: 'COUNT(*)', binding: { ...lines, grain: ['line.id'] }, rows: ['3'] },
    { formula: 'COUNT(*)', binding: { ...lines, grain: ['line.nr'] }, refused: ['body.binding.grain unknown_column'] },
  ],
  'time.column': [{ formula: 'COUNT(*)', binding: on('sale', { time: { column: 'sale.day' } }), request: march, rows: ['2024-03-01 3'] }],
  'time.type': [
    { formula: 'COUNT(*)', binding: on('sale', { time: { column: 'day', type: 'date' } }), rows: ['4'] },
    {
      formula: 'COUNT(*)',
      binding: on('sale', { time: { column: 'day', type: 'timestamptz' } }),
      refused: ['body.binding.time.column time_type'],
    },
  ],
  'time.timezone': [
    {
      formula: 'COUNT(*)',
      binding: on('visit', { time: { column: 'at', timezone: 'Pacific/Kiritimati' } }),
      request: { time: { from: '2024-03-01', to: '2024-03-04', grain: 'day' } },
      // 08:00Z is 22:00 on the same day in Kiritimati.
      rows: ['2024-03-01 2', '2024-03-02 1'],
    },
    ...['CST', 'IST', 'EST', 'Mars/Olympus'].map(timezone => ({
      formula: 'COUNT(*)',
      binding: on('visit', { time: { column: 'at', timezone } }),
      refused: ['body.binding.time.timezone unknown_timezone'],
    })),
  ],
  'time.min_grain': [
    {
      formula: 'COUNT(*)',
      binding: on('sale', { time: { column: 'day', min_grain: 'month' } }),
      request: { time: { grain: 'week' } },
      refused: ['body.time.grain grain_too_fine'],
    },
  ],
  'time.week_start': [
    {
      formula: 'COUNT(*)',
      binding: on('sale', { time: { column: 'day', week_start: 'sunday' } }),
      request: { time: { from: '2024-03-03', to: '2024-03-10', grain: 'week' } },
      rows: ['2024-03-03 3'],
    },
  ],
  columns: [{ formula: 'SUM(金额 * 2)', binding: { ...sale, columns: { 金额: 'amount' } }, rows: ['374'] }],
  'dimensions, aliases': [
    {
      formula: 'SUM(amount)',
      binding: { ...sale, dimensions: [{ name: '地区', aliases: ['area'], column: "coalesce(sale.region, 'none')", type: 'string' }] },
      request: { dimensions: ['area'] },
      rows: ['east 150', 'none 7', 'west 30'],
    },
  ],
  entities: [
    {
      formula: 'COUNT(*)',
      binding: on('visit', { entities: [{ name: 'user', column: 'visit.who' }], dimensions: [] }),
      request: { dimensions: ['user'] },
      rows: ['1 2', '2 1'],
    },
  ],
  'joins, kind left': [
    {
      formula: 'COUNT(*)',
      binding: { ...lines, dimensions: [{ name: 'kind', column: 'product.kind' }] },
      request: { dimensions: ['kind'] },
      rows: ['tea 2', 'null 1'],
    },
  ],
  'joins, kind inner': [
    {
      formula: 'COUNT(*)',
      binding: on('line', { joins: [{ table: 'product', kind: 'inner', on: [['line.product', 'product.id']] }] }),
      rows: ['2'],
    },
  ],
  'joins, alias twice the same table': [
    {
      formula: "COUNT(* WHERE a = 'tea' AND b IS NULL)",
      binding: on('line', {
        joins: [
          { table: 'product', alias: 'p', on: [['line.product', 'p.id']] },
          { table: 'product', alias: 'q', on: [['line.other', 'q.id']] },
        ],
        columns: { a: 'p.kind', b: 'q.kind' },
      }),
      rows: ['1'],
    },
  ],
  'joins, relationship': [
    ...['one_to_many', 'many_to_many'].map(relationship => ({
      formula: 'COUNT(*)',
      binding: on('product', { joins: [{ table: 'line', relationship, on: [['product.id', 'line.product']] }] }),
      refused: ['fan_out_join'],
    })),
    {
      formula: 'COUNT(*)',
      binding: on('product', { joins: [{ table: 'line', relationship: 'one_to_one', on: [['product.id', 'line.product']] }] }),
      refused: ['fan_out_join'],
    },
    {
      formula: 'COUNT(*)',
      binding: on('line', { joins: [{ table: 'product', relationship: 'one_to_one', on: [['line.product', 'product.id']] }] }),
      rows: ['3'],
    },
  ],
  row_filter: [{ formula: 'SUM(amount)', binding: { ...sale, row_filter: "sale.status = 'open'" }, rows: ['57'] }],
  'additivity auto, additive': ['auto', 'additive'].map(additivity => ({
    formula: 'SUM(amount)',
    binding: { ...sale, additivity },
    rows: ['187'],
  })),
  'additivity semi_additive': [
    { formula: 'SUM(balance)', binding: { ...account, additivity: 'semi_additive' }, refused: ['formula_parse_error'] },
    {
      formula: '1 + CUMULATIVE(SUM(balance))',
      binding: { ...account, additivity: 'semi_additive' },
      request: march,
      refused: ['formula_parse_error'],
    },
    { formula: 'LAST(balance BY account)', binding: { ...account, additivity: 'semi_additive' }, rows: ['9'] },
    { formula: 'AVG(balance)', binding: { ...account, additivity: 'semi_additive' }, rows: ['4.666666667'] },
  ],
  'additivity non_additive': [
    ...['SUM(price)', 'LAST(price BY region)'].map(formula => ({
      formula,
      binding: on('priced', { additivity: 'non_additive' }),
      refused: ['formula_parse_error'],
    })),
    ...same(['WAVG(price, weight)'], { binding: on('priced', { additivity: 'non_additive' }), rows: ['17.5'] }),
  ],
  'names as the source has them': [
    ...same(['SUM(Betrag)', 'SUM(betrag * 1)', 'SUM("Betrag")'], { binding: on('mixed'), rows: ['3'] }),
    { formula: 'SUM(x)', binding: on('mixed', { columns: { x: 'Mixed.BETRAG + 1' } }), rows: ['5'] },
  ],
  'all problems at once': [
    {
      formula: 'COUNT(*)',
      binding: { ...sale, columns: { a: 'sale.nothing' }, row_filter: 'nobody = 1', time: { column: 'never' } },
      refused: [
        'body.binding.time.column unknown_column',
        'body.binding.columns.a unknown_column',
        'body.binding.row_filter unknown_column',
      ],
    },
  ],
};
