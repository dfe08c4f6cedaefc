// One question of each pattern, and the best SQL by hand for it. In the SQL, `T`, `V` and `B` stand for the tables of sales, visits and
// buys.
export const range = { from: '2024-01-01', to: '2025-01-01' };
const inRange = "day >= date '2024-01-01' AND day < date '2025-01-01'";
// Without the cast to timestamp, date_trunc would compute in the session's time zone, which is slower.
const month = "date_trunc('month', day::timestamp)::date";
const monthly = { time: { ...range, grain: 'month' } };
const byRegion = { dimensions: ['region'], time: range };

export const questions = {
  aggregate: {
    formula: "SUM(amount WHERE status = 'paid')",
    request: { ...monthly, dimensions: ['region'] },
    sql: `SELECT ${month}, region, sum(amount) FILTER (WHERE status = 'paid') FROM T WHERE ${inRange} GROUP BY 1, 2`,
  },
  count_distinct: {
    formula: 'COUNT(DISTINCT customer_id)',
    request: byRegion,
    sql: `SELECT region, count(DISTINCT customer_id) FROM T WHERE ${inRange} GROUP BY 1`,
  },
  quantile: {
    formula: 'PERCENTILE(amount, 0.95)',
    request: byRegion,
    sql: `SELECT region, percentile_cont(0.95) WITHIN GROUP (ORDER BY amount) FROM T WHERE ${inRange} GROUP BY 1`,
  },
  weighted_average: {
    formula: 'WAVG(amount, quantity)',
    request: byRegion,
    sql: `SELECT region, sum(amount * quantity) FILTER (WHERE amount IS NOT NULL AND quantity IS NOT NULL)
        / nullif(sum(quantity) FILTER (WHERE amount IS NOT NULL AND quantity IS NOT NULL), 0)
      FROM T WHERE ${inRange} GROUP BY 1`,
  },
  ratio: {
    formula: 'SUM(amount) / COUNT(DISTINCT day)',
    request: byRegion,
    sql: `SELECT region, sum(amount) / nullif(count(DISTINCT day), 0) FROM T WHERE ${inRange} GROUP BY 1`,
  },
  arithmetic: {
    formula: '[amount] - [quantity] * 2',
    request: { ...monthly, dimensions: ['region'] },
    sql: `SELECT ${month}, region, sum(amount) - sum(quantity) * 2 FROM T WHERE ${inRange} GROUP BY 1, 2`,
  },
  accumulate: {
    formula: 'ROLLING([amount], 7 DAY)',
    request: { time: { ...range, grain: 'day' } },
    sql: `SELECT day, value FROM (
        SELECT day, sum(sum(amount)) OVER (ORDER BY day RANGE BETWEEN interval '6 days' PRECEDING AND CURRENT ROW) AS value
        FROM T WHERE day > date '2023-12-25' AND day < date '2025-01-01' GROUP BY day) AS d WHERE ${inRange}`,
  },
  period_over_period: {
    formula: 'YOY([amount])',
    request: monthly,
    sql: `SELECT period, (value - before) / nullif(before, 0) FROM (
        SELECT period, value, lag(value, 12) OVER (ORDER BY period) AS before FROM (
          SELECT ${month} AS period, sum(amount) AS value FROM T
          WHERE day >= date '2023-01-01' AND day < date '2025-01-01' GROUP BY 1) AS m) AS c WHERE period >= date '2024-01-01'`,
  },
  share_of_total: {
    formula: 'SHARE([amount])',
    request: byRegion,
    sql: `SELECT region, sum(amount) / nullif(sum(sum(amount)) OVER (), 0) FROM T WHERE ${inRange} GROUP BY 1`,
  },
  conversion: {
    formula: 'CONVERSION([visits] -> [buys] BY customer WITHIN 7 DAY)',
    request: monthly,
    // One sort of visits and buys together finds the latest visit at or before each buy.
    sql: `SELECT ${month}, sum(credited) / nullif(count(*) FILTER (WHERE kind = 0), 0)
      FROM (
        SELECT kind, CASE WHEN kind = 0 THEN day ELSE visited END AS day,
          CASE WHEN kind = 1 AND visited > day - 7 THEN 1.0 ELSE 0 END AS credited
        FROM (
          SELECT kind, day, max(day) FILTER (WHERE kind = 0) OVER (PARTITION BY customer_id ORDER BY day, kind) AS visited
          FROM (SELECT 0 AS kind, customer_id, day FROM V WHERE ${inRange}
            UNION ALL SELECT 1, customer_id, day FROM B WHERE day >= date '2024-01-01' AND day < date '2025-01-08') AS e
        ) AS l WHERE kind = 0 OR visited > day - 7
      ) AS c GROUP BY 1`,
  },
};

/** The INSERT statements by table: `rows` sales over the two years before 2025, half as many visits and a tenth as many buys. */
export function tablesOf(schema, rows) {
  const day = "date '2023-01-01' + (hashint8(i * 7) & 1048575) % 731";
  const customer = '(hashint8(i * 31) & 1048575) % greatest($rows / 20, 10)'.replace('$rows', String(rows));
  const sales = `${day} AS day, '地区' || (hashint8(i * 3) & 1023) % 20 AS region, ${customer} AS customer_id,
    ((hashint8(i * 11) & 1048575) % 100000) / 100.0 AS amount, nullif(i % 10, 0)::int AS quantity,
    (ARRAY['paid', 'open', 'refunded'])[1 + i % 3] AS status`;
  const create = (name, columns, count) =>
    `INSERT INTO ${schema}.${name} SELECT ${columns} FROM generate_series(1, ${Math.max(1, Math.floor(count))}::bigint) AS i`;
  return [
    ['bench_sales', create('bench_sales', sales, rows)],
    ['bench_visits', create('bench_visits', `${day} AS day, ${customer} AS customer_id`, rows / 2)],
    ['bench_buys', create('bench_buys', `date '2023-01-01' + (hashint8(i * 13) & 1048575) % 731, ${customer}`, rows / 10)],
  ];
}

export const columns = {
  bench_sales: 'day:date,region:text,customer_id:integer,amount:numeric,quantity:integer,status:text',
  bench_visits: 'day:date,customer_id:integer',
  bench_buys: 'day:date,customer_id:integer',
};
