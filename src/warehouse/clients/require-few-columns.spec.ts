import { ClickHouseCatalog } from './clickhouse/clickhouse-catalog.js';
import { MysqlCatalog } from './mysql/mysql-catalog.js';
import { PostgresCatalog } from './postgres/postgres-catalog.js';
import { TableNames } from './postgres/table-names.js';
import { mostColumns } from './require-few-columns.js';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const kinds = {
  clickhouse: (count: number) =>
    new ClickHouseCatalog(() => Promise.resolve(numbers(count).map(n => ({ name: `c${n}`, type: 'String', comment: '' }))), 'd'),
  mysql: (count: number) =>
    new MysqlCatalog(sql => Promise.resolve(sql.includes('COLUMN_TYPE') ? numbers(count).map(n => [`c${n}`, 'int', 'YES', '']) : []), 'd'),
  postgres: (count: number) =>
    new PostgresCatalog(
      () => Promise.resolve([{ columns: numbers(count).map(n => ({ name: `c${n}`, type: 'integer' })), keys: [], foreignKeys: [] }]),
      new TableNames(['public']),
    ),
};

describe.each(Object.entries(kinds))('the catalog of %s', (_, catalogOf) => {
  it('describes a table of as many columns as there may be', async () => {
    expect((await catalogOf(mostColumns).describe('t'))!.columns).toHaveLength(mostColumns);
  });

  it('refuses one with more columns, whatever the server says (risk: work for each of 300,000 columns)', async () => {
    const found = catalogOf(mostColumns + 1).describe('t');
    await expect(found).rejects.toMatchObject({
      code: 'warehouse_query_failed',
      sqlstate: '54011',
      text: { en: expect.stringContaining('4096 columns') },
    });
  });
});
