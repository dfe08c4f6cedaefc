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
    ['COUNT(*)', { filters: [{ field: '金额', op: 'between', values: [3, '1.5'] }] }, ['body.filters.0.values empty_range']],
    [
      'COUNT(*)',
      { filters: [{ field: '日', op: 'between', values: ['2024-02-01', '2024-01-31'] }] },
      ['body.filters.0.values empty_range'],
    ],
    [
      'COUNT(*)',
      { filters: [{ field: '时', op: 'between', values: ['2024-02-01T10:00', '2024-02-01 09:59'] }] },
      ['body.filters.0.values empty_range'],
    ],
    ['COUNT(*)', { filters: [{ field: '时', op: 'between', values: ['2024-02-01T10:00', '2024-02-01'] }] }, []],
    ['COUNT(*)', { filters: [{ field: '时', op: 'between', values: ['2024-02-01T10:00', '2024-02-01T09:00Z'] }] }, []],
    ['COUNT(*)', { filters: [{ field: '状态', op: 'between', values: ['b', 'A'] }] }, []],
    ['COUNT(*)', { filters: [{ field: '金额', op: '=' }] }, ['body.filters.0.value missing']],
    ['COUNT(*)', { time: { from: '2024-02-30' } }, ['body.time.from date_type']],
    ['COUNT(*)', { time: { from: '2024-02-01', to: '2024-02-01' } }, ['body.time.to empty_range']],
    ['COUNT(*)', { time: { from: '2024-02-01', to: '2024-02-01T00:00' } }, ['body.time.to empty_range']],
    ['COUNT(*)', { time: { from: '2024-02-01 10:00', to: '2024-02-01T08:00:00.5' } }, ['body.time.to empty_range']],
    ['COUNT(*)', { time: { from: '2024-02-01T08:00', to: '2024-02-01 10:00' } }, []],
    ['COUNT(*)', { time: { from: '2024-13-01', to: '2024-02-01' } }, ['body.time.from date_type']],
    ['COUNT(*)', { time: { timezone: 'UTC' } }, ['body.time.timezone no_effect']],
    ['COUNT(*)', { time: { grain: 'day', timezone: 'Mars/Olympus' } }, ['body.time.timezone unknown_timezone']],
    ['COUNT(*)', { time: { grain: 'day', timezone: 'CST' } }, ['body.time.timezone unknown_timezone']],
    ['COUNT(*)', { time: { grain: 'day', timezone: 'asia/shanghai' } }, ['body.time.timezone unknown_timezone']],
    ['COUNT(*)', { time: { grain: 'day', week_start: 'sunday' } }, ['body.time.week_start no_effect']],
    ['COUNT(*)', { time: { from: '2024-01-01', fill: 'null' } }, ['body.time.fill no_effect']],
    ['AVG(金额)', { time: { fill: 'zero' } }, ['body.time.fill fill_not_additive']],
    ['COUNT(*)', { filters: [{ field: '日', op: '=', value: '2024-02-30' }] }, ['body.filters.0.value value_type']],
    ['COUNT(*)', { filters: [{ field: '时', op: '>', value: '2024-01-01T25:00' }] }, ['body.filters.0.value value_type']],
    ['COUNT(*)', { filters: [{ field: '时', op: '>', value: '2024-01-31T23:59:59.9999999' }] }, ['body.filters.0.value value_type']],
    ['COUNT(*)', { filters: [{ field: '时', op: 'in', values: ['2024-01-31T23:59:59.9999999Z'] }] }, ['body.filters.0.values value_type']],
    ['COUNT(*)', { filters: [{ field: '时', op: '>', value: '2024-01-31T23:59:59.9999990' }] }, []],
    ['COUNT(*)', { time: { from: '2024-01-31T23:59:59.9999999' } }, ['body.time.from date_type']],
    ['COUNT(*)', { time: { grain: 'day', fill: 'zero' } }, ['body.time.fill needs_range']],
    ['COUNT(*)', { time: { grain: 'day', from: '1024-01-01', to: '2024-01-01', fill: 'null' } }, ['body.time.fill too_many_periods']],
    ['MAX(日)', { having: [{ op: '>', value: '1' }] }, ['body.having.0 not_comparable']],
    [
      'MAX(日)',
      { time: { from: '2024-01-01', to: '2024-02-01' }, compare: { shift: { count: 1, unit: 'month' }, modes: ['value'] } },
      ['body.compare not_comparable'],
    ],
    ['AVG(金额)', { time: { grain: 'day', from: '2024-01-01', to: '2024-02-01', fill: 'zero' } }, ['body.time.fill fill_not_additive']],
  ])('%s with %j', (formula, request, expected) => {
    expect(problems(formula, request)).toEqual(expected);
  });

  const earlierHour: Partial<MetricRequest> = { compare: { shift: { count: 1, unit: 'hour' }, modes: ['value'] } };
  const hourly = { ...orders, time: { ...orders.time!, min_grain: 'hour' as const } };
  // Each of these ranges took seconds, or ended in a RangeError, while the check searched the whole range for clock changes.
  it.each<[Partial<MetricRequest['time']>, string[]]>([
    [{ from: '0001-01-01', to: '9999-12-31' }, ['body.time.to too_many_periods']],
    [{ from: '-200000-01', to: '+200000-01' }, ['body.time.from date_type', 'body.time.to date_type', 'body.time.to too_many_periods']],
    [{ from: '-271821-05', to: '2024-01-01' }, ['body.time.from date_type', 'body.time.to too_many_periods']],
    [{ from: '0001-01-01' }, []],
    [{ to: '9999-12-31' }, []],
  ])('an hour is compared with the hour before within %j in a moment', (range, expected) => {
    const before = process.cpuUsage();
    expect(problems('COUNT(*)', { ...earlierHour, time: { ...range, grain: 'hour', timezone: 'Etc/GMT+5' } }, hourly)).toEqual(expected);
    expect(process.cpuUsage(before).user).toBeLessThan(600_000);
  });

  it.each([
    ['SUM(状态)', "'状态' at character 5; in the formula of 本身; SUM does not take a text"],
    ['1 + AVG(日 WHERE 金额 > 1)', "'日' at character 9; in the formula of 本身; AVG does not take a date"],
    ['WAVG(金额, 状态)', "'状态' at character 10; in the formula of 本身; WAVG does not take a text"],
    ['MEDIAN(时)', "'时' at character 8; in the formula of 本身; PERCENTILE 0.5 CONT does not take a timestamptz"],
    ['LAST(状态 BY customer_id)', "'状态' at character 6; in the formula of 本身; LAST does not take a text"],
    ['MAX(金额 > 1)', "'金额 > 1' at character 5; in the formula of 本身; MAX does not take a boolean"],
    ['MAX(日) - MIN(日)', "the formula of metric '本身' computes here with a date, which is not a number: at column 8"],
    ['YOY(MAX(金额::text))', "the formula of metric '本身' computes here with a text, which is not a number: at column 1"],
  ])('%s names the argument whose type does not fit', (formula, sentence) => {
    expect(() => compile(formula, { time: { from: '2024-01-01', to: '2024-02-01' } })).toThrow(sentence);
  });

  it.each(['金额', ' o.customer_id', '金额 + 1', "'paid'", '状态::date'])('refuses %s as a clause, since it is not a condition', clause => {
    expect(() => compile('COUNT(*)', { filter_clause: clause })).toThrow(/in filter_clause, which is not a condition; write a comparison/);
  });

  it.each([
    'MAX(日)',
    'PERCENTILE(状态, 0.5, DISC)',
    'SUM(金额 > 1)',
    'AVG(NOT 金额 > 1)',
    'COUNT(状态)',
    'SUM(日 - 日)',
    'SUM(状态::numeric)',
  ])('lets %s pass', formula => {
    expect(problems(formula, {})).toEqual([]);
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

  it('refuses lengths of time that lead before all dates of the database', () => {
    const time = { grain: 'year' } as const;
    const compare = (count: number) => ({ time, compare: { shift: { count, unit: 'year' as const }, modes: ['value' as const] } });
    expect(problems('COUNT(*)', compare(9_999))).toEqual(['body.compare.offset span_too_long']);
    expect(problems('COUNT(*)', compare(4_000))).toEqual([]);
    expect(problems('ROLLING(COUNT(*), 9999 YEARS)', { time })).toEqual(['body.time span_too_long']);
    expect(problems('ROLLING(COUNT(*), 9999 DAYS)', { time })).toEqual([]);
  });
});
