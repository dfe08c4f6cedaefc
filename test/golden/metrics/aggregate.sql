-- aggregate 1: a sum with a condition, by month and region
-- SUM(amount WHERE flag), {"from":"2024-01-01","to":"2024-04-01","grain":"month","fill":"none","dimensions":["地区"]} in Asia/Singapore
-- Rows
--   2024-01-01 | 华东 | 40
--   2024-02-01 | NULL | NULL
--   2024-02-01 | 华东 | NULL
--   2024-02-01 | 华南 | 60
--   2024-03-01 | NULL | 40
--   2024-03-01 | 华东 | NULL
--   2024-03-01 | 华南 | 50

-- == postgres == Risk: a region without a name that the join drops; an order of the last second of January in the wrong month
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01, $4 = 101, $5 = 0
WITH "f0" AS (
  SELECT to_char(date_trunc('month', CASE WHEN isfinite("__time") THEN ("__time" AT TIME ZONE $1::text) END), 'YYYY-MM-DD') AS "period", "地区" AS "d0", SUM("amount") FILTER (WHERE "flag") AS "m0"
  FROM (
    SELECT "s"."amount" AS "amount", "s"."flag" AS "flag", "b"."region" AS "地区", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
    LEFT JOIN "mirror"."buyers" AS "b" ON "s"."buyer" = "b"."id"
  ) AS "s"
  WHERE "__time" >= ($2::timestamp AT TIME ZONE $1::text) AND "__time" < ($3::timestamp AT TIME ZONE $1::text)
  GROUP BY date_trunc('month', CASE WHEN isfinite("__time") THEN ("__time" AT TIME ZONE $1::text) END), 2
),
"r" AS (
  SELECT "period", "d0", "m0" AS "v0"
  FROM "f0"
)
SELECT "r"."period" AS "period", "r"."d0" AS "地区", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST, "r"."d0" ASC NULLS LAST
LIMIT $4::bigint OFFSET $5::bigint;

-- == mysql == Risk: zones of MySQL, which an administrator may not have loaded
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US');
-- Statement 1, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CONVERT(`g`.`period` USING utf8mb4) AS `c0`, CONVERT(`g`.`d0` USING utf8mb4) AS `c1`, CAST(`g`.`m0` AS CHAR) AS `c2`, `p0`.`repeats0` AS `c3`
FROM (
SELECT DATE_FORMAT(CAST(DATE((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - INTERVAL (DAYOFMONTH((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - 1) DAY AS DATETIME(6)), '%Y-%m-%d') AS `period`, CAST(CONVERT(`b`.`region` USING utf8mb4) AS BINARY) AS `d0`, SUM((CASE WHEN (`s`.`flag` = 1) THEN `s`.`amount` END)) AS `m0`
FROM `sales`.`sales` AS `s`
LEFT JOIN `sales`.`buyers` AS `b` ON (`s`.`buyer` = `b`.`id`)
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
GROUP BY CAST(DATE((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - INTERVAL (DAYOFMONTH((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) - 1) DAY AS DATETIME(6)), 2
) AS `g`
CROSS JOIN (SELECT COUNT(*) AS `repeats0` FROM (SELECT 1 AS `one` FROM (
SELECT `b`.`id` AS `k0`
FROM `sales`.`buyers` AS `b`
WHERE (`b`.`id` IS NOT NULL)
) AS `q0` GROUP BY `k0` HAVING COUNT(*) > 1) AS `q1`) AS `p0`;
-- The rest, on PostgreSQL
-- $1 = the rows of statement 1, $2 = 101, $3 = 0
WITH "f0" AS (
  SELECT "period" AS "period", "d0" AS "d0", "m0" AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("period" text, "d0" text, "m0" numeric)
),
"r" AS (
  SELECT "period", "d0", "m0" AS "v0"
  FROM "f0"
)
SELECT "r"."period" AS "period", "r"."d0" AS "地区", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST, "r"."d0" ASC NULLS LAST
LIMIT $2::bigint OFFSET $3::bigint;

-- == duckdb == Risk: an order of the last second of January in the month of UTC
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US');
-- Statement 1, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."period" AS VARCHAR) AS "c0", CAST("g"."d0" AS VARCHAR) AS "c1", CAST("g"."m0" AS VARCHAR) AS "c2", "p0"."repeats0" AS "c3"
FROM (
SELECT strftime(CAST(date_trunc('month', timezone('Asia/Singapore', "s"."at")) AS TIMESTAMP), '%Y-%m-%d') AS "period", CAST("b"."region" AS VARCHAR) AS "d0", SUM((CASE WHEN "s"."flag" THEN "s"."amount" END)) AS "m0"
FROM "main"."sales" AS "s"
LEFT JOIN "main"."buyers" AS "b" ON ("s"."buyer" = "b"."id")
WHERE ("s"."at" >= CAST($1 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($2 || '+00' AS TIMESTAMPTZ))
GROUP BY CAST(date_trunc('month', timezone('Asia/Singapore', "s"."at")) AS TIMESTAMP), 2
) AS "g"
CROSS JOIN (SELECT COUNT(*) AS "repeats0" FROM (SELECT 1 AS "one" FROM (
SELECT "b"."id" AS "k0"
FROM "main"."buyers" AS "b"
WHERE ("b"."id" IS NOT NULL)
) AS "q0" GROUP BY "k0" HAVING COUNT(*) > 1) AS "q1") AS "p0";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: a LEFT JOIN that gives an empty text in place of NULL; a sum of no rows that is 0
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US');
-- Statement 1, on clickhouse
-- p1 = time 1, p2 = time 2
SELECT toString(`g`.`period`) AS `c0`, toString(`g`.`d0`) AS `c1`, toString(`g`.`m0`) AS `c2`, `p0`.`repeats0` AS `c3`
FROM (
SELECT toString(toDate32(toDateTime64(toStartOfMonth(addSeconds(toDateTime64(`s`.`at`, 6, 'UTC'), timezoneOffset(toTimeZone(`s`.`at`, 'Asia/Singapore')))), 6, 'UTC'))) AS `period`, toString(`b`.`region`) AS `d0`, sum(toNullable(toInt128((CASE WHEN `s`.`flag` THEN `s`.`amount` END)))) AS `m0`
FROM `sales`.`sales` AS `s`
LEFT JOIN `sales`.`buyers` AS `b` ON (`s`.`buyer` = `b`.`id`)
WHERE (`s`.`at` >= toDateTime64({p1:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p2:String}, 6, 'UTC'))
GROUP BY toDateTime64(toStartOfMonth(addSeconds(toDateTime64(`s`.`at`, 6, 'UTC'), timezoneOffset(toTimeZone(`s`.`at`, 'Asia/Singapore')))), 6, 'UTC'), 2
) AS `g`
CROSS JOIN (SELECT COUNT(*) AS `repeats0` FROM (SELECT 1 AS `one` FROM (
SELECT `b`.`id` AS `k0`
FROM `sales`.`buyers` AS `b`
WHERE (`b`.`id` IS NOT NULL)
) AS `q0` GROUP BY `k0` HAVING COUNT(*) > 1) AS `q1`) AS `p0`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql


-- aggregate 2: the last amount of each key, and texts that only a collation takes for equal
-- LAST(amount BY key), {"dimensions":["channel"],"grain":null,"fill":"none","from":"2024-01-01","to":"2024-04-01"} in Asia/Singapore
-- Rows
--   NULL | 40
--   Web | 50
--   web | -8

-- == postgres == Risk: the last row picked before the range is applied
-- $1 = 2024-01-01, $2 = Asia/Singapore, $3 = 2024-04-01, $4 = 101, $5 = 0
WITH "f0" AS (
  SELECT "channel" AS "d0", SUM("amount") FILTER (WHERE "__pick_m0") AS "m0"
  FROM (
    SELECT *, ("__time" = MAX("__time") OVER (PARTITION BY "key")) AS "__pick_m0"
    FROM (
    SELECT "s"."amount" AS "amount", "s"."key" AS "key", "s"."channel" AS "channel", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
    WHERE "__time" >= ($1::timestamp AT TIME ZONE $2::text) AND "__time" < ($3::timestamp AT TIME ZONE $2::text)
  ) AS "s"
  GROUP BY 1
),
"r" AS (
  SELECT "d0", "m0" AS "v0"
  FROM "f0"
)
SELECT "r"."d0" AS "channel", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST
LIMIT $4::bigint OFFSET $5::bigint;

-- == mysql == Risk: 'web', 'Web' and 'web ' in one group
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US');
-- Statement 1, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CONVERT(`g`.`d0` USING utf8mb4) AS `c0`, CAST(`g`.`m0` AS CHAR) AS `c1`
FROM (
SELECT `s`.`channel` AS `d0`, SUM((CASE WHEN `s`.`__pick_m0` THEN `s`.`amount` END)) AS `m0`
FROM (
SELECT `s`.`amount` AS `amount`, `s`.`key` AS `key`, CAST(CONVERT(`s`.`channel` USING utf8mb4) AS BINARY) AS `channel`, NULLIF(`s`.`at`, 0) AS `__time`, (NULLIF(`s`.`at`, 0) = MAX(NULLIF(`s`.`at`, 0)) OVER (PARTITION BY `s`.`key`)) AS `__pick_m0`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
) AS `s`
GROUP BY 1
) AS `g`;
-- The rest, on PostgreSQL
-- $1 = the rows of statement 1, $2 = 101, $3 = 0
WITH "f0" AS (
  SELECT "d0" AS "d0", "m0" AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("d0" text, "m0" numeric)
),
"r" AS (
  SELECT "d0", "m0" AS "v0"
  FROM "f0"
)
SELECT "r"."d0" AS "channel", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST
LIMIT $2::bigint OFFSET $3::bigint;

-- == duckdb == Risk: the last row picked among all keys
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US');
-- Statement 1, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."d0" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1"
FROM (
SELECT "s"."channel" AS "d0", SUM((CASE WHEN "s"."__pick_m0" THEN "s"."amount" END)) AS "m0"
FROM (
SELECT "s"."amount" AS "amount", "s"."key" AS "key", CAST("s"."channel" AS VARCHAR) AS "channel", "s"."at" AS "__time", ("s"."at" = MAX("s"."at") OVER (PARTITION BY "s"."key")) AS "__pick_m0"
FROM "main"."sales" AS "s"
WHERE ("s"."at" >= CAST($1 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($2 || '+00' AS TIMESTAMPTZ))
) AS "s"
GROUP BY 1
) AS "g";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: a window over the groups, not over the rows
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US');
-- Statement 1, on clickhouse
-- p1 = time 1, p2 = time 2
SELECT toString(`g`.`d0`) AS `c0`, toString(`g`.`m0`) AS `c1`
FROM (
SELECT `s`.`channel` AS `d0`, sum(toNullable(toInt128((CASE WHEN `s`.`__pick_m0` THEN `s`.`amount` END)))) AS `m0`
FROM (
SELECT `s`.`amount` AS `amount`, `s`.`key` AS `key`, toString(`s`.`channel`) AS `channel`, `s`.`at` AS `__time`, (`s`.`at` = MAX(toNullable(`s`.`at`)) OVER (PARTITION BY `s`.`key`)) AS `__pick_m0`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= toDateTime64({p1:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p2:String}, 6, 'UTC'))
) AS `s`
GROUP BY 1
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql


-- aggregate 3: a count by the hours of two days
-- COUNT(*), {"dimensions":[],"grain":"hour","fill":"none","from":"2024-01-31","to":"2024-02-02"} in Asia/Singapore
-- Rows
--   2024-01-31T23:00+08:00 | 1
--   2024-02-01T00:00+08:00 | 1

-- == postgres == Risk: an hour of UTC, or one without its offset
-- $1 = Asia/Singapore, $2 = 2024-01-31, $3 = 2024-02-02, $4 = 101, $5 = 0
WITH "f0" AS (
  SELECT CASE WHEN isfinite("__time") THEN (to_char(date_trunc('hour', ("__time" AT TIME ZONE $1::text)), 'YYYY-MM-DD"T"HH24:MI') || to_char("__time", 'TZH:TZM')) END AS "period", COUNT(*) AS "m0"
  FROM (
    SELECT "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  WHERE "__time" >= ($2::timestamp AT TIME ZONE $1::text) AND "__time" < ($3::timestamp AT TIME ZONE $1::text)
  GROUP BY 1
),
"r" AS (
  SELECT "period", "m0" AS "v0"
  FROM "f0"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."period"::timestamptz ASC NULLS LAST, "r"."period" ASC NULLS LAST
LIMIT $4::bigint OFFSET $5::bigint;

-- == mysql == Risk: hours that are cut in another way
-- not_in_dialect: MySQL cannot exactly compute the grain HOUR; write it another way, or copy the table into the mirror and bind the copy

-- == duckdb == Risk: as MySQL
-- not_in_dialect: DuckDB cannot exactly compute the grain HOUR; write it another way, or copy the table into the mirror and bind the copy

-- == clickhouse == Risk: as MySQL
-- not_in_dialect: ClickHouse cannot exactly compute the grain HOUR; write it another way, or copy the table into the mirror and bind the copy
