import { type MysqlCatalog } from './mysql-catalog.js';
import { testMysql } from './test-mysql.js';

const catalog = { hasSnapshots: () => Promise.resolve(true) } as MysqlCatalog;

/** Whether a user with these rights on a pattern of databases could write to the database. */
async function canWrite(pattern: string, database: string): Promise<boolean> {
  const read = (sql: string): Promise<unknown[][]> =>
    Promise.resolve(sql === 'SHOW GRANTS' ? [[`GRANT INSERT ON \`${pattern}\`.* TO \`reader\`@\`%\``]] : [['8.4.0', 'reader@%', 1]]);
  return (await testMysql({ isMariaDb: false, database, catalog, read })).canWrite;
}

describe('The test of a MySQL connection', () => {
  it.each([
    ['sales', 'sales', true],
    ['SALES', 'sales', true],
    ['sale', 'sales', false],
    ['sales_', 'sales', false],
    ['sale_', 'sales', true],
    ['s%', 'sales', true],
    ['%s', 'sales', true],
    ['%a%e%', 'sales', true],
    ['%e%a%', 'sales', false],
    ['%les', 'lesales', true],
    ['s\\_1', 's_1', true],
    ['s\\_1', 'sx1', false],
    ['s\\%', 's%', true],
    ['s\\%', 'sx', false],
    ['a``b', 'a`b', true],
    ['销_', '销售', true],
    ['a.c', 'abc', false],
    ['%', '', true],
    ['_', '', false],
  ])('reads the grant on %s for the database %s', async (pattern, database, reached) => {
    expect(await canWrite(pattern, database)).toBe(reached);
  });

  it('takes no time for a pattern of bad faith (risk: a server holds up the whole service)', async () => {
    const started = performance.now();
    expect(await canWrite(`${'%'.repeat(40)}#`, 'warehouse')).toBe(false);
    expect(await canWrite('%a'.repeat(2_000), 'a'.repeat(1_999))).toBe(false);
    expect(await canWrite('``'.repeat(1_000_000), 'sales')).toBe(false);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
