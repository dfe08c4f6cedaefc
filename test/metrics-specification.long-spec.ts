import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { answers } from './metric-specification/answers.js';
import { bindings } from './metric-specification/bindings.js';
import { corrections } from './metric-specification/corrections.js';
import { formulaErrors, patterns } from './metric-specification/patterns.js';
import { requests } from './metric-specification/requests.js';
import { on, type Question, sale, traps } from './support/metric-traps.js';
import { describeWithShared, sharedFolder } from './support/shared-data.js';

const tables: Record<string, [types: string, csv: string]> = {
  sale: [
    'region:text,status:text,amount:numeric,day:date',
    `east,"已，支付（全）",100,2024-01-20
east,open,50,2024-03-05
west,"已，支付（全）",30,2024-03-09
,open,7,2024-03-09`,
  ],
  refund: [
    'region:text,amount:numeric,day:date',
    'east,10,2024-01-21\neast,5,2024-03-06\neast,1,2024-03-07\nsouth,4,2024-03-08\n,2,2024-03-09',
  ],
  part: ['key:text,num:integer,den:integer', 'a,7,2\nb,3,0\nc,5,'],
  priced: ['price:numeric,weight:numeric,region:text', '10,1,east\n20,3,east\n,6,east\n4,0,west'],
  visitor: ['day:date,who:text', '2024-05-01,u1\n2024-05-02,u1\n2024-05-02,u2\n2024-05-04,u3'],
  weekly: ['day:date,amount:integer', '2019-12-31,8\n2020-12-30,7\n2023-12-30,5\n2024-01-02,40\n2024-12-31,60'],
  monthly: [
    'day:date,amount:integer',
    '2023-02-28,80\n2024-02-28,90\n2024-02-29,100\n2024-03-29,1\n2024-03-30,1\n2024-03-31,1\n2025-02-28,70',
  ],
  measured: ['x:numeric,who:text,id:bigint', '0.1,a,9007199254740993\n0.2,b,2\n0.7,c,'],
  account: ['day:date,account:text,balance:integer', '2024-01-10,a,5\n2024-01-20,a,7\n2024-01-15,b,2'],
  visit: [
    'at:timestamptz,page:text,who:text',
    `2024-03-01T08:00:00Z,home,1
2024-03-02T08:00:00Z,shop,1
2024-03-01T08:00:00Z,home,2`,
  ],
  buy: ['at:timestamptz,who:text', '2024-03-03T08:00:00Z,1\n2024-03-01T09:00:00Z,2\n2024-03-02T09:00:00Z,2'],
  line: ['id:integer,product:text,other:text', '1,p,q\n2,p,none\n3,none,p'],
  product: ['id:text,kind:text', 'p,tea\nq,cup'],
  mixed: ['Betrag:integer', '1\n2'],
  tied: ['key:text,amount:integer', 'c,1\na,1\nf,1\nb,1\ne,2\nd,1'],
};
// Each half hour of the days around both clock changes of a year in Paris.
const halfHours = ['2024-03-30T00:00Z', '2024-10-26T00:00Z'].flatMap(first =>
  Array.from({ length: 144 }, (_, n) => new Date(Date.parse(first) + n * 1_800_000).toISOString()),
);
tables.tick = ['at:timestamptz', [...halfHours, '2024-01-31T16:30:00Z'].join('\n')];

function textOf(cell: unknown): string {
  const text = String(cell);
  return /^-?\d+\.\d+$/.test(text) ? String(Number(Number(text).toFixed(9))) : text;
}

describeWithShared('the specification of metrics', 'data/northwind/csv', () => {
  let test: TestApp;
  let graphId: number;
  let editor: Client;
  let owner: pg.Client;
  const ids: Record<string, number> = {};
  const post = (formula: string, binding?: object, name = `m${Math.random()}`) =>
    editor.post('/api/metrics').send({ graph_id: graphId, name, formula, ...(binding && { binding }) });

  beforeAll(async () => {
    test = await startTestApp();
    owner = new pg.Client({ connectionString: test.databaseUrl, options: '-c search_path=mirror' });
    await owner.connect();
    editor = await test.asUser('lin');
    await grantConnection(test, 'lin');
    graphId = (await editor.post('/api/graphs').send({ name: '陷阱' }).expect(201)).body.id;
    const upload = async (table: string, csv: string, types = ''): Promise<void> => {
      const { status, text } = await test.admin
        .put(`/api/warehouse/connections/1/tables/${table}?types=${encodeURIComponent(types)}`)
        .set('Content-Type', 'text/csv')
        .send(csv);
      if (status >= 300) throw new Error(`${table}: ${text}`);
    };
    for (const [table, [types, rows]] of Object.entries(tables)) {
      await upload(table, `${types.replace(/:\w+/g, '')}\n${rows}`, types);
    }
    const files = [
      'northwind/csv/orders',
      'northwind/csv/order_details',
      'jaffle_shop_classic/raw_orders',
      'jaffle_shop_classic/raw_payments',
    ];
    for (const file of files) await upload(path.basename(file), readFileSync(path.join(sharedFolder, 'data', `${file}.csv`), 'utf8'));
    const visitors = (table: string) => on(table, { time: { column: 'at' }, entities: [{ name: '用户', column: 'who' }] });
    const make = async (name: string, formula: string, binding: object) => {
      ids[name] = (await post(formula, binding, name).expect(201)).body.id;
    };
    await make('销售', 'SUM(amount)', sale);
    await make('退款', 'SUM(amount)', on('refund', { time: { column: 'day' } }));
    await make('访问', 'COUNT(*)', visitors('visit'));
    await make('购买', 'COUNT(*)', visitors('buy'));
  });
  afterAll(async () => {
    await owner?.end();
    await test?.close();
  });

  /** Replaces the names of metrics in filters by their ids. */
  function byIds({ filters, ...request }: { filters?: { metric?: string }[] } = {}): object {
    return {
      ...request,
      ...(filters && { filters: filters.map(each => ({ ...each, ...(each.metric && { metric: ids[each.metric] }) })) }),
    };
  }

  async function check({
    formula,
    binding,
    request,
    rows,
    totals,
    warnings = [],
    refused,
    known,
    trapped,
    answer,
  }: Question): Promise<void> {
    const created = await post(formula, binding);
    const { status, body } =
      created.status === 201
        ? await editor
            .post(`/api/metrics/${created.body.id}/execute`)
            .send({ ...byIds(request), ...(totals !== undefined && { totals: true }) })
        : created;
    if (refused) {
      expect([status, body.code]).toEqual([
        body.code === 'formula_parse_error' || body.code === 'unsafe_filter_clause' ? 400 : 422,
        body.code,
      ]);
      const errors = body.detail.errors as { loc: string[]; type: string; known?: string[] }[] | undefined;
      expect(errors?.map(({ loc, type }) => `${loc.join('.')} ${type}`) ?? [body.code]).toEqual(refused);
      if (known) expect(errors![0]!.known).toEqual(expect.arrayContaining(known));
      return;
    }
    expect([status, body.detail ?? null]).toEqual([200, null]);
    if (rows) expect((body.rows as unknown[][]).map(row => row.map(textOf).join(' '))).toEqual(rows);
    if (answer) expect(body).toMatchObject(answer);
    expect(body.warnings.map((each: { code: string }) => each.code)).toEqual(warnings);
    if (totals !== undefined) expect(textOf(body.totals.value)).toBe(totals);
    if (!trapped) return;
    const [sql, wrong] = trapped;
    expect(textOf(Object.values((await owner.query(sql)).rows[0])[0])).toBe(wrong);
    expect([...rows!.map(row => row.split(' ').at(-1)), totals]).not.toContain(wrong);
  }

  describe.each(Object.entries({ patterns, formulaErrors, bindings, requests, answers, corrections, traps }))('%s', (_, table) => {
    it.each(Object.keys(table))('%s', async row => {
      for (const question of table[row]!) {
        await check(question).catch((error: Error) => {
          throw new Error(`${JSON.stringify(question)}\n${error.message}`, { cause: error });
        });
      }
    });
  });

  it.each([
    [patterns, 10],
    [traps, 20],
  ])('has all of its numbered rows', (table, count) => {
    expect(Object.keys(table).map(parseFloat)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });
});
