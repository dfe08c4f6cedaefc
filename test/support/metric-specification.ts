/**
 * The tables of ../shared/metrics.md row by row: the patterns (A.2), bindings (A.3), requests and answers (A.4) and corrections (A.7),
 * each asked over REST and compared with numbers computed by hand from the rows of metrics-specification.e2e-spec.ts. The traps (A.6)
 * are in metric-traps.ts.
 */
import { on, type Question, sale } from './metric-traps.js';

const dated = (table: string, more: object = {}) => on(table, { time: { column: 'day' }, ...more });
const month = (from: string, to: string, more: object = {}) => ({ time: { from, to, grain: 'month', ...more } });
const first = month('2024-01-01', '2024-04-01');
const march = month('2024-03-01', '2024-04-01');
const byRegion = { dimensions: ['region'] };
const monthly = dated('monthly');
const account = dated('account');

/** Formulas that mean the same, with one answer. */
const same = (formulas: string[], { rows, ...question }: Omit<Question, 'formula'>): Question[] =>
  formulas.map(formula => ({ formula, rows: rows!, ...question }));

export const patterns: Record<string, Question[]> = {
  '1 aggregate': [
    ...same(["SUM(amount WHERE status = 'open')", "求和(amount 条件 status = 'open')", "SUM(amount) FILTER (WHERE status = 'open')"], {
      binding: sale,
      rows: ['57'],
    }),
    ...same(['COUNT(*)', '计数(*)'], { binding: sale, rows: ['4'] }),
    // (100 + 50 + 30 + 7) / 4
    ...same(['AVG(amount)', '平均(amount)', '均值(amount)'], { binding: sale, rows: ['46.75'] }),
    ...same(['MIN(amount)', '最小(amount)'], { binding: sale, rows: ['7'] }),
    ...same(['MAX(amount)', '最大(amount)'], { binding: sale, rows: ['100'] }),
    // The squares of 53.25, 3.25, 16.75 and 39.75 sum to 4706.75.
    ...same(['VARIANCE(amount)'], { binding: sale, rows: ['1568.916666667'] }),
    ...same(['STDDEV(amount)', '标准差(amount)'], { binding: sale, rows: ['39.60955272'] }),
    ...same(['FIRST(balance BY account)', '期初(balance 按 account)'], { binding: account, rows: ['7'] }),
    ...same(['LAST(balance BY account)', '期末(balance 按 account)'], { binding: account, rows: ['9'] }),
    ...same(['SUM(amount)', 'MIN(amount)', 'AVG(amount)'], {
      binding: sale,
      request: { filters: [{ field: 'amount', op: '>', value: 1000 }] },
      rows: ['null'],
    }),
    { formula: 'COUNT(*)', binding: sale, request: { filters: [{ field: 'amount', op: '>', value: 1000 }] }, rows: ['0'] },
  ],
  '2 count_distinct': [
    ...same(['COUNT(DISTINCT who)', 'COUNT_DISTINCT(who)', '去重计数(who)'], { binding: dated('visitor'), rows: ['3'] }),
    // Rows without a region do not count.
    { formula: 'COUNT(DISTINCT region, status)', binding: sale, rows: ['3'] },
  ],
  '3 quantile': [
    ...same(['MEDIAN(amount)', '中位数(amount)', 'PERCENTILE(amount, 0.5)'], { binding: sale, rows: ['40'] }),
    // 50 + 0.85 * 50
    ...same(['PERCENTILE(amount, 0.95)', '分位数(amount, 0.95, CONT)'], { binding: sale, rows: ['92.5'] }),
    { formula: 'PERCENTILE(amount, 0.5, DISC)', binding: sale, rows: ['30'] },
    ...['MEDIAN(x)', '1 - MEDIAN(-x)'].map(formula => ({
      formula,
      binding: { relation: { sql: 'SELECT 9007199254740993 AS x' } },
      rows: [formula.startsWith('1') ? '9007199254740991' : '9007199254740990'],
      warnings: ['ROUNDED_QUANTILE'],
    })),
  ],
  '4 weighted_average': same(['WAVG(price, weight)', '加权平均(price, weight)'], { binding: on('priced'), rows: ['17.5'] }),
  '5 ratio': [
    // 22 / 187
    ...same(['[退款] / [销售]', 'RATIO([退款], [销售])', '比率([退款], [销售])'], { rows: ['0.117647059'] }),
    ...same(['PERCENT([退款], [销售])', '占率([退款], [销售])', '百分比([退款], [销售])', '[退款] / [销售] * 100'], {
      rows: ['11.764705882'],
    }),
  ],
  '6 arithmetic': [
    { formula: '[销售] - [退款]', rows: ['165'] },
    { formula: '(销售 + 退款) * 5% / 2', rows: ['5.225'] },
    { formula: 'ROUND([销售] * 5%, 1) + ABS(-[退款])', rows: ['31.4'] },
    { formula: 'COALESCE(NULLIF([销售], 187), 1) + GREATEST([退款], 3) - LEAST([退款], 3)', rows: ['20'] },
  ],
  '7 accumulate': [
    ...same(['CUMULATIVE([销售])', '累计([销售])'], { request: first, rows: ['2024-01-01 100', '2024-02-01 100', '2024-03-01 187'] }),
    ...same(['TO_DATE([销售], QUARTER)', '至今([销售], 季)', 'QTD([销售])', '季初至今([销售])', 'YTD([销售])', '年初至今([销售])'], {
      request: first,
      rows: ['2024-01-01 100', '2024-02-01 100', '2024-03-01 187'],
    }),
    ...same(['TO_DATE([销售], MONTH)', 'MTD([销售])', '月初至今([销售])'], { request: first, rows: ['2024-01-01 100', '2024-03-01 87'] }),
    ...same(['ROLLING([销售], 7 DAY)', '滚动([销售], 7 天)'], {
      request: { time: { from: '2024-03-04', to: '2024-03-12', grain: 'day' } },
      rows: ['05 50', '06 50', '07 50', '08 50', '09 87', '10 87', '11 87'].map(row => `2024-03-${row}`),
    }),
  ],
  '8 period_over_period': [
    ...same(['YOY(SUM(amount))', '同比(SUM(amount))', 'GROWTH(SUM(amount), 1 YEAR)', '增长(SUM(amount), 1 年)'], {
      binding: dated('weekly'),
      request: { time: { from: '2024-01-01', to: '2025-01-01', grain: 'year' } },
      // 40 + 60 after 5
      rows: ['2024-01-01 19'],
    }),
    ...same(['MOM(SUM(amount), DIFF)', '环比(SUM(amount), DIFF)', 'POP(SUM(amount), DIFF)', 'GROWTH(SUM(amount), 1 MONTH, DIFF)'], {
      binding: monthly,
      request: march,
      rows: ['2024-03-01 -187'],
    }),
    { formula: 'MOM(SUM(amount), VALUE)', binding: monthly, request: march, rows: ['2024-03-01 190'] },
    {
      formula: 'QOQ([销售], VALUE)',
      request: { time: { from: '2024-04-01', to: '2024-07-01', grain: 'quarter', fill: 'null' } },
      rows: ['2024-04-01 187'],
    },
    {
      formula: 'WOW([销售])',
      request: { time: { from: '2024-03-11', to: '2024-03-18', grain: 'week', fill: 'zero' } },
      // 0 after 87
      rows: ['2024-03-11 -1'],
    },
    {
      formula: 'DOD(SUM(amount))',
      binding: monthly,
      request: { time: { from: '2024-03-30', to: '2024-03-31', grain: 'day' } },
      rows: ['2024-03-30 0'],
    },
  ],
  '9 share_of_total': [
    ...same(['SHARE([销售])', '占比([销售])'], { request: byRegion, rows: ['east 0.802139037', 'west 0.160427807', 'null 0.037433155'] }),
    {
      formula: 'SHARE([销售] WITHIN region)',
      request: { dimensions: ['region', 'status'] },
      rows: ['east open 0.333333333', 'east 已，支付（全） 0.666666667', 'west 已，支付（全） 1', 'null open 1'],
    },
  ],
  '10 conversion': [
    ...same(['CONVERSION([访问] -> [购买] BY 用户 WITHIN 7 DAY)', '转化率([访问] -> [购买] 按 用户 在 7 天 内)'], { rows: ['1'] }),
    ...same(['CONVERSION([访问] -> [购买] BY 用户 WITHIN 7 DAY, COUNT)', '转化数([访问] -> [购买] 按 用户 在 7 天 内)'], { rows: ['3'] }),
    // The buy of user 1 on the 3rd is a day after the visit of the 2nd.
    { formula: 'CONVERSION([访问] -> [购买] BY 用户 WITHIN 1 DAY, COUNT)', rows: ['1'] },
  ],
};

const refusedFormula = (formula: string): Question => ({ formula, refused: ['formula_parse_error'] });

export const formulaErrors: Record<string, Question[]> = {
  'an unknown function': [refusedFormula('TOTAL(amount)')],
  'a leaf inside a leaf': [refusedFormula('SUM(COUNT(*))')],
  'a fraction outside of 0 and 1': [refusedFormula('PERCENTILE(amount, 1.5)'), refusedFormula('PERCENTILE(amount, 0)')],
  'ROLLING 0': [refusedFormula('ROLLING([销售], 0 DAY)')],
  'a nesting that means nothing': [
    refusedFormula('ROLLING(YOY([销售]), 7 DAY)'),
    refusedFormula('YOY(SHARE([销售]))'),
    refusedFormula('SHARE(YOY([销售]))'),
    refusedFormula('YOY(CONVERSION([访问] -> [购买] BY 用户))'),
  ],
  'digits that are no literal': [refusedFormula('ROUND([销售], 1 + 1)'), refusedFormula('ROUND([销售], 11)')],
};

const lines = on('line', { joins: [{ table: 'product', on: [['line.product', 'product.id']] }] });

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
      // 08:00Z is 22:00 there.
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

const filter = (op: string, more: object = {}, field = 'amount') => ({ filters: [{ field, op, ...more }] });
const count = (request: object, rows: string[]): Question => ({ formula: 'COUNT(*)', binding: sale, request, rows });

export const requests: Record<string, Question[]> = {
  dimensions: [{ formula: 'SUM(amount)', binding: sale, request: byRegion, rows: ['east 150', 'west 30', 'null 7'] }],
  'time.from, time.to': [count({ time: { from: '2024-03-05', to: '2024-03-09' } }, ['1']), count({ time: { from: '2024-03-05' } }, ['3'])],
  'time.grain': ['day 3', 'week 2', 'month 2', 'quarter 1', 'year 1'].map(text => {
    const [grain, periods] = text.split(' ');
    return { formula: 'COUNT(*)', binding: sale, request: { time: { grain } }, answer: { row_count: Number(periods) } };
  }),
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
      // User 2 buys twice and visits once.
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
    // 1 to 28 February against 1 to 28 February; the 29th is another day.
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

const column = (name: string, more: object) => expect.objectContaining({ name, ...more });

export const answers: Record<string, Question[]> = {
  'metric, pattern, columns': [
    {
      formula: 'SUM(amount)',
      binding: sale,
      request: { ...march, ...byRegion },
      rows: ['2024-03-01 east 50', '2024-03-01 west 30', '2024-03-01 null 7'],
      answer: {
        metric: { id: expect.any(Number), name: expect.any(String) },
        pattern: 'aggregate',
        columns: [
          column('period', { role: 'time', type: 'date', grain: 'month', timezone: 'UTC' }),
          column('region', { role: 'dimension', type: 'string' }),
          column('value', { role: 'value', type: 'decimal' }),
        ],
        row_count: 3,
        truncated: false,
        totals: null,
        chart: { kind: 'line', x: 'period', series: ['region'], y: ['value'] },
        timing_ms: { parse: expect.any(Number), compile: expect.any(Number), execute: expect.any(Number), total: expect.any(Number) },
        cache: { hit: false, age_s: null },
        as_of: expect.stringMatching(/^\d{4}-.+Z$/),
        sql: expect.stringContaining('date_trunc'),
        params: expect.arrayContaining(['2024-03-01']),
        warnings: [],
      },
    },
  ],
  'bigint and decimal as strings': [
    { formula: 'COUNT(*)', binding: sale, rows: ['4'], answer: { rows: [['4']], columns: [column('value', { type: 'bigint' })] } },
    { formula: 'SUM(price)', binding: on('priced'), rows: ['34'], answer: { rows: [['34']] } },
  ],
  'NaN and Infinity as null, with a warning': [
    { formula: 'SUM(x)', binding: { relation: { sql: "SELECT 'NaN'::numeric AS x" } }, rows: ['null'], warnings: ['NOT_A_NUMBER'] },
    { formula: 'MAX(x)', binding: { relation: { sql: "SELECT 'Infinity'::float8 AS x" } }, rows: ['null'], warnings: ['NOT_A_NUMBER'] },
  ],
  'dates as text': [{ formula: 'MAX(day)', binding: sale, rows: ['2024-03-09'], answer: { rows: [['2024-03-09']] } }],
};

const sums = (previous: string) => ({ totals: { value: expect.any(String), previous } });

export const corrections: Record<string, Question[]> = {
  'pattern 8: shifted backwards, clamped': [
    {
      formula: 'MOM(COUNT(*), VALUE)',
      binding: monthly,
      request: { time: { from: '2024-03-29', to: '2024-04-01', grain: 'day' } },
      rows: ['2024-03-29 1', '2024-03-30 1', '2024-03-31 1'],
      warnings: ['CLAMPED_BASE'],
    },
    {
      formula: 'MOM(SUM(amount))',
      binding: monthly,
      request: { time: { grain: 'year' } },
      refused: ['body.time.grain offset_not_whole'],
    },
  ],
  'pattern 10: the range bounds the base events': [
    {
      formula: 'CONVERSION([访问] -> [购买] BY 用户 WITHIN 7 DAY, COUNT)',
      request: { time: { from: '2024-03-01', to: '2024-03-02' } },
      // The buys of 2 and 3 March count for visits of the 1st.
      rows: ['3'],
    },
    {
      formula: 'CONVERSION([访问] -> [购买] BY 用户 WITHIN 7 DAY, COUNT)',
      request: { filter_clause: "page = 'home'" },
      rows: ['3'],
    },
  ],
  'pattern 7: a window without rows follows fill': [
    {
      formula: 'ROLLING([销售], 2 DAY)',
      request: { time: { from: '2024-03-05', to: '2024-03-08', grain: 'day' } },
      rows: ['2024-03-05 50', '2024-03-06 50'],
    },
    {
      formula: 'ROLLING([销售], 2 DAY)',
      request: { time: { from: '2024-03-05', to: '2024-03-08', grain: 'day', fill: 'null' } },
      rows: ['2024-03-05 50', '2024-03-06 50', '2024-03-07 null'],
    },
    {
      formula: 'ROLLING([销售], 2 DAY)',
      request: { time: { from: '2024-03-05', to: '2024-03-08', grain: 'day', fill: 'zero' } },
      rows: ['2024-03-05 50', '2024-03-06 50', '2024-03-07 0'],
    },
  ],
  'pattern 7: rows after s - n month': [
    // From 21 January, so without the sale of the 20th.
    {
      formula: 'ROLLING([销售], 1 MONTH)',
      request: { time: { from: '2024-02-19', to: '2024-02-21', grain: 'day' } },
      rows: ['2024-02-19 100'],
    },
  ],
  'pattern 7: LAST, FIRST and AVERAGE at a coarser grain': [
    { formula: 'CUMULATIVE([销售], LAST)', request: march, rows: ['2024-03-01 187'] },
    { formula: 'CUMULATIVE([销售], FIRST)', request: march, rows: ['2024-03-01 100'] },
    // 100 on 4 days, 150 on 4, 187 on 23
    { formula: 'CUMULATIVE([销售], AVERAGE)', request: march, rows: ['2024-03-01 171'] },
    // Medians of 100 on 4 days, 75 on 4, and of all on the last 23 days 40.
    { formula: 'CUMULATIVE(MEDIAN(amount) * 2, AVERAGE)', binding: sale, request: march, rows: ['2024-03-01 104.516129032'] },
    { formula: 'CUMULATIVE(MEDIAN(amount), AVERAGE)', binding: sale, request: march, rows: ['2024-03-01 52.258064516'] },
  ],
  nesting: [
    {
      formula: 'ROLLING([销售], 7 DAY) / 7',
      request: { time: { from: '2024-03-09', to: '2024-03-10', grain: 'day' } },
      rows: ['2024-03-09 12.428571429'],
    },
    { formula: 'YOY(YTD([销售]), VALUE) + SHARE([销售])', request: { ...first, fill: 'zero' }, refused: ['body.fill unknown_field'] },
    { formula: 'GROWTH(CUMULATIVE([销售]), 1 MONTH, DIFF)', request: march, rows: ['2024-03-01 87'] },
    {
      formula: 'SHARE(CUMULATIVE([销售]))',
      request: { ...march, ...byRegion },
      rows: ['2024-03-01 east 0.802139037', '2024-03-01 west 0.160427807', '2024-03-01 null 0.037433155'],
    },
  ],
  'zones that differ are asked for': [
    {
      formula: 'COUNT(*) + [访问]',
      binding: on('buy', { time: { column: 'at', timezone: 'Asia/Shanghai' } }),
      request: { time: { grain: 'month' } },
      refused: ['body.time.timezone ambiguous_timezone'],
    },
  ],
  'totals of a comparison, of the periods of the rows': [
    {
      formula: 'SUM(amount)',
      binding: dated('weekly'),
      request: {
        time: { from: '2024-12-30', to: '2025-01-13', grain: 'week', fill: 'zero' },
        compare: { offset: '1 year', modes: ['value'] },
        totals: true,
      },
      // 52 weeks before, not from 30 December 2023.
      rows: ['2024-12-30 60 40', '2025-01-06 0 0'],
      answer: sums('40'),
    },
    {
      formula: 'SUM(amount)',
      binding: monthly,
      request: {
        time: { from: '2025-02-28', to: '2025-03-02', grain: 'month', fill: 'zero' },
        compare: { offset: '1 year', modes: ['value'], align: 'full_period' },
        totals: true,
      },
      rows: ['2025-02-01 70 190', '2025-03-01 0 3'],
      answer: sums('193'),
    },
  ],
  totals: [
    { formula: 'SUM(amount)', binding: sale, request: { ...byRegion, having: [{ op: '>', value: 1000 }] }, rows: [], totals: '187' },
    {
      formula: 'SUM(amount)',
      binding: sale,
      request: { time: { fill: 'zero' }, ...filter('>', { value: 1000 }) },
      rows: ['0'],
      totals: '0',
    },
  ],
  types: [
    { formula: 'SUM(x)', binding: on('line', { columns: { x: 'line.id / 2' } }), rows: ['3'] },
    { formula: 'SUM(x)', binding: on('line', { columns: { x: 'line.id * 2000000000' } }), rows: ['12000000000'] },
    { formula: 'COUNT(*)', binding: on('line', { row_filter: 'line.id / 2 = 1' }), rows: ['1'] },
    { formula: 'COUNT(*)', binding: on('line'), request: { filter_clause: 'id / 2 = 1.5' }, rows: ['1'] },
    {
      formula: 'COUNT(*)',
      binding: on('line', { dimensions: [{ name: 'half', column: 'line.id / 2' }] }),
      request: { dimensions: ['half'] },
      rows: ['0.5 1', '1 1', '1.5 1'],
    },
    { formula: 'SUM(num * num)', binding: { relation: { sql: 'SELECT 2000000000 AS num' } }, rows: ['4000000000000000000'] },
    { formula: 'SUM(ok)', binding: { relation: { sql: 'SELECT * FROM (VALUES (true), (false), (NULL)) AS v (ok)' } }, rows: ['1'] },
  ],
};
