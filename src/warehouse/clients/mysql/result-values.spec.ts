import { RowDocuments } from '../read-document.js';
import { toResultValue } from './result-values.js';

describe('A value of a result', () => {
  it('shows BIT in its digits, and as bytes beyond the longest BIT (risk: a long one takes seconds)', () => {
    expect(toResultValue(Buffer.from([1, 255]), 'bit', new RowDocuments())).toBe('0000000111111111');
    expect(toResultValue(Buffer.alloc(8, 255), 'bit', new RowDocuments())).toBe('1'.repeat(64));
    expect(toResultValue(Buffer.alloc(9, 255), 'bit', new RowDocuments())).toBe(`\\x${'ff'.repeat(9)}`);
  });
});
