import fc from 'fast-check';
import { atOnce } from '../text/steps.js';
import { IdPlaces } from './id-places.js';
import { indexOf, TopologyBuilder } from './topology.js';

const graph = fc.uniqueArray(fc.integer({ min: 1, max: 10_000_000 }), { minLength: 1, maxLength: 30 }).chain(ids =>
  fc.record({
    nodes: fc.constant([...ids].sort((a, b) => a - b)),
    edges: fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 1, max: 1_000 }),
        type: fc.nat(2),
        source: fc.constantFrom(...ids, 0),
        target: fc.constantFrom(...ids),
      }),
      { selector: ({ id }) => id, maxLength: 60 },
    ),
  }),
);

describe('a topology', () => {
  it('holds the edges of each node in both directions, in the same order whatever the order of input', () => {
    fc.assert(
      fc.property(graph, ({ nodes, edges }) => {
        const built = (order: typeof edges) => {
          const builder = new TopologyBuilder();
          nodes.forEach((id, i) => builder.addNode(id, i % 2));
          for (const { id, type, source, target } of order) builder.addEdge(id, type, source, target);
          return atOnce(builder.build([['A'], ['B', 'C']], ['R', 'S', 'T']));
        };
        const topology = built(edges);
        expect(built([...edges].reverse())).toEqual(topology);
        const { outOffsets, intoOffsets, intoEdges, edgeIds, edgeTypes, sources, targets, nodeIds, setOffsets, setNodes } = topology;
        // The topology leaves out an edge with a missing end. No node has the id 0.
        const kept = edges.filter(({ source }) => source !== 0);
        const ids = (places: Iterable<number>) => [...places].map(place => edgeIds[place]).sort((a, b) => a! - b!);
        nodes.forEach((id, place) => {
          const of = (end: 'source' | 'target') => kept.filter(edge => edge[end] === id).map(edge => edge.id).sort((a, b) => a - b); // prettier-ignore
          const out = Array.from({ length: outOffsets[place + 1]! - outOffsets[place]! }, (_, i) => outOffsets[place]! + i);
          expect(ids(out)).toEqual(of('source'));
          expect(ids(intoEdges.subarray(intoOffsets[place], intoOffsets[place + 1]))).toEqual(of('target'));
          expect(indexOf(nodeIds, id)).toBe(place);
        });
        for (const { id, type, source, target } of kept) {
          const place = edgeIds.indexOf(id);
          expect([edgeTypes[place], nodeIds[sources[place]!], nodeIds[targets[place]!]]).toEqual([type, source, target]);
        }
        expect([...setNodes.subarray(setOffsets[1], setOffsets[2])]).toEqual(nodes.flatMap((_, i) => (i % 2 === 1 ? [i] : [])));
      }),
    );
  });
});

describe('IdPlaces', () => {
  it('finds each id, close together or far apart', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 2 ** 50 }))),
        fc.nat(),
        (ids, other) => {
          const places = new IdPlaces(Float64Array.from(ids));
          ids.forEach((id, place) => expect(places.placeOf(id)).toBe(place));
          expect(places.placeOf(other)).toBe(ids.indexOf(other));
        },
      ),
    );
  });
});
