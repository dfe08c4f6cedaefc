-- accumulate 1: the sum of the last 40 days at the end of each month
-- ROLLING(SUM(amount), 40 DAY), {"from":"2024-01-01","to":"2024-04-01","grain":"month","fill":"none","dimensions":[]} in Asia/Singapore
-- Rows
--   2024-01-01 | 56
--   2024-02-01 | 110
--   2024-03-01 | 82

-- == postgres == Risk: a range that cuts off the rows before it, which belong to the first window
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01, $4 = 101, $5 = 0
WITH "x0" AS (
  SELECT date_trunc('day', ("__time" AT TIME ZONE $1::text)) AS "day", SUM("amount") AS "m0"
  FROM (
    SELECT "s"."amount" AS "amount", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  WHERE "__time" >= LEAST(((((CASE WHEN $3::timestamp < (date_trunc('month', $2::timestamp) + interval '1 month') THEN LEAST((date_trunc('month', $2::timestamp) + interval '1 month'), (date_trunc('month', $2::timestamp) + ($3::timestamp - date_trunc('month', $2::timestamp)))) ELSE (date_trunc('month', $2::timestamp) + interval '1 month') END - interval '1 day') - interval '40 day') + interval '1 day') AT TIME ZONE $1::text), (((((CASE WHEN $3::timestamp < (date_trunc('month', $2::timestamp) + interval '1 month') THEN LEAST((date_trunc('month', $2::timestamp) + interval '1 month'), (date_trunc('month', $2::timestamp) + ($3::timestamp - date_trunc('month', $2::timestamp)))) ELSE (date_trunc('month', $2::timestamp) + interval '1 month') END - interval '1 day') - interval '40 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $1::text) + interval '1 hour') AND "__time" < LEAST((((CASE WHEN $3::timestamp < (date_trunc('month', ($3::timestamp - interval '1 day')) + interval '1 month') THEN LEAST((date_trunc('month', ($3::timestamp - interval '1 day')) + interval '1 month'), (date_trunc('month', ($3::timestamp - interval '1 day')) + ($3::timestamp - date_trunc('month', ($3::timestamp - interval '1 day'))))) ELSE (date_trunc('month', ($3::timestamp - interval '1 day')) + interval '1 month') END - interval '1 day') + interval '1 day') AT TIME ZONE $1::text), ((((CASE WHEN $3::timestamp < (date_trunc('month', ($3::timestamp - interval '1 day')) + interval '1 month') THEN LEAST((date_trunc('month', ($3::timestamp - interval '1 day')) + interval '1 month'), (date_trunc('month', ($3::timestamp - interval '1 day')) + ($3::timestamp - date_trunc('month', ($3::timestamp - interval '1 day'))))) ELSE (date_trunc('month', ($3::timestamp - interval '1 day')) + interval '1 month') END - interval '1 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $1::text) + interval '1 hour')
  GROUP BY 1
),
"p0" AS MATERIALIZED (
  SELECT to_char(s.day, 'YYYY-MM-DD') AS "__period", (((CASE WHEN $3::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($3::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') - interval '40 day') + interval '1 day') AS "__lower", ((CASE WHEN $3::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($3::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') AS "__upper"
  FROM generate_series(date_trunc('month', $2::timestamp), $3::timestamp - interval '1 microsecond', interval '1 month') AS s (day)
),
"f0" AS (
  SELECT "__p"."__period" AS "period", SUM("m0") AS "m0"
  FROM "p0" AS "__p" JOIN "x0" ON "day" >= "__p"."__lower" AND "day" < "__p"."__upper"
  GROUP BY 1
),
"r" AS (
  SELECT "period", "m0" AS "v0"
  FROM "f0"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST
LIMIT $4::bigint OFFSET $5::bigint;

-- == mysql == Risk: days of UTC in windows of Singapore
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-04-01, $3 = month, $4 = 2024-01-01, $5 = 1 month, $6 = 1 day, $7 = 40 day, $8 = 1 hour
SELECT to_char((LEAST(timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval)), (timezone($1::text, ((((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char((LEAST(timezone($1::text, ((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval)), (timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US');
-- Statement 1, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CAST(`g`.`day` AS CHAR) AS `c0`, CAST(`g`.`m0` AS CHAR) AS `c1`
FROM (
SELECT CAST(DATE((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) AS DATETIME(6)) AS `day`, SUM(`s`.`amount`) AS `m0`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
GROUP BY 1
) AS `g`;
-- The rest, on PostgreSQL
-- $1 = the rows of statement 1, $2 = 2024-04-01, $3 = 2024-01-01, $4 = 101, $5 = 0
WITH "x0" AS (
  SELECT "day" AS "day", "m0" AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("day" timestamp, "m0" numeric)
),
"p0" AS MATERIALIZED (
  SELECT to_char(s.day, 'YYYY-MM-DD') AS "__period", (((CASE WHEN $2::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($2::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') - interval '40 day') + interval '1 day') AS "__lower", ((CASE WHEN $2::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($2::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') AS "__upper"
  FROM generate_series(date_trunc('month', $3::timestamp), $2::timestamp - interval '1 microsecond', interval '1 month') AS s (day)
),
"f0" AS (
  SELECT "__p"."__period" AS "period", SUM("m0") AS "m0"
  FROM "p0" AS "__p" JOIN "x0" ON "day" >= "__p"."__lower" AND "day" < "__p"."__upper"
  GROUP BY 1
),
"r" AS (
  SELECT "period", "m0" AS "v0"
  FROM "f0"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST
LIMIT $4::bigint OFFSET $5::bigint;

-- == duckdb == Risk: as MySQL
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-04-01, $3 = month, $4 = 2024-01-01, $5 = 1 month, $6 = 1 day, $7 = 40 day, $8 = 1 hour
SELECT to_char((LEAST(timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval)), (timezone($1::text, ((((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char((LEAST(timezone($1::text, ((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval)), (timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US');
-- Statement 1, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."day" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1"
FROM (
SELECT CAST(date_trunc('day', timezone('Asia/Singapore', "s"."at")) AS TIMESTAMP) AS "day", SUM("s"."amount") AS "m0"
FROM "main"."sales" AS "s"
WHERE ("s"."at" >= CAST($1 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($2 || '+00' AS TIMESTAMPTZ))
GROUP BY 1
) AS "g";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: as MySQL
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-04-01, $3 = month, $4 = 2024-01-01, $5 = 1 month, $6 = 1 day, $7 = 40 day, $8 = 1 hour
SELECT to_char((LEAST(timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval)), (timezone($1::text, ((((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char((LEAST(timezone($1::text, ((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval)), (timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US');
-- Statement 1, on clickhouse
-- p1 = time 1, p2 = time 2
SELECT toString(`g`.`day`) AS `c0`, toString(`g`.`m0`) AS `c1`
FROM (
SELECT toDateTime64(toDate32(addSeconds(toDateTime64(`s`.`at`, 6, 'UTC'), timezoneOffset(toTimeZone(`s`.`at`, 'Asia/Singapore')))), 6, 'UTC') AS `day`, sum(toNullable(toInt128(`s`.`amount`))) AS `m0`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= toDateTime64({p1:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p2:String}, 6, 'UTC'))
GROUP BY 1
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql


-- accumulate 2: distinct keys of the last two months
-- ROLLING(COUNT(DISTINCT key), 2 MONTH), {"from":"2024-01-01","to":"2024-04-01","grain":"month","fill":"none","dimensions":[]} in Asia/Singapore
-- Rows
--   2024-01-01 | 2
--   2024-02-01 | 3
--   2024-03-01 | 3

-- == postgres == Risk: distinct counts of days that are added up
-- $1 = 2024-01-01, $2 = 2024-04-01, $3 = Asia/Singapore, $4 = 101, $5 = 0
WITH "p0" AS MATERIALIZED (
  SELECT to_char(s.day, 'YYYY-MM-DD') AS "__period", LEAST(((((CASE WHEN $2::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($2::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day') AT TIME ZONE $3::text), (((((CASE WHEN $2::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($2::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day') - interval '1 hour') AT TIME ZONE $3::text) + interval '1 hour') AS "__lower", LEAST((((CASE WHEN $2::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($2::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') AT TIME ZONE $3::text), ((((CASE WHEN $2::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($2::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $3::text) + interval '1 hour') AS "__upper"
  FROM generate_series(date_trunc('month', $1::timestamp), $2::timestamp - interval '1 microsecond', interval '1 month') AS s (day)
),
"f0" AS (
  SELECT "__p"."__period" AS "period", COUNT(DISTINCT "key") AS "m0"
  FROM (
    SELECT "s"."key" AS "key", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  JOIN "p0" AS "__p" ON "__time" >= "__p"."__lower" AND "__time" < "__p"."__upper"
  WHERE "__time" >= LEAST(((((CASE WHEN $2::timestamp < (date_trunc('month', $1::timestamp) + interval '1 month') THEN LEAST((date_trunc('month', $1::timestamp) + interval '1 month'), (date_trunc('month', $1::timestamp) + ($2::timestamp - date_trunc('month', $1::timestamp)))) ELSE (date_trunc('month', $1::timestamp) + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day') AT TIME ZONE $3::text), (((((CASE WHEN $2::timestamp < (date_trunc('month', $1::timestamp) + interval '1 month') THEN LEAST((date_trunc('month', $1::timestamp) + interval '1 month'), (date_trunc('month', $1::timestamp) + ($2::timestamp - date_trunc('month', $1::timestamp)))) ELSE (date_trunc('month', $1::timestamp) + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day') - interval '1 hour') AT TIME ZONE $3::text) + interval '1 hour') AND "__time" < LEAST((((CASE WHEN $2::timestamp < (date_trunc('month', ($2::timestamp - interval '1 day')) + interval '1 month') THEN LEAST((date_trunc('month', ($2::timestamp - interval '1 day')) + interval '1 month'), (date_trunc('month', ($2::timestamp - interval '1 day')) + ($2::timestamp - date_trunc('month', ($2::timestamp - interval '1 day'))))) ELSE (date_trunc('month', ($2::timestamp - interval '1 day')) + interval '1 month') END - interval '1 day') + interval '1 day') AT TIME ZONE $3::text), ((((CASE WHEN $2::timestamp < (date_trunc('month', ($2::timestamp - interval '1 day')) + interval '1 month') THEN LEAST((date_trunc('month', ($2::timestamp - interval '1 day')) + interval '1 month'), (date_trunc('month', ($2::timestamp - interval '1 day')) + ($2::timestamp - date_trunc('month', ($2::timestamp - interval '1 day'))))) ELSE (date_trunc('month', ($2::timestamp - interval '1 day')) + interval '1 month') END - interval '1 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $3::text) + interval '1 hour')
  GROUP BY 1
),
"r" AS (
  SELECT "period", "m0" AS "v0"
  FROM "f0"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST
LIMIT $4::bigint OFFSET $5::bigint;

-- == mysql == Risk: the same; only days come from another database
-- not_in_dialect: MySQL cannot exactly compute COUNT DISTINCT over CUMULATIVE, TO_DATE or ROLLING; write it another way, or copy the table into the mirror and bind the copy

-- == duckdb == Risk: the same
-- not_in_dialect: DuckDB cannot exactly compute COUNT DISTINCT over CUMULATIVE, TO_DATE or ROLLING; write it another way, or copy the table into the mirror and bind the copy

-- == clickhouse == Risk: the same
-- not_in_dialect: ClickHouse cannot exactly compute COUNT DISTINCT over CUMULATIVE, TO_DATE or ROLLING; write it another way, or copy the table into the mirror and bind the copy
