import { findUnusableValues } from './find-unusable-values.js';

describe('findUnusableValues', () => {
  const found = (json: string) => findUnusableValues(JSON.parse(json), ['body']).map(({ loc, type }) => [...loc, type].join('.'));

  it.each([
    ['{"a":"x\\u0000y"}', ['body.a.nul_character']],
    ['{"a":["ok",{"b":"\\ud800"}]}', ['body.a.1.b.lone_surrogate']],
    ['{"a":"\\udc00\\ud83d"}', ['body.a.lone_surrogate']],
    ['{"a\\u0000":1}', ['body.a\uFFFD.nul_character']],
    ['{"\\ud800":1}', ['body.\uFFFD.lone_surrogate']],
    ['{"a":1e400}', ['body.a.number_out_of_range']],
    ['[-1e999]', ['body.0.number_out_of_range']],
    ['{"a":9007199254740992}', ['body.a.number_out_of_range']],
    ['{"a":-9007199254740993}', ['body.a.number_out_of_range']],
    ['{"__proto__":{"is_admin":true}}', ['body.__proto__.reserved_name']],
    ['{"a":{"b":{"__proto__":1}}}', ['body.a.b.__proto__.reserved_name']],
    ['{"a":[{"constructor":{}}]}', ['body.a.0.constructor.reserved_name']],
  ])('finds the problems in %s', (json, problems) => {
    expect(found(json)).toEqual(problems);
  });

  it.each([
    '{"a":"😀 \\ud83d\\ude00 \\u0001 \\uffff \u202e"}',
    '{"a":[9007199254740991,-9007199254740991,1e300,1e21,0.1,-0]}',
    '{"prototype":{"toString":null}}',
    'null',
  ])('takes %s', json => {
    expect(found(json)).toEqual([]);
  });

  it('stops after twenty problems', () => {
    expect(findUnusableValues(Array(1000).fill('\0'), ['body'])).toHaveLength(20);
  });

  it('refuses an object of more than 1,000 fields at its place, and looks at none of them', () => {
    const of = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '\0']));
    expect(findUnusableValues({ a: [of(1_001)] }, ['body'])).toEqual([
      { loc: ['body', 'a', 0], type: 'too_many', text: { zh: expect.any(String), en: expect.any(String) } },
    ]);
    expect(findUnusableValues({ a: [of(1_000)] }, ['body']).map(({ type }) => type)).toEqual(Array(20).fill('nul_character'));
  });

  it('takes any number in the field whose text is read, and nothing else', () => {
    const body = JSON.parse('{"parameters": {"a": [9007199254740993], "b": "\\u0000"}, "limit": 9007199254740993}');
    expect(findUnusableValues(body, ['body'], 'parameters').map(({ loc }) => loc.join('.'))).toEqual(['body.parameters.b', 'body.limit']);
  });
});
