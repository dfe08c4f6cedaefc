-- weighted_average 1: a mean weighted by region
-- WAVG(amount, weight), {"dimensions":["地区"],"grain":null,"fill":"none","from":"2024-01-01","to":"2024-04-01"} in Asia/Singapore
-- Rows
--   NULL | 40
--   华东 | 10.5
--   华南 | 53.3333333333

-- == postgres == Risk: a weight without a value that stays in the denominator
-- $1 = 2024-01-01, $2 = Asia/Singapore, $3 = 2024-04-01, $4 = 101, $5 = 0
WITH "f0" AS (
  SELECT "地区" AS "d0", SUM("amount"::numeric * "weight"::numeric) FILTER (WHERE TRUE AND "amount" IS NOT NULL AND "weight" IS NOT NULL) AS "m0", SUM("weight") FILTER (WHERE TRUE AND "amount" IS NOT NULL AND "weight" IS NOT NULL) AS "m1"
  FROM (
    SELECT "s"."amount" AS "amount", "s"."weight" AS "weight", "b"."region" AS "地区", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
    LEFT JOIN "mirror"."buyers" AS "b" ON "s"."buyer" = "b"."id"
  ) AS "s"
  WHERE "__time" >= ($1::timestamp AT TIME ZONE $2::text) AND "__time" < ($3::timestamp AT TIME ZONE $2::text)
  GROUP BY 1
),
"r" AS (
  SELECT "d0", ("m0"::numeric / NULLIF("m1"::numeric, 0)) AS "v0"
  FROM "f0"
)
SELECT "r"."d0" AS "地区", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST
LIMIT $4::bigint OFFSET $5::bigint;

-- == mysql == Risk: a quotient with four digits
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CONVERT(`g`.`d0` USING utf8mb4) AS `c0`, CAST(`g`.`m0` AS CHAR) AS `c1`, CAST(`g`.`m1` AS CHAR) AS `c2`, `p0`.`repeats0` AS `c3`
FROM (
SELECT CAST(CONVERT(`b`.`region` USING utf8mb4) AS BINARY) AS `d0`, SUM((CASE WHEN (TRUE AND (`s`.`amount` IS NOT NULL) AND (`s`.`weight` IS NOT NULL)) THEN (CAST(CAST(`s`.`amount` AS DECIMAL(10, 0)) AS DECIMAL(10, 0)) * CAST(CAST(`s`.`weight` AS DECIMAL(12, 2)) AS DECIMAL(12, 2))) END)) AS `m0`, SUM((CASE WHEN (TRUE AND (`s`.`amount` IS NOT NULL) AND (`s`.`weight` IS NOT NULL)) THEN `s`.`weight` END)) AS `m1`
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
  SELECT "d0" AS "d0", "m0" AS "m0", "m1" AS "m1"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("d0" text, "m0" numeric, "m1" numeric)
),
"r" AS (
  SELECT "d0", ("m0"::numeric / NULLIF("m1"::numeric, 0)) AS "v0"
  FROM "f0"
)
SELECT "r"."d0" AS "地区", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST
LIMIT $2::bigint OFFSET $3::bigint;

-- == duckdb == Risk: a quotient of doubles
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."d0" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1", CAST("g"."m1" AS VARCHAR) AS "c2", "p0"."repeats0" AS "c3"
FROM (
SELECT CAST("b"."region" AS VARCHAR) AS "d0", SUM((CASE WHEN (TRUE AND ("s"."amount" IS NOT NULL) AND ("s"."weight" IS NOT NULL)) THEN (CAST(CAST("s"."amount" AS DECIMAL(10, 0)) AS DECIMAL(10, 0)) * CAST(CAST("s"."weight" AS DECIMAL(12, 2)) AS DECIMAL(12, 2))) END)) AS "m0", SUM((CASE WHEN (TRUE AND ("s"."amount" IS NOT NULL) AND ("s"."weight" IS NOT NULL)) THEN "s"."weight" END)) AS "m1"
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

-- == clickhouse == Risk: a quotient of decimals that is cut to their scale
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on clickhouse
-- p1 = time 1, p2 = time 2
SELECT toString(`g`.`d0`) AS `c0`, toString(`g`.`m0`) AS `c1`, toString(`g`.`m1`) AS `c2`, `p0`.`repeats0` AS `c3`
FROM (
SELECT toString(`b`.`region`) AS `d0`, sum(toNullable(toDecimal256((CASE WHEN (TRUE AND (`s`.`amount` IS NOT NULL) AND (`s`.`weight` IS NOT NULL)) THEN (toDecimal256(toDecimal256(`s`.`amount`, 0), 0) * toDecimal256(toDecimal256(`s`.`weight`, 2), 2)) END), 2))) AS `m0`, sum(toNullable(toDecimal256((CASE WHEN (TRUE AND (`s`.`amount` IS NOT NULL) AND (`s`.`weight` IS NOT NULL)) THEN `s`.`weight` END), 2))) AS `m1`
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
