import { type Bilingual } from '../../text/bilingual.js';
import { type Pattern } from './formula-tree.js';

/** A function of the formula language. The parser uses its names and its pattern; the reference page shows all fields. */
export interface FormulaFunction {
  pattern: Pattern;
  /** Chinese names of the function. */
  zh: readonly string[];
  syntax: string;
  meaning: Bilingual;
  example: string;
}

export interface FormulaKeyword {
  zh: readonly string[];
  meaning: Bilingual;
  example: string;
}

export const formulaFunctions = {
  SUM: aggregate('SUM(x)', ['求和'], '和；没有行时没有值', 'The sum; no value without rows', 'SUM(amount)'),
  COUNT: aggregate(
    'COUNT(*), COUNT(x)',
    ['计数'],
    '行数，或 x 有值的行数；没有行时为 0',
    'The rows, or those where x has a value; 0 without rows',
    'COUNT(*)',
  ),
  AVG: aggregate('AVG(x)', ['平均', '均值'], '平均值', 'The mean', 'AVG(amount)'),
  MIN: aggregate('MIN(x)', ['最小'], '最小值', 'The smallest value', 'MIN(amount)'),
  MAX: aggregate('MAX(x)', ['最大'], '最大值', 'The largest value', 'MAX(amount)'),
  STDDEV: aggregate('STDDEV(x)', ['标准差'], '样本标准差', 'The standard deviation of a sample', 'STDDEV(amount)'),
  VARIANCE: aggregate('VARIANCE(x)', ['方差'], '样本方差', 'The variance of a sample', 'VARIANCE(amount)'),
  FIRST: aggregate(
    'FIRST(x BY key)',
    ['期初'],
    '每期中每个键最早时刻的行之和；没有 BY 时为每组（时段与维度）最早时刻的行',
    'The sum over the rows of the first time of each key in a period; without BY over those of the first time of each group',
    'FIRST(balance BY account)',
  ),
  LAST: aggregate(
    'LAST(x BY key)',
    ['期末'],
    '每期中每个键最晚时刻的行之和；没有 BY 时为每组（时段与维度）最晚时刻的行',
    'The sum over the rows of the last time of each key in a period; without BY over those of the last time of each group',
    'LAST(balance BY account)',
  ),
  COUNT_DISTINCT: {
    pattern: 'count_distinct',
    zh: ['去重计数'],
    syntax: 'COUNT_DISTINCT(x[, y …]), COUNT(DISTINCT x[, y …])',
    meaning: {
      zh: '不同值（或值的组合）的个数；其中任一为空的行不计',
      en: 'How many different values, or combinations of values; a row that lacks one of them is not counted',
    },
    example: 'COUNT_DISTINCT(customer_id)',
  },
  MEDIAN: {
    pattern: 'quantile',
    zh: ['中位数'],
    syntax: 'MEDIAN(x)',
    meaning: { zh: '中位数', en: 'The median' },
    example: 'MEDIAN(amount)',
  },
  PERCENTILE: {
    pattern: 'quantile',
    zh: ['分位数'],
    syntax: 'PERCENTILE(x, 0.95[, CONT | DISC])',
    meaning: {
      zh: '分位数；CONT 在相邻值之间插值，DISC 取其中一个值',
      en: 'A quantile; CONT interpolates between values, DISC takes one of them',
    },
    example: 'PERCENTILE(latency_ms, 0.95)',
  },
  WAVG: {
    pattern: 'weighted_average',
    zh: ['加权平均'],
    syntax: 'WAVG(value, weight)',
    meaning: { zh: '以 weight 加权的平均值', en: 'The mean of value, weighted by weight' },
    example: 'WAVG(unit_price, quantity)',
  },
  RATIO: {
    pattern: 'ratio',
    zh: ['比率'],
    syntax: 'RATIO(a, b)',
    meaning: { zh: 'a / b；除以零没有值', en: 'a / b; a division by zero has no value' },
    example: 'RATIO([paid orders], [orders])',
  },
  PERCENT: {
    pattern: 'ratio',
    zh: ['百分比', '占率'],
    syntax: 'PERCENT(a, b)',
    meaning: { zh: 'a / b 的百分数，即乘以 100', en: 'a / b in percent, which is times 100' },
    example: 'PERCENT([paid orders], [orders])',
  },
  ROUND: scalar(
    'ROUND(x[, decimals])',
    '四舍五入到 decimals 位小数（-10 到 10 的整数），缺省为 0',
    'Rounds to so many decimals, a whole number from -10 to 10, 0 by default',
    'ROUND([revenue], 2)',
  ),
  ABS: scalar('ABS(x)', '绝对值', 'The absolute value', 'ABS([profit])'),
  COALESCE: scalar('COALESCE(x, y …)', '第一个有值的参数', 'The first argument that has a value', 'COALESCE([revenue], 0)'),
  NULLIF: scalar('NULLIF(x, y)', '二者相等时没有值，否则为 x', 'No value where both are equal, otherwise x', 'NULLIF([revenue], 0)'),
  GREATEST: scalar('GREATEST(x, y …)', '最大的参数', 'The largest argument', 'GREATEST([revenue], [target])'),
  LEAST: scalar('LEAST(x, y …)', '最小的参数', 'The smallest argument', 'LEAST([revenue], [target])'),
  CUMULATIVE: {
    pattern: 'accumulate',
    zh: ['累计'],
    syntax: 'CUMULATIVE(m[, LAST | FIRST | AVERAGE])',
    meaning: {
      zh: '从开始到每期末；FIRST 到每期首日，AVERAGE 各日之平均',
      en: 'From the beginning to the end of each period; FIRST to its first day, AVERAGE the mean of its days',
    },
    example: 'CUMULATIVE([revenue])',
  },
  TO_DATE: {
    pattern: 'accumulate',
    zh: ['至今'],
    syntax: 'TO_DATE(m, grain[, LAST | FIRST | AVERAGE])',
    meaning: { zh: '从年初、季初、月初等到每期末', en: 'From the start of the year, quarter, month … to the end of each period' },
    example: 'TO_DATE([revenue], YEAR)',
  },
  ROLLING: {
    pattern: 'accumulate',
    zh: ['滚动'],
    syntax: 'ROLLING(m, n grain[, LAST | FIRST | AVERAGE])',
    meaning: {
      zh: '截至每期末的 n 天、周、月等；按月或更粗的粒度时为整月，按日时从 n 月前的次日算起',
      en: 'The n days, weeks, months … up to the end of each period: whole months at grain month and above, at grain day from the day after the same day n months before',
    },
    example: 'ROLLING([revenue], 7 DAY)',
  },
  YTD: toDate('YTD', '年初至今', 'YEAR'),
  QTD: toDate('QTD', '季初至今', 'QUARTER'),
  MTD: toDate('MTD', '月初至今', 'MONTH'),
  WTD: toDate('WTD', '周初至今', 'WEEK'),
  YOY: change('YOY', ['同比'], '一年前', 'a year before'),
  QOQ: change('QOQ', [], '一季前', 'a quarter before'),
  MOM: change('MOM', [], '一月前', 'a month before'),
  WOW: change('WOW', [], '一周前', 'a week before'),
  DOD: change('DOD', [], '一天前', 'a day before'),
  POP: change('POP', ['环比'], '前一期', 'the period before'),
  GROWTH: {
    pattern: 'period_over_period',
    zh: ['增长'],
    syntax: 'GROWTH(m, n grain[, RATE | DIFF | VALUE])',
    meaning: { zh: '与 n 期之前相比的变化', en: 'The change against n periods before' },
    example: 'GROWTH([revenue], 2 QUARTER, DIFF)',
  },
  SHARE: {
    pattern: 'share_of_total',
    zh: ['占比'],
    syntax: 'SHARE(m [WITHIN dimension …])',
    meaning: {
      zh: '占总数的比例；WITHIN 时占该维度内总数的比例',
      en: 'The part of the total, with WITHIN the total inside those dimensions',
    },
    example: 'SHARE([revenue] WITHIN region)',
  },
  CONVERSION: {
    pattern: 'conversion',
    zh: ['转化率'],
    syntax: 'CONVERSION([a] -> [b] BY entity [WITHIN n grain][, RATE | COUNT])',
    meaning: {
      zh: '同一实体在 a 之后的 b 的次数，与 a 的次数之比：按事件计，不按实体计',
      en: 'How many b follow an a of the same entity, per a: events are counted, not entities',
    },
    example: 'CONVERSION([visits] -> [buys] BY user_id WITHIN 7 DAY)',
  },
  CONVERSION_COUNT: {
    pattern: 'conversion',
    zh: ['转化数'],
    syntax: 'CONVERSION_COUNT([a] -> [b] BY entity [WITHIN n grain])',
    meaning: {
      zh: '同一实体在 a 之后的 b 的次数：按事件计，不按实体计',
      en: 'How many b follow an a of the same entity: events are counted, not entities',
    },
    example: 'CONVERSION_COUNT([visits] -> [buys] BY user_id)',
  },
} as const satisfies Record<string, FormulaFunction>;

/** Keywords that stand between the arguments of functions. */
export const formulaKeywords = {
  WHERE: {
    zh: ['条件'],
    meaning: {
      zh: '只计符合 SQL 条件的行；写在聚合的括号之内',
      en: 'Only the rows for which an SQL condition holds; inside the parentheses of an aggregate',
    },
    example: `SUM(amount WHERE status = 'paid')`,
  },
  FILTER: {
    zh: [],
    meaning: { zh: '同 WHERE，SQL 的写法，写在括号之后', en: 'The same as WHERE in the spelling of SQL, behind the parentheses' },
    example: `SUM(amount) FILTER (WHERE status = 'paid')`,
  },
  DISTINCT: {
    zh: [],
    meaning: { zh: 'COUNT(DISTINCT x) 同 COUNT_DISTINCT(x)', en: 'COUNT(DISTINCT x) is COUNT_DISTINCT(x)' },
    example: 'COUNT(DISTINCT customer_id)',
  },
  BY: {
    zh: ['按'],
    meaning: { zh: 'FIRST 与 LAST 的键，CONVERSION 的实体', en: 'The key of FIRST and LAST, the entity of CONVERSION' },
    example: 'LAST(balance BY account)',
  },
  WITHIN: {
    zh: ['内'],
    meaning: { zh: 'SHARE 的维度，CONVERSION 的期限', en: 'The dimensions of SHARE, the time limit of CONVERSION' },
    example: 'SHARE([revenue] WITHIN region)',
  },
} as const satisfies Record<string, FormulaKeyword>;

function aggregate(syntax: string, zh: readonly string[], meaningZh: string, en: string, example: string) {
  return { pattern: 'aggregate', zh, syntax, meaning: { zh: meaningZh, en }, example } as const;
}

function scalar(syntax: string, zh: string, en: string, example: string) {
  return { pattern: 'arithmetic', zh: [], syntax, meaning: { zh, en }, example } as const;
}

function toDate(name: string, zh: string, grain: string) {
  return {
    pattern: 'accumulate',
    zh: [zh],
    syntax: `${name}(m[, LAST | FIRST | AVERAGE])`,
    meaning: { zh: `同 TO_DATE(m, ${grain})`, en: `The same as TO_DATE(m, ${grain})` },
    example: `${name}([revenue])`,
  } as const;
}

function change(name: string, zh: readonly string[], before: string, beforeEn: string) {
  const meaning = {
    zh: `与${before}相比：RATE 变化率（缺省），DIFF 差，VALUE ${before}的值`,
    en: `Against ${beforeEn}: RATE is the rate of change (the default), DIFF the difference, VALUE the value then`,
  };
  return {
    pattern: 'period_over_period',
    zh,
    syntax: `${name}(m[, RATE | DIFF | VALUE])`,
    meaning,
    example: `${name}([revenue])`,
  } as const;
}
