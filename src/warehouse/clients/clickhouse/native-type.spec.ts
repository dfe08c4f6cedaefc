import { elementTypeOf, isNullable, readNativeType, valueTypeOf } from './native-type.js';
import { readableTypeOf } from './readable-type.js';

describe('The types of ClickHouse', () => {
  it.each([
    ['Int32', 'Int32', []],
    ['Decimal(12, 2)', 'Decimal', ['12', '2']],
    ["Enum8('a,b' = 1, 'it\\'s)' = 2)", 'Enum8', ["'a,b' = 1", "'it\\'s)' = 2"]],
    ['Tuple(a Array(Int32), `b, (c` Map(String, Int8))', 'Tuple', ['a Array(Int32)', '`b, (c` Map(String, Int8)']],
  ])('are taken apart: %s', (text, name, given) => {
    expect(readNativeType(text)).toEqual({ name, arguments: given });
  });

  it.each([
    ['LowCardinality(Nullable(String))', 'String', true],
    ['SimpleAggregateFunction(max, Nullable(Int32))', 'Int32', true],
    ['Array(Nullable(Int32))', 'Array', false],
  ])('are found inside of wrappers: %s', (text, name, nullable) => {
    expect([valueTypeOf(text).name, isNullable(text)]).toEqual([name, nullable]);
  });

  it.each([
    ['a Int32', 'Int32'],
    ['`b c` Array(String)', 'Array(String)'],
    ['Decimal(9, 2)', 'Decimal(9, 2)'],
  ])('stand behind the names of elements: %s', (argument, type) => {
    expect(elementTypeOf(argument)).toBe(type);
  });

  it.each([
    ['Array('.repeat(30_000) + 'String' + ')'.repeat(30_000)],
    ['LowCardinality('.repeat(10_000) + 'String' + ')'.repeat(10_000)],
    [`Other('${"\\'".repeat(99_000)}`],
    [`Tuple(\`${'\\`'.repeat(99_000)}`],
    ['Tuple(' + Array(1_000_000).fill('String').join(', ') + ')'],
  ])('take no time when a server of bad faith makes them long or deep', text => {
    const started = performance.now();
    expect(isNullable(text)).toBe(false);
    expect(readableTypeOf(text).type).toBe('other');
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('are read to ten levels', () => {
    expect(readableTypeOf('Array('.repeat(9) + 'Decimal(9, 2)' + ')'.repeat(9)).type).toBe('jsonb');
    expect(readableTypeOf("Enum8('((((((((((((' = 1)").type).toBe('text');
  });
});
