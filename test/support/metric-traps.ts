/**
 * The ways in which a metric can be wrong without an error, numbered as in A.6 of the specification of metrics. Each question is asked over
 * REST, and its answer compared with numbers computed by hand from the rows below. `trapped` is the result of a query that makes the
 * mistake on the same rows. It must differ, or the rows would not show the mistake.
 */
export interface Question {
  formula: string;
  binding?: object;
  request?: object;
  /** The cells of each row, with spaces between them; numbers are rounded to nine places. */
  rows?: string[];
  totals?: string;
  warnings?: string[];
  /** For a refused metric or request: its code, or the place and type of each problem. */
  refused?: string[];
  /** Parts that the answer must have. */
  answer?: object;
  /** The names that the refusal must list. */
  known?: string[];
  trapped?: [sql: string, value: string];
}

export const on = (table: string, more: object = {}) => ({ relation: { table }, ...more });
export const sale = on('sale', { time: { column: 'day' } });
const tick = (timezone: string) => on('tick', { time: { column: 'at', timezone } });
const payments = on('raw_payments', {
  joins: [{ table: 'raw_orders', on: [['raw_payments.order_id', 'raw_orders.id']] }],
  columns: { amount: 'raw_payments.amount / 100.0', order_id: 'raw_payments.order_id' },
  dimensions: [{ name: 'payment_method', column: 'raw_payments.payment_method' }],
});
const perOrder = '(SELECT order_id, sum(amount) / 100.0 AS total FROM raw_payments GROUP BY 1)';
const month = (from: string, to: string, more: object = {}) => ({ time: { from, to, grain: 'month', ...more } });
const days = (from: string, to: string) => ({ time: { from, to, grain: 'day' } });

export const traps: Record<string, Question[]> = {
  '1 a join that repeats rows (fan-out)': [
    {
      formula: 'ROUND(SUM(amount) / COUNT(DISTINCT order_id), 2)',
      binding: payments,
      rows: ['16.89'],
      trapped: [`SELECT round(avg(total), 2) FROM raw_payments JOIN ${perOrder} AS o USING (order_id)`, '18.43'],
    },
    {
      formula: 'SUM(freight)',
      binding: on('orders'),
      rows: ['64942.69'],
      trapped: ['SELECT sum(freight) FROM orders JOIN order_details USING (order_id)', '207306.1'],
    },
    {
      formula: 'SUM(freight)',
      binding: on('orders', { joins: [{ table: 'order_details', on: [['orders.order_id', 'order_details.order_id']] }] }),
      refused: ['fan_out_join'],
    },
  ],
  '2 two facts under one dimension (chasm)': [
    {
      formula: '[销售] - [退款]',
      request: { dimensions: ['region'], time: { fill: 'zero' } },
      // east 150 - 16, south 0 - 4, west 30 - 0, null 7 - 2
      rows: ['east 134', 'south -4', 'west 30', 'null 5'],
      totals: '165',
      trapped: ["SELECT sum(s.amount) - sum(r.amount) FROM sale s JOIN refund r USING (region) WHERE region = 'east'", '418'],
    },
  ],
  '3 division by zero and of integers': [
    {
      formula: 'SUM(num) / SUM(den)',
      binding: on('part'),
      request: { dimensions: ['key'] },
      rows: ['a 3.5', 'b null', 'c null'],
      trapped: ["SELECT sum(num) / sum(den) FROM part WHERE key = 'a'", '3'],
    },
    { formula: "PERCENT(SUM(num WHERE key = 'a'), SUM(den))", binding: on('part'), rows: ['350'] },
    { formula: "SUM(num / 2 WHERE key = 'a')", binding: on('part'), rows: ['3.5'] },
  ],
  '4 a dimension that is NULL is one group': [
    {
      formula: '[销售] / [退款]',
      request: { dimensions: ['region'], filters: [{ field: 'region', op: 'is_null' }] },
      rows: ['null 3.5'],
      trapped: [
        `SELECT count(*) FROM (SELECT region FROM sale WHERE region IS NULL) a
           FULL JOIN (SELECT region FROM refund WHERE region IS NULL) b USING (region)`,
        '2',
      ],
    },
  ],
  '5 totals of what does not add up': [
    {
      formula: 'COUNT(DISTINCT order_id)',
      binding: payments,
      request: { dimensions: ['payment_method'], order: [{ by: 'value', dir: 'desc' }] },
      rows: ['credit_card 51', 'bank_transfer 33', 'coupon 13', 'gift_card 12'],
      totals: '99',
      trapped: ['SELECT sum(n) FROM (SELECT count(DISTINCT order_id) AS n FROM raw_payments GROUP BY payment_method) AS m', '109'],
    },
  ],
  '6 a weighted mean of a value that is NULL': [
    {
      formula: 'WAVG(price, weight)',
      binding: on('priced'),
      request: { dimensions: ['region'] },
      // east: (10 * 1 + 20 * 3) / (1 + 3); west has no weight.
      rows: ['east 17.5', 'west null'],
      trapped: ["SELECT sum(price * weight) / sum(weight) FROM priced WHERE region = 'east'", '7'],
    },
  ],
  '7 periods without rows': [
    {
      formula: '[销售]',
      request: month('2024-01-01', '2024-04-01'),
      rows: ['2024-01-01 100', '2024-03-01 87'],
    },
    {
      formula: '[销售]',
      request: month('2024-01-01', '2024-04-01', { fill: 'null' }),
      rows: ['2024-01-01 100', '2024-02-01 null', '2024-03-01 87'],
    },
    {
      formula: '[销售] + 1',
      request: month('2024-01-01', '2024-04-01', { fill: 'zero' }),
      rows: ['2024-01-01 101', '2024-02-01 1', '2024-03-01 88'],
    },
  ],
  '8 a range that starves a window': [
    {
      formula: 'ROLLING([销售], 3 MONTH)',
      request: month('2024-03-01', '2024-04-01'),
      rows: ['2024-03-01 187'],
      trapped: ["SELECT sum(amount) FROM sale WHERE day >= '2024-03-01' AND day < '2024-04-01'", '87'],
    },
    { formula: 'CUMULATIVE([销售])', request: days('2024-03-09', '2024-03-10'), rows: ['2024-03-09 187'] },
  ],
  '9 a rolling distinct count': [
    {
      formula: 'ROLLING(COUNT(DISTINCT who), 2 DAY)',
      binding: on('visitor', { time: { column: 'day' } }),
      request: days('2024-05-01', '2024-05-06'),
      rows: ['2024-05-01 1', '2024-05-02 2', '2024-05-03 2', '2024-05-04 1', '2024-05-05 1'],
      trapped: ["SELECT sum(n) FROM (SELECT count(DISTINCT who) AS n FROM visitor WHERE day <= '2024-05-02' GROUP BY day) AS d", '3'],
    },
  ],
  '10 a week and the same week a year before, and week 53': [
    {
      formula: 'YOY(SUM(amount), VALUE)',
      binding: on('weekly', { time: { column: 'day' } }),
      request: { time: { from: '2024-12-30', to: '2025-01-06', grain: 'week' } },
      rows: ['2024-12-30 40'],
      trapped: [
        "SELECT sum(amount) FROM weekly WHERE date_trunc('week', day) = date_trunc('week', date '2024-12-30' - interval '1 year')",
        '5',
      ],
    },
    {
      formula: 'YOY(SUM(amount), VALUE)',
      binding: on('weekly', { time: { column: 'day' } }),
      request: { time: { from: '2020-12-28', to: '2021-01-04', grain: 'week' } },
      rows: ['2020-12-28 null'],
      warnings: ['NO_WEEK_53'],
      trapped: ["SELECT sum(amount) FROM weekly WHERE date_trunc('week', day) = date '2020-12-28' - interval '52 weeks'", '8'],
    },
  ],
  '11 the last day of a shorter month, and 29 February': [
    {
      formula: 'MOM(SUM(amount), VALUE)',
      binding: on('monthly', { time: { column: 'day' } }),
      request: days('2024-03-29', '2024-04-01'),
      rows: ['2024-03-29 100', '2024-03-30 100', '2024-03-31 100'],
      warnings: ['CLAMPED_BASE'],
      trapped: ["SELECT sum(amount) FROM monthly WHERE day + interval '1 month' = '2024-03-31'", 'null'],
    },
    {
      formula: 'YOY(SUM(amount), VALUE)',
      binding: on('monthly', { time: { column: 'day' } }),
      request: days('2024-02-28', '2024-03-01'),
      rows: ['2024-02-28 80', '2024-02-29 80'],
      warnings: ['CLAMPED_BASE'],
    },
    {
      formula: 'YOY(SUM(amount), VALUE)',
      binding: on('monthly', { time: { column: 'day' } }),
      request: days('2025-02-28', '2025-03-01'),
      rows: ['2025-02-28 90'],
      trapped: ["SELECT sum(amount) FROM monthly WHERE day + interval '1 year' = '2025-02-28'", '190'],
    },
    {
      formula: 'YOY(SUM(amount), VALUE)',
      binding: on('monthly', { time: { column: 'day' } }),
      request: { time: { from: '2024-02-28', to: '2024-02-29' } },
      rows: ['80'],
      trapped: [
        "SELECT sum(amount) FROM monthly WHERE day >= date '2024-02-28' - interval '1 year' AND day < date '2024-02-29' - interval '1 year'",
        'null',
      ],
    },
    {
      formula: 'MOM(SUM(amount), VALUE)',
      binding: on('monthly', { time: { column: 'day' } }),
      request: { time: { from: '2024-03-01', to: '2024-04-01' } },
      rows: ['190'],
    },
  ],
  '12 days of 23 and 25 hours, and the day in Shanghai': [
    {
      formula: 'COUNT(*)',
      binding: tick('Europe/Paris'),
      request: days('2024-03-31', '2024-04-01'),
      rows: ['2024-03-31 46'],
      trapped: ["SELECT count(*) FROM tick WHERE (at AT TIME ZONE 'UTC')::date = '2024-03-31'", '48'],
    },
    { formula: 'COUNT(*)', binding: tick('Europe/Paris'), request: days('2024-10-27', '2024-10-28'), rows: ['2024-10-27 50'] },
    {
      formula: 'COUNT(*)',
      binding: tick('Asia/Shanghai'),
      request: month('2024-01-01', '2024-03-01'),
      rows: ['2024-02-01 1'],
    },
    {
      formula: 'COUNT(*)',
      binding: tick('Asia/Shanghai'),
      request: month('2024-01-01', '2024-03-01', { timezone: 'UTC' }),
      rows: ['2024-01-01 1'],
    },
  ],
  '13 columns of single precision': [
    {
      formula: 'SUM(x)',
      binding: { relation: { sql: 'SELECT x::real FROM measured' } },
      rows: ['1'],
    },
    {
      formula: 'SUM(x)',
      binding: { relation: { sql: "SELECT CASE who WHEN 'a' THEN 16777216 ELSE 1 END::real AS x FROM measured" } },
      rows: ['16777218'],
      trapped: ["SELECT sum(CASE who WHEN 'a' THEN 16777216 ELSE 1 END::real) FROM measured", '16777216'],
    },
  ],
  '14 integers above 2^53': [
    { formula: 'MAX(id)', binding: on('measured'), rows: ['9007199254740993'] },
    {
      formula: 'SUM(id)',
      binding: on('measured'),
      rows: ['9007199254740995'],
      trapped: ['SELECT sum(id::float8) FROM measured', '9007199254740994'],
    },
  ],
  '15 filters before the last row is taken, and before a conversion is credited': [
    {
      formula: 'LAST(balance BY account)',
      binding: on('account', { time: { column: 'day' } }),
      request: { filters: [{ field: 'balance', op: '<', value: 6 }] },
      rows: ['7'],
      trapped: [
        'SELECT sum(balance) FROM (SELECT DISTINCT ON (account) balance FROM account ORDER BY account, day DESC) AS a WHERE balance < 6',
        '2',
      ],
    },
    {
      formula: 'CONVERSION([访问] -> [购买] BY 用户 WITHIN 7 DAY, COUNT)',
      request: { filters: [{ field: 'page', op: '=', value: 'home' }] },
      rows: ['3'],
      trapped: [
        `SELECT count(*) FROM buy b JOIN LATERAL
             (SELECT page FROM visit v WHERE v.who = b.who AND v.at <= b.at ORDER BY v.at DESC LIMIT 1) AS v ON page = 'home'`,
        '2',
      ],
    },
    {
      // Two visits of the home page are followed by three purchases: a rate above one is right, and a warning says so.
      formula: 'CONVERSION([访问] -> [购买] BY 用户 WITHIN 7 DAY)',
      request: { filters: [{ field: 'page', op: '=', value: 'home' }] },
      rows: ['1.5'],
      warnings: ['RATE_ABOVE_ONE'],
    },
  ],
  '16 a share of all rows, not of those that a limit leaves': [
    {
      formula: 'SHARE(SUM(amount))',
      binding: on('tied'),
      request: { dimensions: ['key'], order: [{ by: 'value', dir: 'desc' }], limit: 2 },
      rows: ['e 0.285714286', 'a 0.142857143'],
      trapped: [
        'SELECT max(share) FROM (SELECT amount::numeric / sum(amount) OVER () AS share FROM (SELECT amount FROM tied ORDER BY 1 DESC LIMIT 2) a) b',
        '0.666666667',
      ],
    },
  ],
  '17 a grain finer than that of the binding': [
    {
      formula: 'COUNT(*)',
      binding: on('sale', { time: { column: 'day', min_grain: 'month' } }),
      request: { time: { grain: 'day' } },
      refused: ['body.time.grain grain_too_fine'],
    },
  ],
  '18 a dimension that the binding does not have': [
    {
      formula: 'COUNT(*)',
      binding: on('part'),
      request: { dimensions: ['regoin'] },
      refused: ['body.dimensions.0 unknown_dimension'],
      known: ['den', 'key', 'num'],
    },
  ],
  '19 pages of rows with equal values': [
    ['e 2', 'a 1'],
    ['b 1', 'c 1'],
    ['d 1', 'f 1'],
  ].map((rows, page) => ({
    formula: 'SUM(amount)',
    binding: on('tied'),
    request: { dimensions: ['key'], order: [{ by: 'value', dir: 'desc' }], limit: 2, offset: 2 * page },
    rows,
  })),
  '20 a Chinese metric, column and literal in one formula, with full-width punctuation': [
    {
      // 130 - 22 / 2: the full-width signs within the literal stay.
      formula: "求和（金额 条件 状态 ＝ '已，支付（全）'） － [退款] ／ 2",
      binding: { ...sale, columns: { 金额: 'amount', 状态: 'status' } },
      rows: ['119'],
    },
  ],
};
