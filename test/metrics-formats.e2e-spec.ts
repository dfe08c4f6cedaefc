import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createSoldMetrics, problems, type SoldMetrics } from './support/sold-metrics.js';

let test: TestApp;
let editor: Client;
let graphId: number;
let ids: SoldMetrics['ids'];
let query: SoldMetrics['query'];
let execute: SoldMetrics['execute'];

beforeAll(async () => {
  test = await startTestApp();
  ({ editor, graphId, ids, query, execute } = await createSoldMetrics(test));
});
afterAll(() => test?.close());

describe('lines', () => {
  it('are CSV with a header, or an object of each row', async () => {
    const asked = { dimensions: ['地区'], order: [{ by: '地区', nulls: 'first' }] };
    const { text, headers } = await query(['销售额', '订单数'], asked).query({ format: 'csv' }).expect(200);
    expect([headers['content-type'], text]).toEqual([
      'text/csv; charset=utf-8',
      '地区,销售额,订单数\r\n,20.00,1\r\neast,210.00,3\r\nwest,70.26,2\r\n',
    ]);
    const { text: lines } = await execute('订单数', asked).set('Accept', 'application/x-ndjson').buffer(true).expect(200);
    expect(
      lines
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual([
      { 地区: null, value: '1' },
      { 地区: 'east', value: '3' },
      { 地区: 'west', value: '2' },
    ]);
    await execute('订单数', { dimensions: ['nope'] })
      .query({ format: 'csv' })
      .expect(422)
      .expect('Content-Type', /json/);
  });

  it.each(['=1+1', '＝1+1', '＠SUM(1)'])('keep numbers and disarm what a spreadsheet would compute: %s', async text => {
    const binding = { relation: { sql: `SELECT '${text}' AS who, -5 AS amount FROM sold LIMIT 1` } };
    const { body } = await editor
      .post('/api/metrics')
      .send({
        graph_id: graphId,
        name: `公式 ${text.codePointAt(0)}`,
        formula: 'SUM(amount)',
        binding: { ...binding, dimensions: [{ name: 'who', column: 'who' }] },
      })
      .expect(201);
    const sent = await editor
      .post(`/api/metrics/${body.id}/execute`)
      .query({ format: 'csv' })
      .send({ dimensions: ['who'] })
      .expect(200);
    expect(sent.text).toBe(`who,value\r\n'${text},-5\r\n`);
  });
});

describe('a chart', () => {
  const drawn = (name: string, request: object) => execute(name, request).set('Accept', 'image/svg+xml');
  const textOf = (answer: { text?: string; body: unknown }) => answer.text ?? String(answer.body);
  const monthly = { time: { grain: 'month', from: '2023-01-01', to: '2024-03-01' } };

  it('is drawn as suggested, or as asked for, with the digits of the answer', async () => {
    const line = await drawn('销售额', { dimensions: ['地区'], ...monthly }).expect(200);
    expect(line.headers['content-type']).toMatch(/^image\/svg\+xml/);
    for (const text of ['>销售额 (CNY)<', '>east<', '>（空 / null）<', '>20.26<', '>100.00<']) expect(textOf(line)).toContain(text);
    expect(textOf(await drawn('销售额', { dimensions: ['产品'], chart: 'bar' }).expect(200))).toContain('>tea<');
    const share = await query(['销售额'], { dimensions: ['产品'], chart: 'share' })
      .query({ format: 'svg' })

      .expect(200);
    expect(textOf(share)).toMatch(/>tea<[^]*>220.26</);
    await editor
      .post(`/api/metrics/${ids['占比']}/execute`)
      .query({ format: 'svg' })
      .send({ dimensions: ['产品'] })
      .expect(200);
  });

  it('shows shares as one whole only where they are (risk: a full circle of the first of many, or of shares that overlap)', async () => {
    const asked = { dimensions: ['产品'] };
    const kind = async (name: string, request: object) => (await execute(name, request).expect(200)).body.chart.kind;
    expect([await kind('占比', asked), await kind('占比', { ...asked, dry_run: true })]).toEqual(['share', 'share']);
    const partial = [
      ['占比', { ...asked, limit: 1 }],
      ['占比', { ...asked, having: [{ op: '>', value: '0.5' }] }],
      ['用户占比', asked],
    ] as const;
    for (const [name, request] of partial) {
      expect(await kind(name, request)).toBe('bar');
      await drawn(name, request).expect(200);
      expect((await drawn(name, { ...request, chart: 'share' }).expect(422)).body.context.reason).toBe('not_one_whole');
    }
  });

  it('is refused with the reason when the result is none', async () => {
    const { body } = await drawn('销售额', {}).expect(422);
    expect(body).toMatchObject({ code: 'not_chartable', context: { reason: 'no_axis' }, success: false });
    const daily = { time: { grain: 'day', from: '2022-01-01', to: '2024-03-01', fill: 'zero' } };
    expect((await drawn('订单数', daily).expect(422)).body.context.reason).toBe('too_many_points');
    expect((await drawn('销售额', { dimensions: ['产品'], chart: 'line' }).expect(422)).body.context.reason).toBe('no_time');
    expect((await drawn('销售额', { ...monthly, limit: 2 }).expect(200)).headers['content-type']).toMatch(/svg/);
  });

  it('takes no option that has no effect, and no other format takes one of a chart', async () => {
    expect(await problems(execute('销售额', { chart: 'bar' }))).toEqual(['body.chart no_effect']);
    expect(await problems(execute('销售额', { chart: 'bar' }).query({ format: 'csv' }))).toEqual(['body.chart no_effect']);
    expect(await problems(drawn('销售额', { ...monthly, totals: true, explain: true }))).toEqual([
      'body.totals no_effect',
      'body.explain no_effect',
    ]);
    expect(await problems(drawn('销售额', { chart: 'radar' }))).toEqual(['body.chart not_one_of']);
  });
});
