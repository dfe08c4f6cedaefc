import { linkOver } from '../../../test/support/question-world.js';
import { airlines } from '../../../test/support/airline-world.js';
import { supplies } from '../../../test/support/supply-world.js';
import { readFollowUp } from './follow-up.js';
import { type EntityNode } from './meaning.js';

/** The whole question that a follow-up is understood as, or the reason why it is refused. */
async function readAs(
  earlier: string,
  text: string,
  { schema, nodes, values } = supplies,
  found: EntityNode[] | null = null,
): Promise<string> {
  const link = (own: string) => linkOver(own, { schema, nodes: [...nodes.values()], values });
  const readings = await readFollowUp(text, { text: earlier, found, meant: null }, link);
  return 'zh' in readings ? readings.en : (readings[0]?.text ?? '');
}

describe('questions that follow another', () => {
  it.each([
    ['广东有哪些已认证的供应商', '四川和辽宁呢', '四川和辽宁有哪些已认证的供应商'],
    ['广东有哪些已认证的供应商', '四川或者辽宁呢？', '四川或者辽宁有哪些已认证的供应商'],
    ['广东有哪些已认证的供应商', '那四川、辽宁和江苏呢', '四川、辽宁和江苏有哪些已认证的供应商'],
    ['高压阀的供应商有哪些', '小齿轮和高压阀呢', '小齿轮和高压阀的供应商有哪些'],
    ['Which suppliers are in 广东?', 'and 四川 and 辽宁?', 'Which suppliers are in 四川 and 辽宁?'],
    ['Which suppliers are in 广东?', 'what about 四川 or 辽宁', 'Which suppliers are in 四川 or 辽宁?'],
  ])('%s - %s: puts both values in the place of their like', async (earlier, text, whole) => {
    expect(await readAs(earlier, text)).toBe(whole);
  });

  it.each([
    ['2025年3月的航班', '4月呢', '2025年4月的航班'],
    ['去年3月的航班', '4月呢', '2025年4月的航班'],
    ['2025年3月的航班', '4月到6月呢', '2025年4月到6月的航班'],
    ['2025年3月的航班', '2024年4月呢', '2024年4月的航班'],
    ['3月的航班', '4月呢', '4月的航班'],
    ['flights in March 2025', 'and in April?', 'flights in April 2025'],
    ['flights in 2025', 'and in April?', 'flights in April 2025'],
    ['2024年12月到2025年1月的航班', '4月呢', 'it is not clear of which year "4月" is; give the year'],
    ['2025年3月以前的航班', '4月呢', 'it is not clear of which year "4月" is; give the year'],
  ])('%s - %s: keeps the year of the month that it replaces', async (earlier, text, whole) => {
    expect(await readAs(earlier, text, airlines)).toBe(whole);
  });

  it.each([
    ['单价最高的三个零件', '最低的呢？', '单价最低的三个零件'],
    ['最贵的3个零件', '那最便宜的呢', '最便宜的3个零件'],
    ['top 3 parts by price', 'and the lowest?', 'the lowest 3 parts by price'],
    ['单价最高的零件', '最低的呢？', '单价最低的零件'],
  ])('%s - %s: keeps the number of a ranking', async (earlier, text, whole) => {
    expect(await readAs(earlier, text)).toBe(whole);
  });

  it.each([
    ['各省份有多少供应商', '那按国家呢？', '各国家有多少供应商'],
    ['How many suppliers does each province have?', 'and by country?', 'How many suppliers does each country have?'],
    ['有多少供应商', '按国家呢', '各国家有多少供应商'],
    ['How many suppliers are in 广东?', 'and by country?', 'How many suppliers are in 广东 by country?'],
    ['How many suppliers are there?', 'and by country?', 'How many suppliers are there by country?'],
  ])('%s - %s: groups by something else', async (earlier, text, whole) => {
    expect(await readAs(earlier, text)).toBe(whole);
  });

  const suppliers = [...supplies.nodes.values()].filter(({ label }) => label === '供应商').map(({ id, label }) => ({ id, label }));

  it.each([
    ['有哪些供应商', '授信额度超过100的呢', '其中授信额度超过100的呢'],
    ['有哪些供应商', '列出已认证的', '其中列出已认证的'],
    ['有哪些供应商', '只看四川的', '其中四川的'],
    ['Which suppliers are there?', 'list the certified ones', 'of them, list the certified ones'],
    ['Which suppliers are there?', 'and only the certified ones', 'of them, the certified ones'],
    ['Which suppliers are there?', 'which are certified?', 'which of them are certified?'],
    ['Which suppliers are there?', 'sort by credit', 'of them, sort by credit'],
    ['Which suppliers are there?', 'average credit?', 'of them, average credit?'],
    ['广东的供应商有哪些', '四川的呢', '四川的供应商有哪些'],
    ['Which suppliers are there?', 'average salary?', 'average salary?'],
    ['Which suppliers are there?', 'which certified suppliers are there?', 'which certified suppliers are there?'],
  ])('%s - %s: limits what was found by a condition', async (earlier, text, whole) => {
    expect(await readAs(earlier, text, supplies, suppliers)).toBe(whole);
  });

  it.each([
    ['How many suppliers are there?', 'list the certified ones', null],
    ['有多少供应商', '列出已认证的', null],
    ['Which suppliers are there?', 'sort by stock', suppliers],
  ])('%s - %s: is refused if no nodes can meet the condition', async (earlier, text, found) => {
    expect(await readAs(earlier, text, supplies, found)).toContain('is only a condition, and the earlier answer has no nodes');
  });

  it('says that the earlier answer lists no nodes', async () => {
    expect(await readAs('How many suppliers are there?', 'how many of them are certified?')).toContain('the earlier answer lists no nodes');
  });

  // Comparing each meaning of one word with each of the other would be 81 million comparisons.
  it('may name a property that thousands of labels have', async () => {
    const ofMany = (text: string, from: number) => ({
      ...{ text, start: 0, end: text.length },
      meanings: Array.from({ length: 9_000 }, (_, i) => ({
        ...{ as: 'property' as const, owner: 'node' as const, ownerName: `L${from + i}`, property: text, type: 'string' },
      })),
    });
    const link = (text: string) =>
      Promise.resolve({ text, today: '2026-11-20', mentions: [text === 'city' ? ofMany(text, 0) : ofMany(text, 9_000)], unknown: [] });
    const found = await readFollowUp('city', { text: 'colour', found: null, meant: null }, link);
    expect('zh' in found && found.en).toContain('nothing in the earlier question is like "city"');
  });
});
