import { type CypherValue, type NodeValue } from '../values/cypher-value.js';
import { itemAt, propertyOf, slice } from './value-access.js';

const properties = new Map<string, CypherValue>([['name', 'Apa']]);
const node: NodeValue = { kind: 'node', id: 1, labels: [], properties };
const list = [1n, 2n, 3n];

describe('propertyOf', () => {
  it.each<[CypherValue, string, CypherValue]>([
    [node, 'name', 'Apa'],
    [node, 'nAme', null],
    [properties, 'name', 'Apa'],
    [new Map([['name', null]]), 'name', null],
    [new Map(), 'constructor', null],
    [null, 'name', null],
  ])('maps %p and the name %p to %p', (value, name, expected) => {
    expect(propertyOf(value, name)).toEqual(expected);
  });

  it.each<[CypherValue]>([[123n], [42.45], [true], ['string'], [[123n, true]], [{ kind: 'path', nodes: [node], edges: [] }]])(
    'refuses %p',
    value => {
      expect(() => propertyOf(value, 'num')).toThrow(expect.objectContaining({ type: 'TypeError', detail: 'InvalidArgumentType' }));
    },
  );
});

describe('itemAt', () => {
  it.each<[CypherValue, CypherValue, CypherValue]>([
    [list, 0n, 1n],
    [list, -1n, 3n],
    [list, 3n, null],
    [list, -4n, null],
    [list, null, null],
    [null, 'x', null],
    [properties, 'name', 'Apa'],
    [properties, null, null],
    [node, 'name', 'Apa'],
  ])('%p[%p] is %p', (value, index, expected) => {
    expect(itemAt(value, index)).toEqual(expected);
  });

  it.each<[CypherValue, CypherValue, string]>([
    [list, true, 'ListElementAccessByNonInteger'],
    [list, 4.7, 'ListElementAccessByNonInteger'],
    [list, '1', 'ListElementAccessByNonInteger'],
    [properties, 0n, 'MapElementAccessByNonString'],
    [properties, 12.3, 'MapElementAccessByNonString'],
    [node, 0n, 'MapElementAccessByNonString'],
    [100n, 0n, 'InvalidArgumentType'],
    ['1', 0n, 'InvalidArgumentType'],
  ])('%p[%p] fails with %s', (value, index, detail) => {
    expect(() => itemAt(value, index)).toThrow(expect.objectContaining({ type: 'TypeError', detail }));
  });
});

describe('slice', () => {
  it.each<[CypherValue | undefined, CypherValue | undefined, CypherValue]>([
    [1n, 3n, [2n, 3n]],
    [1n, undefined, [2n, 3n]],
    [undefined, 2n, [1n, 2n]],
    [0n, 0n, []],
    [-3n, -1n, [1n, 2n]],
    [3n, 1n, []],
    [-5n, 5n, [1n, 2n, 3n]],
    [null, undefined, null],
    [undefined, null, null],
    [1n, null, null],
  ])('[1, 2, 3][%p..%p] is %p', (from, to, expected) => {
    expect(slice(list, from, to)).toEqual(expected);
  });

  it('is null for null, and refuses other types', () => {
    expect(slice(null, 1n, 2n)).toBeNull();
    expect(() => slice('abc', 1n, 2n)).toThrow(expect.objectContaining({ detail: 'InvalidArgumentType' }));
    expect(() => slice(list, 1.5, 2n)).toThrow(expect.objectContaining({ detail: 'ListElementAccessByNonInteger' }));
  });
});
