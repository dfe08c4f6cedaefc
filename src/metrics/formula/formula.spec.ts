import { toApiError } from '../../common/errors/to-api-error.js';
import { FormulaParseError } from './formula.errors.js';
import { metricNames } from './formula-tree.js';
import { parseFormula } from './parse-formula.js';
import { isLong } from '../../../test/support/tier.js';

const patterns = [
  'aggregate',
  'count_distinct',
  'quantile',
  'weighted_average',
  'ratio',
  'arithmetic',
  'accumulate',
  'period_over_period',
  'share_of_total',
  'conversion',
];

function problem(formula: string): Record<string, unknown> {
  try {
    parseFormula(formula);
  } catch (error) {
    if (error instanceof FormulaParseError) {
      const answer = toApiError(error);
      expect(answer.status).toBe(400);
      expect(answer.detail).toMatch(/^FormulaParseError: /);
      expect(answer.context).toMatchObject({ supported_patterns: patterns });
      return error.facts;
    }
    throw error;
  }
  throw new Error(`${formula} parses`);
}

describe('the pattern is told from the root', () => {
  it.each([
    // 1 aggregate
    ['SUM(amount)', 'aggregate'],
    ["SUM(amount WHERE status = 'paid')", 'aggregate'],
    ["求和(金额 条件 状态 = '已支付')", 'aggregate'],
    ["sum(amount) FILTER (WHERE status = 'paid')", 'aggregate'],
    ["SUM(amount) WHERE status IN ('paid', 'shipped')", 'aggregate'],
    ['(COUNT(*))', 'aggregate'],
    ['计数(*)', 'aggregate'],
    ['平均(单价 * 数量)', 'aggregate'],
    ['LAST(balance BY account)', 'aggregate'],
    ['期末(余额 按 账户)', 'aggregate'],
    ['STDDEV(coalesce(a, b, 0))', 'aggregate'],
    ['MAX(tags[1])', 'aggregate'],
    ["SUM(CASE WHEN a = ')' THEN 1 ELSE 0 END)", 'aggregate'],
    // 2 count_distinct
    ['COUNT(DISTINCT customer_id)', 'count_distinct'],
    ['COUNT_DISTINCT(a, b WHERE c)', 'count_distinct'],
    ['去重计数(客户编号)', 'count_distinct'],
    ['计数(DISTINCT 客户编号)', 'count_distinct'],
    // 3 quantile
    ['MEDIAN(x)', 'quantile'],
    ['PERCENTILE(latency_ms, 0.95)', 'quantile'],
    ['分位数(耗时，0.99, disc WHERE a > 1)', 'quantile'],
    ['中位数(订单金额)', 'quantile'],
    // 4 weighted_average
    ['WAVG(unit_price, quantity)', 'weighted_average'],
    ['加权平均(单价, 数量)', 'weighted_average'],
    // 5 ratio
    ['[paid orders] / [orders]', 'ratio'],
    ['RATIO([a], COUNT(*))', 'ratio'],
    ['占率([支付订单数], [订单数])', 'ratio'],
    ['SUM(a) / COUNT(*) * 100', 'ratio'],
    ['100 * (SUM(a) / COUNT(*))', 'ratio'],
    ['（[a] － [b]）／ [a]', 'ratio'],
    ['销售额 / 订单数', 'ratio'],
    // 6 arithmetic
    ['[revenue] - [cost]', 'arithmetic'],
    ['[销售额]', 'arithmetic'],
    ['revenue', 'arithmetic'],
    ['SUM(a) / 2', 'arithmetic'],
    ['SUM(a) * 5%', 'arithmetic'],
    ['-SUM(a)', 'arithmetic'],
    ['ROUND([a] / [b], 2)', 'arithmetic'],
    ['COALESCE([a], 0)', 'arithmetic'],
    // 7 accumulate
    ['CUMULATIVE([revenue])', 'accumulate'],
    ['累计([销售额])', 'accumulate'],
    ['TO_DATE([revenue], MONTH)', 'accumulate'],
    ['YTD([revenue], AVERAGE)', 'accumulate'],
    ['月初至今([销售额])', 'accumulate'],
    ['ROLLING([revenue], 7 DAY) / 7', 'arithmetic'],
    ['YOY(YTD([revenue])) - SHARE([revenue])', 'arithmetic'],
    ['ROLLING([revenue], 7 DAYS)', 'accumulate'],
    ['滚动([销售额], 7 天)', 'accumulate'],
    // 8 period_over_period
    ['YOY([revenue])', 'period_over_period'],
    ['环比([销售额], DIFF)', 'period_over_period'],
    ['GROWTH(SUM(a), 2 QUARTER, VALUE)', 'period_over_period'],
    ['同比(累计([销售额]))', 'period_over_period'],
    // 9 share_of_total
    ['SHARE([revenue] WITHIN region)', 'share_of_total'],
    ['占比([销售额])', 'share_of_total'],
    ['占比([销售额] WITHIN 地区, 类别)', 'share_of_total'],
    // 10 conversion
    ['CONVERSION([visits] -> [buys] BY user_id WITHIN 7 DAY)', 'conversion'],
    ['CONVERSION([visits] -> [buys] BY user_id, COUNT)', 'conversion'],
    ['转化率([访问] -> [购买] 按 用户 在 7 天 内)', 'conversion'],
    ['转化数([访问] -> [购买] 按 用户)', 'conversion'],
  ])('%s is %s', (formula, pattern) => {
    expect(parseFormula(formula).pattern).toBe(pattern);
  });
});

describe('the tree', () => {
  it('keeps the SQL of a leaf as it is written, with its place', () => {
    expect(parseFormula("  SUM( price * (1 - discount) WHERE note <> 'a, b) WHERE' )").root).toMatchObject({
      argument: { text: 'price * (1 - discount)', position: 8 },
      where: [{ text: "note <> 'a, b) WHERE'", position: 37 }],
    });
  });

  it('replaces full-width punctuation outside quotes and brackets only', () => {
    expect(parseFormula("求和（“单价（元）”　＊ 数量 条件 备注 ＝ '（，）'）／[订单（笔）]").root).toMatchObject({
      kind: 'binary',
      left: { argument: { text: '"单价（元）"　＊ 数量'.replace('　', ' ').replace('＊', '*') }, where: [{ text: "备注 = '（，）'" }] },
      right: { kind: 'metric', name: '订单（笔）' },
    });
  });

  it('takes digits, signs of arithmetic and brackets of Chinese keyboards outside quotes and names only', () => {
    expect(parseFormula('（【销售额（１×２）】 － [a【b】]） × １２.５ ÷ .5 − ７％').root).toMatchObject({
      op: '-',
      left: {
        op: '/',
        left: { op: '*', left: { left: { name: '销售额（１×２）' }, right: { name: 'a【b】' } }, right: { value: '12.5' } },
        right: { value: '0.5' },
      },
      right: { value: '0.07' },
    });
    expect(parseFormula("求和(单价１ × “列×２” − .５ 条件 备注 = '１×２')").root).toMatchObject({
      argument: { text: '单价１ * "列×２" - .5' },
      where: [{ text: "备注 = '１×２'" }],
    });
    expect(parseFormula('分位数(x, .９５)').root).toMatchObject({ fraction: '0.95' });
    expect(parseFormula('滚动(【a】, ３０ 天)').root).toMatchObject({ count: 30 });
    expect(problem('[a] + 【b')).toMatchObject({ position: 7, hint: expect.stringContaining('【') });
  });

  it('takes the quotes and the arrow of Chinese keyboards', () => {
    expect(parseFormula("计数（* 条件 状态＝‘已支付’ AND 备注 = 'l’été')").root).toMatchObject({
      where: [{ text: "状态='已支付' AND 备注 = 'l’été'" }],
    });
    expect(parseFormula('转化率([a] → [b] 按 u)').pattern).toBe('conversion');
  });

  it('binds * tighter than -, and reads both from the left', () => {
    const { root } = parseFormula('[a] - [b] - [c] * 2');
    expect(root).toMatchObject({
      op: '-',
      left: { op: '-', left: { name: 'a' }, right: { name: 'b' } },
      right: { op: '*', left: { name: 'c' }, right: { value: '2' } },
    });
  });

  it.each([
    ['5%', '0.05'],
    ['12.5%', '0.125'],
    ['150%', '1.50'],
    ['0.5 %', '0.005'],
  ])('reads %s as exactly %s', (text, value) => {
    expect(parseFormula(`[a] * ${text}`).root).toMatchObject({ right: { value } });
  });

  it('unescapes a bracket in a metric name, and lists the metrics it needs', () => {
    const { root } = parseFormula('[a]]b] / ([c] + [a]]b])');
    expect(metricNames(root)).toEqual(['a]b', 'c']);
  });

  it('joins a WHERE inside and a FILTER behind', () => {
    const { root } = parseFormula('COUNT(* WHERE a) FILTER (WHERE b)');
    expect(root).toMatchObject({ argument: null, where: [{ text: 'a' }, { text: 'b' }] });
  });
});

describe('an error', () => {
  it.each([
    ['SUM(amount) OVER ()', { position: 13, found: 'OVER', nearest_pattern: 'aggregate' }],
    ['SUM(amount', { found: 'end of formula', expected: ["')'"], nearest_pattern: 'aggregate' }],
    ['SUMM(amount)', { position: 1, found: 'SUMM', hint: 'did you mean SUM?', nearest_pattern: 'aggregate' }],
    ['YTD(SUM(amount), 7 DAY)', { position: 18, found: '7', expected: ['LAST', 'FIRST', 'AVERAGE'], nearest_pattern: 'accumulate' }],
    ['中位值(金额)', { position: 1, found: '中位值', hint: 'did you mean 中位数?', nearest_pattern: 'quantile' }],
    ['frobnicate(x)', { hint: 'this function is unknown' }],
    ['SUM(MAX(a))', { position: 5, found: 'MAX', nearest_pattern: 'aggregate' }],
    ['SUM([销售额])', { position: 5, found: '[销售额]' }],
    ['"amount"', { hint: 'outside an aggregate names are metrics: write [amount]' }],
    ['[a] +', { position: 6, found: 'end of formula' }],
    ['[a] [b]', { position: 5, found: '[b]', expected: ['an operator', 'end of formula'] }],
    ['[a', { position: 1, hint: 'this [ is never closed' }],
    ['SUM(a) -- 2024', { position: 9, found: '-', hint: 'formulas have no comments; write - (-x) to subtract a negative number' }],
    ['--[a]', { position: 2, found: '-' }],
    ["SUM(a WHERE b = 'x)", { position: 17 }],
    ['', { position: 1, found: 'end of formula' }],
    ['   ', { found: 'end of formula' }],
    ['5', { hint: 'a formula needs at least one aggregate or metric' }],
    ['SUM()', { position: 5, expected: ['an expression'] }],
    ['PERCENTILE(x, 1)', { position: 15, nearest_pattern: 'quantile' }],
    ['PERCENTILE(x, 0)', { position: 15 }],
    ['ROLLING([a], 0 DAY)', { position: 14, nearest_pattern: 'accumulate' }],
    ['ROLLING([a], 7 DAZE)', { position: 16, found: 'DAZE' }],
    ['CUMULATIVE(ROLLING([a], 7 DAY) / 7)', { position: 12, nearest_pattern: 'accumulate', hint: 'accumulate cannot contain accumulate' }],
    ['SHARE(1 + YOY([a]))', { position: 11, hint: 'share_of_total cannot contain period_over_period' }],
    ['SHARE(YOY([a]))', { position: 7, hint: 'share_of_total cannot contain period_over_period' }],
    ['ROUND([a], [b])', { position: 12 }],
    ['ROUND([a], 1 + 1)', { position: 14, found: '+' }],
    ['ROUND([a], 11)', { position: 12, found: '11', expected: ['a whole number of decimals from -10 to 10'] }],
    ['ROUND([a], 1.5)', { position: 12, found: '1.5' }],
    ['ROUND([a], 2 - 1)', { position: 14, found: '-' }],
    ['ROUND([a], 2, 3)', { position: 13, found: ',' }],
    ['ROUND([a], - -1)', { position: 14, found: '-' }],
    ['ROUND([a], 2%)', { position: 13, found: '%' }],
    ['CONVERSION([a] -> [b])', { expected: ['BY'], nearest_pattern: 'conversion' }],
    ['[a] +\n  [b] ^ 2', { line: 2, column: 7, found: '^' }],
    ['[🐉] ^ 2', { position: 5, column: 5 }],
    ['SUM(a))', { position: 7, found: ')' }],
    ['SUM(a\u0000)', { hint: 'control characters are not allowed' }],
    [`${'('.repeat(40)}[a]${')'.repeat(40)}`, { hint: 'a formula has at most 32 levels' }],
    ['- '.repeat(1_500) + '[a]', { hint: 'a formula has at most 32 levels' }],
    [`[a]${'+1*2'.repeat(101)}`, { hint: 'a formula has at most 200 operators' }],
    [`[${'a'.repeat(4_000)}]`, { expected: ['at most 4000 characters'] }],
  ])('names the place and the problem in %j', (formula, expected) => {
    expect(problem(formula)).toMatchObject(expected);
  });

  const keys = ['position', 'line', 'column', 'found', 'expected', 'nearest_pattern', 'hint', 'supported_patterns'];

  it.each([
    ['unknown function', 'SUM(a) / SUMM(b)', { position: 10, found: 'SUMM', nearest_pattern: 'aggregate', hint: 'did you mean SUM?' }],
    ['fraction of 0', 'PERCENTILE(x, 0)', { position: 15, found: '0', nearest_pattern: 'quantile' }],
    ['fraction of 1', '分位数(x， 1)', { position: 8, found: '1', nearest_pattern: 'quantile' }],
    ['negative fraction', 'PERCENTILE(x, -0.5)', { position: 15, found: '-', nearest_pattern: 'quantile' }],
    ['rolling over 0 days', '滚动([a]， 0 天)', { position: 9, found: '0', nearest_pattern: 'accumulate' }],
    ['7 in 7', 'YTD([a] + CUMULATIVE([b]))', { position: 11, nearest_pattern: 'accumulate', hint: 'accumulate cannot contain accumulate' }],
    ['8 in 7', 'YTD(YOY([a]))', { position: 5, hint: 'accumulate cannot contain period_over_period' }],
    ['9 in 7', 'YTD(SHARE([a]))', { position: 5, hint: 'accumulate cannot contain share_of_total' }],
    ['10 in 7', 'YTD(CONVERSION([a] -> [b] BY c))', { position: 5, hint: 'accumulate cannot contain conversion' }],
    ['8 in 8', 'YOY(MOM([a]))', { position: 5, hint: 'period_over_period cannot contain period_over_period' }],
    ['9 in 8', 'YOY(SHARE([a]))', { position: 5, hint: 'period_over_period cannot contain share_of_total' }],
    ['10 in 8', 'YOY(CONVERSION([a] -> [b] BY c))', { position: 5, hint: 'period_over_period cannot contain conversion' }],
    ['8 in 9', 'SHARE([a] - YOY([a]))', { position: 13, hint: 'share_of_total cannot contain period_over_period' }],
    ['9 in 9', 'SHARE(SHARE([a]))', { position: 7, hint: 'share_of_total cannot contain share_of_total' }],
    ['10 in 9', 'SHARE(CONVERSION([a] -> [b] BY c))', { position: 7, hint: 'share_of_total cannot contain conversion' }],
    ['aggregate in 10', 'CONVERSION(SUM(a) -> [b] BY c)', { position: 15, nearest_pattern: 'conversion' }],
    ['no pattern', 'SUM(amount)\r\n  OVER ()', { position: 16, line: 2, column: 3, found: 'OVER', nearest_pattern: 'aggregate' }],
    ['full-width sign', '[甲]\n　＋ ，', { position: 8, line: 2, column: 4, found: '，', hint: 'for example: ROUND([revenue], 2)' }],
    ['full-width parenthesis', '求和（甲））', { position: 6, found: '）', hint: 'for example: SUM(amount)' }],
    ['curly quotes', '“单价”', { position: 1, found: '“单价”', hint: 'outside an aggregate names are metrics: write [单价]' }],
  ])('gives the whole place and a way out for: %s', (_, formula, facts) => {
    const found = problem(formula);
    expect(Object.keys(found).sort()).toEqual([...keys].sort());
    expect(found).toMatchObject({ expected: expect.any(Array), hint: expect.stringMatching(/./), ...facts });
  });

  it('reads like the documented message', () => {
    expect(() => parseFormula('SUM(amount OVER')).toThrow(
      "formula matches none of the 10 supported patterns: at column 16 found 'end of formula', expected ')'; nearest pattern: aggregate",
    );
  });

  it('never hangs or throws anything else on random text', () => {
    const alphabet = [
      'SUM(',
      'COUNT(DISTINCT ',
      ')',
      '(',
      '[a]',
      '[',
      ']',
      '"',
      "'",
      ' WHERE ',
      '/',
      '*',
      '-',
      '5%',
      ',',
      '求和（',
      '条件',
      '->',
      'x',
      ' ',
      '\n',
    ];
    let seed = 42;
    const random = (n: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % n;
    for (let i = 0; i < (isLong ? 5_000 : 1_000); i++) {
      const text = Array.from({ length: random(12) }, () => alphabet[random(alphabet.length)]).join('');
      try {
        parseFormula(text);
      } catch (error) {
        expect(error).toBeInstanceOf(FormulaParseError);
      }
    }
  });

  it.each([
    ['SUM(a', "公式已结束，应为 ')'；最接近的模式：aggregate；'a' 之前的括号没有闭合 / "],
    ['frobnicate(x)', '应为 已知的函数；最接近的模式：arithmetic；没有这个函数 / '],
    ['[a] [b]', '应为 运算符 或 公式结尾'],
  ])('says what is wrong with %s in Chinese as fully as in English', (formula, zh) => {
    expect(() => parseFormula(formula)).toThrow(zh);
  });
});
