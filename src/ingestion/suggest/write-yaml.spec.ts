import { atOnce } from '../../text/steps.js';
import { CORE_SCHEMA, load } from 'js-yaml';
import { parseMapping } from '../mapping/parse-mapping.js';
import { type Draft } from './draft.js';
import { scalar, writeYaml } from './write-yaml.js';

const hard = ['NO', 'yes', 'y', 'null', '~', '0110', '1_000', '1e3', '2024-01-01', '：', 'a：b', '#tag', 'a #b', '%', '@x', '`x`', "it's", 'a"b', 'a: b']
  .concat(['- a', '? a', '[a]', '{a}', '*a', '&a', '!a', '|', '>', '<<', '__proto__', ' a ', 'a\nb', 'a\r\tb', '\u0085', '\u2028x', '\ufeffx', '😀', '客户'])
  .concat(['decimal(12,2)', 'string[]', 'true', '.inf', '0x1F', '---', '...', '\\', "'", '"']); // prettier-ignore

it.each(hard.map(text => [text]))('writes %j so that it is read as that text', text => {
  expect(load(`a: ${scalar(text)}\n`, { schema: CORE_SCHEMA })).toEqual({ a: text });
  expect(load(`- {${scalar(text)}: [${scalar(text)}]}\n`, { schema: CORE_SCHEMA })).toEqual([Object.fromEntries([[text, [text]]])]);
});

it('quotes what YAML 1.1 would take for something else', () => {
  expect(['no', 'On', 'Y', '0110', 'customer_id', '客户'].map(scalar)).toEqual(["'no'", "'On'", "'Y'", "'0110'", 'customer_id', '客户']);
});

it('lets no name leave its comment, and places each guess', () => {
  const text = { zh: 'a\nnodes: []', en: 'b\u2028c\r\nd' };
  const draft: Draft = {
    connection: 'far\nversion: 2',
    nodes: [
      {
        id: 'a',
        label: 'A',
        aliases: [],
        table: 't',
        key: ['x'],
        keyGuess: { kind: 'key', text, evidence: {} },
        display: null,
        displayGuess: null,
        columns: [{ column: 'x', property: null, type: 'int', isUnique: true, guess: null }],
      },
    ],
    edges: [],
    leftOut: [],
  };
  const written = atOnce(writeYaml(draft));
  const { mapping, placeOf } = parseMapping(written.text);
  expect(mapping.nodes).toHaveLength(1);
  expect(mapping.nodes[0]!.columns[0]!.rules.map(({ kind }) => kind)).toEqual(['unique']);
  expect(mapping.source.connection).toBe('far\nversion: 2');
  expect(written.text.split('\n')[placeOf(written.guesses[0]!.path).line - 1]).toBe('    key: [x]');
});
