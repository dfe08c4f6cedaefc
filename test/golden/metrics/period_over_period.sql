-- period_over_period 1: each month against the month before
-- GROWTH(SUM(amount), 1 MONTH, RATE), {"from":"2024-01-01","to":"2024-04-01","grain":"month","fill":"none","dimensions":[]} in Asia/Singapore
-- Rows
--   2024-01-01 | 1.5
--   2024-02-01 | 1
--   2024-03-01 | 0.025

-- == postgres == Risk: no base for January, since the range begins there
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01, $4 = 101, $5 = 0
WITH "x0" AS (
  SELECT date_trunc('month', ("__time" AT TIME ZONE $1::text)) AS "base", SUM("amount") AS "m0"
  FROM (
    SELECT "s"."amount" AS "amount", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  WHERE "__time" >= LEAST((CASE WHEN $2::timestamp > date_trunc('month', $2::timestamp) THEN ((date_trunc('month', $2::timestamp) - interval '1 month') + ($2::timestamp - date_trunc('month', $2::timestamp))) ELSE (date_trunc('month', $2::timestamp) - interval '1 month') END AT TIME ZONE $1::text), ((CASE WHEN $2::timestamp > date_trunc('month', $2::timestamp) THEN ((date_trunc('month', $2::timestamp) - interval '1 month') + ($2::timestamp - date_trunc('month', $2::timestamp))) ELSE (date_trunc('month', $2::timestamp) - interval '1 month') END - interval '1 hour') AT TIME ZONE $1::text) + interval '1 hour') AND "__time" < LEAST((CASE WHEN $3::timestamp < (date_trunc('month', ($3::timestamp - interval '1 day')) + interval '1 month') THEN LEAST(((date_trunc('month', ($3::timestamp - interval '1 day')) - interval '1 month') + interval '1 month'), ((date_trunc('month', ($3::timestamp - interval '1 day')) - interval '1 month') + ($3::timestamp - date_trunc('month', ($3::timestamp - interval '1 day'))))) ELSE ((date_trunc('month', ($3::timestamp - interval '1 day')) - interval '1 month') + interval '1 month') END AT TIME ZONE $1::text), ((CASE WHEN $3::timestamp < (date_trunc('month', ($3::timestamp - interval '1 day')) + interval '1 month') THEN LEAST(((date_trunc('month', ($3::timestamp - interval '1 day')) - interval '1 month') + interval '1 month'), ((date_trunc('month', ($3::timestamp - interval '1 day')) - interval '1 month') + ($3::timestamp - date_trunc('month', ($3::timestamp - interval '1 day'))))) ELSE ((date_trunc('month', ($3::timestamp - interval '1 day')) - interval '1 month') + interval '1 month') END - interval '1 hour') AT TIME ZONE $1::text) + interval '1 hour')
  GROUP BY 1
),
"f1" AS (
  SELECT to_char(date_trunc('month', CASE WHEN isfinite("__time") THEN ("__time" AT TIME ZONE $1::text) END), 'YYYY-MM-DD') AS "period", SUM("amount") AS "m1"
  FROM (
    SELECT "s"."amount" AS "amount", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  WHERE "__time" >= ($2::timestamp AT TIME ZONE $1::text) AND "__time" < ($3::timestamp AT TIME ZONE $1::text)
  GROUP BY date_trunc('month', CASE WHEN isfinite("__time") THEN ("__time" AT TIME ZONE $1::text) END)
),
"p0" AS MATERIALIZED (
  SELECT to_char(s.day, 'YYYY-MM-DD') AS "__period", (s.day - interval '1 month') AS "__base"
  FROM generate_series(date_trunc('month', $2::timestamp), $3::timestamp - interval '1 microsecond', interval '1 month') AS s (day)
),
"f0" AS (
  SELECT "__period" AS "period", "m0"
  FROM "p0" JOIN "x0" ON "base" = "__base"
),
"u" AS (
  SELECT "period", 1 AS "present", "m0", NULL AS "m1" FROM "f0"
  UNION ALL
  SELECT "period", 1 AS "present", NULL AS "m0", "m1" FROM "f1"
),
"g" AS (
  SELECT "period", MAX("m0") AS "m0", MAX("m1") AS "m1" FROM "u" GROUP BY "period"
),
"r" AS (
  SELECT "period", (("m1"::numeric - "m0"::numeric) / NULLIF("m0"::numeric, 0)) AS "v0", COALESCE("m0" < 0, FALSE) AS "w0"
  FROM "g"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value", "r"."w0"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST
LIMIT $4::bigint OFFSET $5::bigint;

-- == mysql == Risk: the base is read by a scan of its own, with a range of its own
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = month, $4 = 1 month, $5 = 1 hour, $6 = 2024-04-01, $7 = 1 day
SELECT to_char((LEAST(timezone($1::text, CASE WHEN ($2::timestamp > date_trunc($3::text, $2::timestamp)) THEN ((date_trunc($3::text, $2::timestamp) - ($4::text)::interval) + ($2::timestamp - date_trunc($3::text, $2::timestamp))) ELSE (date_trunc($3::text, $2::timestamp) - ($4::text)::interval) END), (timezone($1::text, (CASE WHEN ($2::timestamp > date_trunc($3::text, $2::timestamp)) THEN ((date_trunc($3::text, $2::timestamp) - ($4::text)::interval) + ($2::timestamp - date_trunc($3::text, $2::timestamp))) ELSE (date_trunc($3::text, $2::timestamp) - ($4::text)::interval) END - ($5::text)::interval)) + ($5::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((LEAST(timezone($1::text, CASE WHEN ($6::timestamp < (date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) + ($4::text)::interval)) THEN LEAST(((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($4::text)::interval), ((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($6::timestamp - date_trunc($3::text, ($6::timestamp - ($7::text)::interval))))) ELSE ((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($4::text)::interval) END), (timezone($1::text, (CASE WHEN ($6::timestamp < (date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) + ($4::text)::interval)) THEN LEAST(((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($4::text)::interval), ((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($6::timestamp - date_trunc($3::text, ($6::timestamp - ($7::text)::interval))))) ELSE ((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($4::text)::interval) END - ($5::text)::interval)) + ($5::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CAST(`g`.`base` AS CHAR) AS `c0`, CAST(`g`.`m0` AS CHAR) AS `c1`
FROM (
SELECT CAST(DATE((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - INTERVAL (DAYOFMONTH((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - 1) DAY AS DATETIME(6)) AS `base`, SUM(`s`.`amount`) AS `m0`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
GROUP BY 1
) AS `g`;
-- The times of statement 2, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 2, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CONVERT(`g`.`period` USING utf8mb4) AS `c0`, CAST(`g`.`m1` AS CHAR) AS `c1`
FROM (
SELECT DATE_FORMAT(CAST(DATE((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - INTERVAL (DAYOFMONTH((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - 1) DAY AS DATETIME(6)), '%Y-%m-%d') AS `period`, SUM(`s`.`amount`) AS `m1`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
GROUP BY CAST(DATE((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - INTERVAL (DAYOFMONTH((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - 1) DAY AS DATETIME(6))
) AS `g`;
-- The rest, on PostgreSQL
-- $1 = the rows of statement 1, $2 = the rows of statement 2, $3 = 2024-01-01, $4 = 2024-04-01, $5 = 101, $6 = 0
WITH "x0" AS (
  SELECT "base" AS "base", "m0" AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("base" timestamp, "m0" numeric)
),
"f1" AS (
  SELECT "period" AS "period", "m1" AS "m1"
  FROM jsonb_to_recordset($2::jsonb) AS "rows" ("period" text, "m1" numeric)
),
"p0" AS MATERIALIZED (
  SELECT to_char(s.day, 'YYYY-MM-DD') AS "__period", (s.day - interval '1 month') AS "__base"
  FROM generate_series(date_trunc('month', $3::timestamp), $4::timestamp - interval '1 microsecond', interval '1 month') AS s (day)
),
"f0" AS (
  SELECT "__period" AS "period", "m0"
  FROM "p0" JOIN "x0" ON "base" = "__base"
),
"u" AS (
  SELECT "period", 1 AS "present", "m0", NULL AS "m1" FROM "f0"
  UNION ALL
  SELECT "period", 1 AS "present", NULL AS "m0", "m1" FROM "f1"
),
"g" AS (
  SELECT "period", MAX("m0") AS "m0", MAX("m1") AS "m1" FROM "u" GROUP BY "period"
),
"r" AS (
  SELECT "period", (("m1"::numeric - "m0"::numeric) / NULLIF("m0"::numeric, 0)) AS "v0", COALESCE("m0" < 0, FALSE) AS "w0"
  FROM "g"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value", "r"."w0"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST
LIMIT $5::bigint OFFSET $6::bigint;

-- == duckdb == Risk: as MySQL
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = month, $4 = 1 month, $5 = 1 hour, $6 = 2024-04-01, $7 = 1 day
SELECT to_char((LEAST(timezone($1::text, CASE WHEN ($2::timestamp > date_trunc($3::text, $2::timestamp)) THEN ((date_trunc($3::text, $2::timestamp) - ($4::text)::interval) + ($2::timestamp - date_trunc($3::text, $2::timestamp))) ELSE (date_trunc($3::text, $2::timestamp) - ($4::text)::interval) END), (timezone($1::text, (CASE WHEN ($2::timestamp > date_trunc($3::text, $2::timestamp)) THEN ((date_trunc($3::text, $2::timestamp) - ($4::text)::interval) + ($2::timestamp - date_trunc($3::text, $2::timestamp))) ELSE (date_trunc($3::text, $2::timestamp) - ($4::text)::interval) END - ($5::text)::interval)) + ($5::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((LEAST(timezone($1::text, CASE WHEN ($6::timestamp < (date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) + ($4::text)::interval)) THEN LEAST(((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($4::text)::interval), ((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($6::timestamp - date_trunc($3::text, ($6::timestamp - ($7::text)::interval))))) ELSE ((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($4::text)::interval) END), (timezone($1::text, (CASE WHEN ($6::timestamp < (date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) + ($4::text)::interval)) THEN LEAST(((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($4::text)::interval), ((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($6::timestamp - date_trunc($3::text, ($6::timestamp - ($7::text)::interval))))) ELSE ((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($4::text)::interval) END - ($5::text)::interval)) + ($5::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."base" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1"
FROM (
SELECT CAST(date_trunc('month', timezone('Asia/Singapore', "s"."at")) AS TIMESTAMP) AS "base", SUM("s"."amount") AS "m0"
FROM "main"."sales" AS "s"
WHERE ("s"."at" >= CAST($1 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($2 || '+00' AS TIMESTAMPTZ))
GROUP BY 1
) AS "g";
-- The times of statement 2, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 2, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."period" AS VARCHAR) AS "c0", CAST("g"."m1" AS VARCHAR) AS "c1"
FROM (
SELECT strftime(CAST(date_trunc('month', timezone('Asia/Singapore', "s"."at")) AS TIMESTAMP), '%Y-%m-%d') AS "period", SUM("s"."amount") AS "m1"
FROM "main"."sales" AS "s"
WHERE ("s"."at" >= CAST($1 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($2 || '+00' AS TIMESTAMPTZ))
GROUP BY CAST(date_trunc('month', timezone('Asia/Singapore', "s"."at")) AS TIMESTAMP)
) AS "g";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: as MySQL
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = month, $4 = 1 month, $5 = 1 hour, $6 = 2024-04-01, $7 = 1 day
SELECT to_char((LEAST(timezone($1::text, CASE WHEN ($2::timestamp > date_trunc($3::text, $2::timestamp)) THEN ((date_trunc($3::text, $2::timestamp) - ($4::text)::interval) + ($2::timestamp - date_trunc($3::text, $2::timestamp))) ELSE (date_trunc($3::text, $2::timestamp) - ($4::text)::interval) END), (timezone($1::text, (CASE WHEN ($2::timestamp > date_trunc($3::text, $2::timestamp)) THEN ((date_trunc($3::text, $2::timestamp) - ($4::text)::interval) + ($2::timestamp - date_trunc($3::text, $2::timestamp))) ELSE (date_trunc($3::text, $2::timestamp) - ($4::text)::interval) END - ($5::text)::interval)) + ($5::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((LEAST(timezone($1::text, CASE WHEN ($6::timestamp < (date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) + ($4::text)::interval)) THEN LEAST(((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($4::text)::interval), ((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($6::timestamp - date_trunc($3::text, ($6::timestamp - ($7::text)::interval))))) ELSE ((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($4::text)::interval) END), (timezone($1::text, (CASE WHEN ($6::timestamp < (date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) + ($4::text)::interval)) THEN LEAST(((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($4::text)::interval), ((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($6::timestamp - date_trunc($3::text, ($6::timestamp - ($7::text)::interval))))) ELSE ((date_trunc($3::text, ($6::timestamp - ($7::text)::interval)) - ($4::text)::interval) + ($4::text)::interval) END - ($5::text)::interval)) + ($5::text)::interval))) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on clickhouse
-- p1 = time 1, p2 = time 2
SELECT toString(`g`.`base`) AS `c0`, toString(`g`.`m0`) AS `c1`
FROM (
SELECT toDateTime64(toStartOfMonth(addSeconds(toDateTime64(`s`.`at`, 6, 'UTC'), timezoneOffset(toTimeZone(`s`.`at`, 'Asia/Singapore')))), 6, 'UTC') AS `base`, sum(toNullable(toInt128(`s`.`amount`))) AS `m0`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= toDateTime64({p1:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p2:String}, 6, 'UTC'))
GROUP BY 1
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The times of statement 2, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 2, on clickhouse
-- p1 = time 1, p2 = time 2
SELECT toString(`g`.`period`) AS `c0`, toString(`g`.`m1`) AS `c1`
FROM (
SELECT toString(toDate32(toDateTime64(toStartOfMonth(addSeconds(toDateTime64(`s`.`at`, 6, 'UTC'), timezoneOffset(toTimeZone(`s`.`at`, 'Asia/Singapore')))), 6, 'UTC'))) AS `period`, sum(toNullable(toInt128(`s`.`amount`))) AS `m1`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= toDateTime64({p1:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p2:String}, 6, 'UTC'))
GROUP BY toDateTime64(toStartOfMonth(addSeconds(toDateTime64(`s`.`at`, 6, 'UTC'), timezoneOffset(toTimeZone(`s`.`at`, 'Asia/Singapore')))), 6, 'UTC')
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql
