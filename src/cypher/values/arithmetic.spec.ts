import { add, divide, multiply, negate, power, remainder, subtract } from './arithmetic.js';
import { maxTextLength, maxValueBytes } from './bounds.js';
import { type CypherValue, greatestInteger, leastInteger } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { temporalFunctions } from './temporal/temporal-functions.js';

const operations = { '+': add, '-': subtract, '*': multiply, '/': divide, '%': remainder, '^': power };
type Operator = keyof typeof operations;
const decimal = (text: string) => Decimal.parse(text)!;
const shown = (value: CypherValue) => (value instanceof Decimal ? `decimal ${value.normalized().toString()}` : value);

describe('arithmetic', () => {
  it('tells how to subtract a time from a time', () => {
    const day = temporalFunctions.date!.call(['2024-05-01'], { epochNanoseconds: 0n, timeZone: 'UTC' });
    expect(() => subtract(day, day)).toThrow('duration.between(earlier, later)');
  });

  it.each<[CypherValue, Operator, CypherValue, unknown]>([
    [1n, '+', 2n, 3n],
    [1n, '+', 2.5, 3.5],
    [9_007_199_254_740_993n, '+', 1n, 9_007_199_254_740_994n],
    [5n, '/', 2n, 2n],
    [-5n, '/', 2n, -2n],
    [5n, '/', 2, 2.5],
    [0, '/', 0n, NaN],
    [1, '/', 0, Infinity],
    [-1, '/', 0n, -Infinity],
    [5n, '%', 3n, 2n],
    [-5n, '%', 3n, -2n],
    [5.5, '%', 2n, 1.5],
    [1, '%', 0n, NaN],
    [2n, '^', 3n, 8],
    [-3n, '^', 2n, 9],
    [decimal('1.5'), '^', 2n, 2.25],
    [decimal('0.1'), '+', decimal('0.2'), 'decimal 0.3'],
    [decimal('0.1'), '+', 1n, 'decimal 1.1'],
    [decimal('0.1'), '+', 0.2, 0.1 + 0.2],
    [decimal('1.5'), '-', decimal('2'), 'decimal -0.5'],
    [decimal('1.25'), '*', 3n, 'decimal 3.75'],
    [decimal('7.5'), '%', 2n, 'decimal 1.5'],
    [decimal('10'), '/', 4n, 'decimal 2.5'],
    [1n, '/', decimal('3'), 'decimal 0.33333333333333333333'],
    [decimal('2'), '/', 3n, 'decimal 0.66666666666666666667'],
    [decimal('-2'), '/', 3n, 'decimal -0.66666666666666666667'],
    [decimal('0.00002'), '/', 3n, 'decimal 0.0000066666666666666666667'],
    [decimal('1'), '/', 0, Infinity],
    ['a', '+', 'b', 'ab'],
    ['a', '+', 1n, 'a1'],
    [1.5, '+', 'a', '1.5a'],
    ['a', '+', true, 'atrue'],
    ['a', '+', decimal('2.50'), 'a2.5'],
    [[1n], '+', [2n], [1n, 2n]],
    [[1n], '+', 2n, [1n, 2n]],
    ['a', '+', ['b'], ['a', 'b']],
    [[[]], '+', [], [[]]],
    [['x'], '+', null, null],
    [null, '+', 'a', null],
    [null, '/', 0n, null],
    [null, '-', 'a', null],
  ])('%p %s %p is %p', (a, operator, b, expected) => {
    expect(shown(operations[operator](a, b))).toEqual(expected);
  });

  it.each<[CypherValue, Operator, CypherValue, string]>([
    [greatestInteger, '+', 1n, 'IntegerOverflow'],
    [leastInteger, '-', 1n, 'IntegerOverflow'],
    [greatestInteger, '*', 2n, 'IntegerOverflow'],
    [leastInteger, '/', -1n, 'IntegerOverflow'],
    [1n, '/', 0n, 'DivisionByZero'],
    [1n, '%', 0n, 'DivisionByZero'],
    [decimal('1'), '/', 0n, 'DivisionByZero'],
    [1n, '%', decimal('0.0'), 'DivisionByZero'],
    [decimal('1e1500'), '*', decimal('1e1500'), 'NumberOutOfRange'],
  ])('%p %s %p fails with %s', (a, operator, b, detail) => {
    expect(() => operations[operator](a, b)).toThrow(expect.objectContaining({ type: 'ArithmeticError', detail }));
  });

  it.each<[CypherValue, Operator, CypherValue]>([
    [true, '+', 1n],
    ['a', '-', 'b'],
    [[1n], '*', 2n],
    [new Map(), '+', 'a'],
    [true, '^', 1n],
  ])('%p %s %p is refused by type', (a, operator, b) => {
    expect(() => operations[operator](a, b)).toThrow(expect.objectContaining({ type: 'TypeError', detail: 'InvalidArgumentType' }));
  });

  it('rounds the product of many decimals instead of growing without end', () => {
    let product: CypherValue = decimal('1');
    for (let i = 0; i < 300; i += 1) product = multiply(product, decimal('1.0000000001'));
    expect(product).toMatchObject({ scale: 2000 });
    expect((product as Decimal).toNumber()).toBeCloseTo(1.00000003, 12);
  });

  it('names the operator and both types', () => {
    expect(() => add(true, 1n)).toThrow(
      expect.objectContaining({
        sentence: { zh: '运算符 + 不适用于布尔值与整数', en: 'The operator + does not apply to a boolean and an integer' },
      }),
    );
  });

  it.each<[CypherValue, unknown]>([
    [1n, -1n],
    [1.5, -1.5],
    [null, null],
    [decimal('1.5'), 'decimal -1.5'],
  ])('-(%p) is %p', (value, expected) => {
    expect(shown(negate(value))).toEqual(expected);
  });

  it('refuses to negate the least integer', () => {
    expect(() => negate(leastInteger)).toThrow(expect.objectContaining({ detail: 'IntegerOverflow' }));
  });

  it('refuses to build a text or a list that is too large', () => {
    const tooLarge = expect.objectContaining({ detail: 'ValueTooLarge', limit: maxValueBytes });
    expect(() => add('a'.repeat(maxTextLength), 'b')).toThrow(expect.objectContaining({ detail: 'ValueTooLarge', limit: maxTextLength }));
    expect(() => add(new Array<null>(maxValueBytes / 8).fill(null), 1n)).toThrow(tooLarge);
    expect(() => add(['a'.repeat(maxValueBytes)], 'b')).toThrow(tooLarge);
  });

  it('refuses to nest lists without end', () => {
    let value: CypherValue = [];
    const nest = () => {
      for (let i = 0; i < 1000; i += 1) value = add([value], []);
    };
    expect(nest).toThrow(expect.objectContaining({ detail: 'ValueTooDeep' }));
  });
});
