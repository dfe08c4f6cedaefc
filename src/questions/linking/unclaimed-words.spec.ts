import { linked } from '../../../test/support/question-world.js';
import { carriesMeaning } from './stop-words.js';

describe('words for quantities that nothing has read', () => {
  it.each([
    ['Which customers placed just one order?', ['just', 'one']],
    ['Which customers placed one order?', ['one']],
    ['Which customers placed few orders?', ['few']],
    ['Which customers placed many orders?', ['many']],
    ['Which customers ordered Chai again?', ['again']],
    ['Which customers placed more than half a dozen orders?', ['half', 'dozen', 'more']],
    ['有三个订单的客户', ['三']],
    ['有一个订单的客户', ['一']],
    ['超过20 打的产品', ['超', '20', '打产品']],
    ['超过几个订单的客户', ['超']],
    ['下单两个产品的客户', ['两']],
    ['单价!=18的产品', ['18']],
    ['日本的客户', ['日本']],
    ['哪些产品又便宜', ['又']],
    ['以华东为地区的客户', ['以']],
    ['主要客户有哪些', ['主']],
    ['买过Chai的人有哪些', ['人']],
    ['2024年每季销售额', ['季']],
    ['Exotic在哪？', ['哪']],
    ['Chai多少钱？', ['钱']],
    ['所有产品按单价排个序', ['排', '序']],
    ['再先进的产品', ['再先进']],
    ['买过Chai的人有多少人', ['人', '人']],
    ['Which part is the most expensive?', ['part']],
  ])('%s: %j is not understood', async (question, words) => {
    expect((await linked(question)).unknown.filter(carriesMeaning)).toEqual(words);
  });

  it.each([
    'How many orders are there?',
    'Which one placed the most orders?',
    'Just list the customers',
    'What exactly are the orders?',
    'Which customers placed at least two orders?',
    '超过三个订单的客户',
    '列一下客户',
    '哪一个客户的订单最多',
    '一共有多少订单',
    '华东和华南两个地区的客户',
    '最近三个月的订单',
    '哪些供应商既供应Chai又供应Chang',
    '该客户的订单',
    '当前有多少客户',
    '那么华东有多少客户？',
    '那些客户在华东',
    '最贵的产品叫什么',
    '订单共计多少笔？',
    ...['啦', '哇', '诶'].map(sound => `华东有多少客户${sound}？`),
    '让我看看华东的客户',
    '先列出华东的客户',
    '又有哪些供应商供应Chai',
    '华东那边有多少客户？',
    '咱有多少客户',
    'Exotic供应哪些货？',
    'Chai归哪个供应商供应',
    '本月订单数是多少单',
    '华东客户名录',
    '华东的客户名单',
    '单价超过一百元的产品有哪些？',
    '单价不到五十元的产品',
    '2024年的销售额是多少元？',
    'Which products are part of orders?',
    'Is Chai part of 华东?',
    'Which products form orders?',
  ])('%s: all is understood', async question => {
    expect((await linked(question)).unknown.filter(carriesMeaning)).toEqual([]);
  });
});
