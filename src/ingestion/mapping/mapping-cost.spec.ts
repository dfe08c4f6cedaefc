import { atOnce } from '../../text/steps.js';
import { readMapping } from './parse-mapping.js';
import { MappingError } from './problems.js';

/** Joins `count` lines. The counts are chosen to come near the 256 KiB limit of a mapping. */
const fill = (line: (index: number) => string, count: number) => Array.from({ length: count }, (_, index) => line(index)).join('');
const node = (more: string) =>
  `version: 1\nnodes:\n- {id: a, label: A, table: t, columns: [{column: k, property: p, type: int}], ${more}}\n`;

/**
 * The longest processor time in milliseconds between two pauses while a mapping is read. The process serves no other request during this
 * time.
 */
function readingMs(text: string): number {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(256 * 1024);
  let longest = 0;
  const measured = function* (): ReturnType<typeof readMapping> {
    const steps = readMapping(text);
    for (;;) {
      const before = process.cpuUsage();
      try {
        const step = steps.next();
        if (step.done) return step.value;
      } finally {
        const { user, system } = process.cpuUsage(before);
        longest = Math.max(longest, (user + system) / 1000);
      }
      yield;
    }
  };
  expect(() => atOnce(measured())).toThrow(MappingError);
  return longest;
}

describe('a mapping that is made to be slow', () => {
  it.each([
    ['unknown keys, a line each', fill(index => `k${index}: 1\n`, 25_000)],
    ['unknown keys of columns', node(`key: [${fill(index => `k${index},`, 30_000)}]`)],
    ['unknown rules', node(`key: [k]`).replace('type: int', `type: int, rules: [${fill(index => `requirex${index % 10},`, 25_000)}]`)],
    ['unknown steps', node(`key: [k]`).replace('type: int', `type: int, transform: [${fill(index => `trimx${index % 10},`, 28_000)}]`)],
    ['aliases', node(`key: [x], aliases: [${fill(index => `a${index},`, 34_000)}]`)],
    ['aliases that repeat', node(`key: [x], aliases: [${fill(() => 'a,', 120_000)}]`)],
    ['pairs of an edge', `${node(`key: [k${fill(index => `,k${index}`, 15_000)}]`)}edges:\n- {type: e, table: t, from: {node: a, match: {${fill(index => `m${index}: n${index},`, 9_000)}}}, to: {node: a, match: {k: k}}}\n`],
    ['edges to nobody', `version: 1\nnodes:\n${fill(index => `- {id: ${'n'.repeat(55)}${100 + index}${'a'.repeat(5)}, label: A${index}, table: t, key: [k], columns: [{column: k, property: p, type: int}]}\n`, 100)}edges:\n${fill(index => `- {type: e${index}, table: t, from: {node: ${'n'.repeat(55)}${300 + index}${'b'.repeat(5)}, match: {a: k}}, to: {node: x, match: {a: k}}}\n`, 100)}`],
    ['numbers where maps belong', `version: 1\nnodes:\n${fill(() => '- 1\n', 60_000)}`],
    ['documents', fill(() => '---\n', 65_000)],
    ['an open quote', `a: "${'\n'.repeat(250_000)}`],
    ['lines', fill(() => 'a\n', 130_000)],
    ['the same key', fill(() => 'a: 1\n', 50_000)],
    ['anchors', fill(index => `a${index}: &a${index} 1\n`, 14_000)],
    ['a bomb of aliases', `a: &a [x,x,x,x,x,x,x,x,x]\n${fill(index => `a${index}: &a${index} [${`*a${index ? index - 1 : ''},`.repeat(2)}]\n`, 6_000)}`],
    ['nesting', fill(() => `${'- '.repeat(18)}\n`, 3_300)],
    ['nesting in one line', '['.repeat(59_000)],
    ['a long list', `a: [${fill(() => 'a,', 59_000)}]`],
    ['pairs in a list', `a: [${fill(() => 'a: b,', 14_000)}]`],
    ['block scalars', fill(index => `a${index}: |\n a\n`, 7_000)],
    ['tags', fill(() => '- !!str a\n', 14_000)],
    ['byte order marks', '\ufeff'.repeat(87_000)],
    ['tabs', '\t'.repeat(262_000)],
    ['values by the ten thousand', `version: 1\nnodes: [${fill(() => '{},', 80_000)}]`],
  ])('is refused without a halt: %s', (_what, text) => {
    // An idle machine needs 1 to 30 ms. Code that passes over the whole text once for each line or item would need many seconds.
    expect(readingMs(text)).toBeLessThan(10_000);
  }); // prettier-ignore
});
