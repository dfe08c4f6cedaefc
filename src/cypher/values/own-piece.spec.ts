import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { emptyGraph } from '../prepare-cypher.js';
import { scalarFunctions } from '../functions/scalar-functions.js';
import { type CypherValue } from './cypher-value.js';
import { readJsonValue } from './read-json-value.js';
import { everyNth } from '../../../test/support/tier.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const [count, length] = [10, 400_000];
const call = (name: string, ...args: CypherValue[]) => scalarFunctions[name.toLowerCase()]!.call(args, emptyGraph);

/** The bytes of heap that remain in use while only the pieces of long texts are referenced. */
function bytesKept(pieceOf: (text: string) => CypherValue): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: count }, (_, i) => pieceOf(`${'x'.repeat(length)}, the piece number ${i}, ${' '.repeat(length)}`));
  collectGarbage();
  const bytes = process.memoryUsage().heapUsed - before;
  expect(kept).toHaveLength(count);
  return bytes;
}

const pieces: [string, (text: string) => CypherValue][] = [
  ['left()', text => call('left', text, 20n)],
  ['right()', text => call('right', text, 20n)],
  ['substring()', text => call('substring', text, 10n, 20n)],
  ['trim()', text => call('trim', text.slice(length))],
  ['lTrim()', text => call('lTrim', text.slice(-length) + text.slice(length, length + 20))],
  ['rTrim()', text => call('rTrim', text.slice(length))],
  ['an item of split()', text => (call('split', text, ',') as CypherValue[])[1]!],
  ['the text of a small property', text => (readJsonValue(`["${text}", "a text of its own"]`) as CypherValue[])[1]!],
];

it.each(everyNth(pieces, 4))('%s does not keep the text that it was taken from', (_, pieceOf) => {
  expect(bytesKept(pieceOf)).toBeLessThan((count * length) / 2);
});
