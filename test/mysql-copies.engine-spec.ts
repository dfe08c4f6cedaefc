import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp, type TestApp } from './support/app.js';
import { hasMariaDb, MariaDb } from './support/mariadb.js';
import { connectTo, copyAgain, copyToEnd, ended, mirroredRows, mirroredTable, startCopy } from './support/mirror-copies.js';
import { expectWorkOnlyAfterChange } from './support/unchanged-rows.js';

const describeIfThere = hasMariaDb() ? describe : describe.skip;

describeIfThere('a copy of tables of MariaDB', () => {
  let test: TestApp;
  let db: MariaDb;
  let id: number;
  beforeAll(async () => {
    [test, db] = await Promise.all([startTestApp(), MariaDb.start()]);
    id = await connectTo(test, 'mysql', db.dsn());
  });
  afterAll(() => Promise.all([test.close(), db.remove()]));

  it('is not needed by runs, which end at once on unchanged rows', async () => {
    await db.run('CREATE TABLE same_rows (id int PRIMARY KEY, v varchar(9))');
    await db.run("INSERT INTO same_rows VALUES (1, 'a'), (2, NULL)");
    await expectWorkOnlyAfterChange(test, {
      connection: 'mysql',
      table: 'same_rows',
      rewrite: () => db.run('ALTER TABLE same_rows FORCE'),
      change: () => db.run("UPDATE same_rows SET v = 'b' WHERE id = 2"),
    });
  });

  it('equals its source, with key and comments, and takes a date of zeros for none', async () => {
    await db.run(
      `CREATE TABLE kinds (id bigint unsigned PRIMARY KEY, n decimal(30,10) COMMENT '金额', d double, t text, b tinyint(1), day date NOT NULL, ts datetime(6), bin varbinary(9), shape point) COMMENT '种类'`,
    );
    await db.run(`SET SESSION sql_mode = ''`);
    await db.run(`INSERT INTO kinds VALUES (18446744073709551615, 12345678901234567890.0123456789, 0.1, 'tab\\there\\nnew\\r\\\\N', 2, '2024-02-29', '2024-02-29 12:00:00.123456', 0x00FF5C, NULL),
    (1, NULL, NULL, '', NULL, '0000-00-00', NULL, NULL, NULL), (2, -0.5, -1e300, '𝒳中文 🙂', 0, '1000-01-01', '9999-12-31 23:59:59', '', NULL)`);
    const done = await copyToEnd(test, id, [{ table: 'kinds' }]);
    expect(done.error).toBeNull();
    expect(done).toMatchObject({ guarantee: 'snapshot', rows: 3 });
    expect(done.tables[0].left_out).toEqual([{ column: 'shape', native_type: 'point', reason: expect.any(String) }]);
    expect(
      (
        await test.pool.query({
          text: `SELECT id::text, n::text, d, t, b, day::text, ts::text, bin FROM mirror.kinds ORDER BY kinds.id`,
          rowMode: 'array',
        })
      ).rows,
    ).toEqual([
      ['1', null, null, '', null, null, null, null],
      ['2', '-0.5000000000', -1e300, '𝒳中文 🙂', 0, '1000-01-01', '9999-12-31 23:59:59', Buffer.from('')],
      [
        '18446744073709551615',
        '12345678901234567890.0123456789',
        0.1,
        'tab\there\nnew\r\\N',
        2,
        '2024-02-29',
        '2024-02-29 12:00:00.123456',
        Buffer.from([0, 255, 92]),
      ],
    ]);
    expect(await mirroredTable(test, 'kinds')).toMatchObject({ comment: '种类', keys: [{ kind: 'primary', columns: ['id'] }] });
  });

  it('reads on by cursor with every row of the last moment', async () => {
    await db.run('CREATE TABLE moving (id int PRIMARY KEY, v text, at timestamp(3) NULL)');
    await db.run(`INSERT INTO moving VALUES (1, 'a', '2024-01-01 10:00:00.125'), (2, 'b', '2024-01-02 10:00:00.125')`);
    const first = await copyToEnd(test, id, [{ table: 'moving', mode: 'cursor', cursor: 'at', lag: '1s' }]);
    expect(first.error).toBeNull();
    await db.run(`INSERT INTO moving VALUES (3, 'c', '2024-01-02 10:00:00.125'), (4, 'd', '2024-01-02 09:59:59.124'), (5, 'e', NULL)`);
    await db.run(`UPDATE moving SET v = 'new' WHERE id = 2`);
    const next = await copyAgain(test, first.id);
    expect(next.tables[0]).toMatchObject({ reads: 'since', rows: 3, inserted: 2, updated: 1, problem: null });
    expect((await mirroredRows(test, 'moving')).map(row => row.split(',').slice(0, 2).join())).toEqual(['(1,a', '(2,new', '(3,c', '(5,e']);
  });

  it.each([
    ['has another type', 'MODIFY at datetime(3)'],
    ['is renamed', 'CHANGE at moment datetime'],
    ['is dropped', 'DROP at'],
  ])('fails where a column %s before its rows are read', async (_, change) => {
    await db.run('CREATE OR REPLACE VIEW crawl AS SELECT seq AS id, SLEEP(0.01) AS pause FROM seq_1_to_150');
    await db.run('CREATE OR REPLACE TABLE late (id int, at datetime)');
    await db.run("INSERT INTO late VALUES (1, '2024-01-01')");
    const tables = ['crawl', 'late'].map(table => ({ table, as: `${table} ${change}` }));
    const { body } = await startCopy(test, id, tables);
    const reads = async () => (await db.run(`SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'reader' AND INFO LIKE '%crawl%'`)).length > 0; // prettier-ignore
    for (let tries = 0; !(await reads()); tries++, await sleep(20)) expect(tries).toBeLessThan(500);
    await db.run(`ALTER TABLE late ${change}`);
    expect(await ended(test, body.id)).toMatchObject({
      status: 'failed',
      error: { code: 'source_changed', context: { connection: 'mysql', table: 'late' } },
      tables: [{ status: 'unchanged' }, { status: 'failed' }],
    });
  });
});
