import { on, type Question, sale } from '../support/metric-traps.js';
import { byRegion, dated, filter, first, march, monthly } from './asked.js';

const sums = (previous: string) => ({ totals: { value: expect.any(String), previous } });

/** Questions about each correction (section A.7 of the specification of metrics). */
export const corrections: Record<string, Question[]> = {
  'pattern 8: shifted backwards, clamped': [
    {
      formula: 'MOM(COUNT(*), VALUE)',
      binding: monthly,
      request: { time: { from: '2024-03-29', to: '2024-04-01', grain: 'day' } },
      rows: ['2024-03-29 1', '2024-03-30 1', '2024-03-31 1'],
      warnings: ['CLAMPED_BASE'],
    },
    {
      formula: 'MOM(SUM(amount))',
      binding: monthly,
      request: { time: { grain: 'year' } },
      refused: ['body.time.grain offset_not_whole'],
    },
  ],
  'pattern 10: the range bounds the base events': [
    {
      formula: 'CONVERSION([访问] -> [购买] BY 用户 WITHIN 7 DAY, COUNT)',
      request: { time: { from: '2024-03-01', to: '2024-03-02' } },
      // The purchases on 2 and 3 March count for visits on 1 March.
      rows: ['3'],
    },
    {
      formula: 'CONVERSION([访问] -> [购买] BY 用户 WITHIN 7 DAY, COUNT)',
      request: { filter_clause: "page = 'home'" },
      rows: ['3'],
    },
  ],
  'pattern 7: a window without rows follows fill': [
    {
      formula: 'ROLLING([销售], 2 DAY)',
      request: { time: { from: '2024-03-05', to: '2024-03-08', grain: 'day' } },
      rows: ['2024-03-05 50', '2024-03-06 50'],
    },
    {
      formula: 'ROLLING([销售], 2 DAY)',
      request: { time: { from: '2024-03-05', to: '2024-03-08', grain: 'day', fill: 'null' } },
      rows: ['2024-03-05 50', '2024-03-06 50', '2024-03-07 null'],
    },
    {
      formula: 'ROLLING([销售], 2 DAY)',
      request: { time: { from: '2024-03-05', to: '2024-03-08', grain: 'day', fill: 'zero' } },
      rows: ['2024-03-05 50', '2024-03-06 50', '2024-03-07 0'],
    },
  ],
  'pattern 7: rows after s - n month': [
    // The window begins on 21 January, so the sale on 20 January is not in it.
    {
      formula: 'ROLLING([销售], 1 MONTH)',
      request: { time: { from: '2024-02-19', to: '2024-02-21', grain: 'day' } },
      rows: ['2024-02-19 100'],
    },
  ],
  'pattern 7: LAST, FIRST and AVERAGE at a coarser grain': [
    { formula: 'CUMULATIVE([销售], LAST)', request: march, rows: ['2024-03-01 187'] },
    { formula: 'CUMULATIVE([销售], FIRST)', request: march, rows: ['2024-03-01 100'] },
    // The cumulative sum is 100 on 4 days, 150 on 4 days and 187 on 23 days.
    { formula: 'CUMULATIVE([销售], AVERAGE)', request: march, rows: ['2024-03-01 171'] },
    // The median is 100 on 4 days, 75 on 4 days and 40 on 23 days.
    { formula: 'CUMULATIVE(MEDIAN(amount) * 2, AVERAGE)', binding: sale, request: march, rows: ['2024-03-01 104.516129032'] },
    { formula: 'CUMULATIVE(MEDIAN(amount), AVERAGE)', binding: sale, request: march, rows: ['2024-03-01 52.258064516'] },
  ],
  nesting: [
    {
      formula: 'ROLLING([销售], 7 DAY) / 7',
      request: { time: { from: '2024-03-09', to: '2024-03-10', grain: 'day' } },
      rows: ['2024-03-09 12.428571429'],
    },
    { formula: 'YOY(YTD([销售]), VALUE) + SHARE([销售])', request: { ...first, fill: 'zero' }, refused: ['body.fill unknown_field'] },
    { formula: 'GROWTH(CUMULATIVE([销售]), 1 MONTH, DIFF)', request: march, rows: ['2024-03-01 87'] },
    {
      formula: 'SHARE(CUMULATIVE([销售]))',
      request: { ...march, ...byRegion },
      rows: ['2024-03-01 east 0.802139037', '2024-03-01 west 0.160427807', '2024-03-01 null 0.037433155'],
    },
  ],
  'zones that differ are asked for': [
    {
      formula: 'COUNT(*) + [访问]',
      binding: on('buy', { time: { column: 'at', timezone: 'Asia/Shanghai' } }),
      request: { time: { grain: 'month' } },
      refused: ['body.time.timezone ambiguous_timezone'],
    },
  ],
  'totals of a comparison, of the periods of the rows': [
    {
      formula: 'SUM(amount)',
      binding: dated('weekly'),
      request: {
        time: { from: '2024-12-30', to: '2025-01-13', grain: 'week', fill: 'zero' },
        compare: { offset: '1 year', modes: ['value'] },
        totals: true,
      },
      // The first week is compared with the week 52 weeks earlier, not with the week around 30 December 2023.
      rows: ['2024-12-30 60 40', '2025-01-06 0 0'],
      answer: sums('40'),
    },
    {
      formula: 'SUM(amount)',
      binding: monthly,
      request: {
        time: { from: '2025-02-28', to: '2025-03-02', grain: 'month', fill: 'zero' },
        compare: { offset: '1 year', modes: ['value'], align: 'full_period' },
        totals: true,
      },
      rows: ['2025-02-01 70 190', '2025-03-01 0 3'],
      answer: sums('193'),
    },
  ],
  totals: [
    { formula: 'SUM(amount)', binding: sale, request: { ...byRegion, having: [{ op: '>', value: 1000 }] }, rows: [], totals: '187' },
    {
      formula: 'SUM(amount)',
      binding: sale,
      request: { time: { fill: 'zero' }, ...filter('>', { value: 1000 }) },
      rows: ['0'],
      totals: '0',
    },
  ],
  types: [
    { formula: 'SUM(x)', binding: on('line', { columns: { x: 'line.id / 2' } }), rows: ['3'] },
    { formula: 'SUM(x)', binding: on('line', { columns: { x: 'line.id * 2000000000' } }), rows: ['12000000000'] },
    { formula: 'COUNT(*)', binding: on('line', { row_filter: 'line.id / 2 = 1' }), rows: ['1'] },
    { formula: 'COUNT(*)', binding: on('line'), request: { filter_clause: 'id / 2 = 1.5' }, rows: ['1'] },
    {
      formula: 'COUNT(*)',
      binding: on('line', { dimensions: [{ name: 'half', column: 'line.id / 2' }] }),
      request: { dimensions: ['half'] },
      rows: ['0.5 1', '1 1', '1.5 1'],
    },
    { formula: 'SUM(num * num)', binding: { relation: { sql: 'SELECT 2000000000 AS num' } }, rows: ['4000000000000000000'] },
    { formula: 'SUM(ok)', binding: { relation: { sql: 'SELECT * FROM (VALUES (true), (false), (NULL)) AS v (ok)' } }, rows: ['1'] },
  ],
};
