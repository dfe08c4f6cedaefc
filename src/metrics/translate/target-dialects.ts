import { clickhouse } from './clickhouse.js';
import { duckdb } from './duckdb.js';
import { mysql } from './mysql.js';
import { type ForeignDialect, type TargetDialect } from './target-dialect.js';

export const targetDialects: Readonly<Record<ForeignDialect, TargetDialect>> = { mysql, duckdb, clickhouse };
