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

-- == mysql == Risk: there is no quantile, and an approximation would be taken for one
-- not_in_dialect: MySQL cannot exactly compute MEDIAN and PERCENTILE; write it another way, or copy the table into the mirror and bind the copy

-- == duckdb == Risk: a quantile of decimals, which cuts digits
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US');
-- Statement 1, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."d0" AS VARCHAR) AS "c0", CAST("g"."m0" AS VARCHAR) AS "c1", "p0"."repeats0" AS "c2"
FROM (
SELECT CAST("b"."region" AS VARCHAR) AS "d0", QUANTILE_CONT(CAST("s"."amount" AS DOUBLE), 0.5) AS "m0"
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
-- The rest, on PostgreSQL
-- $1 = the rows of statement 1, $2 = 101, $3 = 0
WITH "f0" AS (
  SELECT "d0" AS "d0", trim_scale(("m0")::numeric) AS "m0"
  FROM jsonb_to_recordset($1::jsonb) AS "rows" ("d0" text, "m0" double precision)
),
"r" AS (
  SELECT "d0", "m0" AS "v0", COALESCE(ABS("m0"::numeric) > 999999999999999, FALSE) AS "w0"
  FROM "f0"
)
SELECT "r"."d0" AS "地区", "r"."v0" AS "value", "r"."w0"
FROM "r"
ORDER BY "r"."d0" ASC NULLS LAST
LIMIT $2::bigint OFFSET $3::bigint;

-- == clickhouse == Risk: quantile, which samples
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US');
-- Statement 1, on clickhouse
-- p1 = time 1, p2 = time 2
SELECT toString(`g`.`d0`) AS `c0`, toString(`g`.`m0`) AS `c1`, `p0`.`repeats0` AS `c2`
FROM (
SELECT toString(`b`.`region`) AS `d0`, quantileExactInclusive(0.5)(toNullable(toFloat64(`s`.`amount`))) AS `m0`
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
-- The rest, on PostgreSQL: that of duckdb


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

-- == mysql == Risk: as above
-- not_in_dialect: MySQL cannot exactly compute PERCENTILE with DISC; write it another way, or copy the table into the mirror and bind the copy

-- == duckdb == Risk: another rounding of the position
-- The times of statement 1, on PostgreSQL
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01
SELECT to_char((timezone($1::text, $2::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char((timezone($1::text, $3::timestamp)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US');
-- Statement 1, on duckdb
-- $1 = time 1, $2 = time 2
SELECT CAST("g"."m0" AS VARCHAR) AS "c0"
FROM (
SELECT QUANTILE_DISC("s"."amount", 0.75) AS "m0"
FROM "main"."sales" AS "s"
WHERE ("s"."at" >= CAST($1 || '+00' AS TIMESTAMPTZ))
  AND ("s"."at" < CAST($2 || '+00' AS TIMESTAMPTZ))
) AS "g";
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

-- == clickhouse == Risk: quantileExact takes another of two neighbours
-- not_in_dialect: ClickHouse cannot exactly compute PERCENTILE with DISC; write it another way, or copy the table into the mirror and bind the copy
