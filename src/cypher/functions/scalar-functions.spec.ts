import { maxTextLength, maxValueBytes } from '../values/bounds.js';
import { type CypherValue, type EdgeValue, leastInteger, type NodeValue, type PathValue } from '../values/cypher-value.js';
import { Decimal } from '../values/decimal.js';
import { type GraphAccess } from './cypher-function.js';
import { iterateRange } from './list-functions.js';
import { scalarFunctions } from './scalar-functions.js';

const decimal = (text: string) => Decimal.parse(text)!;
const map = (entries: Record<string, CypherValue>) => new Map(Object.entries(entries));
const node = (id: number): NodeValue => ({ kind: 'node', id, labels: ['A', 'B'], properties: map({ name: 'x' }) });
const edge: EdgeValue = { kind: 'edge', id: 7, type: 'T', source: 1, target: 2, properties: map({ since: 1n }) };
const path: PathValue = { kind: 'path', nodes: [node(1), node(2)], edges: [edge] };
const graph: GraphAccess = { nodeById: node };

function call(name: string, ...args: CypherValue[]): CypherValue {
  const found = scalarFunctions[name.toLowerCase()];
  if (!found) throw new Error(`${name} is missing`);
  expect(args.length).toBeGreaterThanOrEqual(found.least);
  expect(args.length).toBeLessThanOrEqual(found.most);
  return found.call(args, graph);
}

const shown = (value: CypherValue) => (value instanceof Decimal ? `decimal ${value.toString()}` : value);
type Case = [name: string, args: CypherValue[], expected: unknown];

describe('functions of numbers', () => {
  it.each<Case>([
    ['abs', [-1n], 1n],
    ['abs', [-1.5], 1.5],
    ['abs', [decimal('-1.5')], 'decimal 1.5'],
    ['ceil', [1.1], 2],
    ['ceil', [-0.5], 0],
    ['ceil', [3n], 3],
    ['ceil', [decimal('1.10')], 'decimal 2'],
    ['ceil', [decimal('-1.10')], 'decimal -1'],
    ['floor', [-1.1], -2],
    ['floor', [decimal('-1.10')], 'decimal -2'],
    ['floor', [decimal('5.00')], 'decimal 5'],
    ['round', [2.5], 3],
    ['round', [-2.5], -2],
    ['round', [0.49999999999999994], 0],
    ['round', [decimal('-2.5')], 'decimal -2'],
    ['round', [decimal('2.5')], 'decimal 3'],
    ['round', [2.675, 2n], 2.68],
    ['round', [-2.675, 2n], -2.68],
    ['round', [1234n, -2n], 1200],
    ['round', [decimal('1.005'), 2n], 'decimal 1.01'],
    ['round', [decimal('1250'), -2n], 'decimal 1300'],
    ['round', [1.5, 9_000_000_000n], 1.5],
    ['round', [2.5, null], null],
    ['round', [null, 1n], null],
    ['round', [NaN, 1n], NaN],
    ['sign', [-2.5], -1n],
    ['sign', [0n], 0n],
    ['sign', [NaN], 0n],
    ['sqrt', [12.96], 3.6],
    ['sqrt', [-1n], NaN],
    ['log', [1n], 0],
    ['log10', [decimal('1000')], 3],
    ['exp', [0n], 1],
    ['atan2', [0n, 1n], 0],
    ['atan2', [null, 1n], null],
    ['degrees', [Math.PI], 180],
    ['radians', [180n], Math.PI],
    ['haversin', [0n], 0],
    ['pi', [], Math.PI],
    ['e', [], Math.E],
    ['isNaN', [NaN], true],
    ['isNaN', [1n], false],
    ['isNaN', [null], null],
  ])('%s(%p) is %p', (name, args, expected) => {
    expect(shown(call(name, ...args))).toEqual(expected);
  });

  it('has the absolute value of every integer but the least', () => {
    expect(() => call('abs', leastInteger)).toThrow(expect.objectContaining({ detail: 'IntegerOverflow' }));
  });

  it('draws random numbers from 0 to 1', () => {
    const drawn = call('rand') as number;
    expect(drawn >= 0 && drawn < 1).toBe(true);
  });
});

describe('functions of texts', () => {
  it.each<Case>([
    ['toUpper', ['aé'], 'AÉ'],
    ['lower', ['ABC'], 'abc'],
    ['trim', [' a '], 'a'],
    ['lTrim', [' a '], 'a '],
    ['rTrim', [' a '], ' a'],
    ['left', ['数据库', 2n], '数据'],
    ['left', ['😀😁', 1n], '😀'],
    ['left', ['abc', 9_007_199_254_740_993n], 'abc'],
    ['left', ['abc', null], null],
    ['left', [null, 1n], null],
    ['right', ['a😀😁', 2n], '😀😁'],
    ['right', ['abc', 5n], 'abc'],
    ['right', ['abc', 0n], ''],
    ['substring', ['0123456789', 1n], '123456789'],
    ['substring', ['a😀bc', 1n, 2n], '😀b'],
    ['substring', ['abc', 5n], ''],
    ['substring', ['abc', 1n, null], null],
    ['replace', ['hello', 'l', '$&'], 'he$&$&o'],
    ['replace', ['hello', '', 'x'], 'hello'],
    ['replace', ['hello', 'l', null], null],
    ['split', ['one1two', '1'], ['one', 'two']],
    ['split', ['', ','], ['']],
    ['split', ['a😀', ''], ['a', '😀']],
    ['split', ['a', null], null],
    ['reverse', ['raksO'], 'Oskar'],
    ['reverse', ['a😀'], '😀a'],
    ['size', ['a😀'], 2n],
    ['char_length', ['abc'], 3n],
    ['isEmpty', [''], true],
  ])('%s(%p) is %p', (name, args, expected) => {
    expect(call(name, ...args)).toEqual(expected);
  });

  it.each<[string, CypherValue[]]>([
    ['left', ['abc', -1n]],
    ['right', ['abc', -1n]],
    ['substring', ['abc', -1n]],
    ['substring', ['abc', 0n, -1n]],
  ])('%s(%p) refuses a negative count', (name, args) => {
    expect(() => call(name, ...args)).toThrow(expect.objectContaining({ type: 'ArgumentError', detail: 'NumberOutOfRange' }));
  });

  it('refuses to build a text or a list that is too large', () => {
    const tooLarge = (limit: number) => expect.objectContaining({ detail: 'ValueTooLarge', limit });
    expect(() => call('replace', 'a'.repeat(2000), 'a', 'b'.repeat(1000))).toThrow(tooLarge(maxTextLength));
    expect(() => call('split', ','.repeat(600_000), ',')).toThrow(tooLarge(maxValueBytes));
    expect(() => call('split', ','.repeat(600_000), '')).toThrow(tooLarge(maxValueBytes));
  });
});

describe('functions of lists', () => {
  it.each<Case>([
    ['size', [[1n, 2n, 3n]], 3n],
    ['size', [null], null],
    ['length', [path], 1n],
    ['head', [[1n, 2n]], 1n],
    ['head', [[]], null],
    ['last', [[1n, 2n]], 2n],
    ['tail', [[1n, 2n, 3n]], [2n, 3n]],
    ['tail', [[]], []],
    ['reverse', [[1n, null]], [null, 1n]],
    ['isEmpty', [[]], true],
    ['isEmpty', [new Map()], true],
    ['range', [-1n, 1n], [-1n, 0n, 1n]],
    ['range', [0n, -1n], []],
    ['range', [0n, 0n], [0n]],
    ['range', [0n, 1n, 2n], [0n]],
    ['range', [1381n, -3412n, -1298n], [1381n, 83n, -1215n, -2513n]],
    ['range', [0n, 1n, -123n], []],
    ['range', [0n, -123n, 1n], []],
    ['range', [0n, 0n, -1n], [0n]],
    ['range', [-2000n, 0n, 1298n], [-2000n, -702n]],
    ['range', [0n, null], null],
  ])('%s(%p) is %p', (name, args, expected) => {
    expect(call(name, ...args)).toEqual(expected);
  });

  it.each<[CypherValue[], string]>([
    [[2n, 8n, 0n], 'NumberOutOfRange'],
    [[0, 1n, 1n], 'InvalidArgumentType'],
    [[0n, 1n, 1.1], 'InvalidArgumentType'],
    [[0n, 'xyz'], 'InvalidArgumentType'],
    [[0n, 131_072n], 'ValueTooLarge'],
    [[leastInteger, -1n], 'ValueTooLarge'],
  ])('range(%p) fails with %s', (args, detail) => {
    expect(() => call('range', ...args)).toThrow(expect.objectContaining({ type: 'ArgumentError', detail }));
  });

  it('walks a range of any length without building it', () => {
    const items: bigint[] = [];
    for (const item of iterateRange([1_000_000n, 2_000_000_000_000n]) ?? []) if (items.push(item) === 3) break;
    expect(items).toEqual([1_000_000n, 1_000_001n, 1_000_002n]);
    expect(iterateRange([0n, null])).toBeNull();
  });
});

describe('functions of the graph', () => {
  it.each<Case>([
    ['id', [node(3)], 3n],
    ['elementId', [edge], '7'],
    ['labels', [node(3)], ['A', 'B']],
    ['labels', [null], null],
    ['type', [edge], 'T'],
    ['keys', [map({ k: null, l: 1n })], ['k', 'l']],
    ['keys', [edge], ['since']],
    ['properties', [node(3)], map({ name: 'x' })],
    ['properties', [map({ a: 1n })], map({ a: 1n })],
    ['nodes', [path], [node(1), node(2)]],
    ['relationships', [path], [edge]],
    ['startNode', [edge], node(1)],
    ['endNode', [edge], node(2)],
    ['endNode', [null], null],
  ])('%s(%p) is %p', (name, args, expected) => {
    expect(call(name, ...args)).toEqual(expected);
  });
});

describe('functions that convert', () => {
  it.each<Case>([
    ['toInteger', [82.9], 82n],
    ['toInteger', [-82.9], -82n],
    ['toInteger', ['1.7'], 1n],
    ['toInteger', [' 42 '], 42n],
    ['toInteger', ['9007199254740993'], 9_007_199_254_740_993n],
    ['toInteger', ['1e3'], 1000n],
    ['toInteger', ['foo'], null],
    ['toInteger', [''], null],
    ['toInteger', ['9'.repeat(501)], null],
    ['toInteger', [true], 1n],
    ['toInteger', [decimal('-2.9')], -2n],
    ['toInteger', [NaN], null],
    ['toFloat', [3n], 3],
    ['toFloat', ['5'], 5],
    ['toFloat', ['.5'], 0.5],
    ['toFloat', ['foo'], null],
    ['toFloat', [''], null],
    ['toFloat', ['Infinity'], Infinity],
    ['toFloat', ['0x10'], null],
    ['toFloat', [decimal('1.5')], 1.5],
    ['toBoolean', ['true'], true],
    ['toBoolean', [' FALSE '], false],
    ['toBoolean', [' tru '], null],
    ['toBoolean', [0n], false],
    ['toString', [1], '1.0'],
    ['toString', ['apa'], 'apa'],
    ['toString', [null], null],
    ['toIntegerOrNull', [[]], null],
    ['toIntegerOrNull', [1e30], null],
    ['toFloatOrNull', [true], null],
    ['toBooleanOrNull', [1.5], null],
    ['toStringOrNull', [new Map()], null],
    ['toIntegerList', [['1', 2.5, null, 'x', []]], [1n, 2n, null, null, null]],
    ['toStringList', [[1n, true, []]], ['1', 'true', null]],
    ['toFloatList', [null], null],
  ])('%s(%p) is %p', (name, args, expected) => {
    expect(call(name, ...args)).toEqual(expected);
  });

  it.each<[string, CypherValue]>([
    ['toInteger', 1e30],
    ['toInteger', Infinity],
    ['toInteger', '9223372036854775808'],
  ])('%s(%p) is beyond the integers', (name, value) => {
    expect(() => call(name, value)).toThrow(expect.objectContaining({ type: 'ArithmeticError', detail: 'IntegerOverflow' }));
  });
});

describe('functions of any value', () => {
  it.each<Case>([
    ['coalesce', [null, 1n, 2n], 1n],
    ['coalesce', [null], null],
    ['coalesce', [false, true], false],
    ['exists', [null], false],
    ['exists', [false], true],
    ['nullIf', [1n, 1], null],
    ['nullIf', [1n, null], 1n],
    ['nullIf', [1n, 2n], 1n],
  ])('%s(%p) is %p', (name, args, expected) => {
    expect(call(name, ...args)).toEqual(expected);
  });
});

describe('arguments of a wrong type', () => {
  it.each<[string, CypherValue[]]>([
    ['labels', [1n]],
    ['labels', [path]],
    ['type', [node(1)]],
    ['type', ['']],
    ['id', [path]],
    ['keys', [[1n]]],
    ['properties', ['Cypher']],
    ['nodes', [node(1)]],
    ['startNode', [node(1)]],
    ['length', [node(1)]],
    ['size', [path]],
    ['head', ['abc']],
    ['reverse', [1n]],
    ['isEmpty', [1n]],
    ['abs', ['1']],
    ['sqrt', [true]],
    ['isNaN', ['a']],
    ['round', [1.5, 1.5]],
    ['toUpper', [1n]],
    ['left', ['abc', 1.5]],
    ['replace', ['abc', 1n, 'x']],
    ['toInteger', [[]]],
    ['toInteger', [node(1)]],
    ['toFloat', [true]],
    ['toBoolean', [1]],
    ['toString', [[]]],
    ['toString', [path]],
    ['toIntegerList', ['1']],
  ])('%s(%p) is refused', (name, args) => {
    expect(() => call(name, ...args)).toThrow(expect.objectContaining({ type: 'TypeError', detail: 'InvalidArgumentValue' }));
  });

  it('are named in both languages', () => {
    expect(() => call('labels', 1n)).toThrow(
      expect.objectContaining({ sentence: { zh: 'labels() 需要节点，而非整数', en: 'labels() takes a node, not an integer' } }),
    );
  });
});
