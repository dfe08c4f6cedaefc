import { formatValue, textColumns } from './format-value.js';

describe('formatValue', () => {
  it.each([
    [1234567, '1,234,567'],
    ['-1234.50', '-1,234.5'],
    ['9007199254740993', '9,007,199,254,740,993'],
    [31.283333333333335, '31.28'],
    [0.000123456789, '0.0001235'],
    ['0.33333333333333333333', '0.3333'],
    ['-0.000000012345678', '-1.235e-8'],
    ['0012', '0012'],
    ['2024-05-06', '2024-05-06'],
    ['茶', '茶'],
    [true, 'true'],
    [null, '—'],
    [undefined, '—'],
  ])('writes %j as %s', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });
});

describe('textColumns', () => {
  const schema = {
    labels: [
      {
        name: 'Guest',
        aliases: [],
        keyProperties: ['guest'],
        displayProperty: 'name',
        properties: [
          { name: 'guest', type: 'int' },
          { name: 'born', type: 'int', column: 'birth_year' },
          { name: 'points', type: 'int' },
        ],
        rowCount: 1,
      },
    ],
    edges: [],
  };

  it.each([
    ['phone', 'string', true],
    ['guest', 'integer', true],
    ['born', 'integer', true],
    ['average born', 'number', false],
    ['points', 'integer', false],
    ['postalCode', 'integer', true],
    ['房间号', 'integer', true],
    ['grade', 'any', false],
  ])('%s of type %s: %s', (name, type, isText) => {
    expect(textColumns([{ name, type }], schema)).toEqual([isText]);
  });
});
