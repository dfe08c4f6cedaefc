import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';

let test: TestApp;
let graphId: number;
let editor: Client;

const uploads = {
  sold: [
    'day,amount,region,user_id',
    '2023-02-10,80,east,1',
    '2023-03-31,-20,west,2',
    '2024-02-29,100,east,1',
    '2024-03-05,50,west,2',
    '2024-03-31,30,east,3',
    '2024-04-02,20,west,1',
  ].join('\n'),
  visited: [
    'at,page,user_id',
    '2024-03-01T08:00:00Z,home,1',
    '2024-03-04T08:00:00Z,shop,2',
    '2024-03-05T10:00:00Z,home,2',
    '2024-03-30T08:00:00Z,shop,3',
    '2024-03-30T09:00:00Z,shop,',
  ].join('\n'),
  balances: ['day,account,balance', '2024-01-10,a,5', '2024-01-20,a,7', '2024-01-15,b,2', '2024-02-01,b,4'].join('\n'),
};

beforeAll(async () => {
  test = await startTestApp();
  editor = await test.asUser('lin');
  await grantConnection(test, 'lin');
  graphId = (await editor.post('/api/graphs').send({ name: '时段' }).expect(201)).body.id;
  const types: Record<string, string> = { sold: 'day:date,amount:integer', visited: 'at:timestamptz', balances: 'day:date' };
  for (const [table, csv] of Object.entries(uploads)) {
    const { status, body } = await test.admin
      .put(`/api/warehouse/connections/1/tables/${table}?types=${encodeURIComponent(types[table] ?? '')}`)
      .set('Content-Type', 'text/csv')
      .send(csv);
    if (status >= 300) throw new Error(JSON.stringify(body));
  }
});
afterAll(() => test?.close());

const sold = { relation: { table: 'sold' }, time: { column: 'day' }, entities: [{ name: '用户', column: 'user_id' }] };
const visited = {
  relation: { table: 'visited' },
  time: { column: 'at', timezone: 'Asia/Shanghai' },
  entities: [{ name: '用户', column: 'user_id' }],
};

async function aMetric(formula: string, binding: object | null = sold, name = `m${Math.random()}`): Promise<number> {
  const { body } = await editor
    .post('/api/metrics')
    .send({ graph_id: graphId, name, formula, ...(binding && { binding }) })
    .expect(201);
  return body.id;
}
const execute = (id: number, request: object = {}) => editor.post(`/api/metrics/${id}/execute`).send(request);
async function answer(formula: string, request: object, binding: object | null = sold) {
  const { body, status } = await execute(await aMetric(formula, binding), request);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return {
    rows: body.rows.map((row: (string | null)[]) => [...row.slice(0, -1), row.at(-1) === null ? null : Number(row.at(-1))]),
    warnings: body.warnings.map((each: { code: string }) => each.code),
    body,
  };
}
async function problems(formula: string, request: object, binding: object | null = sold) {
  const { body } = await execute(await aMetric(formula, binding), request).expect(422);
  return body.detail.errors.map((each: { loc: string[]; type: string }) => `${each.loc.join('.')} ${each.type}`);
}

describe('windows', () => {
  it('average the days of a period (risk: the mean of other days, or of rows)', async () => {
    const time = { from: '2024-03-30', to: '2024-04-03', grain: 'month' };
    // The sums of the 30-day windows are 50 on 30 March, 80 on 31 March and 1 April, and 100 on 2 April.
    expect((await answer('ROLLING(SUM(amount), 30 DAY, AVERAGE)', { time })).rows).toEqual([
      ['2024-03-01', 65],
      ['2024-04-01', 90],
    ]);
    const empty = { from: '2024-03-04', to: '2024-03-07', grain: 'month' };
    expect((await answer('ROLLING(SUM(amount), 1 DAY, AVERAGE)', { time: empty })).rows).toEqual([['2024-03-01', 50]]);
    expect((await answer('ROLLING(SUM(amount), 1 DAY, AVERAGE)', { time: { ...empty, fill: 'zero' } })).rows[0][1]).toBeCloseTo(50 / 3);
    expect(await problems('累计(SUM(amount), AVERAGE)', { time: { grain: 'month' } })).toEqual(['body.time needs_range']);
  });

  it('average the daily values of arithmetic (risk: the ratio of means, or days of one table only)', async () => {
    const time = { from: '2024-03-30', to: '2024-04-03', grain: 'month' };
    // The mean sale of the 30-day window is 50 on 30 March, 40 on the next two days, and 100 / 3 on 2 April.
    const means = await answer('ROLLING(SUM(amount) / COUNT(*), 30 DAY, AVERAGE)', { time });
    expect(means.rows).toEqual([['2024-03-01', 45], ['2024-04-01', expect.closeTo((40 + 100 / 3) / 2)]]); // prettier-ignore
    await aMetric('COUNT(DISTINCT user_id)', visited, '访客');
    // Sales and visitors in the windows: 50 for 3 visitors, 80 for 2, again 80 for 2, and 100 for 2.
    const perVisitor = 'ROLLING(SUM(amount) / [访客], 30 DAY, AVERAGE)';
    const both = await answer(perVisitor, { time: { ...time, timezone: 'Asia/Shanghai' }, totals: true });
    expect(both.rows).toEqual([['2024-03-01', expect.closeTo((50 / 3 + 40) / 2)], ['2024-04-01', 45]]); // prettier-ignore
    expect(Number(both.body.totals.value)).toBeCloseTo((50 / 3 + 40 + 40 + 50) / 4);
    expect(await problems('ROLLING(-SUM(amount), 7 DAY, AVERAGE)', { time: { ...time, fill: 'zero' } })).toEqual([
      'body.time.fill fill_not_additive',
    ]);
  });

  it('read the rows before the range (risk: the range starves the window)', async () => {
    const time = { from: '2024-03-01', to: '2024-05-01', grain: 'month' };
    expect((await answer('累计(SUM(amount))', { time })).rows).toEqual([
      ['2024-03-01', 240],
      ['2024-04-01', 260],
    ]);
    expect((await answer('年初至今(SUM(amount))', { time })).rows).toEqual([
      ['2024-03-01', 180],
      ['2024-04-01', 200],
    ]);
    expect((await answer('滚动(COUNT(DISTINCT user_id), 31 天)', { time })).rows).toEqual([
      ['2024-03-01', 2],
      ['2024-04-01', 2],
    ]);
  });

  it('take the periods from the rows where a request has no range', async () => {
    const { rows } = await answer('CUMULATIVE(SUM(amount))', { time: { grain: 'year' }, dimensions: ['region'] });
    expect(rows).toEqual([
      ['2023-01-01', 'east', 80],
      ['2023-01-01', 'west', -20],
      ['2024-01-01', 'east', 210],
      ['2024-01-01', 'west', 50],
    ]);
  });

  it('have one value for a range without a grain, and in totals', async () => {
    const time = { from: '2024-01-01', to: '2024-04-01' };
    const { body } = await answer('YTD(SUM(amount))', { time, dimensions: ['region'], totals: true });
    expect(body).toMatchObject({
      rows: [
        ['east', '130'],
        ['west', '50'],
      ],
      totals: { value: '180' },
    });
  });
});

describe('filters on the time column', () => {
  const time = { from: '2024-04-02', to: '2024-04-03', grain: 'day' };
  const filters = [{ field: 'day', op: '>=', value: '2024-04-01' }];

  it('take rows out of windows and bases too, and say so (risk: a window that is starved in silence)', async () => {
    const whole = await answer('ROLLING(SUM(amount), 7 DAY)', { time });
    expect([whole.rows, whole.warnings]).toEqual([[['2024-04-02', 50]], []]);
    for (const asked of [{ filters }, { filter_clause: 'EXTRACT(month FROM day) = 4' }]) {
      const starved = await answer('ROLLING(SUM(amount), 7 DAY)', { time, ...asked });
      expect([starved.rows, starved.warnings]).toEqual([[['2024-04-02', 20]], ['FILTERED_WINDOW']]);
    }
    const compared = await answer('SUM(amount)', { time, filters, compare: { offset: '2 days' } });
    expect(compared.warnings).toEqual(['FILTERED_WINDOW']);
  });

  it('say nothing where each period has its own rows, nor do other filters', async () => {
    expect((await answer('SUM(amount)', { time, filters })).warnings).toEqual([]);
    const other = { time, filters: [{ field: 'region', op: '=', value: 'west' }] };
    expect((await answer('ROLLING(SUM(amount), 7 DAY)', other)).warnings).toEqual([]);
  });
});

describe('changes', () => {
  it('compare a cut period with as many days of the earlier one (risk: January to July against a whole year)', async () => {
    const rows = async (to: string) => (await answer('YOY(SUM(amount), VALUE)', { time: { from: '2024-01-01', to, grain: 'year' } })).rows;
    expect(await rows('2024-03-01')).toEqual([['2024-01-01', 80]]);
    expect(await rows('2025-01-01')).toEqual([['2024-01-01', 60]]);
  });

  it('share the last day of a shorter month, and say so', async () => {
    const time = { from: '2024-03-29', to: '2024-04-01', grain: 'day' };
    const { rows, warnings } = await answer('MOM(SUM(amount), VALUE)', { time });
    expect(rows).toEqual([
      ['2024-03-29', 100],
      ['2024-03-30', 100],
      ['2024-03-31', 100],
    ]);
    expect(warnings).toEqual(['CLAMPED_BASE']);
  });

  it('have no rate to a base of zero or none, and warn of a negative one', async () => {
    const { rows, warnings } = await answer('同比(SUM(amount))', {
      time: { from: '2024-02-01', to: '2024-05-01', grain: 'month' },
    });
    expect(rows).toEqual([
      ['2024-02-01', 0.25],
      ['2024-03-01', -5],
      ['2024-04-01', null],
    ]);
    expect(warnings).toEqual(['NEGATIVE_BASE']);
  });

  it('are refused with a reason where there is no period to compare with', async () => {
    expect(await problems('YOY(SUM(amount))', {})).toEqual(['body.time needs_periods']);
    expect(await problems('环比(SUM(amount))', { time: { from: '2024-01-01', to: '2024-02-01' } })).toEqual([
      'body.time.grain needs_grain',
    ]);
    expect(await problems('MOM(SUM(amount))', { time: { grain: 'week' } })).toEqual(['body.time.grain offset_not_whole']);
    expect(await problems('MOM(SUM(amount))', { time: { grain: 'year' } })).toEqual(['body.time.grain offset_not_whole']);
    expect(await problems('YTD(COUNT(*))', { time: { from: '2024-01-01', to: '2024-01-01T10:00', grain: 'day' } })).toContain(
      'body.time.to whole_days',
    );
    expect(await problems('YOY(COUNT(*))', { time: { grain: 'month' }, totals: true })).toEqual(['body.totals needs_range']);
    expect(await problems('CUMULATIVE(COUNT(*))', { time: { grain: 'day' } }, { relation: { table: 'balances' } })).toEqual([
      'body.time no_time_column',
    ]);
  });

  it('refuse rows that lie ten thousand periods apart, also behind a condition on the value', async () => {
    await test.admin
      .put('/api/warehouse/connections/1/tables/far?types=day:date')
      .set('Content-Type', 'text/csv')
      .send('day,x\n0001-01-01,1\n2024-01-01,2')
      .expect(201);
    const far = { relation: { table: 'far' }, time: { column: 'day' } };
    expect(await problems('CUMULATIVE(SUM(x))', { time: { grain: 'day' } }, far)).toEqual(['body.time too_many_periods']);
    expect(await problems('CUMULATIVE(SUM(x))', { time: { grain: 'day' }, having: [{ op: '>', value: 99 }] }, far)).toEqual([
      'body.time too_many_periods',
    ]);
    expect((await answer('CUMULATIVE(SUM(x))', { time: { grain: 'year' }, having: [{ op: '>', value: 1 }] }, far)).rows).toEqual([
      ['2024-01-01', 3],
    ]);
  });
});

describe('shares', () => {
  it('are of the total of all tuples, also of those that the limit cuts off', async () => {
    const { body } = await answer('占比(SUM(amount))', { dimensions: ['region'], order: [{ by: 'value', dir: 'desc' }], limit: 1 });
    expect([body.rows.length, body.truncated, Number(body.rows[0][1]).toFixed(6)]).toEqual([1, true, '0.807692']);
  });

  it('keep the dimensions of WITHIN, which the request must have', async () => {
    const { rows } = await answer('SHARE(SUM(amount) WITHIN region)', {
      dimensions: ['region', 'user_id'],
      filters: [{ field: 'region', op: '=', value: 'east' }],
    });
    expect(rows.map((row: number[]) => row.at(-1)?.toFixed(4))).toEqual(['0.8571', '0.1429']);
    expect(await problems('SHARE(SUM(amount) WITHIN region)', { dimensions: ['user_id'] })).toEqual([
      'body.dimensions within_not_requested',
    ]);
  });

  it('warn where they do not sum to 1', async () => {
    const { warnings } = await answer('SHARE(COUNT(DISTINCT user_id))', { dimensions: ['region'] });
    expect(warnings).toEqual(['SHARES_DO_NOT_SUM']);
  });
});

describe('first and last values', () => {
  it('are those of each key, added up, after the filters', async () => {
    const balances = { relation: { table: 'balances' }, time: { column: 'day' } };
    const rows = async (formula: string, request: object) => (await answer(formula, request, balances)).rows;
    expect(await rows('期末(balance BY account)', { time: { grain: 'month' } })).toEqual([
      ['2024-01-01', 9],
      ['2024-02-01', 4],
    ]);
    expect(await rows('期末(balance)', { time: { grain: 'month' } })).toEqual([
      ['2024-01-01', 7],
      ['2024-02-01', 4],
    ]);
    expect(await rows('LAST(balance BY account)', { filters: [{ field: 'balance', op: '<', value: 6 }] })).toEqual([[9]]);
    expect(await problems('LAST(balance)', {}, { relation: { table: 'balances' } })).toEqual(['body.time no_time_column']);
  });
});

describe('conversions', () => {
  it('credit the latest visit of a user, in the time of the visit', async () => {
    await aMetric('COUNT(*)', visited, '访问');
    await aMetric('COUNT(*)', sold, '购买');
    const formula = '转化率([访问] -> [购买] 按 用户 在 7 天 内)';
    const { rows, warnings } = await answer(
      formula,
      { time: { from: '2024-03-01', to: '2024-04-01', grain: 'month' }, dimensions: ['page'] },
      null,
    );
    // User 1 buys a month after the visit, user 2 on the day of the second visit, user 3 the day after the visit. One visit has no user.
    expect(rows).toEqual(
      [
        ['2024-03-01', 'home', 0.5],
        ['2024-03-01', 'shop', 1 / 3],
      ].map(([month, page, rate]) => [month, page, expect.closeTo(rate as number, 9)]),
    );
    expect(warnings).toEqual([]);
    const counted = await answer(
      'CONVERSION([访问] -> [购买] BY 用户, COUNT)',
      { filters: [{ field: 'page', op: '=', value: 'home' }] },
      null,
    );
    expect(counted.rows).toEqual([[2]]);
  });

  it('of entities are ratios of distinct counts, as the page of formulas says', async () => {
    await aMetric('COUNT(DISTINCT user_id)', sold, 'buyers');
    await aMetric('COUNT(DISTINCT user_id)', visited, 'visitors');
    const metric = await aMetric(`COUNT(* WHERE page = 'home')`, visited, 'visits');
    const time = { from: '2024-03-01', to: '2024-05-01', grain: 'month' };
    const rates = async (request: object) => (await answer('[buyers] / [visitors]', { time, ...request }, null)).rows;
    const byHand = async (user: string) => {
      const text = `
        SELECT to_char(month, 'YYYY-MM-DD'), buyers::float / nullif(visitors, 0) FROM generate_series('2024-03-01'::timestamp, '2024-04-01', '1 month') AS month,
          LATERAL (SELECT count(DISTINCT user_id) AS buyers FROM mirror.sold WHERE date_trunc('month', day) = month AND ${user}) AS b,
          LATERAL (SELECT count(DISTINCT user_id) AS visitors FROM mirror.visited WHERE date_trunc('month', at AT TIME ZONE 'Asia/Shanghai') = month AND ${user}) AS v`;
      return (await test.pool.query({ text, rowMode: 'array' })).rows;
    };
    const home = await byHand(`user_id IN (SELECT user_id FROM mirror.visited WHERE page = 'home')`);
    expect(home).toEqual([
      ['2024-03-01', 0.5],
      ['2024-04-01', null],
    ]);
    const close = (rows: unknown[][]) => rows.map(([month, rate]) => [month, typeof rate === 'number' ? expect.closeTo(rate, 9) : rate]);
    expect(await rates({})).toEqual(close(await byHand('true')));
    expect(await rates({ filters: [{ metric, by: '用户', op: '>', value: 0 }] })).toEqual(close(home));
  });

  it('need an entity of both bindings, and counts', async () => {
    expect(await problems('CONVERSION([访问] -> [购买] BY page)', {}, null)).toEqual(['body unknown_entity']);
    await aMetric('SUM(amount)', sold, '金额');
    const { body } = await execute(await aMetric('CONVERSION([访问] -> [金额] BY 用户)', null)).expect(400);
    expect(body.context.found).toBe('[金额]');
    const formula = 'CONVERSION([访问] -> [金额] BY 用户)';
    const { body: saved } = await editor.post('/api/metrics').send({ graph_id: graphId, name: '转化金额', formula }).expect(201);
    const message = expect.stringContaining("must be COUNT(…), and [金额] in the formula of metric '转化金额' is not");
    expect(saved).toMatchObject({ warnings: [{ code: 'formula_parse_error', message }] });
  });
});
