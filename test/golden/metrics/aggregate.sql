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
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
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
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
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
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
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
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
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
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
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
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
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


-- aggregate 3: the sum of channels that sold more than was returned
-- SUM(amount), {"dimensions":["channel"],"grain":null,"fill":"none","from":"2024-01-01","to":"2024-04-01","above":"(SUM(amount) - [r0]) by channel > 32"} in Asia/Singapore
-- Rows
--   Web | 80
--   web | 82

-- == postgres == Risk: a channel without a name, whose rows no list keeps
-- $1 = 32, $2 = 2024-01-01, $3 = Asia/Singapore, $4 = 2024-04-01, $5 = 101, $6 = 0
WITH "k0" AS (
  WITH "f0" AS (
  SELECT "channel" AS "d0", SUM("amount") AS "m0"
  FROM (
    SELECT "s"."amount" AS "amount", "s"."channel" AS "channel"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  GROUP BY 1
),
"f1" AS (
  SELECT "channel" AS "d0", SUM("amount") AS "m1"
  FROM (
    SELECT "r"."amount" AS "amount", "r"."channel" AS "channel"
    FROM "mirror"."returned" AS "r"
  ) AS "r"
  GROUP BY 1
),
"u" AS (
  SELECT "d0", 1 AS "present", "m0", NULL AS "m1" FROM "f0"
  UNION ALL
  SELECT "d0", 1 AS "present", NULL AS "m0", "m1" FROM "f1"
),
"g" AS (
  SELECT "d0", MAX("m0") AS "m0", MAX("m1") AS "m1" FROM "u" GROUP BY "d0"
),
"r" AS (
  SELECT "d0", ("m0"::numeric - "m1"::numeric) AS "v0"
  FROM "g"
)
  SELECT "d0" AS "key"
  FROM "r"
  WHERE "v0" > $1::numeric
),
"f0" AS (
  SELECT "channel" AS "d0", SUM("amount") AS "m0"
  FROM (
    SELECT "s"."amount" AS "amount", "s"."channel" AS "channel", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  WHERE "__time" >= ($2::timestamp AT TIME ZONE $3::text) AND "__time" < ($4::timestamp AT TIME ZONE $3::text) AND "channel" IN (SELECT "key" FROM "k0")
  GROUP BY 1
),
"r" AS (
  SELECT "d0", "m0" AS "v0"
  FROM "f0"
)
SELECT "r"."d0" AS "channel", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST
LIMIT $5::bigint OFFSET $6::bigint;

-- == mysql == Risk: 'web' kept for 'Web' or 'web '; a list of which each row is compared with every text
-- Statement 1, on mysql
SELECT CONVERT(`g`.`d0` USING utf8mb4) AS `c0`, CAST(`g`.`m0` AS CHAR) AS `c1`
FROM (
SELECT CAST(CONVERT(`s`.`channel` USING utf8mb4) AS BINARY) AS `d0`, SUM(`s`.`amount`) AS `m0`
FROM `sales`.`sales` AS `s`
GROUP BY 1
) AS `g`;
-- Statement 2, on mysql
SELECT CONVERT(`g`.`d0` USING utf8mb4) AS `c0`, CAST(`g`.`m1` AS CHAR) AS `c1`
FROM (
SELECT CAST(CONVERT(`r`.`channel` USING utf8mb4) AS BINARY) AS `d0`, SUM(`r`.`amount`) AS `m1`
FROM `sales`.`returned` AS `r`
GROUP BY 1
) AS `g`;
-- The times of statement 3, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- The list of statement 3, on PostgreSQL
-- $1 = the rows of statement 1, $2 = the rows of statement 2, $3 = 32
SELECT COALESCE(jsonb_agg(jsonb_build_array("c0")), '[]')::text, COUNT(*), COALESCE(SUM(num_nulls("c0")), 0)
FROM (SELECT "key"::text AS "c0" FROM (
SELECT * FROM (
WITH "f0" AS (
  SELECT "d0" AS "d0", "m0" AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("d0" text, "m0" numeric)
),
"f1" AS (
  SELECT "d0" AS "d0", "m1" AS "m1"
  FROM jsonb_to_recordset($2::jsonb) AS "rows" ("d0" text, "m1" numeric)
),
"u" AS (
  SELECT "d0", 1 AS "present", "m0", NULL AS "m1" FROM "f0"
  UNION ALL
  SELECT "d0", 1 AS "present", NULL AS "m0", "m1" FROM "f1"
),
"g" AS (
  SELECT "d0", MAX("m0") AS "m0", MAX("m1") AS "m1" FROM "u" GROUP BY "d0"
),
"r" AS (
  SELECT "d0", ("m0"::numeric - "m1"::numeric) AS "v0"
  FROM "g"
)
  SELECT "d0" AS "key"
  FROM "r"
  WHERE "v0" > $3::numeric
) AS k
WHERE "key" IS NOT NULL
) AS l LIMIT 50001) AS t;
-- Statement 3, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2, ? = the list
SELECT CONVERT(`g`.`d0` USING utf8mb4) AS `c0`, CAST(`g`.`m0` AS CHAR) AS `c1`
FROM (
SELECT CAST(CONVERT(`s`.`channel` USING utf8mb4) AS BINARY) AS `d0`, SUM(`s`.`amount`) AS `m0`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
  AND (SHA2(CAST(CONVERT(`s`.`channel` USING utf8mb4) AS BINARY), 256) IN (SELECT SHA2(CAST(CONVERT(`c0` USING utf8mb4) AS BINARY), 256) FROM JSON_TABLE(?, '$[*]' COLUMNS (`c0` LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS `l`))
GROUP BY 1
) AS `g`;
-- The rest, on PostgreSQL
-- $1 = the rows of statement 3, $2 = 101, $3 = 0
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

-- == duckdb == Risk: sums of one fact in place of both
-- Statement 1, on duckdb
SELECT CAST("g"."d0" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1"
FROM (
SELECT CAST("s"."channel" AS VARCHAR) AS "d0", SUM("s"."amount") AS "m0"
FROM "main"."sales" AS "s"
GROUP BY 1
) AS "g";
-- Statement 2, on duckdb
SELECT CAST("g"."d0" AS VARCHAR) AS "c0", CAST("g"."m1" AS VARCHAR) AS "c1"
FROM (
SELECT CAST("r"."channel" AS VARCHAR) AS "d0", SUM("r"."amount") AS "m1"
FROM "main"."returned" AS "r"
GROUP BY 1
) AS "g";
-- The times of statement 3, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- The list of statement 3, on PostgreSQL
-- $1 = the rows of statement 1, $2 = the rows of statement 2, $3 = 32
SELECT COALESCE(jsonb_agg(jsonb_build_array("c0")), '[]')::text, COUNT(*), COALESCE(SUM(num_nulls("c0")), 0)
FROM (SELECT "key"::text AS "c0" FROM (
SELECT * FROM (
WITH "f0" AS (
  SELECT "d0" AS "d0", "m0" AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("d0" text, "m0" numeric)
),
"f1" AS (
  SELECT "d0" AS "d0", "m1" AS "m1"
  FROM jsonb_to_recordset($2::jsonb) AS "rows" ("d0" text, "m1" numeric)
),
"u" AS (
  SELECT "d0", 1 AS "present", "m0", NULL AS "m1" FROM "f0"
  UNION ALL
  SELECT "d0", 1 AS "present", NULL AS "m0", "m1" FROM "f1"
),
"g" AS (
  SELECT "d0", MAX("m0") AS "m0", MAX("m1") AS "m1" FROM "u" GROUP BY "d0"
),
"r" AS (
  SELECT "d0", ("m0"::numeric - "m1"::numeric) AS "v0"
  FROM "g"
)
  SELECT "d0" AS "key"
  FROM "r"
  WHERE "v0" > $3::numeric
) AS k
WHERE "key" IS NOT NULL
) AS l LIMIT 50001) AS t;
-- Statement 3, on duckdb
-- $1 = time 1, $2 = time 2, $3 = the list
SELECT CAST("g"."d0" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1"
FROM (
SELECT CAST("s"."channel" AS VARCHAR) AS "d0", SUM("s"."amount") AS "m0"
FROM "main"."sales" AS "s"
WHERE ("s"."at" >= CAST($1 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($2 || '+00' AS TIMESTAMPTZ))
  AND (CAST("s"."channel" AS VARCHAR) IN (SELECT CAST("c0" AS VARCHAR) FROM (SELECT r[1] AS "c0" FROM (SELECT unnest(from_json($3, '[["VARCHAR"]]')) AS r) AS j) AS "l"))
GROUP BY 1
) AS "g";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: NULL found in a list
-- Statement 1, on clickhouse
SELECT toString(`g`.`d0`) AS `c0`, toString(`g`.`m0`) AS `c1`
FROM (
SELECT toString(`s`.`channel`) AS `d0`, sum(toNullable(toInt128(`s`.`amount`))) AS `m0`
FROM `sales`.`sales` AS `s`
GROUP BY 1
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- Statement 2, on clickhouse
SELECT toString(`g`.`d0`) AS `c0`, toString(`g`.`m1`) AS `c1`
FROM (
SELECT toString(`r`.`channel`) AS `d0`, sum(toNullable(toInt128(`r`.`amount`))) AS `m1`
FROM `sales`.`returned` AS `r`
GROUP BY 1
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The times of statement 3, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- The list of statement 3, on PostgreSQL
-- $1 = the rows of statement 1, $2 = the rows of statement 2, $3 = 32
SELECT COALESCE(jsonb_agg(jsonb_build_array("c0")), '[]')::text, COUNT(*), COALESCE(SUM(num_nulls("c0")), 0)
FROM (SELECT "key"::text AS "c0" FROM (
SELECT * FROM (
WITH "f0" AS (
  SELECT "d0" AS "d0", "m0" AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("d0" text, "m0" numeric)
),
"f1" AS (
  SELECT "d0" AS "d0", "m1" AS "m1"
  FROM jsonb_to_recordset($2::jsonb) AS "rows" ("d0" text, "m1" numeric)
),
"u" AS (
  SELECT "d0", 1 AS "present", "m0", NULL AS "m1" FROM "f0"
  UNION ALL
  SELECT "d0", 1 AS "present", NULL AS "m0", "m1" FROM "f1"
),
"g" AS (
  SELECT "d0", MAX("m0") AS "m0", MAX("m1") AS "m1" FROM "u" GROUP BY "d0"
),
"r" AS (
  SELECT "d0", ("m0"::numeric - "m1"::numeric) AS "v0"
  FROM "g"
)
  SELECT "d0" AS "key"
  FROM "r"
  WHERE "v0" > $3::numeric
) AS k
WHERE "key" IS NOT NULL
) AS l LIMIT 50001) AS t;
-- Statement 3, on clickhouse
-- p1 = time 1, p2 = time 2, p3 = part 1 of the list, p4 = part 2 of the list, p5 = part 3 of the list, p6 = part 4 of the list, p7 = part 5 of the list, p8 = part 6 of the list, p9 = part 7 of the list, p10 = part 8 of the list, p11 = part 9 of the list, p12 = part 10 of the list, p13 = part 11 of the list, p14 = part 12 of the list, p15 = part 13 of the list, p16 = part 14 of the list, p17 = part 15 of the list, p18 = part 16 of the list
SELECT toString(`g`.`d0`) AS `c0`, toString(`g`.`m0`) AS `c1`
FROM (
SELECT toString(`s`.`channel`) AS `d0`, sum(toNullable(toInt128(`s`.`amount`))) AS `m0`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= toDateTime64({p1:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p2:String}, 6, 'UTC'))
  AND (toString(`s`.`channel`) IN (SELECT `c0` FROM (SELECT r[1] AS `c0` FROM (SELECT arrayJoin(JSONExtract(concat({p3:String}, {p4:String}, {p5:String}, {p6:String}, {p7:String}, {p8:String}, {p9:String}, {p10:String}, {p11:String}, {p12:String}, {p13:String}, {p14:String}, {p15:String}, {p16:String}, {p17:String}, {p18:String}), 'Array(Array(String))')) AS r) AS j) AS `l`))
GROUP BY 1
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql


-- aggregate 4: a count by the hours of two days
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
