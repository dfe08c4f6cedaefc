import { type LinkedTerm, type MetricCall } from '../vocabulary.js';
import { type AnswerShape } from '../planning/question-plan.js';
import { wordGraphAnswer, wordMetricAnswer } from './word-answer.js';

const shape: AnswerShape = {
  kind: 'list',
  subject: '产品',
  of: { isAmong: false, named: [], excluded: [], times: [], conditions: [] },
  measure: null,
  spoken: [],
  descending: true,
  whether: false,
  first: null,
};
const node = (id: number, display: string) => ({ id, display, label: '产品', key: String(id), properties: {} });
const product = (id: number, display: string) => [node(id, display)];

describe('wordGraphAnswer', () => {
  it('counts nodes of the same name one by one', () => {
    const rows = [product(1, '茶'), product(2, '茶'), product(3, '咖啡')];
    expect(wordGraphAnswer(shape, rows, 'zh', 1000)).toBe('产品共 3 个：茶（2 个）、咖啡。');
    expect(wordGraphAnswer({ ...shape, subject: 'products' }, rows, 'en', 1000)).toBe('3 products: 茶 (2), 咖啡.');
    // A node that comes twice, for two of its paths, is one node.
    expect(wordGraphAnswer(shape, [...rows, product(3, '咖啡')], 'zh', 1000)).toBe('产品共 3 个：茶（2 个）、咖啡。');
    expect(wordGraphAnswer({ ...shape, kind: 'entity' }, rows, 'en')).toBe('Found: 茶 (2), 咖啡.');
  });

  it('says yes only where the first of a comparison is ahead', () => {
    const whether = { ...shape, kind: 'rank' as const, measure: '单价', whether: true, first: '茶' };
    const row = (display: string, value: number | null) => [node(1, display), value];
    expect(wordGraphAnswer(whether, [row('茶', 3), row('咖啡', 2)], 'zh')).toMatch(/^是/);
    expect(wordGraphAnswer(whether, [row('咖啡', 3), row('茶', 2)], 'zh')).toMatch(/^否/);
    expect(wordGraphAnswer(whether, [row('茶', 2), row('咖啡', 2)], 'zh')).toMatch(/^否/);
    expect(wordGraphAnswer(whether, [row('茶', 2), row('咖啡', null)], 'zh')).not.toMatch(/^[是否]/);
  });

  it('says what a thing is, and whether it is one of a kind', () => {
    const identity = { ...shape, kind: 'identity' as const };
    expect(wordGraphAnswer(identity, [product(1, '茶')], 'zh')).toBe('茶是产品。');
    expect(wordGraphAnswer({ ...identity, subject: 'suppliers' }, [product(1, 'Tea')], 'en')).toBe('Tea is a supplier.');
    expect(wordGraphAnswer(identity, [], 'en')).toBe('Nothing was found.');
    const whether = { ...identity, whether: true };
    expect(wordGraphAnswer(whether, [[node(1, '茶'), false]], 'zh')).toBe('否：茶是产品。');
    expect(wordGraphAnswer({ ...whether, subject: 'order' }, [[node(1, 'Tea'), true]], 'en')).toBe('Yes: Tea is an order.');
  });

  it('says "at least" where the limit has cut the rows', () => {
    const rows = [product(1, '茶'), product(2, '咖啡')];
    expect(wordGraphAnswer(shape, rows, 'zh', 2)).toMatch(/^产品至少 2 个：/);
    expect(wordGraphAnswer({ ...shape, subject: 'products' }, rows, 'en', 2)).toMatch(/^At least 2 products: /);
  });

  it('says "at least" where more tie than are shown', () => {
    const rows = Array.from({ length: 12 }, (_, i) => [node(i, `P${i}`), 0]);
    const rank = { ...shape, kind: 'rank' as const, subject: 'products', measure: 'number of orders' };
    expect(wordGraphAnswer(rank, rows, 'en', 12)).toMatch(/and at least 2 more\.$/);
    expect(wordGraphAnswer(rank, rows, 'en', 13)).toMatch(/ and 2 more\.$/);
  });

  const ranked = [[node(1, 'Tea'), 1800], [node(2, 'Chai'), 19]]; // prettier-ignore
  it.each([
    [{ kind: 'count', subject: 'products' }, [[1234]], 'Number of products: 1,234.'],
    [{ kind: 'aggregate', subject: 'products', measure: 'average price' }, [[18.5]], 'Average price of products: 18.5.'],
    [{ kind: 'property', spoken: ['price'] }, [[node(1, 'Tea'), 18]], 'The price of Tea is 18.'],
    [{ kind: 'property', spoken: ['birth year'] }, [[node(1, 'Ann'), 1996]], 'The birth year of Ann is 1996.'],
    [
      { kind: 'group', subject: 'birth year', measure: 'number of players' },
      [[1996, 1200]],
      'Number of players by birth year: 1996 (1,200).',
    ],
    [{ kind: 'rank', subject: 'ships', measure: '建造年份' }, [[node(1, 'Swift'), 2014]], 'Ship with the highest 建造年份: Swift (2014).'],
    [{ kind: 'property', spoken: ['price'] }, ranked, 'Tea price 1,800, Chai price 19.'],
    [{ kind: 'rank', subject: 'products', measure: 'price' }, ranked, 'Products with the highest price: Tea (1,800), Chai (19).'],
    [
      { kind: 'rank', subject: 'products', measure: 'price', descending: false },
      ranked,
      'Products with the lowest price: Tea (1,800), Chai (19).',
    ],
    [{ kind: 'group', subject: 'category', measure: 'price' }, [['Drinks', 2]], 'Price by category: Drinks (2).'],
    [{ kind: 'entity' }, [product(1, 'Tea')], 'Found: Tea.'],
    [{ kind: 'entity' }, [], 'Nothing was found.'],
    [{ kind: 'list', subject: 'products' }, [], 'No products found.'],
    [{ kind: 'list', subject: 'products' }, [product(1, 'Tea')], '1 product: Tea.'],
    [{ kind: 'list', subject: 'Policy' }, [product(1, 'P1'), product(2, 'P2')], '2 policies: P1, P2.'],
    [{ kind: 'count', subject: 'doctor' }, [[1]], 'Number of doctors: 1.'],
    [{ kind: 'group', subject: 'categories', measure: 'price' }, [['Drinks', 2]], 'Price by category: Drinks (2).'],
  ] as const)('words %j', (own, rows, sentence) => {
    expect(wordGraphAnswer({ ...shape, ...own } as AnswerShape, rows as unknown as unknown[][], 'en')).toBe(sentence);
  });

  it.each([
    [{ kind: 'property', spoken: ['手机'] }, [[node(1, '高静'), '13855587774']], '高静的手机是 13855587774。'],
    [{ kind: 'rank', subject: '客户', measure: '手机' }, [[node(1, '高静'), '13855587774']], '手机最高的客户：高静（13855587774）。'],
    [{ kind: 'list', subject: '邮编' }, [['200120']], '邮编共 1 个：200120。'],
  ] as const)('shows texts as they are: %j', (own, rows, sentence) => {
    const isText = [true, true];
    expect(wordGraphAnswer({ ...shape, ...own } as AnswerShape, rows as unknown as unknown[][], 'zh', 1000, isText)).toBe(sentence);
  });

  it.each([
    [
      { kind: 'property', spoken: ['phone'] },
      [[node(1, '深圳分公司'), null]],
      '深圳分公司没有phone的记录。',
      'No phone is recorded for 深圳分公司.',
    ],
    [
      { kind: 'property', spoken: ['phone', 'price'] },
      [[node(1, 'A'), null, 5]],
      'A 没有phone的记录，price 5。',
      'A no phone recorded, price 5.',
    ],
    [{ kind: 'aggregate', subject: '分公司', measure: 'fee' }, [[null]], '分公司没有fee的记录。', 'No fee is recorded for 分公司.'],
  ] as const)('says that a value is missing: %j', (own, rows, zh, en) => {
    const asked = { ...shape, ...own } as unknown as AnswerShape;
    const cells = rows as unknown as unknown[][];
    expect([wordGraphAnswer(asked, cells, 'zh'), wordGraphAnswer(asked, cells, 'en')]).toEqual([zh, en]);
  });

  it('reports the limits of the answer', () => {
    const limited = {
      ...shape,
      subject: 'orders',
      kind: 'count' as const,
      of: { isAmong: false, named: ['Ann'], excluded: ['Bob'], times: ['since may 2025'], conditions: [] as string[] },
    };
    expect(wordGraphAnswer(limited, [[3]], 'en')).toBe('Number of orders for Ann excluding Bob since May 2025: 3.');
    expect(wordGraphAnswer({ ...limited, subject: '订单' }, [[3]], 'zh')).toBe('Ann、Bob以外、since may 2025的订单共有 3 个。');
    const conditions = ['运费超过20', '没有退过货'];
    const of = { ...limited.of, conditions };
    expect(wordGraphAnswer({ ...limited, of }, [[3]], 'en')).toMatch(/ since May 2025 \(运费超过20; 没有退过货\): 3\.$/);
    expect(wordGraphAnswer({ ...limited, kind: 'list', of: { ...shape.of, conditions }, subject: '订单' }, [], 'zh')).toBe(
      '没有找到运费超过20、没有退过货的订单。',
    );
  });

  it('says that it is about some of what was found before', () => {
    const of = { ...shape.of, isAmong: true, named: ['vip'] };
    const own = { ...shape, of, subject: 'customer' };
    expect(wordGraphAnswer({ ...own, kind: 'count' }, [[9]], 'en')).toBe('Number of customers among them for vip: 9.');
    expect(wordGraphAnswer(own, [], 'en')).toBe('No customers found among them for vip.');
    expect(wordGraphAnswer({ ...own, kind: 'count', subject: '客户' }, [[9]], 'zh')).toBe('其中，vip的客户共有 9 个。');
    expect(wordGraphAnswer({ ...own, kind: 'rank', measure: '保费', of: { ...of, named: [] } }, [[node(1, 'A'), 5]], 'zh')).toBe(
      '其中，保费最高的customer：A（5）。',
    );
  });

  it.each([
    ['in the last 30 days', 'in the last 30 days'],
    ['last 30 days', 'in the last 30 days'],
    ['past two weeks', 'in the past two weeks'],
    ['last month', 'last month'],
    ['current month', 'in the current month'],
    ['tomorrow', 'tomorrow'],
    ['next week', 'next week'],
    ['2024', 'in 2024'],
    ['march 2024', 'in March 2024'],
    ['q1 2024', 'in q1 2024'],
    ['2024-05-06', 'on 2024-05-06'],
    ['april 1, 1998', 'on April 1, 1998'],
    ['the 4th of july 1996', 'on the 4th of July 1996'],
    ['year to date', 'year to date'],
  ])('joins the time "%s"', (time, joined) => {
    const of = { ...shape.of, times: [time] };
    expect(wordGraphAnswer({ ...shape, of, subject: 'bookings' }, [], 'en')).toBe(`No bookings found ${joined}.`);
  });

  it.each([
    [['2025-07-01'], 'Order with the latest order date: A (2025-07-01).', '下单日期最晚的'],
    [['2025-07-01T10:00:00Z'], 'Order with the latest order date: A (2025-07-01T10:00:00Z).', '下单日期最晚的'],
    [[7], 'Order with the highest order date: A (7).', '下单日期最高的'],
  ])('ranks %j by the words for it', ([value], en, zh) => {
    const rank = { ...shape, kind: 'rank' as const, subject: 'order' };
    expect(wordGraphAnswer({ ...rank, measure: 'order date' }, [[node(1, 'A'), value]], 'en')).toBe(en);
    expect(wordGraphAnswer({ ...rank, measure: '下单日期' }, [[node(1, 'A'), value]], 'zh')).toContain(zh);
  });

  it('does not repeat a name as a property', () => {
    const rows = [[node(1, 'Alice Baker'), 'Alice Baker', 31], [node(2, 'Bo'), 'Bo', 32]]; // prettier-ignore
    expect(wordGraphAnswer({ ...shape, kind: 'property', spoken: ['name', 'age'] }, rows, 'en')).toBe('Alice Baker age 31, Bo age 32.');
    expect(wordGraphAnswer({ ...shape, kind: 'property', spoken: ['name'] }, rows, 'en')).toBe('Alice Baker, Bo.');
  });

  it('names ten, and says how many more there are', () => {
    const rows = Array.from({ length: 12 }, (_, i) => product(i, `p${i}`));
    expect(wordGraphAnswer({ ...shape, subject: 'products' }, rows, 'en')).toMatch(/p9 and 2 more\.$/);
  });
});

describe('wordMetricAnswer', () => {
  const call: MetricCall = {
    metric_id: 1,
    metric: '销售额',
    unit: 'CNY',
    dimensions: [],
    time: null,
    filters: [],
    order: [],
    having: [],
    compare: null,
    share: null,
    limit: 100,
    ties: false,
  };
  const revenue: LinkedTerm = { text: 'revenue', as: 'metric', name: '销售额' };
  const top: LinkedTerm = { text: 'top', as: 'intent', name: 'top' };
  const region: LinkedTerm = { text: 'region', as: 'dimension', name: '地区' };
  const byRegion = { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc' as const }] };

  it.each([
    [{}, [[1234.5]], '销售额为 1,234.5 CNY。', 'Revenue: 1,234.5 CNY.'],
    [{ unit: null }, [[5]], '销售额为 5。', 'Revenue: 5.'],
    [{ filters: [{ field: '地区', op: 'in', values: ['华东'] }] }, [[5]], '华东的销售额为 5 CNY。', 'Revenue for 华东: 5 CNY.'],
    [
      { filters: [{ field: '地区', op: 'not_in', values: ['华东'] }] },
      [[5]],
      '华东以外的销售额为 5 CNY。',
      'Revenue for all but 华东: 5 CNY.',
    ],
    [{ time: { from: '2024-01-01', to: '2025-01-01' } }, [[5]], '2024-01-01 至 2024-12-31的销售额为 5 CNY。', 'Revenue for 2024: 5 CNY.'],
    [{ time: { from: '2024-02-01' } }, [[5]], '2024-02-01 及以后的销售额为 5 CNY。', 'Revenue for 2024-02-01 and later: 5 CNY.'],
    [{ time: { to: '2024-02-01' } }, [[5]], '2024-01-31 及以前的销售额为 5 CNY。', 'Revenue for up to 2024-01-31: 5 CNY.'],
    [{}, [[null]], '没有任何销售额的数据。', 'There is no revenue.'],
    [byRegion, [['华东', 5]], '销售额，按地区：华东 5 CNY。', 'Revenue by region: 华东 5 CNY.'],
    [byRegion, [[2024, 1200]], '销售额，按地区：2024 1,200 CNY。', 'Revenue by region: 2024 1,200 CNY.'],
    [{ time: { grain: 'quarter' } }, [['2024-04-01', 5]], '销售额，按季度：2024 Q2 5 CNY。', 'Revenue by quarter: 2024 Q2 5 CNY.'],
  ] as const)('words %j', (own, rows, zh, en) => {
    const asked = { ...call, ...own } as MetricCall;
    const cells = rows as unknown as unknown[][];
    expect([wordMetricAnswer(asked, cells, 'zh', [revenue, region]), wordMetricAnswer(asked, cells, 'en', [revenue, region])]).toEqual([
      zh,
      en,
    ]);
  });

  it.each([
    ['desc', '销售额最高的地区：华东 5 CNY。', 'Region with the highest revenue: 华东 5 CNY.'],
    ['asc', '销售额最低的地区：华东 5 CNY。', 'Region with the lowest revenue: 华东 5 CNY.'],
  ] as const)('says which end of a ranking is meant: %s', (dir, zh, en) => {
    const asked: MetricCall = { ...call, ...byRegion, order: [{ by: 'value', dir }] };
    const linked = [revenue, region, top];
    expect([wordMetricAnswer(asked, [['华东', 5]], 'zh', linked), wordMetricAnswer(asked, [['华东', 5]], 'en', linked)]).toEqual([zh, en]);
  });
});
