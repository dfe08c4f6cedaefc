import { WarehouseUnavailableError } from '../../warehouse.errors.js';
import { RowChunks } from './row-chunks.js';

describe('RowChunks', () => {
  afterEach(() => jest.useRealTimers());

  it('gives rows that come slowly as they come (risk: their source is taken for silent, and the run fails)', () => {
    jest.useFakeTimers();
    const chunks = new RowChunks('t', ['a']);
    expect(chunks.add(Buffer.from('1\n'))).toBeNull();
    jest.advanceTimersByTime(2_000);
    expect(String(chunks.add(Buffer.from('2\n')))).toBe('1\n2\n');
    expect(chunks.add(Buffer.from('3\n'))).toBeNull();
    expect(String(chunks.rest())).toBe('3\n');
  });

  it.each(['', 'no line'])("refuses the row '%s', which no server writes (risk: empty ones are held for ever)", row => {
    expect(() => new RowChunks('t', ['a']).add(Buffer.from(row))).toThrow(WarehouseUnavailableError);
  });
});
