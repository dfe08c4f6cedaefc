import { SchemaError } from '../../common/errors/api-error.js';
import { guardExpression } from '../../sql-guard/guard-expression.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { integerType } from './target-dialect.js';
import { targetDialects } from './target-dialects.js';
import { TargetParameters } from './target-parameters.js';
import { translateExpression } from './translate-expression.js';

beforeAll(loadSqlParser);

const nested = (levels: number, before: string, after: string): string => `${before.repeat(levels)}a${after.repeat(levels)}`;

/** The SQL of DuckDB for an expression over an integer column `a`. */
function translated(expression: string): string {
  const { tree } = guardExpression(expression, { columns: new Set(['a']) });
  const find = () => ({ ...integerType('integer'), sql: '"a"' });
  return translateExpression(tree, {
    dialect: targetDialects.duckdb,
    parameters: new TargetParameters(),
    lists: new Map(),
    values: [],
    find,
  }).sql;
}

describe('an expression that nests constructs which write an operand several times', () => {
  // Without a limit, the SQL would contain 2^60 or 4^60 copies of the innermost operand.
  it.each([
    ['NULLIF', nested(60, 'NULLIF(', ', 0)')],
    ['GREATEST', nested(60, 'GREATEST(', ', 1, 2)')],
    ['CASE', nested(60, 'CASE (', ') WHEN 1 THEN 2 WHEN 3 THEN 4 WHEN 5 THEN 6 END')],
  ])('is refused if its text is too long, for %s', (_, expression) => {
    expect(() => translated(expression)).toThrow(SchemaError);
  });

  it('is translated where its text is short', () => {
    expect(translated(nested(3, 'NULLIF(', ', 0)'))).toContain('CASE WHEN');
    expect(translated(`${nested(4, 'CASE (', ') WHEN 1 THEN 2 ELSE 3 END')} > 1`)).toContain('"a"');
  });
});
