import { type ResultColumnResponse } from '../execute.dto.js';
import { NotChartableError } from '../metrics.errors.js';
import { drawChart } from './draw-chart.js';
import { type ChartColumn, type ChartPlan, maxPoints, planChart } from './plan-chart.js';

type Role = ResultColumnResponse['role'];
const column = (role: Role, label: string, more: Partial<ChartColumn> = {}): ChartColumn => ({
  name: label,
  label,
  role,
  type: role === 'value' ? 'decimal' : 'string',
  ...more,
});
const month = column('time', 'period', { grain: 'month' });
const region = column('dimension', '地区');
const sales = column('value', '销售额', { unit: 'CNY' });

function reasonOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof NotChartableError) return error.context?.reason;
    throw error;
  }
  return 'charted';
}

/** Whether each tag is closed, and each `&` begins an entity. */
function isWellFormed(svg: string): boolean {
  const open: string[] = [];
  for (const [, closing, name, , self] of svg.matchAll(/<(\/?)([\w:-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g)) {
    if (closing) {
      if (open.pop() !== name) return false;
    } else if (!self) open.push(name!);
  }
  const text = svg.replace(/<!\[CDATA\[[^]*?\]\]>/g, '').replace(/<\/?[\w:-]+(?:\s+[\w:-]+="[^"<]*")*\s*\/?>/g, '');
  return open.length === 0 && !/[<]|&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i.test(text);
}

/** The texts of the picture, with their entities resolved. */
function textsOf(svg: string): string[] {
  const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) =>
    text!.replace(/&(#?\w+);/g, (_, name: string) => entities[name]!),
  );
}

describe('a plan of a chart', () => {
  it('labels a long text by its beginning, and says that there is more', () => {
    const label = (text: string) => planChart('bar', [region, sales], [[text, 1]]).x[0];
    expect(label('a\tb\u0001c')).toBe('a b\ufffdc');
    expect(label('a\t'.repeat(16_000))).toBe(`${'a '.repeat(19)}a…`);
    expect(label(`a${'\t'.repeat(16_000)}b`)).toBe('a …');
  });

  it('has a series for each combination of dimensions and metrics', () => {
    const product = column('dimension', '产品');
    const rows = [
      ['2024-01-01', '东', '茶', '1.50', 2],
      ['2024-01-01', '西', '茶', '3', 4],
      ['2024-02-01', '东', '茶', '5', 6],
    ];
    const plan = planChart(null, [month, region, product, sales, column('value', '订单数')], rows);
    expect(plan).toMatchObject({ kind: 'line', title: '销售额 · 订单数', axes: ['CNY', null], x: ['2024-01-01', '2024-02-01'] });
    expect(plan.series.map(({ name, values }) => [name, values.map(value => value?.text ?? null)])).toEqual([
      ['东 · 茶 · 销售额 (CNY)', ['1.50', '5']],
      ['东 · 茶 · 订单数', ['2', '6']],
      ['西 · 茶 · 销售额 (CNY)', ['3', null]],
      ['西 · 茶 · 订单数', ['4', null]],
    ]);
  });

  it('leaves a gap for null and for a period without a row (risk: drawn as 0, or a line across)', () => {
    const { x, series } = planChart('line', [month, sales], [
      ['2024-04-01', '4'],
      ['2024-01-01', '1'],
      ['2024-02-01', null],
    ]); // prettier-ignore
    expect(x).toEqual(['2024-01-01', '2024-02-01', '2024-03-01', '2024-04-01']);
    expect(series[0]!.values).toEqual([{ number: 1, text: '1' }, null, null, { number: 4, text: '4' }]);
  });

  it.each([
    ['day', ['2024-02-28', '2024-03-01'], 3],
    ['week', ['2024-12-23', '2025-01-06'], 3],
    ['quarter', ['2023-10-01', '2024-07-01'], 4],
    ['year', ['2020-01-01', '2024-01-01'], 5],
  ])('fills periods of a %s', (grain, [from, to], count) => {
    const rows = [[from, '1'], [to, '2']]; // prettier-ignore
    expect(planChart('bar', [{ ...month, grain }, sales], rows).x).toHaveLength(count);
  });

  it('keeps the order of the rows for a dimension, and leaves differences and rates out', () => {
    const columns = [
      region,
      sales,
      column('value', 'previous', { compare: 'value', unit: 'CNY' }),
      column('value', 'rate', { compare: 'rate' }),
    ];
    const plan = planChart(null, columns, [
      ['西', '9', '8', '0.1'],
      [null, '1', null, null],
      ['', '2', null, null],
    ]);
    const x = ['西', '（空 / null）', '（空文本 / empty text）'];
    expect([plan.kind, plan.x, plan.series.map(({ name }) => name)]).toEqual(['bar', x, ['销售额', 'previous']]);
  });

  it('has a scale for each of two units, and none for three (risk: orders that lie flat beside their amounts)', async () => {
    const [orders, weight] = [column('value', '订单数'), column('value', '重量', { unit: 'kg' })];
    const rows = [['东', '1000000', 3, 2], ['西', '2000000', 4, 1]]; // prettier-ignore
    expect(reasonOf(() => planChart('bar', [region, sales, orders, weight], rows))).toBe('too_many_units');
    const plan = planChart('bar', [region, sales, weight, { ...sales, label: '退款额' }], rows);
    expect([plan.axes, plan.series.map(({ axis }) => axis)]).toEqual([['CNY', 'kg'], [0, 1, 0]]); // prettier-ignore
    const svg = await drawChart(plan);
    expect(textsOf(svg)).toEqual(expect.arrayContaining(['销售额 · 重量 · 退款额', 'CNY', 'kg', '2,000,000', '重量 (kg)']));
    const weights = [...svg.matchAll(/ d="M[\d. ]+l[\d. ]+l0 -?(\d+)[^>]*ecmeta_series_index="1"[^>]*"chart"/g)];
    expect(weights.map(([, height]) => Number(height) > 100)).toEqual([true, true]);
  });

  it('says why there is none', () => {
    const many = Array.from({ length: maxPoints + 1 }, (_, n) => [`r${n}`, '1']);
    expect(reasonOf(() => planChart(null, [sales], [['1']]))).toBe('no_axis');
    expect(reasonOf(() => planChart(null, [region, sales], []))).toBe('no_rows');
    expect(reasonOf(() => planChart('line', [region, sales], [['东', '1']]))).toBe('no_time');
    expect(reasonOf(() => planChart('share', [month, region, sales], [['2024-01-01', '东', '1']]))).toBe('not_one_whole');
    expect(reasonOf(() => planChart('share', [region, sales], [['东', '-1']]))).toBe('negative_part');
    expect(reasonOf(() => planChart('share', [region, sales], [['东', '0'], ['西', null]]))).toBe('no_whole'); // prettier-ignore
    expect(reasonOf(() => planChart('share', [region, sales], many.slice(0, 31)))).toBe('too_many_points');
    expect(reasonOf(() => planChart('bar', [region, sales], many))).toBe('too_many_points');
    expect(reasonOf(() => planChart('bar', [region, sales], many.slice(1)))).toBe('charted');
    const dated = [['0001-01-01', '1'], ['2024-01-01', '2']]; // prettier-ignore
    expect(reasonOf(() => planChart('line', [{ ...month, grain: 'day' }, sales], dated))).toBe('too_many_points');
    const regions = Array.from({ length: 21 }, (_, n) => ['2024-01-01', `r${n}`, '1']);
    expect(reasonOf(() => planChart('line', [month, region, sales], regions))).toBe('too_many_points');
    for (const value of ['2024-01-01', true, 'text', `1${'0'.repeat(400)}`])
      expect(reasonOf(() => planChart('bar', [region, sales], [['东', value]]))).toBe('not_a_number');
  });

  it('counts the periods before it puts them in order (risk: seconds of work for a picture that is refused)', () => {
    const parse = jest.spyOn(Date, 'parse');
    const hours = Array.from({ length: 10_000 }, (_, n) => [`${new Date(n * 3_600_000).toISOString().slice(0, 16)}+00:00`, '1']);
    const reason = reasonOf(() => planChart('line', [{ ...month, grain: 'hour' }, sales], hours));
    const { length } = parse.mock.calls;
    parse.mockRestore();
    expect([reason, length]).toEqual(['too_many_points', 0]);
  });
});

describe('a picture', () => {
  const draw = (plan: Partial<ChartPlan>) =>
    drawChart({ kind: 'bar', title: 't', axes: [null], x: ['a', 'b'], series: [{ name: 's', values: [null, null], axis: 0 }], ...plan });

  it.each(['bar', 'line', 'share'] as const)('shows names as they are, and exact numbers: %s', async kind => {
    const hostile = ['<script>alert(1)</script>', '"><img src=x onerror=a()>', "华东 & '华南' {b} {a|x}", 'a\u0001b\ufffe'];
    const numbers = ['12345678901234567.89', '0.10', '9007199254740993', '7'];
    const rows = hostile.map((name, index) => [name, numbers[index]]);
    const columns = [kind === 'line' ? { ...region, role: 'time' as const } : region, { ...sales, label: '<b>销售额</b>' }];
    const plan = planChart(kind, columns, rows);
    const svg = await drawChart(plan);
    expect(isWellFormed(svg)).toBe(true);
    expect(svg).not.toMatch(/<script|<img|<b>|<foreignObject|href=/i);
    const texts = textsOf(svg);
    expect(texts).toContain('<b>销售额</b> (CNY)');
    expect(texts).toEqual(expect.arrayContaining([...numbers, hostile[2]]));
    expect(texts.join()).toContain('<script>alert(1)</scr');
    expect(svg).not.toMatch(/[\u0001\ufffe]/);
  });

  it('draws no bar and no slice for null, and breaks the line', async () => {
    const values = [{ number: 3, text: '3' }, null, { number: 4, text: '4' }];
    const x = ['甲', '乙', '丙'];
    const full = values.map(value => value ?? { number: 0, text: '0' });
    for (const kind of ['bar', 'line', 'share'] as const) {
      const drawn = textsOf(await draw({ kind, x, series: [{ name: 's', values, axis: 0 }] }));
      const zeros = textsOf(await draw({ kind, x, series: [{ name: 's', values: full, axis: 0 }] }));
      const count = (texts: string[]) => texts.filter(text => /^0$/.test(text)).length;
      expect([kind, count(zeros) - count(drawn)]).toEqual([kind, 1]);
    }
    const lineOf = async (some: typeof full) => [
      ...(await draw({ kind: 'line', x, series: [{ name: 's', values: some, axis: 0 }] })).matchAll(
        / d="(M[^"]*)" fill="none"[^>]*stroke-width="2"/g,
      ),
    ];
    expect((await lineOf(full)).map(([, path]) => path!.split('M').length - 1)).toEqual([1]);
    expect((await lineOf(values as typeof full)).map(([, path]) => path!.split('M').length - 1)).toEqual([2]);
  });
});
