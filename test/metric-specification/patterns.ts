import { on, type Question, sale } from '../support/metric-traps.js';
import { account, byRegion, dated, first, march, monthly, same } from './asked.js';

/** Questions about each pattern (section A.2 of the specification of metrics), and about refused formulas. */
export const patterns: Record<string, Question[]> = {
  '1 aggregate': [
    ...same(["SUM(amount WHERE status = 'open')", "求和(amount 条件 status = 'open')", "SUM(amount) FILTER (WHERE status = 'open')"], {
      binding: sale,
      rows: ['57'],
    }),
    ...same(['COUNT(*)', '计数(*)'], { binding: sale, rows: ['4'] }),
    // (100 + 50 + 30 + 7) / 4
    ...same(['AVG(amount)', '平均(amount)', '均值(amount)'], { binding: sale, rows: ['46.75'] }),
    ...same(['MIN(amount)', '最小(amount)'], { binding: sale, rows: ['7'] }),
    ...same(['MAX(amount)', '最大(amount)'], { binding: sale, rows: ['100'] }),
    // The squares of 53.25, 3.25, 16.75 and 39.75 sum to 4706.75.
    ...same(['VARIANCE(amount)'], { binding: sale, rows: ['1568.916666667'] }),
    ...same(['STDDEV(amount)', '标准差(amount)'], { binding: sale, rows: ['39.60955272'] }),
    ...same(['FIRST(balance BY account)', '期初(balance 按 account)'], { binding: account, rows: ['7'] }),
    ...same(['LAST(balance BY account)', '期末(balance 按 account)'], { binding: account, rows: ['9'] }),
    ...same(['SUM(amount)', 'MIN(amount)', 'AVG(amount)'], {
      binding: sale,
      request: { filters: [{ field: 'amount', op: '>', value: 1000 }] },
      rows: ['null'],
    }),
    { formula: 'COUNT(*)', binding: sale, request: { filters: [{ field: 'amount', op: '>', value: 1000 }] }, rows: ['0'] },
  ],
  '2 count_distinct': [
    ...same(['COUNT(DISTINCT who)', 'COUNT_DISTINCT(who)', '去重计数(who)'], { binding: dated('visitor'), rows: ['3'] }),
    // Rows without a region do not count.
    { formula: 'COUNT(DISTINCT region, status)', binding: sale, rows: ['3'] },
  ],
  '3 quantile': [
    ...same(['MEDIAN(amount)', '中位数(amount)', 'PERCENTILE(amount, 0.5)'], { binding: sale, rows: ['40'] }),
    // 50 + 0.85 * 50
    ...same(['PERCENTILE(amount, 0.95)', '分位数(amount, 0.95, CONT)'], { binding: sale, rows: ['92.5'] }),
    { formula: 'PERCENTILE(amount, 0.5, DISC)', binding: sale, rows: ['30'] },
    ...['MEDIAN(x)', '1 - MEDIAN(-x)'].map(formula => ({
      formula,
      binding: { relation: { sql: 'SELECT 9007199254740993 AS x' } },
      rows: [formula.startsWith('1') ? '9007199254740991' : '9007199254740990'],
      warnings: ['ROUNDED_QUANTILE'],
    })),
  ],
  '4 weighted_average': same(['WAVG(price, weight)', '加权平均(price, weight)'], { binding: on('priced'), rows: ['17.5'] }),
  '5 ratio': [
    // 22 / 187
    ...same(['[退款] / [销售]', 'RATIO([退款], [销售])', '比率([退款], [销售])'], { rows: ['0.117647059'] }),
    ...same(['PERCENT([退款], [销售])', '占率([退款], [销售])', '百分比([退款], [销售])', '[退款] / [销售] * 100'], {
      rows: ['11.764705882'],
    }),
  ],
  '6 arithmetic': [
    { formula: '[销售] - [退款]', rows: ['165'] },
    { formula: '(销售 + 退款) * 5% / 2', rows: ['5.225'] },
    { formula: 'ROUND([销售] * 5%, 1) + ABS(-[退款])', rows: ['31.4'] },
    { formula: 'COALESCE(NULLIF([销售], 187), 1) + GREATEST([退款], 3) - LEAST([退款], 3)', rows: ['20'] },
  ],
  '7 accumulate': [
    ...same(['CUMULATIVE([销售])', '累计([销售])'], { request: first, rows: ['2024-01-01 100', '2024-02-01 100', '2024-03-01 187'] }),
    ...same(['TO_DATE([销售], QUARTER)', '至今([销售], 季)', 'QTD([销售])', '季初至今([销售])', 'YTD([销售])', '年初至今([销售])'], {
      request: first,
      rows: ['2024-01-01 100', '2024-02-01 100', '2024-03-01 187'],
    }),
    ...same(['TO_DATE([销售], MONTH)', 'MTD([销售])', '月初至今([销售])'], { request: first, rows: ['2024-01-01 100', '2024-03-01 87'] }),
    ...same(['ROLLING([销售], 7 DAY)', '滚动([销售], 7 天)'], {
      request: { time: { from: '2024-03-04', to: '2024-03-12', grain: 'day' } },
      rows: ['05 50', '06 50', '07 50', '08 50', '09 87', '10 87', '11 87'].map(row => `2024-03-${row}`),
    }),
  ],
  '8 period_over_period': [
    ...same(['YOY(SUM(amount))', '同比(SUM(amount))', 'GROWTH(SUM(amount), 1 YEAR)', '增长(SUM(amount), 1 年)'], {
      binding: dated('weekly'),
      request: { time: { from: '2024-01-01', to: '2025-01-01', grain: 'year' } },
      // (100 - 5) / 5: 40 + 60 in 2024 after 5 in 2023
      rows: ['2024-01-01 19'],
    }),
    ...same(['MOM(SUM(amount), DIFF)', '环比(SUM(amount), DIFF)', 'POP(SUM(amount), DIFF)', 'GROWTH(SUM(amount), 1 MONTH, DIFF)'], {
      binding: monthly,
      request: march,
      rows: ['2024-03-01 -187'],
    }),
    { formula: 'MOM(SUM(amount), VALUE)', binding: monthly, request: march, rows: ['2024-03-01 190'] },
    {
      formula: 'QOQ([销售], VALUE)',
      request: { time: { from: '2024-04-01', to: '2024-07-01', grain: 'quarter', fill: 'null' } },
      rows: ['2024-04-01 187'],
    },
    {
      formula: 'WOW([销售])',
      request: { time: { from: '2024-03-11', to: '2024-03-18', grain: 'week', fill: 'zero' } },
      // The rate from 87 to 0 is -1.
      rows: ['2024-03-11 -1'],
    },
    {
      formula: 'DOD(SUM(amount))',
      binding: monthly,
      request: { time: { from: '2024-03-30', to: '2024-03-31', grain: 'day' } },
      rows: ['2024-03-30 0'],
    },
  ],
  '9 share_of_total': [
    ...same(['SHARE([销售])', '占比([销售])'], { request: byRegion, rows: ['east 0.802139037', 'west 0.160427807', 'null 0.037433155'] }),
    {
      formula: 'SHARE([销售] WITHIN region)',
      request: { dimensions: ['region', 'status'] },
      rows: ['east open 0.333333333', 'east 已，支付（全） 0.666666667', 'west 已，支付（全） 1', 'null open 1'],
    },
  ],
  '10 conversion': [
    ...same(['CONVERSION([访问] -> [购买] BY 用户 WITHIN 7 DAY)', '转化率([访问] -> [购买] 按 用户 在 7 天 内)'], { rows: ['1'] }),
    ...same(['CONVERSION([访问] -> [购买] BY 用户 WITHIN 7 DAY, COUNT)', '转化数([访问] -> [购买] 按 用户 在 7 天 内)'], { rows: ['3'] }),
    // User 1 buys on 3 March, one day after the visit on 2 March.
    { formula: 'CONVERSION([访问] -> [购买] BY 用户 WITHIN 1 DAY, COUNT)', rows: ['1'] },
  ],
};

const refusedFormula = (formula: string): Question => ({ formula, refused: ['formula_parse_error'] });

export const formulaErrors: Record<string, Question[]> = {
  'an unknown function': [refusedFormula('TOTAL(amount)')],
  'a leaf inside a leaf': [refusedFormula('SUM(COUNT(*))')],
  'a fraction outside of 0 and 1': [refusedFormula('PERCENTILE(amount, 1.5)'), refusedFormula('PERCENTILE(amount, 0)')],
  'ROLLING 0': [refusedFormula('ROLLING([销售], 0 DAY)')],
  'a nesting that means nothing': [
    refusedFormula('ROLLING(YOY([销售]), 7 DAY)'),
    refusedFormula('YOY(SHARE([销售]))'),
    refusedFormula('SHARE(YOY([销售]))'),
    refusedFormula('YOY(CONVERSION([访问] -> [购买] BY 用户))'),
  ],
  'digits that are no literal': [refusedFormula('ROUND([销售], 1 + 1)'), refusedFormula('ROUND([销售], 11)')],
};
