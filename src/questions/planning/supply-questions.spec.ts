import { askSupplies } from '../../../test/support/supply-world.js';

describe('questions about what a factory buys', () => {
  it.each([
    ['类别是广东的零件有哪些', '"类别" of "零件" has no known value "广东"'],
    ['How many shipments are 已到货?', 'No "发货单" has "已到货" as its 状态; it is only a value of "采购单"'],
  ])('%s: looks for a value only in the property of what is asked for', async (question, reason) => {
    expect(await askSupplies(question)).toBe(`refused: ${reason}`);
  });
});
