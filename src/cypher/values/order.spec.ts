import { type CypherValue, type EdgeValue, type NodeValue, type PathValue } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { compareForOrder, lessOrEqual, lessThan } from './order.js';

const map = (entries: Record<string, CypherValue>) => new Map(Object.entries(entries));
const node = (id: number): NodeValue => ({ kind: 'node', id, labels: [], properties: new Map() });
const edge: EdgeValue = { kind: 'edge', id: 1, type: 'REL', source: 1, target: 2, properties: new Map() };
const path: PathValue = { kind: 'path', nodes: [node(1), node(2)], edges: [edge] };
const decimal = (text: string) => Decimal.parse(text)!;

describe('compareForOrder', () => {
  it.each<[string, CypherValue[]]>([
    ['types', [map({ a: 'map' }), node(1), edge, ['list'], path, 'text', false, 1.5, NaN, null]],
    ['lists', [[], ['a'], ['a', 1n], [1n], [1n, 'a'], [1n, null], [null, 1n], [null, 2n]]],
    [
      'lists item by item, not by length',
      [
        [1n, -20n],
        [1n, 2n],
        [2n, -2n],
        [2n, -2n, 100n],
        [300n, 0n],
      ],
    ],
    ['numbers of all kinds', [-Infinity, -1n, decimal('-0.5'), 0, decimal('0.05'), 0.1, 1n, decimal('1.5'), 2, Infinity, NaN]],
    ['integers beyond 2^53', [9_007_199_254_740_992, 9_007_199_254_740_993n, 9_007_199_254_740_994]],
    ['texts by code point', ['', ' ', '.*', 'B', 'a', 'abc', '\uffee', '😀']],
    ['maps by size, names and values', [map({}), map({ b: 1n }), map({ b: 2n }), map({ c: 1n }), map({ a: 1n, b: 1n })]],
    ['paths step by step', [{ ...path, nodes: [node(1)], edges: [] }, path, { ...path, nodes: [node(2), node(1)] }]],
  ])('orders %s', (_name, sorted) => {
    expect([...sorted].reverse().sort(compareForOrder)).toEqual(sorted);
  });

  it('takes numbers of the same value for equal', () => {
    expect([compareForOrder(1n, 1), compareForOrder(decimal('1.0'), 1n), compareForOrder(NaN, NaN)]).toEqual([0, 0, 0]);
  });
});

describe('lessThan and lessOrEqual', () => {
  it.each<[CypherValue, CypherValue, boolean | null, boolean | null]>([
    [1n, 2, true, true],
    [1n, 1, false, true],
    [9_007_199_254_740_992, 9_007_199_254_740_993n, true, true],
    [decimal('0.1'), 0.1, false, true],
    ['a', 'b', true, true],
    [false, true, true, true],
    ['1', 1n, null, null],
    [null, 1n, null, null],
    [1n, null, null, null],
    [NaN, 1n, false, false],
    [NaN, NaN, false, false],
    [NaN, decimal('1'), false, false],
    [NaN, 'a', null, null],
    [map({}), map({}), null, null],
    [node(1), node(2), null, null],
    [[1n], [1n, 0n], true, true],
    [[1n], [1n, null], true, true],
    [[1n, null], [1n, 2n], null, null],
    [[1n, null], [1n, 'a'], null, null],
    [[3n, null], [1n, 2n], false, false],
    [[1n, 2n], [1n, 'a'], null, null],
    [[NaN], [1n], false, false],
    [[node(1), 1n], [node(1), 2n], true, true],
    [[], [], false, true],
  ])('%p < %p is %p, and <= is %p', (a, b, less, lessOrSame) => {
    expect([lessThan(a, b), lessOrEqual(a, b)]).toEqual([less, lessOrSame]);
  });
});
