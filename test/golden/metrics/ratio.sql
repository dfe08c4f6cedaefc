-- ratio 1: what was returned of what was sold, by region
-- [r0] / SUM(amount), {"dimensions":["地区"],"grain":null,"fill":"none","from":"2024-01-01","to":"2024-04-01"} in Asia/Singapore
-- Rows
--   NULL | 0.1
--   华东 | 0.1346153846
--   华南 | 0.0545454545

-- == postgres == Risk: a join of two facts that splits or drops the region without a name; a division of integers
-- $1 = 2024-01-01, $2 = 2024-04-01, $3 = 2024-01-01, $4 = Asia/Singapore, $5 = 2024-04-01, $6 = 101, $7 = 0
WITH "f0" AS (
  SELECT "地区" AS "d0", SUM("amount") AS "m0"
  FROM (
    SELECT "r"."amount" AS "amount", "r"."region" AS "地区", "r"."day" AS "__time"
    FROM "mirror"."returned" AS "r"
  ) AS "r"
  WHERE "__time" >= $1::date AND "__time" < $2::date
  GROUP BY 1
),
"f1" AS (
  SELECT "地区" AS "d0", SUM("amount") AS "m1"
  FROM (
    SELECT "s"."amount" AS "amount", "b"."region" AS "地区", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
    LEFT JOIN "mirror"."buyers" AS "b" ON "s"."buyer" = "b"."id"
  ) AS "s"
  WHERE "__time" >= ($3::timestamp AT TIME ZONE $4::text) AND "__time" < ($5::timestamp AT TIME ZONE $4::text)
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
  SELECT "d0", ("m0"::numeric / NULLIF("m1"::numeric, 0)) AS "v0"
  FROM "g"
)
SELECT "r"."d0" AS "地区", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST
LIMIT $6::bigint OFFSET $7::bigint;

-- == mysql == Risk: two scans of different moments in another order; a division in MySQL
-- The times of statement 1, on PostgreSQL
-- $1 = 2024-01-01, $2 = 2024-04-01
SELECT to_char($1::date, 'YYYY-MM-DD BC'), to_char($2::date, 'YYYY-MM-DD BC');
-- Statement 1, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CONVERT(`g`.`d0` USING utf8mb4) AS `c0`, CAST(`g`.`m0` AS CHAR) AS `c1`
FROM (
SELECT CAST(CONVERT(`r`.`region` USING utf8mb4) AS BINARY) AS `d0`, SUM(`r`.`amount`) AS `m0`
FROM `sales`.`returned` AS `r`
WHERE (`r`.`day` >= CAST(? AS DATE))
  AND (IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) >= CAST(? AS DATE))
  AND (`r`.`day` < CAST(? AS DATE))
  AND (IF(YEAR(`r`.`day`) > 0 AND DAYOFMONTH(`r`.`day`) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(`r`.`day`)), `r`.`day`, NULL) < CAST(? AS DATE))
GROUP BY 1
) AS `g`;
-- The times of statement 2, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 2, on mysql
-- ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CONVERT(`g`.`d0` USING utf8mb4) AS `c0`, CAST(`g`.`m1` AS CHAR) AS `c1`, `p0`.`repeats0` AS `c2`
FROM (
SELECT CAST(CONVERT(`b`.`region` USING utf8mb4) AS BINARY) AS `d0`, SUM(`s`.`amount`) AS `m1`
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
-- $1 = the rows of statement 1, $2 = the rows of statement 2, $3 = 101, $4 = 0
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
  SELECT "d0", ("m0"::numeric / NULLIF("m1"::numeric, 0)) AS "v0"
  FROM "g"
)
SELECT "r"."d0" AS "地区", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST
LIMIT $3::bigint OFFSET $4::bigint;

-- == duckdb == Risk: a division of doubles
-- The times of statement 1, on PostgreSQL
-- $1 = 2024-01-01, $2 = 2024-04-01
SELECT to_char($1::date, 'YYYY-MM-DD BC'), to_char($2::date, 'YYYY-MM-DD BC');
-- Statement 1, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."d0" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1"
FROM (
SELECT CAST("r"."region" AS VARCHAR) AS "d0", SUM("r"."amount") AS "m0"
FROM "main"."returned" AS "r"
WHERE ("r"."day" >= CAST($1 AS date))
  AND ("r"."day" < CAST($2 AS date))
GROUP BY 1
) AS "g";
-- The times of statement 2, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 2, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."d0" AS VARCHAR) AS "c0", CAST("g"."m1" AS VARCHAR) AS "c1", "p0"."repeats0" AS "c2"
FROM (
SELECT CAST("b"."region" AS VARCHAR) AS "d0", SUM("s"."amount") AS "m1"
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

-- == clickhouse == Risk: a division by zero that gives infinity
-- The times of statement 1, on PostgreSQL
-- $1 = 2024-01-01, $2 = 2024-04-01
SELECT to_char($1::date, 'YYYY-MM-DD BC'), to_char($2::date, 'YYYY-MM-DD BC');
-- Statement 1, on clickhouse
-- p1 = time 1, p2 = time 2
SELECT toString(`g`.`d0`) AS `c0`, toString(`g`.`m0`) AS `c1`
FROM (
SELECT toString(`r`.`region`) AS `d0`, sum(toNullable(toInt128(`r`.`amount`))) AS `m0`
FROM `sales`.`returned` AS `r`
WHERE (toDate32(`r`.`day`) >= toDate32({p1:String}))
  AND (toDate32(`r`.`day`) < toDate32({p2:String}))
GROUP BY 1
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The times of statement 2, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 2, on clickhouse
-- p1 = time 1, p2 = time 2
SELECT toString(`g`.`d0`) AS `c0`, toString(`g`.`m1`) AS `c1`, `p0`.`repeats0` AS `c2`
FROM (
SELECT toString(`b`.`region`) AS `d0`, sum(toNullable(toInt128(`s`.`amount`))) AS `m1`
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
