import { type Steps } from '../../../text/steps.js';
import { listForm } from '../../files/field-rewrite.js';
import { NdjsonScanner, rowsOfScan } from './ndjson-scanner.js';
import { RowTexts } from './row-texts.js';

function counted<T>(steps: Steps<T>): { steps: number; result: T } {
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done) return { steps: count, result: step.value };
  }
}

it.each<[string, string, string, number]>([
  ['a list of numbers', `[${'1,'.repeat(200_000)}1]`, 'integer[]', 90],
  ['a list of texts', `["a"${',"b"'.repeat(200_000)}]`, 'text[]', 90],
  ['empty lists', `[${'[],'.repeat(200_000)}[]]`, 'jsonb', 90],
  ['a map of many keys', `{${Array.from({ length: 20_000 }, (_, key) => `"k${key}":1`).join(',')}}`, 'jsonb', 15],
  ['a map of long keys', `{${Array.from({ length: 400 }, (_, key) => `"${'\\u4e00'.repeat(5_000)}${key}":1`).join(',')}}`, 'jsonb', 40],
  ['a text of escapes', `"${'\\u4e00'.repeat(200_000)}"`, 'text', 3],
])('lets others go on while it reads and writes one line with %s', (_, value, type, leastSteps) => {
  const bytes = Buffer.from(`{"a":${value}}\n`);
  const scanner = new NdjsonScanner({ nullMarker: null, names: null, mostColumns: 10, isGiven: () => false, checkName: () => undefined });
  const { steps, result } = counted(scanner.scan(bytes));
  expect(steps).toBeGreaterThan(leastSteps);
  const form = { name: 'a', isDocument: type === 'jsonb', rewrite: type.endsWith('[]') ? listForm : null };
  const pieces = [...new RowTexts(bytes, result, [form], false).pieces(0, 1)];
  expect(pieces.length).toBeGreaterThan(bytes.length / 65_536 / 2);
  expect(Math.max(...pieces.map(piece => piece?.length ?? 0))).toBeLessThan(1_048_576);
});

it('lets others go on between the keys of a line that have escapes', () => {
  const keys = Array.from({ length: 200 }, (_, key) => `"\\u0061${key}":1`);
  const scanner = new NdjsonScanner({ nullMarker: null, names: null, mostColumns: 200, isGiven: () => false, checkName: () => undefined });
  const { steps, result } = counted(scanner.scan(Buffer.from(`{${keys.join(',')}}\n`)));
  expect(steps).toBe(200);
  expect(result.cells).toHaveLength(4 * 200);
  expect(scanner.names[0]).toBe('a0');
});

it('ends a scan after so many rows and blank lines, however many lines the block has', () => {
  const bytes = Buffer.from('{}\n\n'.repeat(100_000));
  const scanner = new NdjsonScanner({ nullMarker: null, names: null, mostColumns: 10, isGiven: () => false, checkName: () => undefined });
  let [at, rows] = [0, 0];
  while (at < bytes.length) {
    const { result } = counted(scanner.scan(bytes.subarray(at)));
    expect(result.rowEnds.length + result.blankLines.length).toBeLessThanOrEqual(rowsOfScan);
    expect(result.rowLines[0]).toBe(2 * rows + 1);
    rows += result.rows;
    at += result.consumed;
  }
  expect(rows).toBe(100_000);
});
