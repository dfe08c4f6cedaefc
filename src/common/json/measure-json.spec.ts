import { type JsonMeasure, measureJson, parseForeignJson } from './measure-json.js';

describe('measureJson', () => {
  const measure = (text: string, limits: Partial<JsonMeasure> = {}) =>
    Object.values(measureJson(Buffer.from(text), { depth: 1_000, parts: 1_000, commas: 1_000, ...limits }));

  it.each([
    ['1', 0, 0, 0],
    ['{}', 1, 1, 0],
    ['[1,2,3]', 1, 1, 2],
    ['[[],[[]]]', 3, 4, 1],
    ['{"a":{"b":[1]},"c":[]}', 3, 7, 1],
    ['"[[[[,,::"', 0, 0, 0],
    ['["\\"[[[:", "\\\\", []]', 2, 2, 2],
    ['{"图[[:":"\\u005b[["}', 1, 2, 0],
  ])('measures %s as %d deep, of %d parts and %d commas', (text, depth, parts, commas) => {
    expect(measure(text)).toEqual([depth, parts, commas]);
  });

  it('stops as soon as a limit is passed', () => {
    expect(measure('['.repeat(64), { depth: 64, parts: 100 })).toEqual([64, 64, 0]);
    expect(measure('['.repeat(1_000_000), { depth: 64, parts: 100 })).toEqual([65, 65, 0]);
    expect(measure('[],'.repeat(1_000_000), { depth: 64, parts: 100 })).toEqual([1, 101, 100]);
    expect(measure(`[${'1,'.repeat(1_000_000)}1]`, { commas: 100 })).toEqual([1, 1, 101]);
  });
});

describe('the JSON of another service', () => {
  it('is parsed as any other', () => {
    expect(parseForeignJson('{"a":[1,"[[["]}')).toEqual({ a: [1, '[[['] });
    expect(() => parseForeignJson('{"a":')).toThrow(SyntaxError);
    const long = JSON.stringify('['.repeat(1_000_000));
    expect(parseForeignJson(long)).toHaveLength(1_000_000);
  });

  it.each([
    ['levels', '['.repeat(201) + ']'.repeat(201)],
    ['lists', `[${'[],'.repeat(50_000)}[]]`],
    ['fields', `{${'"a":1,'.repeat(50_000)}"a":1}`],
    ['elements', `[${'1,'.repeat(50_001)}1]`],
  ])('is refused with too many %s', (_what, text) => {
    expect(() => parseForeignJson(text)).toThrow('too many levels or parts');
  });
});
