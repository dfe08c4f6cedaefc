-- arithmetic 1: what was sold less what was returned, by month, zero where there was nothing
-- SUM(amount) - [r0], {"from":"2023-12-01","to":"2024-04-01","grain":"month","fill":"zero","dimensions":[]} in Asia/Singapore
-- Rows
--   2023-12-01 | 16
--   2024-01-01 | 35
--   2024-02-01 | 74
--   2024-03-01 | 80

-- == postgres == Risk: a fill after the subtraction, which leaves NULL
-- $1 = Asia/Singapore, $2 = 2023-12-01, $3 = 2024-04-01, $4 = 2023-12-01, $5 = 2024-04-01, $6 = 101, $7 = 0
WITH "f0" AS (
  SELECT to_char(date_trunc('month', CASE WHEN isfinite("__time") THEN ("__time" AT TIME ZONE $1::text) END), 'YYYY-MM-DD') AS "period", SUM("amount") AS "m0"
  FROM (
    SELECT "s"."amount" AS "amount", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  WHERE "__time" >= ($2::timestamp AT TIME ZONE $1::text) AND "__time" < ($3::timestamp AT TIME ZONE $1::text)
  GROUP BY date_trunc('month', CASE WHEN isfinite("__time") THEN ("__time" AT TIME ZONE $1::text) END)
),
"f1" AS (
  SELECT to_char(date_trunc('month', CASE WHEN isfinite("__time") THEN "__time"::timestamp END), 'YYYY-MM-DD') AS "period", SUM("amount") FILTER (WHERE "flag") AS "m1"
  FROM (
    SELECT "r"."amount" AS "amount", "r"."flag" AS "flag", "r"."day" AS "__time"
    FROM "mirror"."returned" AS "r"
  ) AS "r"
  WHERE "__time" >= $4::date AND "__time" < $5::date
  GROUP BY date_trunc('month', CASE WHEN isfinite("__time") THEN "__time"::timestamp END)
),
"u" AS (
  SELECT "period", 1 AS "present", "m0", NULL AS "m1" FROM "f0"
  UNION ALL
  SELECT "period", 1 AS "present", NULL AS "m0", "m1" FROM "f1"
  UNION ALL
  SELECT to_char(s.day, 'YYYY-MM-DD'), NULL, NULL, NULL FROM generate_series(date_trunc('month', $2::timestamp), $3::timestamp - interval '1 microsecond', interval '1 month') AS s (day)
),
"g" AS (
  SELECT "period", COALESCE(MAX("m0"), 0) AS "m0", COALESCE(MAX("m1"), 0) AS "m1" FROM "u" GROUP BY "period"
),
"r" AS (
  SELECT "period", ("m0"::numeric - "m1"::numeric) AS "v0"
  FROM "g"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST
LIMIT $6::bigint OFFSET $7::bigint;

-- == mysql == Risk: months of a date and of a moment that have different texts
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2023-12-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CONVERT(`g`.`period` USING utf8mb4) AS `c0`, CAST(`g`.`m0` AS CHAR) AS `c1`
FROM (
SELECT DATE_FORMAT(CAST(DATE((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - INTERVAL (DAYOFMONTH((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - 1) DAY AS DATETIME(6)), '%Y-%m-%d') AS `period`, SUM(`s`.`amount`) AS `m0`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
GROUP BY CAST(DATE((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - INTERVAL (DAYOFMONTH((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - 1) DAY AS DATETIME(6))
) AS `g`;
-- The times of statement 2, on PostgreSQL
-- $1 = 2023-12-01, $2 = 2024-04-01
SELECT to_char($1::date, 'YYYY-MM-DD BC'), to_char($2::date, 'YYYY-MM-DD BC');
-- Statement 2, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CONVERT(`g`.`period` USING utf8mb4) AS `c0`, CAST(`g`.`m1` AS CHAR) AS `c1`
FROM (
SELECT DATE_FORMAT(CAST(DATE(CAST(IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) AS DATETIME(6))) - INTERVAL (DAYOFMONTH(CAST(IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) AS DATETIME(6))) - 1) DAY AS DATETIME(6)), '%Y-%m-%d') AS `period`, SUM((CASE WHEN (`r`.`flag` = 1) THEN `r`.`amount` END)) AS `m1`
FROM `sales`.`returned` AS `r`
WHERE (`r`.`day` >= CAST(? AS DATE))
  AND (IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) >= CAST(? AS DATE))
  AND (`r`.`day` < CAST(? AS DATE))
  AND (IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) < CAST(? AS DATE))
GROUP BY CAST(DATE(CAST(IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) AS DATETIME(6))) - INTERVAL (DAYOFMONTH(CAST(IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) AS DATETIME(6))) - 1) DAY AS DATETIME(6))
) AS `g`;
-- The rest, on PostgreSQL
-- $1 = the rows of statement 1, $2 = the rows of statement 2, $3 = 2023-12-01, $4 = 2024-04-01, $5 = 101, $6 = 0
WITH "f0" AS (
  SELECT "period" AS "period", "m0" AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("period" text, "m0" numeric)
),
"f1" AS (
  SELECT "period" AS "period", "m1" AS "m1"
  FROM jsonb_to_recordset($2::jsonb) AS "rows" ("period" text, "m1" numeric)
),
"u" AS (
  SELECT "period", 1 AS "present", "m0", NULL AS "m1" FROM "f0"
  UNION ALL
  SELECT "period", 1 AS "present", NULL AS "m0", "m1" FROM "f1"
  UNION ALL
  SELECT to_char(s.day, 'YYYY-MM-DD'), NULL, NULL, NULL FROM generate_series(date_trunc('month', $3::timestamp), $4::timestamp - interval '1 microsecond', interval '1 month') AS s (day)
),
"g" AS (
  SELECT "period", COALESCE(MAX("m0"), 0) AS "m0", COALESCE(MAX("m1"), 0) AS "m1" FROM "u" GROUP BY "period"
),
"r" AS (
  SELECT "period", ("m0"::numeric - "m1"::numeric) AS "v0"
  FROM "g"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST
LIMIT $5::bigint OFFSET $6::bigint;

-- == duckdb == Risk: as MySQL
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2023-12-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."period" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1"
FROM (
SELECT strftime(CAST(date_trunc('month', timezone('Asia/Singapore', "s"."at")) AS TIMESTAMP), '%Y-%m-%d') AS "period", SUM("s"."amount") AS "m0"
FROM "main"."sales" AS "s"
WHERE ("s"."at" >= CAST($1 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($2 || '+00' AS TIMESTAMPTZ))
GROUP BY CAST(date_trunc('month', timezone('Asia/Singapore', "s"."at")) AS TIMESTAMP)
) AS "g";
-- The times of statement 2, on PostgreSQL
-- $1 = 2023-12-01, $2 = 2024-04-01
SELECT to_char($1::date, 'YYYY-MM-DD BC'), to_char($2::date, 'YYYY-MM-DD BC');
-- Statement 2, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."period" AS VARCHAR) AS "c0", CAST("g"."m1" AS VARCHAR) AS "c1"
FROM (
SELECT strftime(CAST(date_trunc('month', CAST("r"."day" AS TIMESTAMP)) AS TIMESTAMP), '%Y-%m-%d') AS "period", SUM((CASE WHEN "r"."flag" THEN "r"."amount" END)) AS "m1"
FROM "main"."returned" AS "r"
WHERE ("r"."day" >= CAST($1 AS date))
  AND ("r"."day" < CAST($2 AS date))
GROUP BY CAST(date_trunc('month', CAST("r"."day" AS TIMESTAMP)) AS TIMESTAMP)
) AS "g";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: as MySQL
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2023-12-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on clickhouse
-- p1 = time 1, p2 = time 2
SELECT toString(`g`.`period`) AS `c0`, toString(`g`.`m0`) AS `c1`
FROM (
SELECT toString(toDate32(toDateTime64(toStartOfMonth(addSeconds(toDateTime64(`s`.`at`, 6, 'UTC'), timezoneOffset(toTimeZone(`s`.`at`, 'Asia/Singapore')))), 6, 'UTC'))) AS `period`, sum(toNullable(toInt128(`s`.`amount`))) AS `m0`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= toDateTime64({p1:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p2:String}, 6, 'UTC'))
GROUP BY toDateTime64(toStartOfMonth(addSeconds(toDateTime64(`s`.`at`, 6, 'UTC'), timezoneOffset(toTimeZone(`s`.`at`, 'Asia/Singapore')))), 6, 'UTC')
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The times of statement 2, on PostgreSQL
-- $1 = 2023-12-01, $2 = 2024-04-01
SELECT to_char($1::date, 'YYYY-MM-DD BC'), to_char($2::date, 'YYYY-MM-DD BC');
-- Statement 2, on clickhouse
-- p1 = time 1, p2 = time 2
SELECT toString(`g`.`period`) AS `c0`, toString(`g`.`m1`) AS `c1`
FROM (
SELECT toString(toDate32(toDateTime64(toStartOfMonth(toDateTime64(toDate32(`r`.`day`), 6, 'UTC')), 6, 'UTC'))) AS `period`, sum(toNullable(toInt128((CASE WHEN `r`.`flag` THEN `r`.`amount` END)))) AS `m1`
FROM `sales`.`returned` AS `r`
WHERE (toDate32(`r`.`day`) >= toDate32({p1:String}))
  AND (toDate32(`r`.`day`) < toDate32({p2:String}))
GROUP BY toDateTime64(toStartOfMonth(toDateTime64(toDate32(`r`.`day`), 6, 'UTC')), 6, 'UTC')
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql
