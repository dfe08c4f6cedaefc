import { orders } from '../../../test/support/metric-tables.js';
import { resolveMetric } from './resolve-metric.js';

describe('references', () => {
  const graph = (metrics: Record<string, string>) => {
    const definitions = Object.entries(metrics).map(([name, formula], index) => ({ id: index, name, formula, binding: orders }));
    return () => resolveMetric(definitions[0]!, name => definitions.filter(each => each.name === name));
  };

  it('shows the path of a circle', () => {
    expect(graph({ a: '[b] + 1', b: '[c]', c: '[a] / 2' })).toThrow('a → b → c → a');
    expect(graph({ 甲: '1 +\n [甲]' })).toThrow(
      expect.objectContaining({
        facts: expect.objectContaining({ line: 2, column: 2, found: '[甲]', hint: expect.stringMatching(/甲 → 甲$/) }),
      }),
    );
  });

  it('names the owners of an alias that several metrics have', () => {
    const definition = (id: number, name: string) => ({ id, name, formula: 'COUNT(*)', binding: orders });
    const find = () => [definition(2, '销售额'), definition(3, '净额')];
    expect(() => resolveMetric({ ...definition(1, 'm'), formula: '[额] + 1' }, find)).toThrow('销售额 (id 2), 净额 (id 3)');
  });

  it('names the metric with the error, unless it is the one asked for', () => {
    expect(graph({ a: '[b] + 1', b: '2 *\n [nope]' })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^FormulaParseError: 指标“b”：.+ \/ metric 'b': .+line 2/s),
        facts: expect.objectContaining({ metric: 'b', line: 2, column: 2 }),
      }),
    );
    expect(graph({ a: '[b] + 1', b: '[c]', c: 'no formula (' })).toThrow("metric 'c': formula matches none");
    expect(graph({ a: '[nope]' })).toThrow(expect.objectContaining({ facts: expect.not.objectContaining({ metric: expect.anything() }) }));
  });

  it('stops at ten levels', () => {
    const chain = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`m${i}`, i === 11 ? 'COUNT(*)' : `[m${i + 1}]`]));
    expect(graph(chain)).toThrow('more than 10 levels');
  });

  it('stops at 500 references (risk: each level doubles the statement)', () => {
    const chain = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`m${i}`, i === 9 ? 'COUNT(*)' : `[m${i + 1}] + [m${i + 1}]`]));
    expect(graph(chain)).toThrow('more than 500 references');
  });

  it('refuses a nesting that only shows through a reference', () => {
    expect(graph({ a: 'SHARE(1 + [b])', b: '[c] / 2', c: 'YOY(COUNT(*))' })).toThrow(
      'share_of_total cannot contain period_over_period ([c])',
    );
    expect(graph({ a: '[b] / COUNT(*)', b: 'CUMULATIVE(COUNT(*))' })).not.toThrow();
  });
});
