-- conversion 1: sales after which something was returned within 20 days, by month
-- CONVERSION([c0] -> [c1] BY key WITHIN 20 DAY, RATE), {"from":"2024-01-01","to":"2024-04-01","grain":"month","fill":"none","dimensions":[]} in Asia/Singapore
-- Rows
--   2024-01-01 | 0.5
--   2024-02-01 | 0.3333333333
--   2024-03-01 | 0.3333333333

-- == postgres == Risk: an event credited to every sale before it, or to one outside of its 20 days
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01, $4 = 101, $5 = 0
WITH "f0" AS (
  SELECT to_char(date_trunc('month', CASE WHEN isfinite("base") THEN "base" END), 'YYYY-MM-DD') AS "period", COUNT(*) FILTER (WHERE "kind" = 0) AS "m0", NULLIF(COUNT(*) FILTER (WHERE "kind" = 1 AND ("base" <= ("at" - interval '20 day')) IS NOT TRUE), 0) AS "m1"
  FROM (
  SELECT "kind", "at", CASE WHEN "kind" = 0 THEN "at" ELSE MAX("at") FILTER (WHERE "kind" = 0) OVER (PARTITION BY "__entity" ORDER BY "at", "kind" ROWS UNBOUNDED PRECEDING) END AS "base"
  FROM (
  SELECT date_trunc('day', ("__time" AT TIME ZONE $1::text)) AS "at", "__entity", 0 AS "kind"
  FROM (
    SELECT "s"."key" AS "__entity", "s"."channel" AS "__key0", "s"."id" AS "__key1", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  WHERE "__time" >= ($2::timestamp AT TIME ZONE $1::text) AND "__time" < ($3::timestamp AT TIME ZONE $1::text)
  UNION ALL
  SELECT date_trunc('day', "__time"::timestamp) AS "at", "__entity", 1
  FROM (
    SELECT "r"."key" AS "__entity", "r"."day" AS "__time"
    FROM "mirror"."returned" AS "r"
  ) AS "r"
  WHERE "__time" >= date_trunc('day', $2::timestamp)::date AND "__time" < (($3::timestamp + interval '20 day') + interval '1 day')::date AND "__time" IS NOT NULL AND "__entity" IS NOT NULL
  ) AS e
  ) AS w
  WHERE ("kind" = 0 OR "base" IS NOT NULL)
  GROUP BY date_trunc('month', CASE WHEN isfinite("base") THEN "base" END)
),
"r" AS (
  SELECT "period", ("m1"::numeric / NULLIF("m0"::numeric, 0)) AS "v0", COALESCE(("m1"::numeric / NULLIF("m0"::numeric, 0)) > 1, FALSE) AS "w0"
  FROM "f0"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value", "r"."w0"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST
LIMIT $4::bigint OFFSET $5::bigint;

-- == mysql == Risk: the rows of both facts, handed over
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01, $4 = day, $5 = 20 day, $6 = 1 day
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((date_trunc($4::text, $2::timestamp))::date, 'YYYY-MM-DD BC'), to_char(((($3::timestamp + ($5::text)::interval) + ($6::text)::interval))::date, 'YYYY-MM-DD BC');
-- Statement 1, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2, ? = time 3, ? = time 3, ? = time 4, ? = time 4
SELECT CONVERT(`g`.`period` USING utf8mb4) AS `c0`, CAST(`g`.`m0` AS CHAR) AS `c1`, CAST(`g`.`m1` AS CHAR) AS `c2`
FROM (
SELECT DATE_FORMAT(CAST(DATE(`w`.`base`) - INTERVAL (DAYOFMONTH(`w`.`base`) - 1) DAY AS DATETIME(6)), '%Y-%m-%d') AS `period`, COUNT((CASE WHEN (`w`.`kind` = 0) THEN 1 END)) AS `m0`, COUNT((CASE WHEN ((`w`.`kind` = 1) AND (NOT COALESCE((`w`.`base` <= (`w`.`at` + INTERVAL -20 DAY)), FALSE))) THEN 1 END)) AS `m1`
FROM (
SELECT `e`.`kind` AS `kind`, `e`.`at` AS `at`, (CASE WHEN (`e`.`kind` = 0) THEN `e`.`at` ELSE MAX(CASE WHEN (`e`.`kind` = 0) THEN `e`.`at` END) OVER (PARTITION BY `e`.`__entity` ORDER BY (`e`.`at` IS NULL), `e`.`at`, (`e`.`kind` IS NULL), `e`.`kind` ROWS UNBOUNDED PRECEDING) END) AS `base`
FROM (
SELECT CAST(DATE((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) AS DATETIME(6)) AS `at`, `s`.`key` AS `__entity`, 0 AS `kind`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
UNION ALL
SELECT CAST(DATE(CAST(IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) AS DATETIME(6))) AS DATETIME(6)) AS `at`, `r`.`key` AS `__entity`, 1 AS `kind`
FROM `sales`.`returned` AS `r`
WHERE (`r`.`day` >= CAST(? AS DATE))
  AND (IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) >= CAST(? AS DATE))
  AND (`r`.`day` < CAST(? AS DATE))
  AND (IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) < CAST(? AS DATE))
  AND (IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) IS NOT NULL)
  AND (`r`.`key` IS NOT NULL)
) AS `e`
) AS `w`
WHERE ((`w`.`kind` = 0) OR (`w`.`base` IS NOT NULL))
GROUP BY CAST(DATE(`w`.`base`) - INTERVAL (DAYOFMONTH(`w`.`base`) - 1) DAY AS DATETIME(6))
) AS `g`;
-- The rest, on PostgreSQL
-- $1 = the rows of statement 1, $2 = 101, $3 = 0
WITH "f0" AS (
  SELECT "period" AS "period", "m0" AS "m0", NULLIF("m1", 0) AS "m1"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("period" text, "m0" bigint, "m1" bigint)
),
"r" AS (
  SELECT "period", ("m1"::numeric / NULLIF("m0"::numeric, 0)) AS "v0", COALESCE(("m1"::numeric / NULLIF("m0"::numeric, 0)) > 1, FALSE) AS "w0"
  FROM "f0"
)
SELECT "r"."period" AS "period", "r"."v0" AS "value", "r"."w0"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST
LIMIT $2::bigint OFFSET $3::bigint;

-- == duckdb == Risk: a day of UTC compared with one of Singapore
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01, $4 = day, $5 = 20 day, $6 = 1 day
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((date_trunc($4::text, $2::timestamp))::date, 'YYYY-MM-DD BC'), to_char(((($3::timestamp + ($5::text)::interval) + ($6::text)::interval))::date, 'YYYY-MM-DD BC');
-- Statement 1, on duckdb
-- $1 = time 1, $2 = time 2, $3 = time 3, $4 = time 4
SELECT CAST("g"."period" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1", CAST("g"."m1" AS VARCHAR) AS "c2"
FROM (
SELECT strftime(CAST(date_trunc('month', "w"."base") AS TIMESTAMP), '%Y-%m-%d') AS "period", COUNT((CASE WHEN ("w"."kind" = 0) THEN 1 END)) AS "m0", COUNT((CASE WHEN (("w"."kind" = 1) AND (NOT COALESCE(("w"."base" <= ("w"."at" + INTERVAL (-20) DAY)), FALSE))) THEN 1 END)) AS "m1"
FROM (
SELECT "e"."kind" AS "kind", "e"."at" AS "at", (CASE WHEN ("e"."kind" = 0) THEN "e"."at" ELSE MAX(CASE WHEN ("e"."kind" = 0) THEN "e"."at" END) OVER (PARTITION BY "e"."__entity" ORDER BY ("e"."at" IS NULL), "e"."at", ("e"."kind" IS NULL), "e"."kind" ROWS UNBOUNDED PRECEDING) END) AS "base"
FROM (
SELECT CAST(date_trunc('day', timezone('Asia/Singapore', "s"."at")) AS TIMESTAMP) AS "at", "s"."key" AS "__entity", 0 AS "kind"
FROM "main"."sales" AS "s"
WHERE ("s"."at" >= CAST($1 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($2 || '+00' AS TIMESTAMPTZ))
UNION ALL
SELECT CAST(date_trunc('day', CAST("r"."day" AS TIMESTAMP)) AS TIMESTAMP) AS "at", "r"."key" AS "__entity", 1 AS "kind"
FROM "main"."returned" AS "r"
WHERE ("r"."day" >= CAST($3 AS date))
  AND ("r"."day" < CAST($4 AS date))
  AND ("r"."day" IS NOT NULL)
  AND ("r"."key" IS NOT NULL)
) AS "e"
) AS "w"
WHERE (("w"."kind" = 0) OR ("w"."base" IS NOT NULL))
GROUP BY CAST(date_trunc('month', "w"."base") AS TIMESTAMP)
) AS "g";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: as DuckDB
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01, $4 = day, $5 = 20 day, $6 = 1 day
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((date_trunc($4::text, $2::timestamp))::date, 'YYYY-MM-DD BC'), to_char(((($3::timestamp + ($5::text)::interval) + ($6::text)::interval))::date, 'YYYY-MM-DD BC');
-- Statement 1, on clickhouse
-- p1 = time 1, p2 = time 2, p3 = time 3, p4 = time 4
SELECT toString(`g`.`period`) AS `c0`, toString(`g`.`m0`) AS `c1`, toString(`g`.`m1`) AS `c2`
FROM (
SELECT toString(toDate32(toDateTime64(toStartOfMonth(`w`.`base`), 6, 'UTC'))) AS `period`, COUNT((CASE WHEN (`w`.`kind` = 0) THEN 1 END)) AS `m0`, COUNT((CASE WHEN ((`w`.`kind` = 1) AND (NOT COALESCE((`w`.`base` <= addDays(`w`.`at`, -20)), FALSE))) THEN 1 END)) AS `m1`
FROM (
SELECT `e`.`kind` AS `kind`, `e`.`at` AS `at`, (CASE WHEN (`e`.`kind` = 0) THEN `e`.`at` ELSE MAX(toNullable(CASE WHEN (`e`.`kind` = 0) THEN `e`.`at` END)) OVER (PARTITION BY `e`.`__entity` ORDER BY (`e`.`at` IS NULL), `e`.`at`, (`e`.`kind` IS NULL), `e`.`kind` ROWS UNBOUNDED PRECEDING) END) AS `base`
FROM (
SELECT toDateTime64(toDate32(addSeconds(toDateTime64(`s`.`at`, 6, 'UTC'), timezoneOffset(toTimeZone(`s`.`at`, 'Asia/Singapore')))), 6, 'UTC') AS `at`, `s`.`key` AS `__entity`, 0 AS `kind`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= toDateTime64({p1:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p2:String}, 6, 'UTC'))
UNION ALL
SELECT toDateTime64(toDate32(toDateTime64(toDate32(`r`.`day`), 6, 'UTC')), 6, 'UTC') AS `at`, `r`.`key` AS `__entity`, 1 AS `kind`
FROM `sales`.`returned` AS `r`
WHERE (toDate32(`r`.`day`) >= toDate32({p3:String}))
  AND (toDate32(`r`.`day`) < toDate32({p4:String}))
  AND (toDate32(`r`.`day`) IS NOT NULL)
  AND (`r`.`key` IS NOT NULL)
) AS `e`
) AS `w`
WHERE ((`w`.`kind` = 0) OR (`w`.`base` IS NOT NULL))
GROUP BY toDateTime64(toStartOfMonth(`w`.`base`), 6, 'UTC')
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql


-- conversion 2: returns within a month of a sale, by the channel of the sale
-- CONVERSION([c0] -> [c1] BY key WITHIN 1 MONTH, COUNT), {"dimensions":["channel"],"grain":null,"fill":"none","from":"2024-01-01","to":"2024-04-01"} in Asia/Singapore
-- Rows
--   NULL | 0
--   Web | 2
--   web | 2

-- == postgres == Risk: one of two sales of a day by the collation of the database
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01, $4 = 101, $5 = 0
WITH "f0" AS (
  SELECT "d0" AS "d0", COUNT(*) FILTER (WHERE "kind" = 0) AS "m0", COUNT(*) FILTER (WHERE "kind" = 1 AND ("base" <= ("at" - interval '1 month')) IS NOT TRUE) AS "m1"
  FROM (
  SELECT FIRST_VALUE("d0") OVER (PARTITION BY "__entity", "run" ORDER BY "kind") AS "d0", "kind", "at", FIRST_VALUE("at") OVER (PARTITION BY "__entity", "run" ORDER BY "kind") AS "base"
  FROM (
  SELECT *, COUNT(*) FILTER (WHERE "kind" = 0) OVER (PARTITION BY "__entity" ORDER BY "at", "kind", "__key0" COLLATE "C", "__key1", "d0" COLLATE "C" ROWS UNBOUNDED PRECEDING) AS "run"
  FROM (
  SELECT "channel" AS "d0", "__key0" AS "__key0", "__key1" AS "__key1", date_trunc('day', ("__time" AT TIME ZONE $1::text)) AS "at", "__entity", 0 AS "kind"
  FROM (
    SELECT "s"."channel" AS "channel", "s"."key" AS "__entity", "s"."channel" AS "__key0", "s"."id" AS "__key1", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  WHERE "__time" >= ($2::timestamp AT TIME ZONE $1::text) AND "__time" < ($3::timestamp AT TIME ZONE $1::text)
  UNION ALL
  SELECT NULL, NULL, NULL, date_trunc('day', "__time"::timestamp) AS "at", "__entity", 1
  FROM (
    SELECT "r"."key" AS "__entity", "r"."day" AS "__time"
    FROM "mirror"."returned" AS "r"
  ) AS "r"
  WHERE "__time" >= date_trunc('day', $2::timestamp)::date AND "__time" < (($3::timestamp + interval '1 month') + interval '1 day')::date AND "__time" IS NOT NULL AND "__entity" IS NOT NULL
  ) AS e
  ) AS v
  WHERE "run" > 0
  ) AS w
  GROUP BY 1
),
"r" AS (
  SELECT "d0", "m1" AS "v0"
  FROM "f0"
)
SELECT "r"."d0" AS "channel", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST
LIMIT $4::bigint OFFSET $5::bigint;

-- == mysql == Risk: NULL before all times; 'web' and 'Web' in one order with their collation
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01, $4 = day, $5 = 1 month, $6 = 1 day
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((date_trunc($4::text, $2::timestamp))::date, 'YYYY-MM-DD BC'), to_char(((($3::timestamp + ($5::text)::interval) + ($6::text)::interval))::date, 'YYYY-MM-DD BC');
-- Statement 1, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2, ? = time 3, ? = time 3, ? = time 4, ? = time 4
SELECT CONVERT(`g`.`d0` USING utf8mb4) AS `c0`, CAST(`g`.`m0` AS CHAR) AS `c1`, CAST(`g`.`m1` AS CHAR) AS `c2`
FROM (
SELECT `w`.`d0` AS `d0`, COUNT((CASE WHEN (`w`.`kind` = 0) THEN 1 END)) AS `m0`, COUNT((CASE WHEN ((`w`.`kind` = 1) AND (NOT COALESCE((`w`.`base` <= (`w`.`at` + INTERVAL -1 MONTH)), FALSE))) THEN 1 END)) AS `m1`
FROM (
SELECT FIRST_VALUE(`v`.`d0`) OVER (PARTITION BY `v`.`__entity`, `v`.`run` ORDER BY (`v`.`kind` IS NULL), `v`.`kind`) AS `d0`, `v`.`kind` AS `kind`, `v`.`at` AS `at`, FIRST_VALUE(`v`.`at`) OVER (PARTITION BY `v`.`__entity`, `v`.`run` ORDER BY (`v`.`kind` IS NULL), `v`.`kind`) AS `base`
FROM (
SELECT `e`.`d0` AS `d0`, `e`.`__key0` AS `__key0`, `e`.`__key1` AS `__key1`, `e`.`at` AS `at`, `e`.`__entity` AS `__entity`, `e`.`kind` AS `kind`, COUNT(CASE WHEN (`e`.`kind` = 0) THEN 1 END) OVER (PARTITION BY `e`.`__entity` ORDER BY (`e`.`at` IS NULL), `e`.`at`, (`e`.`kind` IS NULL), `e`.`kind`, (`e`.`__key0` IS NULL), IF(LENGTH(`e`.`__key0`) > @@max_sort_length - 8, (SELECT X'00' UNION ALL SELECT X'01'), `e`.`__key0`), (`e`.`__key1` IS NULL), `e`.`__key1`, (`e`.`d0` IS NULL), IF(LENGTH(`e`.`d0`) > @@max_sort_length - 8, (SELECT X'00' UNION ALL SELECT X'01'), `e`.`d0`) ROWS UNBOUNDED PRECEDING) AS `run`
FROM (
SELECT CAST(CONVERT(`s`.`channel` USING utf8mb4) AS BINARY) AS `d0`, CAST(CONVERT(`s`.`channel` USING utf8mb4) AS BINARY) AS `__key0`, `s`.`id` AS `__key1`, CAST(DATE((NULLIF(`s`.`at`, 0) + INTERVAL IF(NULLIF(`s`.`at`, 0) < TIMESTAMP'1981-12-31 16:00:00', 27000, 28800) SECOND)) AS DATETIME(6)) AS `at`, `s`.`key` AS `__entity`, 0 AS `kind`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
UNION ALL
SELECT NULL AS `d0`, NULL AS `__key0`, NULL AS `__key1`, CAST(DATE(CAST(IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) AS DATETIME(6))) AS DATETIME(6)) AS `at`, `r`.`key` AS `__entity`, 1 AS `kind`
FROM `sales`.`returned` AS `r`
WHERE (`r`.`day` >= CAST(? AS DATE))
  AND (IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) >= CAST(? AS DATE))
  AND (`r`.`day` < CAST(? AS DATE))
  AND (IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) < CAST(? AS DATE))
  AND (IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) IS NOT NULL)
  AND (`r`.`key` IS NOT NULL)
) AS `e`
) AS `v`
WHERE (`v`.`run` > 0)
) AS `w`
GROUP BY 1
) AS `g`;
-- The rest, on PostgreSQL
-- $1 = the rows of statement 1, $2 = 101, $3 = 0
WITH "f0" AS (
  SELECT "d0" AS "d0", "m0" AS "m0", "m1" AS "m1"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("d0" text, "m0" bigint, "m1" bigint)
),
"r" AS (
  SELECT "d0", "m1" AS "v0"
  FROM "f0"
)
SELECT "r"."d0" AS "channel", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST
LIMIT $2::bigint OFFSET $3::bigint;

-- == duckdb == Risk: a month of thirty days
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01, $4 = day, $5 = 1 month, $6 = 1 day
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((date_trunc($4::text, $2::timestamp))::date, 'YYYY-MM-DD BC'), to_char(((($3::timestamp + ($5::text)::interval) + ($6::text)::interval))::date, 'YYYY-MM-DD BC');
-- Statement 1, on duckdb
-- $1 = time 1, $2 = time 2, $3 = time 3, $4 = time 4
SELECT CAST("g"."d0" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1", CAST("g"."m1" AS VARCHAR) AS "c2"
FROM (
SELECT "w"."d0" AS "d0", COUNT((CASE WHEN ("w"."kind" = 0) THEN 1 END)) AS "m0", COUNT((CASE WHEN (("w"."kind" = 1) AND (NOT COALESCE(("w"."base" <= ("w"."at" + INTERVAL (-1) MONTH)), FALSE))) THEN 1 END)) AS "m1"
FROM (
SELECT FIRST_VALUE("v"."d0") OVER (PARTITION BY "v"."__entity", "v"."run" ORDER BY ("v"."kind" IS NULL), "v"."kind") AS "d0", "v"."kind" AS "kind", "v"."at" AS "at", FIRST_VALUE("v"."at") OVER (PARTITION BY "v"."__entity", "v"."run" ORDER BY ("v"."kind" IS NULL), "v"."kind") AS "base"
FROM (
SELECT "e"."d0" AS "d0", "e"."__key0" AS "__key0", "e"."__key1" AS "__key1", "e"."at" AS "at", "e"."__entity" AS "__entity", "e"."kind" AS "kind", COUNT(CASE WHEN ("e"."kind" = 0) THEN 1 END) OVER (PARTITION BY "e"."__entity" ORDER BY ("e"."at" IS NULL), "e"."at", ("e"."kind" IS NULL), "e"."kind", ("e"."__key0" IS NULL), "e"."__key0", ("e"."__key1" IS NULL), "e"."__key1", ("e"."d0" IS NULL), "e"."d0" ROWS UNBOUNDED PRECEDING) AS "run"
FROM (
SELECT CAST("s"."channel" AS VARCHAR) AS "d0", CAST("s"."channel" AS VARCHAR) AS "__key0", "s"."id" AS "__key1", CAST(date_trunc('day', timezone('Asia/Singapore', "s"."at")) AS TIMESTAMP) AS "at", "s"."key" AS "__entity", 0 AS "kind"
FROM "main"."sales" AS "s"
WHERE ("s"."at" >= CAST($1 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($2 || '+00' AS TIMESTAMPTZ))
UNION ALL
SELECT NULL AS "d0", NULL AS "__key0", NULL AS "__key1", CAST(date_trunc('day', CAST("r"."day" AS TIMESTAMP)) AS TIMESTAMP) AS "at", "r"."key" AS "__entity", 1 AS "kind"
FROM "main"."returned" AS "r"
WHERE ("r"."day" >= CAST($3 AS date))
  AND ("r"."day" < CAST($4 AS date))
  AND ("r"."day" IS NOT NULL)
  AND ("r"."key" IS NOT NULL)
) AS "e"
) AS "v"
WHERE ("v"."run" > 0)
) AS "w"
GROUP BY 1
) AS "g";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: first_value, which passes over NULL
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01, $4 = day, $5 = 1 month, $6 = 1 day
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((date_trunc($4::text, $2::timestamp))::date, 'YYYY-MM-DD BC'), to_char(((($3::timestamp + ($5::text)::interval) + ($6::text)::interval))::date, 'YYYY-MM-DD BC');
-- Statement 1, on clickhouse
-- p1 = time 1, p2 = time 2, p3 = time 3, p4 = time 4
SELECT toString(`g`.`d0`) AS `c0`, toString(`g`.`m0`) AS `c1`, toString(`g`.`m1`) AS `c2`
FROM (
SELECT `w`.`d0` AS `d0`, COUNT((CASE WHEN (`w`.`kind` = 0) THEN 1 END)) AS `m0`, COUNT((CASE WHEN ((`w`.`kind` = 1) AND (NOT COALESCE((`w`.`base` <= addMonths(`w`.`at`, -1)), FALSE))) THEN 1 END)) AS `m1`
FROM (
SELECT first_value(`v`.`d0`) RESPECT NULLS OVER (PARTITION BY `v`.`__entity`, `v`.`run` ORDER BY (`v`.`kind` IS NULL), `v`.`kind`) AS `d0`, `v`.`kind` AS `kind`, `v`.`at` AS `at`, first_value(`v`.`at`) RESPECT NULLS OVER (PARTITION BY `v`.`__entity`, `v`.`run` ORDER BY (`v`.`kind` IS NULL), `v`.`kind`) AS `base`
FROM (
SELECT `e`.`d0` AS `d0`, `e`.`__key0` AS `__key0`, `e`.`__key1` AS `__key1`, `e`.`at` AS `at`, `e`.`__entity` AS `__entity`, `e`.`kind` AS `kind`, COUNT(CASE WHEN (`e`.`kind` = 0) THEN 1 END) OVER (PARTITION BY `e`.`__entity` ORDER BY (`e`.`at` IS NULL), `e`.`at`, (`e`.`kind` IS NULL), `e`.`kind`, (`e`.`__key0` IS NULL), `e`.`__key0`, (`e`.`__key1` IS NULL), `e`.`__key1`, (`e`.`d0` IS NULL), `e`.`d0` ROWS UNBOUNDED PRECEDING) AS `run`
FROM (
SELECT toString(`s`.`channel`) AS `d0`, toString(`s`.`channel`) AS `__key0`, `s`.`id` AS `__key1`, toDateTime64(toDate32(addSeconds(toDateTime64(`s`.`at`, 6, 'UTC'), timezoneOffset(toTimeZone(`s`.`at`, 'Asia/Singapore')))), 6, 'UTC') AS `at`, `s`.`key` AS `__entity`, 0 AS `kind`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= toDateTime64({p1:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p2:String}, 6, 'UTC'))
UNION ALL
SELECT NULL AS `d0`, NULL AS `__key0`, NULL AS `__key1`, toDateTime64(toDate32(toDateTime64(toDate32(`r`.`day`), 6, 'UTC')), 6, 'UTC') AS `at`, `r`.`key` AS `__entity`, 1 AS `kind`
FROM `sales`.`returned` AS `r`
WHERE (toDate32(`r`.`day`) >= toDate32({p3:String}))
  AND (toDate32(`r`.`day`) < toDate32({p4:String}))
  AND (toDate32(`r`.`day`) IS NOT NULL)
  AND (`r`.`key` IS NOT NULL)
) AS `e`
) AS `v`
WHERE (`v`.`run` > 0)
) AS `w`
GROUP BY 1
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql
