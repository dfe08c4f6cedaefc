import { roundedKeys } from './rounded-keys.js';

it('finds the keys whose decimals a double would round, at any depth', () => {
  const object = String.raw`{"a":0.1234567890123456789,"b":{"c":[1,{"d":3.3333333333333333}]},"e\"":[1.00000000000000001e5],"ok":1}`;
  expect([...roundedKeys(object)]).toEqual(['a', 'b', 'e"']);
});

it.each([
  ['0.30000000000000004', 'the digits that programs write for a double'],
  ['12345678901234567890123', 'a whole number, which DuckDB keeps'],
  ['12.7000000000000000000', 'zeros at the end'],
  ['-0.00000000000000000125', 'zeros at the beginning'],
  ['1.5e-300', 'an exponent'],
  ['"0.1234567890123456789"', 'a text'],
  [String.raw`"\" : 0.1234567890123456789"`, 'a text with a quote and a colon'],
  ['{"0.1234567890123456789":[true,null]}', 'a key'],
])('finds none for %s: %s', value => {
  expect([...roundedKeys(`{"a":${value}, "b":1}`)]).toEqual([]);
});
