import { Readable } from 'node:stream';
import { turnsOfOthers } from '../../../../test/support/turns.js';
import { RowDocuments } from '../read-document.js';
import { readTextRows, toJsonValue } from './row-values.js';

const read = (...chunks: Buffer[]) => readTextRows(Readable.from(chunks), 100_000_000, 'rows');

describe('The rows of ClickHouse', () => {
  it('are read with their names and types', async () => {
    const found = await read(Buffer.from('a\tb\nString\tInt8\nx\\ty\t\\N\n'), Buffer.from('\t2\n'));
    expect(found).toMatchObject({ names: ['a', 'b'], types: ['String', 'Int8'], rows: [['x\ty', null], ['', '2']] }); // prettier-ignore
  });

  it('are the same wherever chunks end', async () => {
    const answer = Buffer.from('a\tb\nString\tInt8\n\\\\\\t\\0长\\长\t\\N\nN\t\\\\N\n\\NN\t\\\n\t\n\\Z\tcut');
    const expected = [['\\\t\0长长', null], ['N', '\\N'], ['NN', '\\'], ['', '']]; // prettier-ignore
    expect((await read(answer)).rows).toEqual(expected);
    expect((await read(...Array.from(answer, byte => Buffer.from([byte])))).rows).toEqual(expected);
  });

  it('let others have their turns while they are read (risk: seconds for one long value)', async () => {
    const text = '\\\\'.repeat(4_000_000);
    const turns = await turnsOfOthers(async () => {
      const { rows } = await read(Buffer.from(`a\nString\n${text}\n`));
      expect(rows[0]![0] === '\\'.repeat(4_000_000)).toBe(true);
    });
    expect(turns).toBeGreaterThan(1);
  });

  it.each(['\t', '\n'])('are not read beyond a million values (risk: empty ones fill the memory of the service): %j', async end => {
    const chunk = Buffer.alloc(600_000, end);
    await expect(read(Buffer.from('a\nString\n'), chunk, chunk)).rejects.toMatchObject({ code: 'warehouse_query_failed' });
  });

  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05+00:00'],
    ['2026-01-02T03:04:05.000000Z', '2026-01-02T03:04:05+00:00'],
    ['2026-01-02T03:04:05.120Z', '2026-01-02T03:04:05.12+00:00'],
    ['2026-01-02T03:04:05.000001000Z', '2026-01-02T03:04:05.000001+00:00'],
  ])('have moments as other clients write them: %s', (text, moment) => {
    expect(toJsonValue('timestamptz', text, new RowDocuments())).toBe(moment);
  });

  it('take no time for a moment of bad faith', () => {
    const zeros = `.${'0'.repeat(300_000)}x`;
    const started = performance.now();
    expect(toJsonValue('timestamptz', zeros, new RowDocuments())).toBe(zeros);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('have documents, and refuse other texts', () => {
    expect(toJsonValue('jsonb', '{"a": [1, "[["]}', new RowDocuments())).toEqual({ a: [1, '[['] });
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    for (const text of ['{bad', '', deep]) {
      expect(() => toJsonValue('jsonb', text, new RowDocuments())).toThrow(expect.objectContaining({ code: 'warehouse_query_failed' }));
    }
  });
});
