import { supplies } from '../../../test/support/supply-world.js';

const { ask } = supplies;

describe('questions about what a factory buys', () => {
  it.each([
    ['类别是广东的零件有哪些', '"类别" of "零件" has no known value "广东"'],
    ['How many shipments are 已到货?', 'No "发货单" has "已到货" as its 状态; it is only a value of "采购单"'],
  ])('%s: looks for a value only in the property of what is asked for', async (question, reason) => {
    expect(await ask(question)).toBe(`refused: ${reason}`);
  });

  it.each([
    ['高压阀的供应商数量', 'MATCH (t:供应商)-[r1:供应]->(n1:零件) WHERE n1.编号 = $p1 RETURN count(DISTINCT t)'],
    ['零件的数量', 'MATCH (t:零件) RETURN count(DISTINCT t)'],
    ['采购单数量', 'MATCH (t:采购单) RETURN count(DISTINCT t)'],
    ['各类别的零件数量', 'RETURN t.类别 AS 类别, count(DISTINCT t)'],
    ['number of suppliers', 'RETURN count(DISTINCT t)'],
    ['供应商数量最多的零件', 'count(DISTINCT n1) AS n ORDER BY n DESC'],
    ['发货单的数量', 'MATCH (t:发货单) RETURN DISTINCT t, t.数量'],
    ['装运高压阀的发货单数量', 'WHERE n1.编号 = $p1 RETURN DISTINCT t, t.数量'],
    ['数量超过100的发货单', 'WHERE t.数量 > $p1'],
  ])('%s: counts things, unless a property of theirs is called so', async (question, pattern) => {
    expect(await ask(question)).toContain(pattern);
  });

  it('does not average a property over what leads to several that have it', async () => {
    expect(await ask('采购单的平均单价')).toMatch(/^refused: Only "零件" has this property, and one of "采购单" may lead to several/);
  });

  it.each([
    ['小齿轮有库存吗', 'WHERE t.编号 = $p1 AND t.库存 <> 0'],
    ['有库存的零件有哪些', 'WHERE t.库存 <> 0'],
  ])('%s: takes a number of zero for none', async (question, condition) => {
    expect(await ask(question)).toContain(condition);
  });

  it.each([
    ['宏达轴承的等级是优吗', 'unknown: 优'],
    ['Is the level of 宏达轴承 A?', 'unknown: a'],
  ])('%s: says neither yes nor no to an unknown value', async (question, reason) => {
    expect(await ask(question)).toBe(reason);
  });

  it.each(['减速机由哪些零件组成', '组成减速机的零件'])('%s: asks for what is said', async question => {
    expect(await ask(question)).toContain('MATCH (t:零件)<-[r1:组成]-(n1:零件)');
  });

  it.each([
    ['库存等于安全库存的零件', /another property/],
    ['哪些零件包含减速机', /It is not clear whether "包含" is 订购 or 组成/],
  ])('%s: is refused and not answered as another question', async (question, reason) => {
    expect(await ask(question)).toMatch(reason);
  });
});
