import { findIntents, isAskingWord } from './find-intents.js';

const found = (text: string) =>
  findIntents(text).map(({ text: own, meanings: [meaning] }) => [own, meaning?.as === 'intent' ? meaning.intent : null]);
const kinds = (text: string) => found(text).map(([, intent]) => (intent as { kind: string }).kind);

describe('findIntents', () => {
  it.each([
    ['单价大于18的产品', '大于18', { kind: 'compare', operator: '>', value: 18 }],
    ['单价不超过12.5', '不超过12.5', { kind: 'compare', operator: '<=', value: 12.5 }],
    ['price at least 5', 'at least 5', { kind: 'compare', operator: '>=', value: 5 }],
    ['price under 5', 'under 5', { kind: 'compare', operator: '<', value: 5 }],
    ['price over $1,250.50', 'over $1,250.50', { kind: 'compare', operator: '>', value: 1250.5 }],
    ['price over 15k', 'over 15k', { kind: 'compare', operator: '>', value: 15000 }],
    ['单价最高的3个产品', '最高的3个', { kind: 'top', descending: true, count: 3 }],
    ['最便宜的产品', '最便宜的', { kind: 'top', descending: false, count: null, by: 'price' }],
    ['top ten products', 'top ten', { kind: 'top', descending: true, count: 10 }],
    ['the 3 cheapest products', 'the 3 cheapest', { kind: 'top', descending: false, count: 3, by: 'price' }],
    ['top 3 most expensive products', 'top 3 most expensive', { kind: 'top', descending: true, count: 3, by: 'price' }],
    ['20个以上订单', '20个以上', { kind: 'compare', operator: '>=', value: 20 }],
    ['单价在10到20之间', '在10到20之间', { kind: 'between', low: 10, high: 20 }],
    ['price between 10 and 20', 'between 10 and 20', { kind: 'between', low: 10, high: 20 }],
    ['单价10到20元的产品', '10到20', { kind: 'between', low: 10, high: 20 }],
    ['单价1到2万元的产品', '1到2万', { kind: 'between', low: 10_000, high: 20_000 }],
    ['单价在5000到1万元之间', '在5000到1万元之间', { kind: 'between', low: 5_000, high: 10_000 }],
    ['单价在1元到2万元之间', '在1元到2万元之间', { kind: 'between', low: 1, high: 20_000 }],
    ['重量在1公斤到2万公斤之间', '在1公斤到2万公斤之间', { kind: 'between', low: 1, high: 20_000 }],
    ['单价在1到1万元之间', '在1到1万元之间', { kind: 'between', low: 1, high: 10_000 }],
    ['price between 1 yuan and 2 thousand yuan', 'between 1 yuan and 2 thousand', { kind: 'between', low: 1, high: 2_000 }],
    ['price between 1 and 1 million', 'between 1 and 1 million', { kind: 'between', low: 1, high: 1e6 }],
    ['price between 1 and 2 million', 'between 1 and 2 million', { kind: 'between', low: 1e6, high: 2e6 }],
    ['单价由低至高', '由低至高', { kind: 'order', descending: false }],
    ['by price, most expensive first', 'most expensive first', { kind: 'order', descending: true }],
    ['at least two orders', 'at least two', { kind: 'compare', operator: '>=', value: 2 }],
    ['at most one order', 'at most one', { kind: 'compare', operator: '<=', value: 1 }],
    ['more than three orders', 'more than three', { kind: 'compare', operator: '>', value: 3 }],
    ['超过三个订单', '超过三', { kind: 'compare', operator: '>', value: 3 }],
    ['不超过三百个订单', '不超过三百', { kind: 'compare', operator: '<=', value: 300 }],
    ['不到三个订单', '不到三', { kind: 'compare', operator: '<', value: 3 }],
    ['不足三个订单', '不足三', { kind: 'compare', operator: '<', value: 3 }],
    ['三个以上订单', '三个以上', { kind: 'compare', operator: '>=', value: 3 }],
    ['最近一笔订单', '最近一笔', { kind: 'top', descending: true, count: null, by: 'date' }],
    ['the earliest order', 'the earliest', { kind: 'top', descending: false, count: null, by: 'date' }],
    ['哪个更贵', '更贵', { kind: 'top', descending: true, count: null, by: 'price', ofTwo: true }],
    ['哪个国家的客户多？', '多', { kind: 'top', descending: true, count: null, ofTwo: true }],
    ['which has more customers', 'more', { kind: 'top', descending: true, count: null, ofTwo: true }],
    ['华为买过Chai吗？', '吗', { kind: 'whether' }],
    ['did anna direct it', 'did', { kind: 'whether' }],
    ['每月的销售额', '每月', { kind: 'grain', grain: 'month' }],
    ['revenue by quarter', 'by quarter', { kind: 'grain', grain: 'quarter' }],
    ['哪个月份的订单最多', '哪个月份', { kind: 'grain', grain: 'month' }],
    ['订单最多的3个月', '月', { kind: 'grain', grain: 'month' }],
    ['the months with the most orders', 'the months', { kind: 'grain', grain: 'month' }],
    ['周几的订单最多', '周几', { kind: 'grain', grain: 'weekday' }],
    ['每周几个订单', '每周', { kind: 'grain', grain: 'week' }],
    ['有多少个客户', '有多少个', { kind: 'count' }],
    ['每个流派有多少首曲目', '有多少首', { kind: 'count' }],
    ['有多少张专辑', '有多少张', { kind: 'count' }],
    ['how many customers', 'how many', { kind: 'count' }],
    ['平均单价', '平均', { kind: 'aggregate', function: 'avg' }],
    ['total of prices', 'total of', { kind: 'aggregate', function: 'sum' }],
    ['每个客户', '每个', { kind: 'group' }],
    ['which customers', 'which', { kind: 'which' }],
    ['不在华东', '不在', { kind: 'negation', excludes: true }],
    ["customers that aren't here", "aren't", { kind: 'negation', excludes: true }],
    ['没有订单的客户', '没有', { kind: 'negation', excludes: false }],
    ['only one order', 'only', { kind: 'negation', excludes: false }],
  ])('%s: %s', (text, own, intent) => {
    expect(found(text)).toContainEqual([own, intent]);
  });

  it.each([
    ['price over 5 %', 'compare'],
    ['超过十几个订单', 'compare'],
    ['超过三分之一', 'compare'],
    ['at least two orders', 'top'],
    ['at least some orders', 'top'],
    ['at the most', 'top'],
    ['price over 1,00', 'compare'],
    ['price over 10,0000', 'compare'],
    ['price over 15kg', 'compare'],
    ['price over 15 k', 'compare'],
    ['price over 1e3', 'compare'],
    ['over 9007199254740993', 'compare'],
    ['前20000个产品', 'top'],
    ['非洲的客户', 'negation'],
    ['无锡的客户', 'negation'],
    ['no. 7', 'negation'],
    ['数据', 'count'],
    ['最大的年轻客户', 'grain'],
    ['按年龄统计员工数', 'grain'],
    ['各年级的学生数', 'grain'],
    ['price between 20 and 10', 'between'],
    ['单价-5到10元的产品', 'between'],
    ['温度在-5到10度之间', 'between'],
    ['2019到2020年的订单', 'between'],
    ['5到10月的订单', 'between'],
    ['5到10日的订单', 'between'],
    ['编号5到10的产品', 'between'],
    ['price more than 10', 'top'],
    ['有多少客户', 'top'],
    ['what did anna direct', 'whether'],
  ])('%s: no %s', (text, kind) => {
    expect(kinds(text)).not.toContain(kind);
  });
});

describe('isAskingWord', () => {
  it.each([
    ['not', true],
    ['most', true],
    ['average', true],
    ['note', false],
    ['customer', false],
  ])('answers for %s: %s', (word, isAsking) => {
    expect(isAskingWord(word)).toBe(isAsking);
  });
});
