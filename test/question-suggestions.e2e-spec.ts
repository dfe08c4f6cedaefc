import { adminPassword, startTestApp, type TestApp } from './support/app.js';
import { runDemo } from './support/commands.js';

/** Questions that the demo's graph refuses, at least one for each kind of refusal. */
const refused = [
  '哪些客户的口碑最好',
  '其他地区的客户',
  '华东的其他客户有哪些',
  '前三个月的销售额',
  '8月比7月增长多少',
  '2025年11月和1月的销售额',
  '2024年底的订单',
  '蓝牙耳机的颜色',
  '价格最高的客户',
  '华东客户的信用额度',
  '收入中位数',
  '销售额的中位数',
  '各供应商的销售额',
  '华南电子有限公司买了哪些产品',
  '谁喜欢蓝牙耳机',
  '2025年没有买过蓝牙耳机的客户有哪些',
  '只买过蓝牙耳机的客户',
  '订单最多的客户的电话',
  '华东和华南哪个好',
  '上海百货1的负责人是谁',
  '国家是火星的客户',
  '电子类产品的毛利',
  '每个地区的客户有哪些',
  '有多少客户和产品',
  '漂亮的产品',
  '销售额和订单数',
  '华东的客户买过的电子产品的平均评分',
  '明天上海的天气怎么样',
  'Which unhappy customers are located in 华东?',
  'customers in other regions',
  'Who else supplies 蓝牙耳机?',
  'the color of Webcam HD',
  'revenue in 03/04/2025',
  'growth in August 2025 compared with July 2025',
  'median revenue',
  'revenue by supplier',
  'Which products did Alpine Dairy GmbH buy?',
  'customers who only bought Webcam HD',
  'products with the best reviews',
  'profit of Oak Chair in 2025',
  'Which suppliers have a phone?',
  'the credit limit of customers in Europe',
  'What is the weather?',
  'revenue and number of orders by region',
  'List the products of each supplier',
  'How many customers and products are there?',
  'beautiful products supplied by Siam Ceramics',
  'customers whose country is Mars',
];

describe('the suggestions of a refused question', () => {
  let test: TestApp;
  let post: (path: string, body: object) => Promise<any>;
  let graphId: number;
  beforeAll(async () => {
    test = await startTestApp({}, { own: true });
    const password = 'demo-Graph-2026';
    const { body } = await test.admin.put('/api/auth/password').send({ old_password: adminPassword, new_password: password }).expect(200);
    expect(await runDemo(test.url)).toMatchObject({ code: 0, stderr: '' });
    const authorization = `Bearer ${body.token}`;
    post = async (path, request) => (await test.anonymous.post(path).set('Authorization', authorization).send(request).expect(200)).body;
    graphId = (await test.anonymous.get('/api/graphs').set('Authorization', authorization).expect(200)).body.items[0].id;
  });
  afterAll(() => test.close());

  const ask = (question: string) => post(`/api/graphs/${graphId}/query`, { question, include: ['plan'] });

  it('are answered when they are sent back', async () => {
    const told: unknown[] = [];
    let suggested = 0;
    for (const question of refused) {
      const { plan, suggestions, status } = await ask(question);
      if (plan.kind !== 'search') told.push([question, 'is answered']);
      if (status !== 'succeeded') told.push([question, status]);
      for (const suggestion of suggestions) {
        suggested++;
        const answer = await ask(suggestion);
        if (answer.plan.kind === 'search' || answer.status !== 'succeeded') told.push([question, suggestion, answer.answer.text]);
        if (/[的和与在从,，、]\s*[?？]?$|^[的和与,，、]|\b(?:of|in|by|and|the|with|from)\s*[?]?$|\s{2}/i.test(suggestion))
          told.push([question, suggestion]);
      }
    }
    expect(told).toEqual([]);
    expect(suggested).toBeGreaterThan(refused.length);
  });

  it('go with a request that teaches an unknown word, which is taken as it is', async () => {
    for (const [question, word] of [
      ['价钱最高的产品', '价钱'],
      ['Which suppliers are in the 华东 zone?', 'zone'],
    ]) {
      const { warnings } = await ask(question!);
      const request = warnings.map((text: string) => /POST (\/api\/graphs\/\d+\/lexicon) (\{.*\})$/.exec(text)).find(Boolean);
      const body = JSON.parse(request[2]);
      expect(body.entries[0].synonyms).toEqual([word]);
      expect(await post(request[1], body)).toEqual({ added: 1, unchanged: 0 });
    }
  });
});
