import { on, type Question, sale } from '../support/metric-traps.js';
import { byRegion, filter, march, month, monthly } from './asked.js';

const count = (request: object, rows: string[]): Question => ({ formula: 'COUNT(*)', binding: sale, request, rows });

/** Questions about each part of a request (section A.4 of the specification of metrics). */
export const requests: Record<string, Question[]> = {
  dimensions: [{ formula: 'SUM(amount)', binding: sale, request: byRegion, rows: ['east 150', 'west 30', 'null 7'] }],
  'time.from, time.to': [count({ time: { from: '2024-03-05', to: '2024-03-09' } }, ['1']), count({ time: { from: '2024-03-05' } }, ['3'])],
  'time.grain': [
    ...['day 3', 'week 2', 'month 2', 'quarter 1', 'year 1'].map(text => {
      const [grain, periods] = text.split(' ');
      return { formula: 'COUNT(*)', binding: sale, request: { time: { grain } }, answer: { row_count: Number(periods) } };
    }),
    {
      formula: 'COUNT(*)',
      binding: { relation: { sql: "SELECT TIMESTAMP '2024-03-05 10:30' AS t UNION ALL SELECT '2024-03-05 11:00'" }, time: { column: 't' } },
      request: { time: { grain: 'hour' } },
      rows: ['2024-03-05T10:00+00:00 1', '2024-03-05T11:00+00:00 1'],
    },
    { formula: 'COUNT(*)', binding: sale, request: { time: { grain: 'hour' } }, refused: ['body.time.grain grain_too_fine'] },
  ],
  'time.timezone': [
    {
      formula: 'COUNT(*)',
      binding: on('visit', { time: { column: 'at' } }),
      request: { time: { from: '2024-03-01', to: '2024-03-02', grain: 'day', timezone: 'Pacific/Kiritimati' } },
      rows: ['2024-03-01 2'],
      answer: { time: { from: '2024-03-01', to: '2024-03-02', grain: 'day', timezone: 'Pacific/Kiritimati' } },
    },
  ],
  'time.fill': [
    count(month('2024-01-01', '2024-04-01', { fill: 'none' }), ['2024-01-01 1', '2024-03-01 3']),
    { formula: '[销售]', request: month('2024-02-01', '2024-03-01', { fill: 'null' }), rows: ['2024-02-01 null'] },
    { formula: '[销售] * 2 + 1', request: month('2024-02-01', '2024-03-01', { fill: 'zero' }), rows: ['2024-02-01 1'] },
    {
      formula: 'AVG(amount)',
      binding: sale,
      request: month('2024-02-01', '2024-03-01', { fill: 'zero' }),
      refused: ['body.time.fill fill_not_additive'],
    },
  ],
  'time.range': ['today', 'yesterday', 'last_month', 'last_30_days', 'year_to_date', 'this_quarter'].map(range => ({
    formula: 'COUNT(*)',
    binding: sale,
    request: { time: { range } },
    rows: ['0'],
  })),
  'filters, operators': [
    count(filter('=', { value: 30 }), ['1']),
    count(filter('!=', { value: 30 }), ['3']),
    count(filter('<', { value: '30' }), ['1']),
    count(filter('<=', { value: 30 }), ['2']),
    count(filter('>', { value: 30.5 }), ['2']),
    count(filter('>=', { value: 30 }), ['3']),
    count(filter('in', { values: [7, 30] }), ['2']),
    count(filter('not_in', { values: [7, 30] }), ['2']),
    count(filter('between', { values: [7, 50] }), ['3']),
    count(filter('is_null', {}, 'region'), ['1']),
    count(filter('is_not_null', {}, 'region'), ['3']),
    count(filter('contains', { value: '支付' }, 'status'), ['2']),
    count(filter('starts_with', { value: 'op' }, 'status'), ['2']),
    count(filter('=', { value: '2024-03-09' }, 'day'), ['2']),
    { ...count(filter('=', { value: 'many' }), []), refused: ['body.filters.0.value value_type'] },
    { ...count(filter('=', { value: '2024-02-30' }, 'day'), []), refused: ['body.filters.0.value value_type'] },
  ],
  'filters by a metric': [
    {
      formula: '[访问]',
      request: { filters: [{ metric: '购买', by: '用户', op: '>=', value: 2 }] },
      // User 2 makes two purchases and one visit.
      rows: ['1'],
    },
  ],
  filter_clause: [
    count({ filter_clause: "region = 'east' OR region IS NULL" }, ['3']),
    { ...count({ filter_clause: '1=1) OR (1=1' }, []), refused: ['unsafe_filter_clause'] },
    { ...count({ filter_clause: 'DROP TABLE sale' }, []), refused: ['unsafe_filter_clause'] },
  ],
  having: [
    {
      formula: 'SUM(amount)',
      binding: sale,
      request: {
        ...byRegion,
        having: [
          { op: '>', value: '29.5' },
          { op: '<', value: 100 },
        ],
      },
      rows: ['west 30'],
    },
  ],
  order: [
    {
      formula: 'SUM(amount)',
      binding: sale,
      request: { ...byRegion, order: [{ by: 'value', dir: 'asc' }] },
      rows: ['null 7', 'west 30', 'east 150'],
    },
    {
      formula: 'SUM(amount)',
      binding: sale,
      request: { ...byRegion, order: [{ by: 'region', dir: 'desc', nulls: 'first' }] },
      rows: ['null 7', 'west 30', 'east 150'],
    },
    { formula: 'SUM(amount)', binding: sale, request: { order: [{ by: 'amount' }] }, refused: ['body.order.0.by unknown_column'] },
  ],
  'limit, truncated': [
    {
      formula: 'SUM(amount)',
      binding: sale,
      request: { ...byRegion, limit: 2 },
      rows: ['east 150', 'west 30'],
      answer: { row_count: 2, truncated: true },
    },
    {
      formula: 'SUM(amount)',
      binding: sale,
      request: { ...byRegion, limit: 3 },
      rows: ['east 150', 'west 30', 'null 7'],
      answer: { truncated: false },
    },
  ],
  offset: [{ formula: 'SUM(amount)', binding: sale, request: { ...byRegion, offset: 2 }, rows: ['null 7'] }],
  'compare.offset, compare.modes': [
    {
      formula: 'SUM(amount)',
      binding: monthly,
      request: { ...march, compare: { offset: '1 month', modes: ['value', 'diff', 'rate'] } },
      rows: ['2024-03-01 3 190 -187 -0.984210526'],
    },
  ],
  'compare.align': [
    // February 2025 is compared with 1 to 28 February 2024. 29 February 2024 is not included.
    {
      formula: 'SUM(amount)',
      binding: monthly,
      request: {
        time: { from: '2025-02-01', to: '2025-02-15', grain: 'month', fill: 'zero' },
        compare: { offset: '1 year', modes: ['value'] },
      },
      rows: ['2025-02-01 0 0'],
    },
    {
      formula: 'SUM(amount)',
      binding: monthly,
      request: {
        time: { from: '2025-02-01', to: '2025-02-15', grain: 'month', fill: 'zero' },
        compare: { offset: '1 year', modes: ['value'], align: 'full_period' },
      },
      rows: ['2025-02-01 0 190'],
    },
  ],
  totals: [
    {
      formula: 'SUM(amount)',
      binding: sale,
      request: { ...byRegion, having: [{ op: '>', value: 100 }], limit: 1 },
      rows: ['east 150'],
      totals: '187',
    },
    {
      formula: 'COUNT(*)',
      binding: sale,
      request: month('2024-02-01', '2024-03-01', { fill: 'zero' }),
      rows: ['2024-02-01 0'],
      totals: '0',
    },
  ],
  dry_run: [
    {
      formula: 'SUM(amount)',
      binding: sale,
      request: { dry_run: true },
      rows: [],
      answer: { sql: expect.stringContaining('"mirror"."sale"'), as_of: null, cache: null },
    },
  ],
  explain: [
    {
      formula: 'SUM(amount)',
      binding: sale,
      request: { explain: true },
      rows: [],
      answer: { estimate: { rows: 1, plans: [expect.any(Object)] } },
    },
  ],
  'cache.max_age_s': [
    { formula: 'SUM(amount)', binding: sale, request: { cache: { max_age_s: 0 } }, rows: ['187'], answer: { cache: { hit: false } } },
  ],
  'an option without effect': [
    { formula: 'COUNT(*)', binding: sale, request: { time: { timezone: 'Asia/Shanghai' } }, refused: ['body.time.timezone no_effect'] },
    { formula: 'COUNT(*)', binding: sale, request: { time: { fill: 'null' } }, refused: ['body.time.fill no_effect'] },
    { formula: 'COUNT(*)', binding: sale, request: { ...filter('is_null', { value: 1 }) }, refused: ['body.filters.0.value no_effect'] },
    { formula: 'COUNT(*)', binding: sale, request: { fliter_clause: 'x' }, refused: ['body.fliter_clause unknown_field'] },
    { formula: 'COUNT(*)', binding: sale, request: { chart: 'bar' }, refused: ['body.chart no_effect'] },
  ],
};
