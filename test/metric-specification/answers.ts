import { on, type Question, sale } from '../support/metric-traps.js';
import { byRegion, march } from './asked.js';

const column = (name: string, more: object) => expect.objectContaining({ name, ...more });

/** Questions about each part of an answer (section A.4 of the specification of metrics). */
export const answers: Record<string, Question[]> = {
  'metric, pattern, columns': [
    {
      formula: 'SUM(amount)',
      binding: sale,
      request: { ...march, ...byRegion },
      rows: ['2024-03-01 east 50', '2024-03-01 west 30', '2024-03-01 null 7'],
      answer: {
        metric: { id: expect.any(Number), name: expect.any(String) },
        pattern: 'aggregate',
        columns: [
          column('period', { role: 'time', type: 'date', grain: 'month', timezone: 'UTC' }),
          column('region', { role: 'dimension', type: 'string' }),
          column('value', { role: 'value', type: 'decimal' }),
        ],
        row_count: 3,
        truncated: false,
        totals: null,
        chart: { kind: 'line', x: 'period', series: ['region'], y: ['value'] },
        timing_ms: { parse: expect.any(Number), compile: expect.any(Number), execute: expect.any(Number), total: expect.any(Number) },
        cache: { hit: false, age_s: null },
        as_of: expect.stringMatching(/^\d{4}-.+Z$/),
        sql: expect.stringContaining('date_trunc'),
        params: expect.arrayContaining(['2024-03-01']),
        warnings: [],
      },
    },
  ],
  'bigint and decimal as strings': [
    { formula: 'COUNT(*)', binding: sale, rows: ['4'], answer: { rows: [['4']], columns: [column('value', { type: 'bigint' })] } },
    { formula: 'SUM(price)', binding: on('priced'), rows: ['34'], answer: { rows: [['34']] } },
  ],
  'NaN and Infinity as null, with a warning': [
    { formula: 'SUM(x)', binding: { relation: { sql: "SELECT 'NaN'::numeric AS x" } }, rows: ['null'], warnings: ['NOT_A_NUMBER'] },
    { formula: 'MAX(x)', binding: { relation: { sql: "SELECT 'Infinity'::float8 AS x" } }, rows: ['null'], warnings: ['NOT_A_NUMBER'] },
  ],
  'dates as text': [{ formula: 'MAX(day)', binding: sale, rows: ['2024-03-09'], answer: { rows: [['2024-03-09']] } }],
};
