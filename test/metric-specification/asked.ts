/**
 * The tests in this folder follow the tables of the specification of metrics row by row. Each question is sent over REST, and its answer is
 * compared with numbers computed by hand from the rows in metrics-specification.long-spec.ts. The traps (A.6) are in metric-traps.ts.
 */
import { on, type Question } from '../support/metric-traps.js';

export const dated = (table: string, more: object = {}) => on(table, { time: { column: 'day' }, ...more });
export const month = (from: string, to: string, more: object = {}) => ({ time: { from, to, grain: 'month', ...more } });
export const first = month('2024-01-01', '2024-04-01');
export const march = month('2024-03-01', '2024-04-01');
export const byRegion = { dimensions: ['region'] };
export const monthly = dated('monthly');
export const account = dated('account');

export const filter = (op: string, more: object = {}, field = 'amount') => ({ filters: [{ field, op, ...more }] });

/** Questions with several formulas of the same meaning, which must have the same answer. */
export const same = (formulas: string[], { rows, ...question }: Omit<Question, 'formula'>): Question[] =>
  formulas.map(formula => ({ formula, rows: rows!, ...question }));
