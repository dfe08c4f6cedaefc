import { findReference } from './references.js';

describe('findReference', () => {
  it.each([
    ['which products did they order', 'they', true, false, true],
    ['how many of them are red', 'of them', true, true, false],
    ['哪些产品由他们供应', '他们', true, false, true],
    ['客户和他们的订单', '他们', true, false, false],
    ['what is its price', 'its', false, false, true],
    ['products that raised its price', 'its', false, false, false],
    ['employees who report to their managers', 'their', true, false, false],
    ['其中哪些来自德国', '其中', true, true, true],
    ['他们下了多少订单', '他们', true, false, true],
    ['它的价格是多少', '它', false, false, true],
  ])('%s', (text, own, isPlural, isPart, isOpen) => {
    expect(findReference(text)).toMatchObject({ text: own, isPlural, isPart, isOpen });
  });

  it.each(['which customers are in italy', '其他客户有哪些', '尤其是哪些客户', 'the item theme', '土耳其有哪些客户', '其余的订单'])(
    'finds none in %s',
    text => {
      expect(findReference(text)).toBeNull();
    },
  );
});
