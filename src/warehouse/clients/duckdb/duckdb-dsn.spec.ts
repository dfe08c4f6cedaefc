import { readDuckdbDsn } from './duckdb-dsn.js';

describe('a DSN of DuckDB', () => {
  it('names a file, or a folder with a slash at its end', () => {
    expect(readDuckdbDsn('duckdb:///sales.duckdb')).toEqual({ path: ['sales.duckdb'], isFolder: false });
    expect(readDuckdbDsn('duckdb:///team/%E9%94%80%E5%94%AE/')).toEqual({ path: ['team', '销售'], isFolder: true });
  });

  it.each([
    'duckdb:///', 'duckdb:////etc/passwd', 'duckdb://host/a.duckdb', 'duckdb:///../a.duckdb', 'duckdb:///a/%2e%2e/b', 'duckdb:///a%2fb',
    'duckdb:///a%5cb', 'duckdb:///C:/a.duckdb', 'duckdb:///a.duckdb?access_mode=READ_WRITE', 'duckdb:///*.csv', 'duckdb:///.hidden/',
    'duckdb:///a%00', 'duckdb:///%zz', 'https://example.com/a.parquet', ':memory:', '',
  ])('refuses %s', dsn => {
    expect(readDuckdbDsn(dsn)).toEqual({ zh: expect.any(String), en: expect.any(String) });
  }); // prettier-ignore
});
