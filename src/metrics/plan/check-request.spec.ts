import { type SchemaError } from '../../common/errors/api-error.js';
import { compile, orders, problems, refunds } from '../../../test/support/metric-tables.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { type MetricRequest } from './metric-request.js';

beforeAll(() => loadSqlParser());

describe('a request that does not fit is a 422', () => {
  it.each<[string, Partial<MetricRequest>, string[]]>([
    ['COUNT(*)', { dimensions: ['nope'] }, ['body.dimensions.0 unknown_dimension']],
    ['COUNT(*)', { dimensions: ['地区', 'region'] }, ['body.dimensions.1 duplicate']],
    ['COUNT(*)', { order: [{ by: '地区', dir: 'asc', nulls: 'last' }] }, ['body.order.0.by unknown_column']],
    ['COUNT(*)', { order: [{ by: 'value; DROP TABLE x', dir: 'asc', nulls: 'last' }] }, ['body.order.0.by unknown_column']],
    ['COUNT(*)', { filters: [{ field: '1=1) OR (1=1', op: '=', value: 1 }] }, ['body.filters.0.field unknown_field']],
    ['COUNT(*)', { filters: [{ field: '金额', op: '=', value: 'abc' }] }, ['body.filters.0.value value_type']],
    ['COUNT(*)', { filters: [{ field: '金额', op: 'in', value: 1 }] }, ['body.filters.0.value no_effect']],
    ['COUNT(*)', { filters: [{ field: '金额', op: 'between', values: [1] }] }, ['body.filters.0.values two_values']],
    ['COUNT(*)', { filters: [{ field: '金额', op: '=' }] }, ['body.filters.0.value missing']],
    ['COUNT(*)', { time: { from: '2024-02-30' } }, ['body.time.from date_type']],
    ['COUNT(*)', { time: { from: '2024-02-01', to: '2024-02-01' } }, ['body.time.to empty_range']],
    ['COUNT(*)', { time: { timezone: 'UTC' } }, ['body.time.timezone no_effect']],
    ['COUNT(*)', { time: { grain: 'day', timezone: 'Mars/Olympus' } }, ['body.time.timezone unknown_timezone']],
    ['COUNT(*)', { time: { grain: 'day', timezone: 'CST' } }, ['body.time.timezone unknown_timezone']],
    ['COUNT(*)', { time: { grain: 'day', timezone: 'asia/shanghai' } }, ['body.time.timezone unknown_timezone']],
    ['COUNT(*)', { time: { grain: 'day', week_start: 'sunday' } }, ['body.time.week_start no_effect']],
    ['COUNT(*)', { time: { from: '2024-01-01', fill: 'null' } }, ['body.time.fill no_effect']],
    ['AVG(金额)', { time: { fill: 'zero' } }, ['body.time.fill fill_not_additive']],
    ['COUNT(*)', { filters: [{ field: '日', op: '=', value: '2024-02-30' }] }, ['body.filters.0.value value_type']],
    ['COUNT(*)', { filters: [{ field: '时', op: '>', value: '2024-01-01T25:00' }] }, ['body.filters.0.value value_type']],
    ['COUNT(*)', { time: { grain: 'day', fill: 'zero' } }, ['body.time.fill needs_range']],
    ['COUNT(*)', { time: { grain: 'day', from: '1024-01-01', to: '2024-01-01', fill: 'null' } }, ['body.time.fill too_many_periods']],
    ['AVG(金额)', { time: { grain: 'day', from: '2024-01-01', to: '2024-02-01', fill: 'zero' } }, ['body.time.fill fill_not_additive']],
  ])('%s with %j', (formula, request, expected) => {
    expect(problems(formula, request)).toEqual(expected);
  });

  it('shows how a filter of a list is written', () => {
    const refused = (() => {
      try {
        compile('COUNT(*)', { filters: [{ field: '金额', op: 'in', value: 1 }] });
      } catch (error) {
        return error;
      }
      return null;
    })();
    expect((refused as SchemaError).problems[0]!.text.en).toBe('in takes values: write "values": [1]');
  });

  it('refuses a grain finer than the binding’s, and time without a time column', () => {
    const monthly = { ...orders, time: { ...orders.time!, min_grain: 'month' as const } };
    expect(problems('COUNT(*)', { time: { grain: 'week' } }, monthly)).toEqual(['body.time.grain grain_too_fine']);
    expect(problems('COUNT(*)', { time: { grain: 'week' } }, { ...orders, time: null })).toEqual(['body.time no_time_column']);
  });

  it('refuses a zone for a column of dates, where it could have no effect', () => {
    expect(problems('SUM(amount)', { time: { grain: 'day', timezone: 'UTC' } }, refunds)).toEqual(['body.time.timezone no_effect']);
  });
});
