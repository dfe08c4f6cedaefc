import { readDocument } from './read-document.js';

it('keeps every digit of the numbers in a document', () => {
  expect(readDocument('{"id": 9007199254740993, "few": [1, 2.5]}')).toEqual({ id: '9007199254740993', few: [1, 2.5] });
});
