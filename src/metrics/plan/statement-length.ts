import { SchemaError } from '../../common/errors/api-error.js';
import { type ResolvedMetric } from './resolve-metric.js';

/** Maximum characters of one statement. The SQL parser needs some 50 ms for that length, and this process does nothing else meanwhile. */
export const mostStatementCharacters = 100_000;

/** Checks that a statement with these parts is not too long. @param most maximum characters @throws SchemaError */
export function checkStatementLength(parts: readonly string[], most = mostStatementCharacters): void {
  const characters = parts.reduce((sum, { length }) => sum + length, 0);
  if (characters <= most) return;
  const text = {
    zh: `此请求的 SQL 至少有 ${characters} 个字符，超过 ${most} 个；请减少指标、筛选或其中的值，或把绑定的查询做成数据库中的视图`,
    en: `the SQL of this request has ${characters} characters or more, and ${most} are allowed: ask for fewer metrics, filters or values, or make views of the queries of bindings`,
  };
  throw new SchemaError([{ loc: ['body'], text, type: 'statement_too_long' }]);
}

/** Checks the length of the queries and row filters of bindings, each text once, before any of them is guarded. @throws SchemaError */
export function checkLengthOfBindings(metrics: readonly ResolvedMetric[]): void {
  const texts = new Set<string>();
  for (const { fact, row_filter } of metrics.flatMap(metric => metric.bindings)) {
    if ('sql' in fact.source) texts.add(fact.source.sql);
    if (row_filter !== null) texts.add(row_filter);
  }
  checkStatementLength([...texts]);
}
