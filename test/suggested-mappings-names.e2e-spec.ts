import { type TestApp, startTestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignSchema } from './support/foreign-tables.js';
import { readDraft, runDraft, suggest } from './support/suggestions.js';
import { itLong } from './support/tier.js';

let test: TestApp;
let foreign: ForeignPostgres;

beforeAll(async () => {
  [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
});
afterAll(async () => {
  await Promise.all([test.close(), foreign.remove()]);
});

describe('tables with any names and keys', () => {
  beforeAll(async () => {
    const wide = Array.from({ length: 250 }, (_, index) => `c${index} int`).join(', ');
    await aForeignSchema(
      test,
      foreign,
      'odd',
      `CREATE TABLE "Orders" ("NO" int PRIMARY KEY, _id int, id int, "100%" int, "x: y" text, "#tag" text, "a'b" text, "c""d" text, "y" text);
       INSERT INTO "Orders" VALUES (1, 2, 3, 4, 'e', 'f', 'g', 'h', 'i');
       CREATE TABLE orders (id int PRIMARY KEY, "new\nline" int REFERENCES "Orders", "第二 个" int REFERENCES "Orders", blob bytea, pair point);
       INSERT INTO orders VALUES (1, 1, NULL), (2, NULL, 1), (3, 1, 1);
       CREATE TABLE "客户 表" ("编号" int PRIMARY KEY, "上级编号" int REFERENCES "客户 表", name text);
       COMMENT ON TABLE "客户 表" IS '客户';
       INSERT INTO "客户 表" VALUES (1, NULL, 'a'), (2, 1, 'b');
       CREATE TABLE "订单" (a int, b int, "客户编号" int REFERENCES "客户 表", PRIMARY KEY (a, b));
       INSERT INTO "订单" VALUES (1, 1, 1), (1, 2, 2), (2, 1, NULL);
       CREATE TABLE part (x int, y int, z text, FOREIGN KEY (y, x) REFERENCES "订单" (b, a));
       INSERT INTO part VALUES (1, 2, 'p'), (2, NULL, 'q');
       CREATE TABLE friends (one int REFERENCES "客户 表", other int REFERENCES "客户 表", since date, PRIMARY KEY (one, other, since));
       INSERT INTO friends VALUES (1, 2, '2024-01-01'), (1, 2, '2024-01-02'), (2, 1, '2024-01-01');
       CREATE TABLE three (o int REFERENCES orders, c int REFERENCES "客户 表", p int REFERENCES "Orders", PRIMARY KEY (o, c, p));
       INSERT INTO three VALUES (1, 1, 1), (2, 1, 1);
       CREATE TABLE codes (id int PRIMARY KEY, code text UNIQUE); INSERT INTO codes VALUES (1, 'x');
       CREATE TABLE uses (id int PRIMARY KEY, code text REFERENCES codes (code)); INSERT INTO uses VALUES (1, 'x');
       CREATE TABLE wide (id int PRIMARY KEY, ${wide}); INSERT INTO wide VALUES (1, 2);
       CREATE TABLE nothing (id int, name text);
       CREATE TABLE repeated (a text, n int); INSERT INTO repeated VALUES ('a', 1), ('a', 1);
       CREATE VIEW seen AS SELECT id, name FROM (VALUES (1, 'a'), (2, 'b')) AS v (id, name);
       CREATE TABLE hidden (id int PRIMARY KEY); REVOKE ALL ON hidden FROM reader;
       CREATE TABLE refers (id int PRIMARY KEY, secret int REFERENCES hidden); INSERT INTO hidden VALUES (1); INSERT INTO refers VALUES (1, 1);
       CREATE TABLE status (id int PRIMARY KEY); INSERT INTO status VALUES (1), (2), (3);
       CREATE TABLE plain (id int PRIMARY KEY, amount int, status_id int, order_id int);
       INSERT INTO plain VALUES (1, 1, 1, 7), (2, 2, 9, 8)`,
    );
  });

  itLong('are mapped without a duplicate or a reserved name, and run', async () => {
    const draft = await suggest(test, { connection: 'odd' });
    const { nodes, edges } = await runDraft(test, draft);
    expect(nodes).toEqual({
      Orders: 1,
      orders: 3,
      '客户 表': 2,
      订单: 3,
      three: 2,
      codes: 1,
      uses: 1,
      wide: 1,
      seen: 2,
      refers: 1,
      status: 3,
      plain: 2,
      part: 2,
    });
    expect(edges).toEqual({
      'orders: id, new\nline': 2,
      'orders: id, 第二 个': 2,
      '客户 表: 编号, 上级编号': 1,
      '订单: a, b, 客户编号': 2,
      'part: z, y, x': 1,
      'friends: one, other': 3,
      'three: o, c, p, o': 2,
      'three: o, c, p, c': 2,
      'three: o, c, p, p': 2,
    });
  });

  it('say what was left out and why, and name nothing that may not be read', async () => {
    const draft = await suggest(test, { connection: 'odd' });
    expect(JSON.stringify(draft)).not.toContain('hidden');
    const of = (table: string): string[] =>
      draft.left_out.filter((each: any) => each.table === table).map(({ columns, reason }: any) => `${columns.join()}: ${reason.en}`);
    expect(of('uses')).toEqual([expect.stringMatching(/^code: its foreign key leads to other columns/)]);
    expect(of('refers')).toEqual([expect.stringMatching(/^secret: its foreign key leads to a table that cannot be read/)]);
    expect(of('nothing')).toEqual([expect.stringContaining('has no rows')]);
    expect(of('repeated')).toEqual([expect.stringContaining('no one or two columns tell its rows apart')]);
    expect(of('wide')[0]).toContain('at most 200 columns');
    expect(of('plain')).toEqual([expect.stringMatching(/^status_id: .*only 1 of 2/), expect.stringMatching(/^order_id: .*only 0 of 2/)]);
    expect(of('orders')).toEqual([expect.stringMatching(/^blob: binary/)]);
  });

  it('keep Chinese names, and give a handle to each', async () => {
    const { nodes, edges } = readDraft(
      await suggest(test, { connection: 'odd', tables: ['客户 表', '订单', 'friends', 'Orders', 'orders'] }),
    );
    expect(nodes.map(({ id, label }: any) => [id, label])).toEqual([
      ['node', '客户'],
      ['node_2', '订单'],
      ['orders', 'Orders'],
      ['orders_2', 'orders'],
    ]);
    expect(edges.map(({ type }: any) => type)).toEqual(expect.arrayContaining(['客户_上级', '订单_客户', 'FRIENDS']));
    expect(nodes[2].columns.map(({ column, property }: any) => property ?? column)).toEqual([
      'NO',
      'id_2',
      'id',
      '100%',
      'x: y',
      '#tag',
      "a'b",
      'c"d',
      'y',
    ]);
    expect(edges.find(({ type }: any) => type === 'FRIENDS')).toMatchObject({
      key: ['since'],
      columns: [{ column: 'since', type: 'date' }],
    });
  });

  it('are refused where none can be mapped, or one is unknown', async () => {
    const ask = (tables: string[]) => test.admin.post('/api/ingestion/mappings/suggest').send({ connection: 'odd', tables });
    expect((await ask(['nothing']).expect(422)).body).toMatchObject({ code: 'nothing_to_map' });
    const { body } = await ask(['Orders', 'order', 'hidden']).expect(422);
    expect(body.detail.errors).toEqual([
      expect.objectContaining({ loc: ['body', 'tables', 1], type: 'unknown_table', msg: expect.stringContaining("'Orders'") }),
      expect.objectContaining({ loc: ['body', 'tables', 2], type: 'unknown_table' }),
    ]);
    const stranger = await test.asUser('stranger');
    await stranger.post('/api/ingestion/mappings/suggest').send({ connection: 'odd' }).expect(403);
  });

  itLong('are drafted for each caller one call at a time, and eight of a caller may wait', async () => {
    // Few tables keep each call short, so that the last one gets its turn in time on a busy machine too.
    const tables = ['客户 表', '订单', 'Orders', 'orders'];
    const ask = () => test.admin.post('/api/ingestion/mappings/suggest').send({ connection: 'odd', tables });
    const answers = await Promise.all(Array.from({ length: 12 }, ask));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 503, 503, 503]);
    expect(answers.find(({ status }) => status === 503)!.body).toMatchObject({ code: 'too_many_suggestions' });
  });

  itLong('are drafted a hundred at a time, and the others are named', async () => {
    const tables = Array.from({ length: 500 }, (_, index) => `CREATE TABLE t${index} (id int PRIMARY KEY, next int)`);
    await aForeignSchema(test, foreign, 'many', tables.join(';'));
    const draft = await suggest(test, { connection: 'many' });
    expect(readDraft(draft).nodes).toHaveLength(100);
    expect([draft.left_out_count, draft.left_out.length]).toEqual([400, 400]);
  });
});
