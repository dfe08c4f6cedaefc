import { elementTypeOf, isNullable, readNativeType, valueTypeOf } from './native-type.js';

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
});
