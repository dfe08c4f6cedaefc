-- share_of_total 1: the share of each channel within its region
-- SHARE(SUM(amount) WITHIN 地区), {"dimensions":["地区","channel"],"grain":null,"fill":"none","from":"2024-01-01","to":"2024-04-01"} in Asia/Singapore
-- Rows
--   NULL | NULL | 1
--   华东 | Web | 0.5769230769
--   华东 | web | 0.4230769231
--   华南 | Web | 0.4545454545
--   华南 | web | 0.5454545455

-- == postgres == Risk: a total over the rows that are shown in place of all; a region without a name and the total of all in one row
-- $1 = 2024-01-01, $2 = Asia/Singapore, $3 = 2024-04-01, $4 = 101, $5 = 0
WITH "f0" AS (
  SELECT "地区" AS "d0", "channel" AS "d1", GROUPING("地区", "channel") AS "level", SUM("amount") AS "m0"
  FROM (
    SELECT "s"."amount" AS "amount", "b"."region" AS "地区", "s"."channel" AS "channel", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
    LEFT JOIN "mirror"."buyers" AS "b" ON "s"."buyer" = "b"."id"
  ) AS "s"
  WHERE "__time" >= ($1::timestamp AT TIME ZONE $2::text) AND "__time" < ($3::timestamp AT TIME ZONE $2::text)
  GROUP BY GROUPING SETS ((1, 2), (1))
),
"t" AS (
  SELECT *, MAX(CASE WHEN "level" = 1 THEN "m0" END) OVER (PARTITION BY "d0") AS "m0_1" FROM "f0"
),
"r" AS (
  SELECT "d0", "d1", ("m0"::numeric / NULLIF("m0_1"::numeric, 0)) AS "v0"
  FROM "t"
  WHERE "level" = 0
)
SELECT "r"."d0" AS "地区", "r"."d1" AS "channel", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST, "r"."d1" ASC NULLS LAST
LIMIT $4::bigint OFFSET $5::bigint;

-- == mysql == Risk: WITH ROLLUP, which writes NULL for totals and for regions without a name alike
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2, ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CONVERT(`g`.`d0` USING utf8mb4) AS `c0`, CONVERT(`g`.`d1` USING utf8mb4) AS `c1`, CAST(`g`.`level` AS CHAR) AS `c2`, CAST(`g`.`m0` AS CHAR) AS `c3`, `p0`.`repeats0` AS `c4`
FROM (
SELECT CAST(CONVERT(`b`.`region` USING utf8mb4) AS BINARY) AS `d0`, CAST(CONVERT(`s`.`channel` USING utf8mb4) AS BINARY) AS `d1`, 0 AS `level`, SUM(`s`.`amount`) AS `m0`
FROM `sales`.`sales` AS `s`
LEFT JOIN `sales`.`buyers` AS `b` ON (`s`.`buyer` = `b`.`id`)
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
GROUP BY 1, 2
UNION ALL
SELECT CAST(CONVERT(`b`.`region` USING utf8mb4) AS BINARY) AS `d0`, NULLIF(MIN(CAST(CONVERT(`s`.`channel` USING utf8mb4) AS BINARY)), MIN(CAST(CONVERT(`s`.`channel` USING utf8mb4) AS BINARY))) AS `d1`, 1 AS `level`, SUM(`s`.`amount`) AS `m0`
FROM `sales`.`sales` AS `s`
LEFT JOIN `sales`.`buyers` AS `b` ON (`s`.`buyer` = `b`.`id`)
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
GROUP BY 1
) AS `g`
CROSS JOIN (SELECT COUNT(*) AS `repeats0` FROM (SELECT 1 AS `one` FROM (
SELECT `b`.`id` AS `k0`
FROM `sales`.`buyers` AS `b`
WHERE (`b`.`id` IS NOT NULL)
) AS `q0` GROUP BY `k0` HAVING COUNT(*) > 1) AS `q1`) AS `p0`;
-- The rest, on PostgreSQL
-- $1 = the rows of statement 1, $2 = 101, $3 = 0
WITH "f0" AS (
  SELECT "d0" AS "d0", "d1" AS "d1", "level" AS "level", "m0" AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("d0" text, "d1" text, "level" numeric, "m0" numeric)
),
"t" AS (
  SELECT *, MAX(CASE WHEN "level" = 1 THEN "m0" END) OVER (PARTITION BY "d0") AS "m0_1" FROM "f0"
),
"r" AS (
  SELECT "d0", "d1", ("m0"::numeric / NULLIF("m0_1"::numeric, 0)) AS "v0"
  FROM "t"
  WHERE "level" = 0
)
SELECT "r"."d0" AS "地区", "r"."d1" AS "channel", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST, "r"."d1" ASC NULLS LAST
LIMIT $2::bigint OFFSET $3::bigint;

-- == duckdb == Risk: a total in a second statement, which sees another moment
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."d0" AS VARCHAR) AS "c0", CAST("g"."d1" AS VARCHAR) AS "c1", CAST("g"."level" AS VARCHAR) AS "c2", CAST("g"."m0" AS VARCHAR) AS "c3", "p0"."repeats0" AS "c4"
FROM (
SELECT CAST("b"."region" AS VARCHAR) AS "d0", CAST("s"."channel" AS VARCHAR) AS "d1", 0 AS "level", SUM("s"."amount") AS "m0"
FROM "main"."sales" AS "s"
LEFT JOIN "main"."buyers" AS "b" ON ("s"."buyer" = "b"."id")
WHERE ("s"."at" >= CAST($1 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($2 || '+00' AS TIMESTAMPTZ))
GROUP BY 1, 2
UNION ALL
SELECT CAST("b"."region" AS VARCHAR) AS "d0", NULLIF(MIN(CAST("s"."channel" AS VARCHAR)), MIN(CAST("s"."channel" AS VARCHAR))) AS "d1", 1 AS "level", SUM("s"."amount") AS "m0"
FROM "main"."sales" AS "s"
LEFT JOIN "main"."buyers" AS "b" ON ("s"."buyer" = "b"."id")
WHERE ("s"."at" >= CAST($1 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($2 || '+00' AS TIMESTAMPTZ))
GROUP BY 1
) AS "g"
CROSS JOIN (SELECT COUNT(*) AS "repeats0" FROM (SELECT 1 AS "one" FROM (
SELECT "b"."id" AS "k0"
FROM "main"."buyers" AS "b"
WHERE ("b"."id" IS NOT NULL)
) AS "q0" GROUP BY "k0" HAVING COUNT(*) > 1) AS "q1") AS "p0";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: as DuckDB
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on clickhouse
-- p1 = time 1, p2 = time 2
SELECT toString(`g`.`d0`) AS `c0`, toString(`g`.`d1`) AS `c1`, toString(`g`.`level`) AS `c2`, toString(`g`.`m0`) AS `c3`, `p0`.`repeats0` AS `c4`
FROM (
SELECT toString(`b`.`region`) AS `d0`, toString(`s`.`channel`) AS `d1`, 0 AS `level`, sum(toNullable(toInt128(`s`.`amount`))) AS `m0`
FROM `sales`.`sales` AS `s`
LEFT JOIN `sales`.`buyers` AS `b` ON (`s`.`buyer` = `b`.`id`)
WHERE (`s`.`at` >= toDateTime64({p1:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p2:String}, 6, 'UTC'))
GROUP BY 1, 2
UNION ALL
SELECT toString(`b`.`region`) AS `d0`, NULLIF(MIN(toString(`s`.`channel`)), MIN(toString(`s`.`channel`))) AS `d1`, 1 AS `level`, sum(toNullable(toInt128(`s`.`amount`))) AS `m0`
FROM `sales`.`sales` AS `s`
LEFT JOIN `sales`.`buyers` AS `b` ON (`s`.`buyer` = `b`.`id`)
WHERE (`s`.`at` >= toDateTime64({p1:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p2:String}, 6, 'UTC'))
GROUP BY 1
) AS `g`
CROSS JOIN (SELECT COUNT(*) AS `repeats0` FROM (SELECT 1 AS `one` FROM (
SELECT `b`.`id` AS `k0`
FROM `sales`.`buyers` AS `b`
WHERE (`b`.`id` IS NOT NULL)
) AS `q0` GROUP BY `k0` HAVING COUNT(*) > 1) AS `q1`) AS `p0`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql
