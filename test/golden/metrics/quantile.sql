-- quantile 1: the median by region
-- MEDIAN(amount), {"dimensions":["地区"],"grain":null,"fill":"none","from":"2024-01-01","to":"2024-04-01"} in Asia/Singapore
-- Rows
--   NULL | 40
--   华东 | 15
--   华南 | 55

-- == postgres == Risk: the last bits of a double
-- $1 = 2024-01-01, $2 = Asia/Singapore, $3 = 2024-04-01, $4 = 101, $5 = 0
WITH "f0" AS (
  SELECT "地区" AS "d0", trim_scale((percentile_cont(0.5) WITHIN GROUP (ORDER BY "amount"))::numeric) AS "m0"
  FROM (
    SELECT "s"."amount" AS "amount", "b"."region" AS "地区", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
    LEFT JOIN "mirror"."buyers" AS "b" ON "s"."buyer" = "b"."id"
  ) AS "s"
  WHERE "__time" >= ($1::timestamp AT TIME ZONE $2::text) AND "__time" < ($3::timestamp AT TIME ZONE $2::text)
  GROUP BY 1
),
"r" AS (
  SELECT "d0", "m0" AS "v0", COALESCE(ABS("m0"::numeric) > 999999999999999, FALSE) AS "w0"
  FROM "f0"
)
SELECT "r"."d0" AS "地区", "r"."v0" AS "value", "r"."w0"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST
LIMIT $4::bigint OFFSET $5::bigint;

-- == mysql == Risk: NULLs that count as places in the order
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on mysql
-- ? = 0.5, ? = 0.5, ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CONVERT(`g`.`d0` USING utf8mb4) AS `c0`, CAST(`g`.`m0l` AS CHAR) AS `c1`, CAST(`g`.`m0u` AS CHAR) AS `c2`, CAST(`g`.`m0n` AS CHAR) AS `c3`, `p0`.`repeats0` AS `c4`
FROM (
SELECT `r`.`x0` AS `d0`, MIN(CASE WHEN `r`.`p0` = GREATEST(1, FLOOR((? + 0e0) * (`r`.`n0` - 1)) + 1) THEN `r`.`v0` END) AS `m0l`, MIN(CASE WHEN `r`.`p0` = GREATEST(1, CEIL((? + 0e0) * (`r`.`n0` - 1)) + 1) THEN `r`.`v0` END) AS `m0u`, MAX(`r`.`n0`) AS `m0n`
FROM (
SELECT CAST(CONVERT(`b`.`region` USING utf8mb4) AS BINARY) AS `x0`, `s`.`amount` AS `v0`, ROW_NUMBER() OVER (PARTITION BY IF(LENGTH(CAST(CONVERT(`b`.`region` USING utf8mb4) AS BINARY)) > @@max_sort_length - 8, (SELECT X'00' UNION ALL SELECT X'01'), CAST(CONVERT(`b`.`region` USING utf8mb4) AS BINARY)) ORDER BY (`s`.`amount` IS NULL), `s`.`amount`) AS `p0`, COUNT(`s`.`amount`) OVER (PARTITION BY IF(LENGTH(CAST(CONVERT(`b`.`region` USING utf8mb4) AS BINARY)) > @@max_sort_length - 8, (SELECT X'00' UNION ALL SELECT X'01'), CAST(CONVERT(`b`.`region` USING utf8mb4) AS BINARY))) AS `n0`
FROM `sales`.`sales` AS `s`
LEFT JOIN `sales`.`buyers` AS `b` ON (`s`.`buyer` = `b`.`id`)
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
) AS `r`
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
  SELECT "d0" AS "d0", trim_scale(("m0l"::float8 + (0.5::float8 * ("m0n" - 1) - floor(0.5::float8 * ("m0n" - 1))) * ("m0u"::float8 - "m0l"::float8))::numeric) AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("d0" text, "m0l" integer, "m0u" integer, "m0n" bigint)
),
"r" AS (
  SELECT "d0", "m0" AS "v0", COALESCE(ABS("m0"::numeric) > 999999999999999, FALSE) AS "w0"
  FROM "f0"
)
SELECT "r"."d0" AS "地区", "r"."v0" AS "value", "r"."w0"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST
LIMIT $2::bigint OFFSET $3::bigint;

-- == duckdb == Risk: a quantile of decimals, which cuts digits
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on duckdb
-- $1 = 0.5, $2 = time 1, $3 = time 2
SELECT CAST("g"."d0" AS VARCHAR) AS "c0", CAST("g"."m0l" AS VARCHAR) AS "c1", CAST("g"."m0u" AS VARCHAR) AS "c2", CAST("g"."m0n" AS VARCHAR) AS "c3", "p0"."repeats0" AS "c4"
FROM (
SELECT CAST("b"."region" AS VARCHAR) AS "d0", list_sort(LIST("s"."amount") FILTER (WHERE "s"."amount" IS NOT NULL))[CAST(GREATEST(1, FLOOR(CAST($1 AS DOUBLE) * (COUNT("s"."amount") - 1)) + 1) AS BIGINT)] AS "m0l", list_sort(LIST("s"."amount") FILTER (WHERE "s"."amount" IS NOT NULL))[CAST(GREATEST(1, CEIL(CAST($1 AS DOUBLE) * (COUNT("s"."amount") - 1)) + 1) AS BIGINT)] AS "m0u", COUNT("s"."amount") AS "m0n"
FROM "main"."sales" AS "s"
LEFT JOIN "main"."buyers" AS "b" ON ("s"."buyer" = "b"."id")
WHERE ("s"."at" >= CAST($2 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($3 || '+00' AS TIMESTAMPTZ))
GROUP BY 1
) AS "g"
CROSS JOIN (SELECT COUNT(*) AS "repeats0" FROM (SELECT 1 AS "one" FROM (
SELECT "b"."id" AS "k0"
FROM "main"."buyers" AS "b"
WHERE ("b"."id" IS NOT NULL)
) AS "q0" GROUP BY "k0" HAVING COUNT(*) > 1) AS "q1") AS "p0";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: quantile, which samples
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on clickhouse
-- p1 = 0.5, p2 = time 1, p3 = time 2
SELECT toString(`g`.`d0`) AS `c0`, toString(`g`.`m0l`) AS `c1`, toString(`g`.`m0u`) AS `c2`, toString(`g`.`m0n`) AS `c3`, `p0`.`repeats0` AS `c4`
FROM (
SELECT toString(`b`.`region`) AS `d0`, if(COUNT(`s`.`amount`) = 0, NULL, arraySort(groupArray(`s`.`amount`))[toUInt64(GREATEST(1, FLOOR(toFloat64({p1:String}) * (COUNT(`s`.`amount`) - 1)) + 1))]) AS `m0l`, if(COUNT(`s`.`amount`) = 0, NULL, arraySort(groupArray(`s`.`amount`))[toUInt64(GREATEST(1, CEIL(toFloat64({p1:String}) * (COUNT(`s`.`amount`) - 1)) + 1))]) AS `m0u`, COUNT(`s`.`amount`) AS `m0n`
FROM `sales`.`sales` AS `s`
LEFT JOIN `sales`.`buyers` AS `b` ON (`s`.`buyer` = `b`.`id`)
WHERE (`s`.`at` >= toDateTime64({p2:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p3:String}, 6, 'UTC'))
GROUP BY 1
) AS `g`
CROSS JOIN (SELECT COUNT(*) AS `repeats0` FROM (SELECT 1 AS `one` FROM (
SELECT `b`.`id` AS `k0`
FROM `sales`.`buyers` AS `b`
WHERE (`b`.`id` IS NOT NULL)
) AS `q0` GROUP BY `k0` HAVING COUNT(*) > 1) AS `q1`) AS `p0`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql


-- quantile 2: the value at three quarters
-- PERCENTILE(amount, 0.75, DISC), {"dimensions":[],"grain":null,"fill":"none","from":"2024-01-01","to":"2024-04-01"} in Asia/Singapore
-- Rows
--   50

-- == postgres == Risk: a value between two of them
-- $1 = 2024-01-01, $2 = Asia/Singapore, $3 = 2024-04-01, $4 = 101, $5 = 0
WITH "f0" AS (
  SELECT percentile_disc(0.75) WITHIN GROUP (ORDER BY "amount") AS "m0"
  FROM (
    SELECT "s"."amount" AS "amount", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  WHERE "__time" >= ($1::timestamp AT TIME ZONE $2::text) AND "__time" < ($3::timestamp AT TIME ZONE $2::text)
),
"r" AS (
  SELECT "m0" AS "v0"
  FROM "f0"
)
SELECT "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."v0"
LIMIT $4::bigint OFFSET $5::bigint;

-- == mysql == Risk: another rounding of the position
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on mysql
-- ? = 0.75, ? = time 1, ? = time 1, ? = time 2, ? = time 2
SELECT CAST(`g`.`m0` AS CHAR) AS `c0`
FROM (
SELECT MIN(CASE WHEN `r`.`p0` = GREATEST(1, CEIL((? + 0e0) * `r`.`n0`)) THEN `r`.`v0` END) AS `m0`
FROM (
SELECT `s`.`amount` AS `v0`, ROW_NUMBER() OVER (ORDER BY (`s`.`amount` IS NULL), `s`.`amount`) AS `p0`, COUNT(`s`.`amount`) OVER () AS `n0`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) >= CAST(? AS DATETIME(6)))
  AND (`s`.`at` < CAST(? AS DATETIME(6)))
  AND (NULLIF(`s`.`at`, 0) < CAST(? AS DATETIME(6)))
) AS `r`
) AS `g`;
-- The rest, on PostgreSQL
-- $1 = the rows of statement 1, $2 = 101, $3 = 0
WITH "f0" AS (
  SELECT "m0" AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("m0" integer)
),
"r" AS (
  SELECT "m0" AS "v0"
  FROM "f0"
)
SELECT "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."v0"
LIMIT $2::bigint OFFSET $3::bigint;

-- == duckdb == Risk: another rounding of the position
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on duckdb
-- $1 = 0.75, $2 = time 1, $3 = time 2
SELECT CAST("g"."m0" AS VARCHAR) AS "c0"
FROM (
SELECT list_sort(LIST("s"."amount") FILTER (WHERE "s"."amount" IS NOT NULL))[CAST(GREATEST(1, CEIL(CAST($1 AS DOUBLE) * COUNT("s"."amount"))) AS BIGINT)] AS "m0"
FROM "main"."sales" AS "s"
WHERE ("s"."at" >= CAST($2 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($3 || '+00' AS TIMESTAMPTZ))
) AS "g";
-- The rest, on PostgreSQL: that of mysql

-- == clickhouse == Risk: quantileExact takes another of two neighbours
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');
-- Statement 1, on clickhouse
-- p1 = 0.75, p2 = time 1, p3 = time 2
SELECT toString(`g`.`m0`) AS `c0`
FROM (
SELECT if(COUNT(`s`.`amount`) = 0, NULL, arraySort(groupArray(`s`.`amount`))[toUInt64(GREATEST(1, CEIL(toFloat64({p1:String}) * COUNT(`s`.`amount`))))]) AS `m0`
FROM `sales`.`sales` AS `s`
WHERE (`s`.`at` >= toDateTime64({p2:String}, 6, 'UTC'))
  AND (`s`.`at` < toDateTime64({p3:String}, 6, 'UTC'))
) AS `g`
SETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1;
-- The rest, on PostgreSQL: that of mysql
