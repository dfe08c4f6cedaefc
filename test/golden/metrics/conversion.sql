-- conversion 1: sales after which something was returned within 20 days, by month
-- CONVERSION([c0] -> [c1] BY key WITHIN 20 DAY, RATE), {"from":"2024-01-01","to":"2024-04-01","grain":"month","fill":"none","dimensions":[]} in Asia/Singapore
-- Rows
--   2024-01-01 | 0.5
--   2024-02-01 | 0.3333333333
--   2024-03-01 | 0.3333333333

-- == postgres == Risk: an event credited to every sale before it, or to one outside of its 20 days
-- $1 = Asia/Singapore, $2 = 2024-01-01, $3 = 2024-04-01, $4 = 101, $5 = 0
WITH "x0" AS (
  SELECT date_trunc('day', ("__time" AT TIME ZONE $1::text)) AS "at", "__entity"
  FROM (
    SELECT "s"."key" AS "__entity", "s"."id" AS "__key0", "s"."at" AS "__time"
    FROM "mirror"."sales" AS "s"
  ) AS "s"
  WHERE "__time" >= ($2::timestamp AT TIME ZONE $1::text) AND "__time" < ($3::timestamp AT TIME ZONE $1::text)
),
"y0" AS (
  SELECT date_trunc('day', "__time"::timestamp) AS "at", "__entity"
  FROM (
    SELECT "r"."key" AS "__entity", "r"."day" AS "__time"
    FROM "mirror"."returned" AS "r"
  ) AS "r"
  WHERE "__time" >= date_trunc('day', $2::timestamp)::date AND "__time" < (($3::timestamp + interval '20 day') + interval '1 day')::date AND "__time" IS NOT NULL AND "__entity" IS NOT NULL
),
"w0" AS (
  SELECT "kind", "at", CASE WHEN "kind" = 0 THEN "at" ELSE
    MAX("at") FILTER (WHERE "kind" = 0) OVER (PARTITION BY "__entity" ORDER BY "at", "kind" ROWS UNBOUNDED PRECEDING) END AS "base"
  FROM (
    SELECT "at", "__entity", 0 AS "kind" FROM "x0"
    UNION ALL
    SELECT "at", "__entity", 1 FROM "y0"
  ) AS e
),
"f0" AS (
  SELECT to_char(date_trunc('month', CASE WHEN isfinite("base") THEN "base" END), 'YYYY-MM-DD') AS "period", COUNT(*) FILTER (WHERE "kind" = 0) AS "m0", NULLIF(COUNT(*) FILTER (WHERE "kind" = 1 AND "base" > ("at" - interval '20 day')), 0) AS "m1"
  FROM "w0"
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

-- == mysql == Risk: the rows of both facts would have to be handed over
-- not_in_dialect: MySQL cannot exactly compute CONVERSION; write it another way, or copy the table into the mirror and bind the copy

-- == duckdb == Risk: as MySQL
-- not_in_dialect: DuckDB cannot exactly compute CONVERSION; write it another way, or copy the table into the mirror and bind the copy

-- == clickhouse == Risk: as MySQL
-- not_in_dialect: ClickHouse cannot exactly compute CONVERSION; write it another way, or copy the table into the mirror and bind the copy
