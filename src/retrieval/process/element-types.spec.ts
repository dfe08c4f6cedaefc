import { elementTypesOf, noTypes } from './element-types.js';
import { type GraphElements } from './graph-elements.js';

/** A schema that counts how often the properties of its elements are read. */
function aSchema() {
  const reads = { count: 0 };
  const properties = (...types: [name: string, type: string][]) => ({
    get properties() {
      reads.count += 1;
      return types.map(([name, type]) => ({ name, type }));
    },
  });
  const named = (names: object, ...types: [name: string, type: string][]) =>
    Object.defineProperties(properties(...types), Object.getOwnPropertyDescriptors(names));
  const schema = {
    labels: [named({ name: 'A' }, ['x', 'bigint'], ['y', 'date']), named({ name: 'B' }, ['x', 'string'])],
    edges: [named({ type: 'R', source: 'A' }, ['w', 'bigint']), named({ type: 'R', source: 'B' }, ['w', 'string'], ['v', 'boolean'])],
  } as unknown as GraphElements;
  return { schema, reads };
}

describe('elementTypesOf', () => {
  it('goes through the properties of a label once for all sets of labels, and for all queries', () => {
    const { schema, reads } = aSchema();
    const labelSets = Array.from({ length: 4_096 }, (_, i) => [i % 2 === 0 ? 'A' : 'B', `L${i}`]);
    const topology = { labelSets, types: ['R'] };
    const types = elementTypesOf(topology, schema);
    expect(reads.count).toBe(4);
    expect(new Set(types.nodes).size).toBe(2);
    expect(elementTypesOf(topology, schema)).toBe(types);
    expect(reads.count).toBe(4);
  });

  it('tells the types of key labels, not of further ones, and of all edges of a type', () => {
    const { schema } = aSchema();
    const { nodes, edges } = elementTypesOf({ labelSets: [['A', 'B'], ['B'], ['C', 'A']], types: ['R', 'S'] }, schema);
    expect(nodes).toEqual([
      new Map([['x', 'bigint'], ['y', 'date']]),
      new Map([['x', 'string']]),
      noTypes,
    ]); // prettier-ignore
    expect(edges).toEqual([new Map([['w', 'mixed'], ['v', 'boolean']]), noTypes]); // prettier-ignore
  });

  it('follows another schema of the same topology', () => {
    const topology = { labelSets: [['A']], types: [] };
    elementTypesOf(topology, aSchema().schema);
    const changed = { labels: [{ name: 'A', properties: [{ name: 'x', type: 'string' }] }], edges: [] } as unknown as GraphElements;
    expect(elementTypesOf(topology, changed).nodes).toEqual([new Map([['x', 'string']])]);
  });
});
