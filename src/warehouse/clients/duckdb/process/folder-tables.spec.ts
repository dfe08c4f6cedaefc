import { tablesOfFolder } from './folder-tables.js';

function names(...files: string[]): { tables: string[]; leftOut: string[] } {
  const { tables, leftOut } = tablesOfFolder(files);
  return { tables: tables.map(({ table }) => table), leftOut };
}

describe('the tables of a folder', () => {
  it('have the names of the files without their endings, in the order of their bytes', () => {
    expect(names('b.parquet', 'a.csv.gz', 'README.md', '客户.json', 'v1.2.csv')).toEqual({
      tables: ['a', 'b', 'v1.2', '客户'],
      leftOut: [],
    });
  });

  it('keep the endings where two files would have one name', () => {
    expect(names('a.csv', 'A.parquet', 'b.csv')).toEqual({ tables: ['A.parquet', 'a.csv', 'b'], leftOut: [] });
  });

  it('are none where only case tells files apart, or where a name means several files', () => {
    expect(names('a.csv', 'A.csv', 'x*.csv', 'ok.csv')).toEqual({ tables: ['ok'], leftOut: ['A.csv', 'a.csv', 'x*.csv'] });
    expect(names('a.csv', 'a.json', 'a.csv.parquet')).toEqual({ tables: ['a.json'], leftOut: ['a.csv', 'a.csv.parquet'] });
  });
});
