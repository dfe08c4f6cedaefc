import { SchemaError } from '../../common/errors/api-error.js';
import { fieldText, requireUsableTexts } from './body-text.js';

describe('fieldText', () => {
  it('gives a field as it was sent', () => {
    const json = ' {"a": {"parameters": 1}, "parameters" : {"x": 1.0, "y": [9007199254740993, "}", "\\"{,:"]} , "z": null}';
    expect(fieldText(json, 'parameters')).toBe('{"x": 1.0, "y": [9007199254740993, "}", "\\"{,:"]}');
    expect(fieldText(json, 'z')).toBe('null');
    expect(fieldText(json, 'x')).toBeNull();
    expect(fieldText('{}', 'x')).toBeNull();
    expect(fieldText('{"x": "parameters", "parameters": 2}', 'parameters')).toBe('2');
  });

  it('reads names like JSON.parse: escaped ones, and the last of several', () => {
    expect(fieldText('{"\\u0078": 1.0, "x": 2.0}', 'x')).toBe('2.0');
    expect(fieldText('{"x": 2.0, "\\u0078": 1.0}', 'x')).toBe('1.0');
  });
});

describe('requireUsableTexts', () => {
  it.each(['{"a":"\\u0000","a":1}', '{"a":[{"b":"x\\ud800"}],"a":1}', '{"a":{"\\u0000":1},"a":1}'])(
    'refuses %s, whose last field has the name of the first',
    json => {
      expect(() => requireUsableTexts(json, 'parameters')).toThrow(SchemaError);
    },
  );

  it('takes escapes of characters that PostgreSQL stores', () => {
    expect(() => requireUsableTexts('{"a":"\\\\u0000 \\u0001 \\ud83d\\ude00","b":1e5}', 'parameters')).not.toThrow();
  });
});
