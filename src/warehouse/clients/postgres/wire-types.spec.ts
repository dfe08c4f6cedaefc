import { RowDocuments } from '../read-document.js';
import { parserOf } from './wire-types.js';

describe('parserOf', () => {
  it.each([114, 3802])('keeps every digit of the numbers in a document (type %i)', type => {
    expect(parserOf(type, new RowDocuments())('{"id": 9007199254740993, "few": [1, 2.5], "text": "9007199254740993"}')).toEqual({
      id: '9007199254740993',
      few: [1, 2.5],
      text: '9007199254740993',
    });
  });
});

describe('times', () => {
  it.each([
    [1082, '0044-03-15 BC', '-0043-03-15'],
    [1082, '2024-03-15', '2024-03-15'],
    [1082, 'infinity', 'infinity'],
    [1114, '2026-01-02 03:04:05.6', '2026-01-02T03:04:05.6'],
    [1114, '0044-03-15 12:00:00 BC', '-0043-03-15T12:00:00'],
    [1114, '-infinity', '-infinity'],
    [1184, '2026-01-02 03:04:05+00', '2026-01-02T03:04:05+00:00'],
    [1184, '1900-01-01 00:00:00+08:05:43', '1900-01-01T00:00:00+08:05:43'],
    [1184, '0044-03-15 12:00:00.5-00:43:08 BC', '-0043-03-15T12:00:00.5-00:43:08'],
    [1184, '12024-05-01 00:00:00+05:30', '+12024-05-01T00:00:00+05:30'],
    [25, '0044-03-15 BC', '0044-03-15 BC'],
  ])('of type %i are written as ISO 8601 has them: %s', (type, text, iso) => {
    expect(parserOf(type, new RowDocuments())(text)).toBe(iso);
  });
});
