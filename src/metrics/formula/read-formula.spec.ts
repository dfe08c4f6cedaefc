import { mulberry32 } from '../../../test/support/seeded.js';
import { formulaFunctions } from './formula-functions.js';
import { type ParsedFormula } from './formula-tree.js';
import { parseFormula } from './parse-formula.js';
import { readFormula } from './read-formula.js';
import { isLong } from '../../../test/support/tier.js';

const readings: [formula: string, zh: string, en: string][] = [
  ['SUM(amount)', '`amount` 的和', 'the sum of `amount`'],
  ["求和(金额 条件 状态 = '已支付')", "满足 `状态 = '已支付'` 的行中 `金额` 的和", "the sum of `金额` where `状态 = '已支付'`"],
  ['COUNT(*)', '行数', 'the number of rows'],
  [
    'COUNT(x WHERE a) FILTER (WHERE b)',
    '满足 `a` 且 `b` 的行中 `x` 有值的行数',
    'the number of rows with a value of `x` where `a` and `b`',
  ],
  ['AVG(x)', '`x` 的平均值', 'the mean of `x`'],
  ['MIN(x)', '`x` 的最小值', 'the smallest `x`'],
  ['MAX(x)', '`x` 的最大值', 'the largest `x`'],
  ['STDDEV(x)', '`x` 的样本标准差', 'the sample standard deviation of `x`'],
  ['VARIANCE(x)', '`x` 的样本方差', 'the sample variance of `x`'],
  ['FIRST(b BY k)', '`b` 在每期每个 `k` 最早时刻的和', 'the sum of `b` at the first time of each `k` in each period'],
  ['LAST(b)', '`b` 在每期最晚时刻的和', 'the sum of `b` at the last time of each period'],
  ['COUNT_DISTINCT(a, b)', '不同 `a`、`b` 的个数', 'the number of different `a`, `b`'],
  ['MEDIAN(x)', '`x` 的中位数', 'the median of `x`'],
  ['PERCENTILE(x, 0.95)', '`x` 的 0.95 分位数（插值）', 'the 0.95 quantile of `x` (interpolated)'],
  ['PERCENTILE(x, 0.5, DISC)', '`x` 的 0.5 分位数（取其中一个值）', 'the 0.5 quantile of `x` (one of its values)'],
  ['WAVG(p, q)', '`p` 以 `q` 加权的平均值', 'the mean of `p` weighted by `q`'],
  ['[a] / [b]', '「a」除以「b」', '"a" divided by "b"'],
  ['RATIO([a], SUM(b))', '「a」与（`b` 的和）之比', 'the ratio of "a" to (the sum of `b`)'],
  ['PERCENT([a], [b])', '「a」占「b」的百分比', '"a" as a percentage of "b"'],
  ['[a] - [b] * 2 - 5%', '「a」减（「b」乘以 2），再减 0.05', '"a" minus ("b" times 2), then minus 0.05'],
  ['([a] + [b]) * [c]', '「a」加「b」，再乘以「c」', '"a" plus "b", then times "c"'],
  ['-[a]', '负的「a」', 'minus "a"'],
  ['ROUND([a] / [b], 2)', '（「a」除以「b」）四舍五入到 2 位小数', '("a" divided by "b") rounded to 2 decimals'],
  ['ROUND([a])', '「a」四舍五入到整数', '"a" rounded to a whole number'],
  ['ROUND([a], -2)', '「a」四舍五入到 -2 位小数', '"a" rounded to -2 decimals'],
  ['ABS(SUM(x))', '（`x` 的和）的绝对值', 'the absolute value of (the sum of `x`)'],
  ['COALESCE([a], 0)', '「a」、0 中第一个有值的', 'the first with a value of "a", 0'],
  ['NULLIF([a], 0)', '「a」（等于 0 时没有值）', '"a" (no value where it equals 0)'],
  ['GREATEST([a], [b])', '「a」、「b」中最大的', 'the largest of "a", "b"'],
  ['LEAST([a], SUM(x))', '「a」、（`x` 的和）中最小的', 'the smallest of "a", (the sum of `x`)'],
  ['CUMULATIVE([r])', '「r」从开始到每期最后一天的值', '"r" from the beginning to the end of each period'],
  ['累计([r], FIRST)', '「r」从开始到每期第一天的值', '"r" from the beginning to the first day of each period'],
  [
    'CUMULATIVE([r], AVERAGE)',
    '「r」从开始到每期每一天的值的平均',
    '"r" from the beginning to each day of a period, as the mean of those days',
  ],
  ['TO_DATE([r], MONTH)', '「r」从月初到每期最后一天的值', '"r" from the start of the month to the end of each period'],
  ['年初至今([r])', '「r」从年初到每期最后一天的值', '"r" from the start of the year to the end of each period'],
  [
    'ROLLING([收入], 7 DAY) / 7',
    '「收入」在截至每期最后一天的 7 天内的值，除以 7',
    '"收入" over the 7 days up to the end of each period, divided by 7',
  ],
  [
    'ROLLING(SUM(x), 2 MONTH, AVERAGE)',
    '（`x` 的和）在截至每期每一天的 2 个月内的值的平均',
    '(the sum of `x`) over the 2 months up to each day of a period, as the mean of those days',
  ],
  ['滚动([r], 1 季, FIRST)', '「r」在截至每期第一天的 1 个季度内的值', '"r" over the 1 quarter up to the first day of each period'],
  ['YOY([r])', '「r」与一年前相比的变化率', 'the rate of change of "r" against a year before'],
  ['QOQ([r], DIFF)', '「r」与一季前相比的差', 'the change of "r" against a quarter before'],
  ['WOW([r])', '「r」与一周前相比的变化率', 'the rate of change of "r" against a week before'],
  ['DOD([r], VALUE)', '「r」在一天前的值', 'the value of "r" a day before'],
  ['环比([r], DIFF)', '「r」与前一期相比的差', 'the change of "r" against the period before'],
  [
    'MOM(YTD([r]), VALUE)',
    '（「r」从年初到每期最后一天的值）在一月前的值',
    'the value of ("r" from the start of the year to the end of each period) a month before',
  ],
  ['GROWTH([r], 2 QUARTER)', '「r」与 2 个季度前相比的变化率', 'the rate of change of "r" against 2 quarters before'],
  ['GROWTH([r], 1 YEAR, VALUE)', '「r」在 1 年前的值', 'the value of "r" 1 year before'],
  ['SHARE([r])', '「r」占总数的比例', '"r" as a share of the total'],
  [
    'SHARE([r] WITHIN 地区, 类别)',
    '「r」占同一「地区」、「类别」内总数的比例',
    '"r" as a share of the total within the same "地区", "类别"',
  ],
  [
    'YOY(YTD([r])) - SHARE([r])',
    '（「r」从年初到每期最后一天的值）与一年前相比的变化率，减（「r」占总数的比例）',
    'the rate of change of ("r" from the start of the year to the end of each period) against a year before, minus ("r" as a share of the total)',
  ],
  [
    'CONVERSION([v] -> [b] BY user_id WITHIN 7 DAY)',
    '「v」在 7 天内由同一「user_id」转化为「b」的次数与「v」的次数之比（按事件计，不按实体计）',
    'how many "b" follow "v" of the same "user_id" within 7 days, per "v" (events are counted, not entities)',
  ],
  [
    '转化数([v] -> [b] 按 用户)',
    '「v」其后由同一「用户」转化为「b」的次数（按事件计，不按实体计）',
    'how many "b" follow "v" of the same "用户" (events are counted, not entities)',
  ],
];

it.each(readings)('says %s', (formula, zh, en) => {
  expect(readFormula(parseFormula(formula).root)).toEqual({ zh, en });
});

it.each(Object.entries(formulaFunctions))('says %s the same in each of its spellings', (_, { zh, example }) => {
  const { root } = parseFormula(example);
  const { en } = readFormula(root);
  expect(en).not.toMatch(/undefined|null|  /);
  for (const alias of zh) {
    expect(readFormula(parseFormula(example.replace(/^\w+/, alias)).root)).toEqual(readFormula(root));
  }
});

/** The tree of a formula as JSON, without positions. Different spellings of one formula have the same tree. */
function meaning({ root }: ParsedFormula): string {
  return JSON.stringify(root, (key, value: unknown) => (key === 'position' ? undefined : value));
}

it('tells formulas apart that mean different things, in each language', () => {
  const random = mulberry32(11);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const metric = () => pick(['[a]', '[b]', '[a」加「b]', '[a" plus "b]', '[a」]', '[7]', '[行数]', '[the number of rows]']);
  const sql = () => pick(['x', 'y', "'`'", "'` and `'", "x <> '` 的和'", 'x + y', '"）"', '"x"']);
  const dimension = () => pick(['c', '"d"', '"c」、「d"', '"c""d"', '"c"", ""d"']);
  const grain = () => pick(['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR']);
  const count = () => pick(['1', '2']);
  const where = () => pick(['', '', ` WHERE ${sql()}`]);
  const days = () => pick(['', ', FIRST', ', AVERAGE']);
  const mode = () => pick(['', ', DIFF', ', VALUE']);
  const leaf = () =>
    pick([
      () => `${pick(['SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'STDDEV', 'VARIANCE', 'FIRST', 'LAST'])}(${sql()}${where()})`,
      () => `${pick(['FIRST', 'LAST'])}(${sql()} BY ${pick(['x', 'y'])}${where()})`,
      () => `COUNT(*${where()})${pick(['', ` FILTER (WHERE ${sql()})`])}`,
      () => `COUNT_DISTINCT(${sql()}${pick(['', `, ${sql()}`])})`,
      () => `PERCENTILE(${sql()}, ${pick(['0.5', '0.9'])}${pick(['', ', DISC'])})`,
      () => `WAVG(${sql()}, ${sql()}${where()})`,
    ])();
  const additive = (depth: number): string => {
    const inner = () => additive(depth - 1);
    if (depth <= 0) return pick([leaf, metric, metric, () => pick(['1', '2', '7'])])();
    return pick([
      leaf,
      metric,
      () => `-${inner()}`,
      () => `(${inner()} ${pick(['+', '-', '*', '/'])} ${inner()})`,
      () => `${pick(['RATIO', 'PERCENT'])}(${inner()}, ${inner()})`,
      () => `${pick(['COALESCE', 'NULLIF', 'GREATEST', 'LEAST'])}(${inner()}, ${inner()})`,
      () => `ROUND(${inner()}${pick(['', ', 0', ', 2', ', -2'])})`,
      () => `ABS(${inner()})`,
    ])();
  };
  const windowed = (depth: number): string =>
    pick([
      () => `CUMULATIVE(${additive(depth)}${days()})`,
      () => `TO_DATE(${additive(depth)}, ${grain()}${days()})`,
      () => `ROLLING(${additive(depth)}, ${count()} ${grain()}${days()})`,
    ])();
  const any = (depth: number): string =>
    pick([
      () => additive(depth),
      () => windowed(depth),
      () => `${pick(['YOY', 'QOQ', 'MOM', 'WOW', 'DOD', 'POP'])}(${pick([additive, windowed])(depth)}${mode()})`,
      () => `GROWTH(${pick([additive, windowed])(depth)}, ${count()} ${grain()}${mode()})`,
      () => `SHARE(${pick([additive, windowed])(depth)}${pick(['', ` WITHIN ${dimension()}`, ` WITHIN ${dimension()}, ${dimension()}`])})`,
      () =>
        `CONVERSION(${metric()} -> ${metric()} BY ${dimension()}${pick(['', ` WITHIN ${count()} ${grain()}`])}${pick(['', ', COUNT'])})`,
      () => `${any(depth - 1)} ${pick(['+', '-', '*', '/'])} ${depth > 0 ? any(depth - 1) : metric()}`,
    ])();

  const known = { zh: new Map<string, string>(), en: new Map<string, string>() };
  const meanings = new Set<string>();
  const rounds = isLong ? 30_000 : 2_000;
  for (let i = 0; i < rounds; i++) {
    const formula = any(i % 3);
    let parsed: ParsedFormula;
    try {
      parsed = parseFormula(formula);
    } catch {
      // The random formula has neither a metric nor an aggregate, so the parser refuses it.
      continue;
    }
    const means = meaning(parsed);
    meanings.add(means);
    const says = readFormula(parsed.root);
    for (const language of ['zh', 'en'] as const) {
      const other = known[language].get(says[language]) ?? means;
      if (other !== means) throw new Error(`${says[language]} is said of\n${other} and of\n${means}`);
      known[language].set(says[language], means);
    }
  }
  expect(meanings.size).toBeGreaterThan(rounds / 3);
});
