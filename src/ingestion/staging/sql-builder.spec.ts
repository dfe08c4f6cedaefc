import { guardExpression } from '../../sql-guard/guard-expression.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { atOnce } from '../../text/steps.js';
import { SqlBuilder } from './sql-builder.js';

beforeAll(loadSqlParser);

describe('SqlBuilder', () => {
  it('turns values into parameters', () => {
    const sql = new SqlBuilder();
    const template = `SELECT ${sql.bind("'; DROP TABLE users; --", 'text')}, ${sql.bind(2, 'int')}`;
    expect(atOnce(sql.build(template))).toEqual({ sql: 'SELECT $1::text, $2::int', parameters: ["'; DROP TABLE users; --", 2] });
  });

  it("puts the author's SQL in place of its marker, in brackets of its own", () => {
    const sql = new SqlBuilder();
    const fragment = sql.fragment(guardExpression('a + 1', { columns: 'any' }));
    expect(atOnce(sql.build(`SELECT ${fragment} * 2 FROM t`)).sql).toBe('SELECT (\na + 1\n) * 2 FROM t');
  });

  it('refuses a statement whose shape the text of a fragment would change', () => {
    const sql = new SqlBuilder();
    const guarded = guardExpression('a', { columns: 'any' });
    const fragment = sql.fragment({ ...guarded, text: 'a), (b' });
    expect(() => atOnce(sql.build(`SELECT ${fragment} FROM t`))).toThrow('differs in shape');
  });
});
