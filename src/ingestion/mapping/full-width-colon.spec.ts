import { problemsOf } from '../../../test/support/mapping-problems.js';

const mapping = `version: 1
nodes:
  - id: customer
    label: 客户
    table: customers
    where: kind = '甲：乙'
    key: [id]
    columns:
      - {column: id, property: 编号}
      - column: name
`;

describe('a full-width colon', () => {
  it.each([
    ['version: 1', 'version： 1', '1:8', 'version: 1'],
    ['nodes:', 'nodes：', '2:6', 'nodes:'],
    ['- id: customer', '- id：customer', '3:7', '- id: customer'],
    ['label: 客户', 'label： 说明：甲', '4:10', 'label: 说明：甲'],
    ['key: [id]', 'key：[id]', '7:8', 'key: [id]'],
    ['columns:', 'columns：', '8:12', 'columns:'],
    ['{column: id, ', '{column： id, ', '9:16', 'column: id'],
    ['- column: name', '- column：name', '10:15', 'column: name'],
  ])('is named with its place and the right line in place of %s', (right, wrong, place, line) => {
    expect(problemsOf(mapping)).toEqual([]);
    const named = problemsOf(mapping.replace(right, wrong)).filter(({ text }) => text.en.startsWith('this is a full-width colon'));
    expect(named.map(problem => `${problem.line}:${problem.column}`)).toEqual([place]);
    expect(named[0]!.text.zh).toContain('全角冒号「：」');
    expect(named[0]!.hint).toEqual({ zh: `写作：${line}`, en: `write: ${line}` });
  });

  it.each([
    ['in a value, before another fault', mapping.replace('    key', '   key'), 7],
    ['in a text that spans lines', `version: 1\nname: |\n  note：x\n nodes: []\n`, 4],
  ])('%s is not taken for the fault', (_name, text, line) => {
    const [problem] = problemsOf(text);
    expect([problem!.type, problem!.line, /full-width/.test(problem!.text.en)]).toEqual(['yaml_syntax', line, false]);
  });
});
