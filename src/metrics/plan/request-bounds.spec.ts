import { compile, nothing, orders, others, problems, resolve } from '../../../test/support/metric-tables.js';
import { type SchemaError } from '../../common/errors/api-error.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { compileInSteps, compileMetrics } from './compile-metric.js';
import { type MetricBinding } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';
import { resolveMetric } from './resolve-metric.js';

beforeAll(() => loadSqlParser());

/** A metric for each row filter, each over a binding of its own. */
const metricsOf = (filters: readonly string[], more: Partial<MetricBinding> = {}) =>
  filters.map((row_filter, index) => {
    const binding = { ...orders, row_filter, ...more };
    return { name: `m${index}`, metric: resolveMetric({ id: 10 + index, name: `m${index}`, formula: 'COUNT(*)', binding }, () => others) };
  });
const few = (count: number) => metricsOf(Array.from({ length: count }, (_, index) => `o.amount > ${index}`));

function stepsOf(...[asked, request]: Parameters<typeof compileInSteps>): number {
  const steps = compileInSteps(asked, request);
  for (let count = 1; ; count++) if (steps.next().done) return count;
}

function problemsOf(asked: Parameters<typeof compileMetrics>[0], request: Partial<MetricRequest> = {}): SchemaError['problems'] {
  try {
    compileMetrics(asked, { ...nothing, ...request });
  } catch (error) {
    return (error as SchemaError).problems;
  }
  return [];
}

describe('a large request', () => {
  it('has its values checked in steps, once for all of its bindings', () => {
    const values = Array.from({ length: 1_000 }, (_, minute) => new Date(minute * 60_000).toISOString().slice(0, 16));
    const filters = Array.from({ length: 5 }, () => ({ field: '时', op: 'in' as const, values }));
    const request = { ...nothing, filters, time: { timezone: 'America/Havana' } };
    const [one, ten] = [stepsOf(few(1), request), stepsOf(few(10), request)];
    expect(one).toBeGreaterThan(50);
    expect(ten - one).toBeLessThan(9 * 20);
  });

  it('is refused for the length of its SQL before the guard reads the SQL', () => {
    // The guard would refuse these comments, so `statement_too_long` shows that the length is checked first.
    const filters = Array.from({ length: 30 }, (_, index) => `o.amount > ${index} /*${'x'.repeat(3_500)}*/`);
    expect(problemsOf(metricsOf(filters))).toMatchObject([{ loc: ['body'], type: 'statement_too_long' }]);
    const condition = `o.amount > 0${' OR o.amount = 12345'.repeat(150)}`;
    const dimensions = Array.from({ length: 40 }, (_, index) => ({
      name: `d${index}`,
      aliases: [],
      expression: condition,
      type: 'boolean',
    }));
    expect(
      problemsOf(metricsOf(['o.amount > 0'], { dimensions }), {
        filters: dimensions.map(({ name }) => ({ field: name, op: '=', value: true })),
      }),
    ).toMatchObject([{ type: 'statement_too_long' }]);
  });

  it('compares a column of times with 200 days of a list, and a column of dates with more', () => {
    const days = (count: number) => Array.from({ length: count }, (_, day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
    const asking = (field: string, count: number) => problems('COUNT(*)', { filters: [{ field, op: 'in', values: days(count) }] });
    expect(asking('时', 200)).toEqual([]);
    expect(asking('时', 201)).toEqual(['body.filters.0.values too_many']);
    expect(asking('日', 1_000)).toEqual([]);
    const times = Array.from({ length: 900 }, (_, minute) => new Date(minute * 60_000).toISOString().slice(0, 16));
    const { sql } = compile('COUNT(*)', { filters: [{ field: '时', op: 'in', values: [...times, '2024-05-01'] }] });
    expect(sql.match(/ OR /g)).toHaveLength(1);
  });

  it('gets an error that lists at most 50 of the fields that all metrics have', () => {
    const columns = [
      ...orders.columns,
      ...Array.from({ length: 800 }, (_, index) => ({ name: `c${index}`, expression: 'o.id', type: 'bigint' })),
    ];
    const [first, second] = [metricsOf(['o.id > 1'], { columns })[0]!, metricsOf(['o.id > 2'], { columns: columns.toReversed() })[0]!];
    const request = { filters: [{ field: 'zzz', op: '=' as const, value: 1 }], seesBindings: true };
    const [problem, ...more] = problemsOf([first, second], request);
    expect(more).toEqual([]);
    expect(problem?.known).toHaveLength(50);
    expect(problem?.known).toContain('金额');
  });
});

it('binds the first moment of a local time that occurs twice, also if it is only the end of a day', () => {
  const asked = [{ name: 'value', metric: resolve('COUNT(*)') }];
  const filters = [{ field: '时', op: '=' as const, value: '2024-11-02' }];
  const { sql } = compileMetrics(asked, { ...nothing, filters, time: { timezone: 'America/Havana' } });
  // In Havana the clock went back from one to midnight on 3 November 2024, so the end of 2 November occurs twice.
  expect(sql.match(/AT TIME ZONE/g)?.length ?? 0).toBeGreaterThan(0);
  const plain = compileMetrics(asked, { ...nothing, filters, time: { timezone: 'UTC' } });
  expect(plain.sql).not.toContain('AT TIME ZONE');
});
