import { type CompiledStatement } from '../plan/sql-assembly.js';
import { bindScans } from './fill-rows.js';
import { type ForeignDialect } from './target-dialect.js';

/** Binds a scan whose only parameter is a constant time that PostgreSQL computes as `text`. Returns the bound parameter. */
async function boundTo(dialect: ForeignDialect, text: string | null): Promise<unknown> {
  const constants = { sql: 'SELECT 1', parameters: [] };
  const scan = { sql: 'SELECT $1', parameters: [{ computed: 0, sample: '' }], constants, columns: [], joins: [] };
  const statement = { sql: '', parameters: [], elsewhere: [scan], tellsTime: false } as unknown as CompiledStatement;
  for await (const { statement: bound } of bindScans([statement], { dialect, compute: () => Promise.resolve([[text]]) }))
    return bound.parameters[0];
  return undefined;
}

describe('a constant time of another database', () => {
  it('keeps its era on DuckDB (risk: 44 BC is read as 44 AD)', async () => {
    expect(await boundTo('duckdb', '0044-03-15 BC')).toBe('0044-03-15 (BC)');
    expect(await boundTo('duckdb', '0044-03-15 12:00:00.500000 BC')).toBe('0044-03-15 (BC) 12:00:00.500000');
    expect(await boundTo('duckdb', '2024-03-15 AD')).toBe('2024-03-15');
    expect(await boundTo('mysql', '2024-03-15 12:00:00.500000 AD')).toBe('2024-03-15 12:00:00.500000');
  });

  it.each(['mysql', 'clickhouse'] as const)('is refused by name before the year 1 on %s', async dialect => {
    await expect(boundTo(dialect, '0044-03-15 BC')).rejects.toMatchObject({
      code: 'not_in_dialect',
      context: { construct: 'a time before Christ' },
    });
  });

  it.each(['infinity', '12024-03-15 AD', null])('is refused if it is %s', async text => {
    await expect(boundTo('duckdb', text)).rejects.toMatchObject({ context: { construct: 'a time without end, or no time' } });
  });
});
