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
SELECT to_char((LEAST(timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval)), (timezone($1::text, ((((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((LEAST(timezone($1::text, ((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval)), (timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
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
SELECT to_char((LEAST(timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval)), (timezone($1::text, ((((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((LEAST(timezone($1::text, ((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval)), (timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
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
SELECT to_char((LEAST(timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval)), (timezone($1::text, ((((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((LEAST(timezone($1::text, ((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval)), (timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
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
  SELECT to_char(s.day, 'YYYY-MM-DD') AS "__period", LEAST((GREATEST((((CASE WHEN $2::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($2::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day'), (((CASE WHEN $2::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($2::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '2 month')) AT TIME ZONE $3::text), ((GREATEST((((CASE WHEN $2::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($2::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day'), (((CASE WHEN $2::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($2::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '2 month')) - interval '1 hour') AT TIME ZONE $3::text) + interval '1 hour') AS "__lower", LEAST((((CASE WHEN $2::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($2::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') AT TIME ZONE $3::text), ((((CASE WHEN $2::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($2::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $3::text) + interval '1 hour') AS "__upper"
  FROM generate_series(date_trunc('month', $1::timestamp), $2::timestamp - interval '1 microsecond', interval '1 month') AS s (day)
),
"f0" AS (
  SELECT "__p"."__period" AS "period", COUNT(DISTINCT "key") AS "m0"
  FROM (
    SELECT "s"."key" AS "key", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  JOIN "p0" AS "__p" ON "__time" >= "__p"."__lower" AND "__time" < "__p"."__upper"
  WHERE "__time" >= LEAST((GREATEST((((CASE WHEN $2::timestamp < (date_trunc('month', $1::timestamp) + interval '1 month') THEN LEAST((date_trunc('month', $1::timestamp) + interval '1 month'), (date_trunc('month', $1::timestamp) + ($2::timestamp - date_trunc('month', $1::timestamp)))) ELSE (date_trunc('month', $1::timestamp) + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day'), (((CASE WHEN $2::timestamp < (date_trunc('month', $1::timestamp) + interval '1 month') THEN LEAST((date_trunc('month', $1::timestamp) + interval '1 month'), (date_trunc('month', $1::timestamp) + ($2::timestamp - date_trunc('month', $1::timestamp)))) ELSE (date_trunc('month', $1::timestamp) + interval '1 month') END - interval '1 day') + interval '1 day') - interval '2 month')) AT TIME ZONE $3::text), ((GREATEST((((CASE WHEN $2::timestamp < (date_trunc('month', $1::timestamp) + interval '1 month') THEN LEAST((date_trunc('month', $1::timestamp) + interval '1 month'), (date_trunc('month', $1::timestamp) + ($2::timestamp - date_trunc('month', $1::timestamp)))) ELSE (date_trunc('month', $1::timestamp) + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day'), (((CASE WHEN $2::timestamp < (date_trunc('month', $1::timestamp) + interval '1 month') THEN LEAST((date_trunc('month', $1::timestamp) + interval '1 month'), (date_trunc('month', $1::timestamp) + ($2::timestamp - date_trunc('month', $1::timestamp)))) ELSE (date_trunc('month', $1::timestamp) + interval '1 month') END - interval '1 day') + interval '1 day') - interval '2 month')) - interval '1 hour') AT TIME ZONE $3::text) + interval '1 hour') AND "__time" < LEAST((((CASE WHEN $2::timestamp < (date_trunc('month', ($2::timestamp - interval '1 day')) + interval '1 month') THEN LEAST((date_trunc('month', ($2::timestamp - interval '1 day')) + interval '1 month'), (date_trunc('month', ($2::timestamp - interval '1 day')) + ($2::timestamp - date_trunc('month', ($2::timestamp - interval '1 day'))))) ELSE (date_trunc('month', ($2::timestamp - interval '1 day')) + interval '1 month') END - interval '1 day') + interval '1 day') AT TIME ZONE $3::text), ((((CASE WHEN $2::timestamp < (date_trunc('month', ($2::timestamp - interval '1 day')) + interval '1 month') THEN LEAST((date_trunc('month', ($2::timestamp - interval '1 day')) + interval '1 month'), (date_trunc('month', ($2::timestamp - interval '1 day')) + ($2::timestamp - date_trunc('month', ($2::timestamp - interval '1 day'))))) ELSE (date_trunc('month', ($2::timestamp - interval '1 day')) + interval '1 month') END - interval '1 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $3::text) + interval '1 hour')
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

-- == mysql == Risk: the same; a window that the other database would have to find by itself
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-04-01, $3 = month, $4 = 2024-01-01, $5 = 1 month, $6 = 1 day, $7 = 2 month, $8 = 1 hour
SELECT to_char((LEAST(timezone($1::text, GREATEST((((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval), (((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($7::text)::interval))), (timezone($1::text, (GREATEST((((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval), (((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($7::text)::interval)) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((LEAST(timezone($1::text, ((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval)), (timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- The list of statement 1, on PostgreSQL
-- $1 = 2024-04-01, $2 = Asia/Singapore, $3 = 2024-01-01
SELECT COALESCE(jsonb_agg(jsonb_build_array("c0", "c1", "c2")), '[]')::text, COUNT(*), COALESCE(SUM(num_nulls("c0", "c1", "c2")), 0)
FROM (SELECT "__period"::text AS "c0", CASE WHEN "__lower" AT TIME ZONE 'UTC' >= '0001-01-01' AND "__lower" AT TIME ZONE 'UTC' < '10000-01-01' THEN replace(to_char("__lower" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '.000000', '') END AS "c1", CASE WHEN "__upper" AT TIME ZONE 'UTC' >= '0001-01-01' AND "__upper" AT TIME ZONE 'UTC' < '10000-01-01' THEN replace(to_char("__upper" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '.000000', '') END AS "c2" FROM (
SELECT to_char(s.day, 'YYYY-MM-DD') AS "__period", LEAST((GREATEST((((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day'), (((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '2 month')) AT TIME ZONE $2::text), ((GREATEST((((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day'), (((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '2 month')) - interval '1 hour') AT TIME ZONE $2::text) + interval '1 hour') AS "__lower", LEAST((((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') AT TIME ZONE $2::text), ((((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $2::text) + interval '1 hour') AS "__upper"
  FROM generate_series(date_trunc('month', $3::timestamp), $1::timestamp - interval '1 microsecond', interval '1 month') AS s (day)
) AS l LIMIT 50001) AS t;
-- Statement 1, on mysql
-- ? = the list, ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CONVERT(`g`.`period` USING utf8mb4) AS `c0`, CAST(`g`.`m0` AS CHAR) AS `c1`
FROM (
SELECT `__p`.`__period` AS `period`, COUNT(DISTINCT `s`.`key`) AS `m0`
FROM `sales`.`sales` AS `s`
CROSS JOIN (SELECT CAST(CONVERT(`c0` USING utf8mb4) AS BINARY) AS `__period`, CAST(`c1` AS DATETIME(6)) AS `__lower`, CAST(`c2` AS DATETIME(6)) AS `__upper` FROM JSON_TABLE(?, '$[*]' COLUMNS (`c0` LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', `c1` LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', `c2` LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]')) AS `l`) AS `__p`
WHERE ((NULLIF(`s`.`at`, 0) >= `__p`.`__lower`) AND (NULLIF(`s`.`at`, 0) < `__p`.`__upper`))
  AND (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
GROUP BY 1
) AS `g`;
-- The rest, on PostgreSQL
-- $1 = the rows of statement 1, $2 = 101, $3 = 0
WITH "f0" AS (
  SELECT "period" AS "period", "m0" AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("period" text, "m0" bigint)
),
"r" AS (
  SELECT "period", "m0" AS "v0"
  FROM "f0"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST
LIMIT $2::bigint OFFSET $3::bigint;

-- == duckdb == Risk: the same; a bound of UTC
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-04-01, $3 = month, $4 = 2024-01-01, $5 = 1 month, $6 = 1 day, $7 = 2 month, $8 = 1 hour
SELECT to_char((LEAST(timezone($1::text, GREATEST((((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval), (((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($7::text)::interval))), (timezone($1::text, (GREATEST((((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval), (((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($7::text)::interval)) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((LEAST(timezone($1::text, ((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval)), (timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- The list of statement 1, on PostgreSQL
-- $1 = 2024-04-01, $2 = Asia/Singapore, $3 = 2024-01-01
SELECT COALESCE(jsonb_agg(jsonb_build_array("c0", "c1", "c2")), '[]')::text, COUNT(*), COALESCE(SUM(num_nulls("c0", "c1", "c2")), 0)
FROM (SELECT "__period"::text AS "c0", CASE WHEN "__lower" AT TIME ZONE 'UTC' >= '0001-01-01' AND "__lower" AT TIME ZONE 'UTC' < '10000-01-01' THEN replace(to_char("__lower" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '.000000', '') END AS "c1", CASE WHEN "__upper" AT TIME ZONE 'UTC' >= '0001-01-01' AND "__upper" AT TIME ZONE 'UTC' < '10000-01-01' THEN replace(to_char("__upper" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '.000000', '') END AS "c2" FROM (
SELECT to_char(s.day, 'YYYY-MM-DD') AS "__period", LEAST((GREATEST((((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day'), (((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '2 month')) AT TIME ZONE $2::text), ((GREATEST((((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day'), (((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '2 month')) - interval '1 hour') AT TIME ZONE $2::text) + interval '1 hour') AS "__lower", LEAST((((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') AT TIME ZONE $2::text), ((((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $2::text) + interval '1 hour') AS "__upper"
  FROM generate_series(date_trunc('month', $3::timestamp), $1::timestamp - interval '1 microsecond', interval '1 month') AS s (day)
) AS l LIMIT 50001) AS t;
-- Statement 1, on duckdb
-- $1 = the list, $2 = time 1, $3 = time 2
SELECT CAST("g"."period" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1"
FROM (
SELECT "__p"."__period" AS "period", COUNT(DISTINCT "s"."key") AS "m0"
FROM "main"."sales" AS "s"
CROSS JOIN (SELECT CAST("c0" AS VARCHAR) AS "__period", CAST("c1" || '+00' AS TIMESTAMPTZ) AS "__lower", CAST("c2" || '+00' AS TIMESTAMPTZ) AS "__upper" FROM (SELECT r[1] AS "c0", r[2] AS "c1", r[3] AS "c2" FROM (SELECT unnest(from_json($1, '[["VARCHAR"]]')) AS r) AS j) AS "l") AS "__p"
WHERE (("s"."at" >= "__p"."__lower") AND ("s"."at" < "__p"."__upper"))
  AND ("s"."at" >= CAST($2 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($3 || '+00' AS TIMESTAMPTZ))
GROUP BY 1
) AS "g";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: the same as DuckDB
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-04-01, $3 = month, $4 = 2024-01-01, $5 = 1 month, $6 = 1 day, $7 = 2 month, $8 = 1 hour
SELECT to_char((LEAST(timezone($1::text, GREATEST((((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval), (((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($7::text)::interval))), (timezone($1::text, (GREATEST((((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) - ($7::text)::interval) + ($6::text)::interval), (((CASE WHEN ($2::timestamp < (date_trunc($3::text, $4::timestamp) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, $4::timestamp) + ($5::text)::interval), (date_trunc($3::text, $4::timestamp) + ($2::timestamp - date_trunc($3::text, $4::timestamp)))) ELSE (date_trunc($3::text, $4::timestamp) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($7::text)::interval)) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((LEAST(timezone($1::text, ((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval)), (timezone($1::text, (((CASE WHEN ($2::timestamp < (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval)) THEN LEAST((date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval), (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($2::timestamp - date_trunc($3::text, ($2::timestamp - ($6::text)::interval))))) ELSE (date_trunc($3::text, ($2::timestamp - ($6::text)::interval)) + ($5::text)::interval) END - ($6::text)::interval) + ($6::text)::interval) - ($8::text)::interval)) + ($8::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- The list of statement 1, on PostgreSQL
-- $1 = 2024-04-01, $2 = Asia/Singapore, $3 = 2024-01-01
SELECT COALESCE(jsonb_agg(jsonb_build_array("c0", "c1", "c2")), '[]')::text, COUNT(*), COALESCE(SUM(num_nulls("c0", "c1", "c2")), 0)
FROM (SELECT "__period"::text AS "c0", CASE WHEN "__lower" AT TIME ZONE 'UTC' >= '0001-01-01' AND "__lower" AT TIME ZONE 'UTC' < '10000-01-01' THEN replace(to_char("__lower" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '.000000', '') END AS "c1", CASE WHEN "__upper" AT TIME ZONE 'UTC' >= '0001-01-01' AND "__upper" AT TIME ZONE 'UTC' < '10000-01-01' THEN replace(to_char("__upper" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '.000000', '') END AS "c2" FROM (
SELECT to_char(s.day, 'YYYY-MM-DD') AS "__period", LEAST((GREATEST((((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day'), (((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '2 month')) AT TIME ZONE $2::text), ((GREATEST((((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') - interval '2 month') + interval '1 day'), (((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '2 month')) - interval '1 hour') AT TIME ZONE $2::text) + interval '1 hour') AS "__lower", LEAST((((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') AT TIME ZONE $2::text), ((((CASE WHEN $1::timestamp < (s.day + interval '1 month') THEN LEAST((s.day + interval '1 month'), (s.day + ($1::timestamp - s.day))) ELSE (s.day + interval '1 month') END - interval '1 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $2::text) + interval '1 hour') AS "__upper"
  FROM generate_series(date_trunc('month', $3::timestamp), $1::timestamp - interval '1 microsecond', interval '1 month') AS s (day)
) AS l LIMIT 50001) AS t;
-- Statement 1, on clickhouse
-- p1 = part 1 of the list, p2 = part 2 of the list, p3 = part 3 of the list, p4 = part 4 of the list, p5 = part 5 of the list, p6 = part 6 of the list, p7 = part 7 of the list, p8 = part 8 of the list, p9 = part 9 of the list, p10 = part 10 of the list, p11 = part 11 of the list, p12 = part 12 of the list, p13 = part 13 of the list, p14 = part 14 of the list, p15 = part 15 of the list, p16 = part 16 of the list, p17 = time 1, p18 = time 2
SELECT toString(`g`.`period`) AS `c0`, toString(`g`.`m0`) AS `c1`
FROM (
SELECT `__p`.`__period` AS `period`, uniqExact(`s`.`key`) AS `m0`
FROM `sales`.`sales` AS `s`
CROSS JOIN (SELECT `c0` AS `__period`, toDateTime64(`c1`, 6, 'UTC') AS `__lower`, toDateTime64(`c2`, 6, 'UTC') AS `__upper` FROM (SELECT r[1] AS `c0`, r[2] AS `c1`, r[3] AS `c2` FROM (SELECT arrayJoin(JSONExtract(concat({p1:String}, {p2:String}, {p3:String}, {p4:String}, {p5:String}, {p6:String}, {p7:String}, {p8:String}, {p9:String}, {p10:String}, {p11:String}, {p12:String}, {p13:String}, {p14:String}, {p15:String}, {p16:String}), 'Array(Array(String))')) AS r) AS j) AS `l`) AS `__p`
WHERE ((`s`.`at` >= `__p`.`__lower`) AND (`s`.`at` < `__p`.`__upper`))
  AND (`s`.`at` >= toDateTime64({p17:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p18:String}, 6, 'UTC'))
GROUP BY 1
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql


-- accumulate 3: the last amount of each key up to the end of each month, without a range
-- CUMULATIVE(LAST(amount BY key)), {"dimensions":[],"grain":"month","fill":"none","from":null,"to":null} in Asia/Singapore
-- Rows
--   2023-12-01 | 16
--   2024-01-01 | 40
--   2024-02-01 | 110
--   2024-03-01 | 82
--   2024-04-01 | 1042

-- == postgres == Risk: a month without rows
-- $1 = Asia/Singapore, $2 = 101, $3 = 0
WITH "x0" AS (
  SELECT MIN(("__time" AT TIME ZONE $1::text)) AS "first", MAX(("__time" AT TIME ZONE $1::text)) AS "last"
  FROM (
    SELECT "s"."amount" AS "amount", "s"."key" AS "key", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
),
"h" AS (
  SELECT date_trunc('month', MIN("day")) AS "first", (MAX("day") + interval '1 day') AS "end"
  FROM (SELECT date_trunc('day', "first") AS "day" FROM "x0" UNION ALL SELECT date_trunc('day', "last") FROM "x0") AS d
  WHERE isfinite("day")
),
"p0" AS MATERIALIZED (
  SELECT (to_char(s.day, 'YYYY-MM-DD') || CASE WHEN s.day < '0001-01-01' THEN ' BC' ELSE '' END) AS "__period", LEAST(((((s.day + interval '1 month') - interval '1 day') + interval '1 day') AT TIME ZONE $1::text), (((((s.day + interval '1 month') - interval '1 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $1::text) + interval '1 hour') AS "__upper"
  FROM "h" CROSS JOIN LATERAL generate_series("first", LEAST("end", ("first" + interval '10000 month')) - interval '1 microsecond', interval '1 month') AS s (day)
),
"f0" AS (
  SELECT "__group0" AS "period", SUM("amount") FILTER (WHERE "__pick_m0") AS "m0"
  FROM (
    SELECT *, "__p"."__period" AS "__group0", ("__time" = MAX("__time") OVER (PARTITION BY "__p"."__period", "key")) AS "__pick_m0"
    FROM (
    SELECT "s"."amount" AS "amount", "s"."key" AS "key", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  JOIN "p0" AS "__p" ON "__time" < "__p"."__upper"
  ) AS "s"
  GROUP BY 1
),
"r" AS (
  SELECT "period", "m0" AS "v0", COALESCE((SELECT "end" > ("first" + interval '10000 month') FROM "h"), FALSE) AS "w0"
  FROM "f0"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value", "r"."w0"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST
LIMIT $2::bigint OFFSET $3::bigint;

-- == mysql == Risk: periods that are known only when the first and the last time have been read
-- Statement 1, on mysql
SELECT CAST(`g`.`first` AS CHAR) AS `c0`, CAST(`g`.`last` AS CHAR) AS `c1`
FROM (
SELECT MIN((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) AS `first`, MAX((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) AS `last`
FROM `sales`.`sales` AS `s`
) AS `g`;
-- The list of statement 2, on PostgreSQL
-- $1 = the rows of statement 1, $2 = Asia/Singapore
SELECT COALESCE(jsonb_agg(jsonb_build_array("c0", "c1")), '[]')::text, COUNT(*), COALESCE(SUM(num_nulls("c0", "c1")), 0)
FROM (SELECT "__period"::text AS "c0", CASE WHEN "__upper" AT TIME ZONE 'UTC' >= '0001-01-01' AND "__upper" AT TIME ZONE 'UTC' < '10000-01-01' THEN replace(to_char("__upper" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '.000000', '') END AS "c1" FROM (
WITH "x0" AS (
  SELECT "first" AS "first", "last" AS "last"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("first" timestamp, "last" timestamp)
),
"h" AS (
  SELECT date_trunc('month', MIN("day")) AS "first", (MAX("day") + interval '1 day') AS "end"
  FROM (SELECT date_trunc('day', "first") AS "day" FROM "x0" UNION ALL SELECT date_trunc('day', "last") FROM "x0") AS d
  WHERE isfinite("day")
)
SELECT to_char(s.day, 'YYYY-MM-DD') AS "__period", LEAST(((((s.day + interval '1 month') - interval '1 day') + interval '1 day') AT TIME ZONE $2::text), (((((s.day + interval '1 month') - interval '1 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $2::text) + interval '1 hour') AS "__upper"
  FROM "h" CROSS JOIN LATERAL generate_series("first", LEAST("end", ("first" + interval '10000 month')) - interval '1 microsecond', interval '1 month') AS s (day)
) AS l LIMIT 50001) AS t;
-- Statement 2, on mysql
-- ? = the list
SELECT CONVERT(`g`.`period` USING utf8mb4) AS `c0`, CAST(`g`.`m0` AS CHAR) AS `c1`
FROM (
SELECT `s`.`__group0` AS `period`, SUM((CASE WHEN `s`.`__pick_m0` THEN `s`.`amount` END)) AS `m0`
FROM (
SELECT `s`.`amount` AS `amount`, `s`.`key` AS `key`, NULLIF(`s`.`at`, 0) AS `__time`, `__p`.`__period` AS `__period`, `__p`.`__upper` AS `__upper`, `__p`.`__period` AS `__group0`, (NULLIF(`s`.`at`, 0) = MAX(NULLIF(`s`.`at`, 0)) OVER (PARTITION BY IF(LENGTH(`__p`.`__period`) > @@max_sort_length - 8, (SELECT X'00' UNION ALL SELECT X'01'), `__p`.`__period`), `s`.`key`)) AS `__pick_m0`
FROM `sales`.`sales` AS `s`
CROSS JOIN (SELECT CAST(CONVERT(`c0` USING utf8mb4) AS BINARY) AS `__period`, CAST(`c1` AS DATETIME(6)) AS `__upper` FROM JSON_TABLE(?, '$[*]' COLUMNS (`c0` LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', `c1` LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]')) AS `l`) AS `__p`
WHERE (NULLIF(`s`.`at`, 0) < `__p`.`__upper`)
) AS `s`
GROUP BY 1
) AS `g`;
-- The rest, on PostgreSQL
-- $1 = the rows of statement 1, $2 = the rows of statement 2, $3 = 101, $4 = 0
WITH "x0" AS (
  SELECT "first" AS "first", "last" AS "last"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("first" timestamp, "last" timestamp)
),
"h" AS (
  SELECT date_trunc('month', MIN("day")) AS "first", (MAX("day") + interval '1 day') AS "end"
  FROM (SELECT date_trunc('day', "first") AS "day" FROM "x0" UNION ALL SELECT date_trunc('day', "last") FROM "x0") AS d
  WHERE isfinite("day")
),
"f0" AS (
  SELECT "period" AS "period", "m0" AS "m0"
  FROM jsonb_to_recordset($2::jsonb) AS "rows" ("period" text, "m0" numeric)
),
"r" AS (
  SELECT "period", "m0" AS "v0", COALESCE((SELECT "end" > ("first" + interval '10000 month') FROM "h"), FALSE) AS "w0"
  FROM "f0"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value", "r"."w0"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST
LIMIT $3::bigint OFFSET $4::bigint;

-- == duckdb == Risk: the same
-- Statement 1, on duckdb
SELECT CAST("g"."first" AS VARCHAR) AS "c0", CAST("g"."last" AS VARCHAR) AS "c1"
FROM (
SELECT MIN(timezone('Asia/Singapore', "s"."at")) AS "first", MAX(timezone('Asia/Singapore', "s"."at")) AS "last"
FROM "main"."sales" AS "s"
) AS "g";
-- The list of statement 2, on PostgreSQL
-- $1 = the rows of statement 1, $2 = Asia/Singapore
SELECT COALESCE(jsonb_agg(jsonb_build_array("c0", "c1")), '[]')::text, COUNT(*), COALESCE(SUM(num_nulls("c0", "c1")), 0)
FROM (SELECT "__period"::text AS "c0", CASE WHEN "__upper" AT TIME ZONE 'UTC' >= '0001-01-01' AND "__upper" AT TIME ZONE 'UTC' < '10000-01-01' THEN replace(to_char("__upper" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '.000000', '') END AS "c1" FROM (
WITH "x0" AS (
  SELECT "first" AS "first", "last" AS "last"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("first" timestamp, "last" timestamp)
),
"h" AS (
  SELECT date_trunc('month', MIN("day")) AS "first", (MAX("day") + interval '1 day') AS "end"
  FROM (SELECT date_trunc('day', "first") AS "day" FROM "x0" UNION ALL SELECT date_trunc('day', "last") FROM "x0") AS d
  WHERE isfinite("day")
)
SELECT to_char(s.day, 'YYYY-MM-DD') AS "__period", LEAST(((((s.day + interval '1 month') - interval '1 day') + interval '1 day') AT TIME ZONE $2::text), (((((s.day + interval '1 month') - interval '1 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $2::text) + interval '1 hour') AS "__upper"
  FROM "h" CROSS JOIN LATERAL generate_series("first", LEAST("end", ("first" + interval '10000 month')) - interval '1 microsecond', interval '1 month') AS s (day)
) AS l LIMIT 50001) AS t;
-- Statement 2, on duckdb
-- $1 = the list
SELECT CAST("g"."period" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1"
FROM (
SELECT "s"."__group0" AS "period", SUM((CASE WHEN "s"."__pick_m0" THEN "s"."amount" END)) AS "m0"
FROM (
SELECT "s"."amount" AS "amount", "s"."key" AS "key", "s"."at" AS "__time", "__p"."__period" AS "__period", "__p"."__upper" AS "__upper", "__p"."__period" AS "__group0", ("s"."at" = MAX("s"."at") OVER (PARTITION BY "__p"."__period", "s"."key")) AS "__pick_m0"
FROM "main"."sales" AS "s"
CROSS JOIN (SELECT CAST("c0" AS VARCHAR) AS "__period", CAST("c1" || '+00' AS TIMESTAMPTZ) AS "__upper" FROM (SELECT r[1] AS "c0", r[2] AS "c1" FROM (SELECT unnest(from_json($1, '[["VARCHAR"]]')) AS r) AS j) AS "l") AS "__p"
WHERE ("s"."at" < "__p"."__upper")
) AS "s"
GROUP BY 1
) AS "g";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: the same
-- Statement 1, on clickhouse
SELECT toString(`g`.`first`) AS `c0`, toString(`g`.`last`) AS `c1`
FROM (
SELECT MIN(toNullable(addSeconds(toDateTime64(`s`.`at`, 6, 'UTC'), timezoneOffset(toTimeZone(`s`.`at`, 'Asia/Singapore'))))) AS `first`, MAX(toNullable(addSeconds(toDateTime64(`s`.`at`, 6, 'UTC'), timezoneOffset(toTimeZone(`s`.`at`, 'Asia/Singapore'))))) AS `last`
FROM `sales`.`sales` AS `s`
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The list of statement 2, on PostgreSQL
-- $1 = the rows of statement 1, $2 = Asia/Singapore
SELECT COALESCE(jsonb_agg(jsonb_build_array("c0", "c1")), '[]')::text, COUNT(*), COALESCE(SUM(num_nulls("c0", "c1")), 0)
FROM (SELECT "__period"::text AS "c0", CASE WHEN "__upper" AT TIME ZONE 'UTC' >= '0001-01-01' AND "__upper" AT TIME ZONE 'UTC' < '10000-01-01' THEN replace(to_char("__upper" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '.000000', '') END AS "c1" FROM (
WITH "x0" AS (
  SELECT "first" AS "first", "last" AS "last"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("first" timestamp, "last" timestamp)
),
"h" AS (
  SELECT date_trunc('month', MIN("day")) AS "first", (MAX("day") + interval '1 day') AS "end"
  FROM (SELECT date_trunc('day', "first") AS "day" FROM "x0" UNION ALL SELECT date_trunc('day', "last") FROM "x0") AS d
  WHERE isfinite("day")
)
SELECT to_char(s.day, 'YYYY-MM-DD') AS "__period", LEAST(((((s.day + interval '1 month') - interval '1 day') + interval '1 day') AT TIME ZONE $2::text), (((((s.day + interval '1 month') - interval '1 day') + interval '1 day') - interval '1 hour') AT TIME ZONE $2::text) + interval '1 hour') AS "__upper"
  FROM "h" CROSS JOIN LATERAL generate_series("first", LEAST("end", ("first" + interval '10000 month')) - interval '1 microsecond', interval '1 month') AS s (day)
) AS l LIMIT 50001) AS t;
-- Statement 2, on clickhouse
-- p1 = part 1 of the list, p2 = part 2 of the list, p3 = part 3 of the list, p4 = part 4 of the list, p5 = part 5 of the list, p6 = part 6 of the list, p7 = part 7 of the list, p8 = part 8 of the list, p9 = part 9 of the list, p10 = part 10 of the list, p11 = part 11 of the list, p12 = part 12 of the list, p13 = part 13 of the list, p14 = part 14 of the list, p15 = part 15 of the list, p16 = part 16 of the list
SELECT toString(`g`.`period`) AS `c0`, toString(`g`.`m0`) AS `c1`
FROM (
SELECT `s`.`__group0` AS `period`, sum(toNullable(toInt128((CASE WHEN `s`.`__pick_m0` THEN `s`.`amount` END)))) AS `m0`
FROM (
SELECT `s`.`amount` AS `amount`, `s`.`key` AS `key`, `s`.`at` AS `__time`, `__p`.`__period` AS `__period`, `__p`.`__upper` AS `__upper`, `__p`.`__period` AS `__group0`, (`s`.`at` = MAX(toNullable(`s`.`at`)) OVER (PARTITION BY `__p`.`__period`, `s`.`key`)) AS `__pick_m0`
FROM `sales`.`sales` AS `s`
CROSS JOIN (SELECT `c0` AS `__period`, toDateTime64(`c1`, 6, 'UTC') AS `__upper` FROM (SELECT r[1] AS `c0`, r[2] AS `c1` FROM (SELECT arrayJoin(JSONExtract(concat({p1:String}, {p2:String}, {p3:String}, {p4:String}, {p5:String}, {p6:String}, {p7:String}, {p8:String}, {p9:String}, {p10:String}, {p11:String}, {p12:String}, {p13:String}, {p14:String}, {p15:String}, {p16:String}), 'Array(Array(String))')) AS r) AS j) AS `l`) AS `__p`
WHERE (`s`.`at` < `__p`.`__upper`)
) AS `s`
GROUP BY 1
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql
