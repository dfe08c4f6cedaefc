import { airlines } from '../../../test/support/airline-world.js';
import { planOver } from '../../../test/support/question-world.js';

/** 国籍 begins with 国, the last character of 中国 and 德国. */
const values = ['中国', '德国'].map(value => ({ label: '乘客', property: '国籍', value }));
const world = { ...airlines, values };
const plan = async (question: string) => {
  const found = await planOver(question, world);
  return typeof found === 'string' ? found : [/WHERE (.*?) RETURN/.exec(found.cypher)?.[1], Object.values(found.parameters)];
};

describe('questions about where somebody is from', () => {
  it.each([
    ['中国籍乘客', 't.国籍 = $p1', ['中国']],
    ['德国籍的乘客有哪些', 't.国籍 = $p1', ['德国']],
    ['中国籍乘客有多少', 't.国籍 = $p1', ['中国']],
    ['中国籍和德国籍的乘客', 't.国籍 IN $p1', [['中国', '德国']]],
    ['不是中国籍的乘客', 'coalesce(NOT (t.国籍 = $p1), true)', ['中国']],
    ['乘客中国籍是德国的', 't.国籍 = $p1', ['德国']],
    ['李娜啥国籍', 't.key = $p1', [0]],
  ])('%s: %s', async (question, condition, all) => {
    expect(await plan(question)).toEqual([condition, all]);
  });

  it.each([
    ['法国籍乘客', '法国籍'],
    ['美国籍的乘客有多少', '美国籍'],
    ['贵年龄的乘客', '贵年龄'],
  ])('%s: %s is not understood', async (question, word) => {
    expect(await plan(question)).toBe(`unknown: ${word}`);
  });

  it('takes no character of a country for a word that joins', async () => {
    expect(await planOver('中国籍乘客', { ...world, values: values.slice(1) })).toBe('unknown: 中国籍');
  });
});
