import { turnsOfOthers } from '../../test/support/turns.js';
import { GraphMetrics } from './graph-metrics.js';
import { type MetricName, type MetricRow } from './metric-rows.js';

const metric = (id: number, formula: string, aliases: string[] = []): MetricName => ({ id, graphId: 1, name: `m${id}`, aliases, formula, unit: null }); // prettier-ignore
const open = (all: MetricName[]) => new GraphMetrics(all, ids => Promise.resolve(ids.map(id => ({ ...all.find(each => each.id === id)!, binding: null }) as MetricRow))); // prettier-ignore

describe('GraphMetrics', () => {
  it('finds a metric by its name before an alias of another', () => {
    const graph = open([metric(1, 'SUM(x)', ['m2', '销量']), metric(2, 'SUM(y)', ['销量'])]);
    expect(['m2', '销量', '?'].map(name => graph.find(name).map(({ id }) => id))).toEqual([[2], [1, 2], []]);
    expect([graph.findOther(1, '销量')?.id, graph.findOther(1, 'M2')?.id, graph.findOther(2, 'm1')?.id]).toEqual([2, 2, 1]);
  });

  it('finds a metric by a name in another case, if none has exactly that', async () => {
    const caller = metric(5, '[order count]');
    const graph = open([metric(1, 'SUM(x)', ['Order Count', '销量A']), metric(2, 'SUM(y)', ['销量a']), metric(3, '1', ['Gone']), caller]);
    expect(['order count', 'M1', '销量a', '销量A'].map(name => graph.find(name).map(({ id }) => id))).toEqual([[1], [1], [2], [1]]);
    expect(open([metric(1, '1', ['AB']), metric(2, '2', ['Ab'])]).find('ab')).toHaveLength(2);
    await graph.reach([caller]);
    expect(graph.row(1)).toBeDefined();
    expect(await graph.callersOf(['ORDER COUNT'])).toEqual([]);
    expect(await open([metric(1, 'SUM(x)'), caller]).callersOf(['Order Count'])).toEqual([caller]);
  });

  it('reads the metrics that formulas lead to, through circles too, and nothing else', async () => {
    const graph = open([metric(1, '[m2]+[m3]'), metric(2, '[m1]+1'), metric(3, 'SUM(x)'), metric(4, 'SUM(y)')]);
    await graph.reach([metric(1, '[m2]+[m3]')]);
    expect([1, 2, 3, 4].map(id => graph.row(id) !== undefined)).toEqual([true, true, true, false]);
  });

  it('reads no metric again that was read already', async () => {
    const read: number[] = [];
    const all = [metric(1, '[m2]'), metric(2, 'SUM(x)')];
    const graph = new GraphMetrics(all, ids =>
      Promise.resolve(ids.map(id => (read.push(id), { ...all[id - 1]!, binding: null }) as MetricRow)),
    );
    graph.keep({ ...all[0]!, binding: null } as MetricRow);
    await graph.reach([all[0]!]);
    expect(read).toEqual([2]);
  });

  it('reads all metrics of a batch, however many one of them refers to', async () => {
    const all = Array.from({ length: 900 }, (_, i) => metric(i, 'SUM(x)'));
    all[49] = metric(49, Array.from({ length: 560 }, (_, i) => `[m${300 + i}]`).join('+'));
    const graph = open(all);
    await graph.reach(all.slice(0, 50));
    expect(all.slice(0, 50).every(({ id }) => graph.row(id))).toBe(true);
  });

  it('follows as many references as a formula may have (risk: all metrics of a graph for each of them)', async () => {
    let visits = 0;
    const all = Array.from({ length: 100 }, (_, i) => {
      const { formula, ...named } = metric(i, Array.from({ length: 190 }, (_, k) => `[m${(i + k + 1) % 100}]`).join('+'));
      return { ...named, get formula() { visits++; return formula; } }; // prettier-ignore
    });
    await open(all).reach(all);
    expect(visits).toBeLessThan(1_000);
  });

  it('pauses while it looks for callers', async () => {
    const all = Array.from({ length: 200 }, (_, i) =>
      metric(i, `[old] + ${Array.from({ length: 150 }, (_, k) => `[other ${i} ${k}]`).join('+')}`),
    );
    const turns = await turnsOfOthers(async () => expect(await open(all).callersOf(['old'])).toHaveLength(200));
    expect(turns).toBeGreaterThan(2);
  });
});
