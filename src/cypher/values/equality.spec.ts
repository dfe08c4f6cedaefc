import { type CypherValue, type NodeValue } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { equals, isIn, keyOf } from './equality.js';

const map = (entries: Record<string, CypherValue>) => new Map(Object.entries(entries));
const node = (id: number): NodeValue => ({ kind: 'node', id, labels: [], properties: new Map() });
const decimal = (text: string) => Decimal.parse(text)!;

describe('equals', () => {
  it.each<[CypherValue, CypherValue, boolean | null]>([
    [null, null, null],
    [null, 1n, null],
    [1n, 1, true],
    ['1', 1n, false],
    [true, 'true', false],
    [NaN, NaN, false],
    [NaN, 'a', false],
    [Infinity, Infinity, true],
    [9_007_199_254_740_993n, 9_007_199_254_740_992, false],
    [9_007_199_254_740_992n, 9_007_199_254_740_992, true],
    [4_611_686_018_427_387_905n, 4_611_686_018_427_387_900n, false],
    [decimal('1.50'), 1.5, true],
    [decimal('0.1'), 0.1, true],
    [decimal('9007199254740993'), 9_007_199_254_740_992, false],
    [decimal('2.00'), 2n, true],
    [decimal('1'), Infinity, false],
    [decimal('1'), '1', false],
    [[1n, 2n], [1n], false],
    [[null], ['a'], null],
    [[null], [1n], null],
    [['a'], [1n], false],
    [[[1n]], [[1n], [null]], false],
    [[[1n], [2n]], [[1n], [null]], null],
    [[[1n], [2n, 3n]], [[1n], [null]], false],
    [[1n, 2n], [null, 'foo'], false],
    [[1n, 2n], 'foo', false],
    ['foo', [1n, 2n], false],
    [map({}), map({}), true],
    [map({ k: 1n }), map({ k: 1 }), true],
    [map({}), map({ k: null }), false],
    [map({ k: null }), map({ k: null }), null],
    [map({ k: 1n, l: null }), map({ k: null, l: 1n }), null],
    [map({ k: 1n, l: null }), map({ k: 2n, l: null }), false],
    [map({ k: null, l: 1n }), map({ l: 1n }), false],
    [map({}), [], false],
    [node(1), node(1), true],
    [node(1), node(2), false],
    [node(1), { kind: 'edge', id: 1, type: 'T', source: 1, target: 1, properties: new Map() }, false],
  ])('%p = %p is %p, and the same the other way round', (a, b, expected) => {
    expect(equals(a, b)).toBe(expected);
    expect(equals(b, a)).toBe(expected);
  });
});

describe('isIn', () => {
  it.each<[CypherValue, CypherValue, boolean | null]>([
    [1n, [1, 2n], true],
    [null, [], false],
    [null, [1n], null],
    [5n, [1n, null], null],
    [1n, [null, 1n], true],
    [1n, ['1', 2n], false],
    [[null], [null], null],
    [[1n], [[1n, null]], false],
    [[], [1n, []], true],
    [1n, null, null],
  ])('%p IN %p is %p', (value, list, expected) => {
    expect(isIn(value, list)).toBe(expected);
  });

  it('refuses a value that is not a list', () => {
    expect(() => isIn(1n, 'foo')).toThrow(expect.objectContaining({ type: 'TypeError', detail: 'InvalidArgumentType' }));
  });
});

describe('keyOf', () => {
  it.each<[CypherValue, CypherValue, boolean]>([
    [null, null, true],
    [NaN, NaN, true],
    [1n, 1, true],
    [0, -0, true],
    [decimal('1.0'), 1n, true],
    [decimal('0.1'), 0.1, true],
    [9_007_199_254_740_993n, 9_007_199_254_740_992, false],
    [1n, '1', false],
    ['0', null, false],
    [true, 't', false],
    [[null], [null], true],
    [['a', 'b'], ['a1:b'], false],
    [['ab', ''], ['a', 'b'], false],
    [[[1n], 2n], [[1n, 2n]], false],
    [map({ a: 1n, b: 2n }), map({ b: 2, a: 1 }), true],
    [map({ a: null }), map({}), false],
    [map({}), [], false],
    [1e300, 1e300, true],
  ])('%p and %p are the same: %p', (a, b, expected) => {
    expect(keyOf(a) === keyOf(b)).toBe(expected);
  });
});
