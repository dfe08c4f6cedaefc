import { AnswerTooLargeError } from '../common/errors/answer-too-large.error.js';
import { type MetricResultResponse } from './execute.dto.js';
import { toLines } from './result-lines.js';

const name = '长'.repeat(128);
const result = {
  columns: [{ name, role: 'value', type: 'decimal' }],
  rows: Array.from({ length: 2_000 }, (_, row) => [`${row}.5`]),
  truncated: false,
} as unknown as MetricResultResponse;

describe('toLines', () => {
  it('tells an empty text from null in CSV, as uploads do', async () => {
    const columns = ['地区', 'value'].map(each => ({ name: each }));
    const rows = [['', null], [null, ''], ['东', '1.5']]; // prettier-ignore
    const csv = await toLines({ ...result, columns, rows } as unknown as MetricResultResponse, 'csv', null, 500_000);
    expect(Buffer.concat(csv).toString()).toBe('地区,value\r\n"",\r\n,""\r\n东,1.5\r\n');
  });

  it('bounds lines that repeat long names', async () => {
    await expect(toLines(result, 'ndjson', null, 500_000)).rejects.toThrow(AnswerTooLargeError);
    const csv = Buffer.concat(await toLines(result, 'csv', null, 500_000)).toString();
    expect(csv.split('\r\n').slice(0, 3)).toEqual([name, '0.5', '1.5']);
    const ndjson = Buffer.concat(await toLines(result, 'ndjson', null, 1_000_000)).toString();
    expect(ndjson.trim().split('\n').map(line => JSON.parse(line)[name])).toEqual(result.rows.flat()); // prettier-ignore
  });
});
