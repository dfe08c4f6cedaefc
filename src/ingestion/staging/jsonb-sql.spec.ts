import { jsonbArray, jsonbObject } from './jsonb-sql.js';

describe('jsonbArray', () => {
  it.each([
    [0, 'jsonb_build_array()'],
    [2, 'jsonb_build_array(0, 1)'],
  ])('writes %i values as one call', (count, sql) => {
    expect(jsonbArray(Array.from({ length: count }, (_, i) => `${i}`))).toBe(sql);
  });

  it('writes more than a hundred values as several calls, none with more', () => {
    const sql = jsonbArray(Array.from({ length: 250 }, (_, i) => `${i}`));
    expect(sql.split(' || ').map(call => call.split(', ').length)).toEqual([100, 100, 50]);
  });
});

describe('jsonbObject', () => {
  it('counts the key and the value of a pair separately', () => {
    expect(jsonbObject(["'a', 1", "'b', 2"])).toBe("jsonb_build_object('a', 1, 'b', 2)");
    const sql = jsonbObject(Array.from({ length: 60 }, (_, i) => `'k${i}', ${i}`));
    expect(sql.split(' || ').map(call => call.split(', ').length)).toEqual([100, 20]);
  });
});
