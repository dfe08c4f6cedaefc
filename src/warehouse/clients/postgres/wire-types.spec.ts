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
