import { DerivedArrays, mostBytesDerived } from './derived-arrays.js';
import { type GraphArrays } from './memory-graph.js';

const aGraph = () => ({ edgeTypes: new Uint32Array(1) }) as unknown as GraphArrays;

describe('arrays derived from those of graphs', () => {
  it('are kept within their bytes over all graphs, the least recently used ones going first', () => {
    const derived = new DerivedArrays<number>('numbers');
    const graphs = Array.from({ length: 12 }, aGraph);
    graphs.forEach((graph, i) => {
      derived.set(graph, i, mostBytesDerived / 8);
      derived.get(graphs[0]!);
    });
    const kept = graphs.map(graph => derived.get(graph)).filter(number => number !== undefined);
    expect(kept).toEqual([0, 6, 7, 8, 9, 10, 11]);
  });

  it('are apart for each graph, key and name', () => {
    const [graph, other] = [aGraph(), aGraph()];
    const [numbers, texts] = [new DerivedArrays<number>('some'), new DerivedArrays<string>('others')];
    numbers.set(graph, 1, 10, 'a');
    texts.set(graph, 'x', 10, 'a');
    expect([numbers.get(graph, 'a'), numbers.get(graph, 'b'), numbers.get(other, 'a'), texts.get(graph, 'a')]).toEqual([
      1,
      undefined,
      undefined,
      'x',
    ]);
  });
});
