import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

/** Some relations are named after the person at one end, such as `has beneficiary` and 主管. Three relations join a label with itself. */
const { ask } = aWorld({
  labels: [
    namedLabel('Customer', ['客户'], [['gender', 'string'], ['city', 'string', '城市'], ['vip', 'boolean', 'VIP'], ['email', 'string', '邮箱']]),
    namedLabel('Agent', ['代理人'], [['gender', 'string'], ['licensed', 'boolean']]),
    namedLabel('Policy', ['保单'], [['premium', 'int', '保费'], ['status', 'string', '状态'], ['end date', 'date']]),
    namedLabel('Vehicle', ['car', '车', '汽车'], [['color', 'string', '颜色'], ['brand', 'string']]),
    namedLabel('Payment', ['缴费'], [['amount', 'int', '金额'], ['method', 'string'], ['overdue', 'boolean', '逾期']]),
    namedLabel('Product', ['产品'], []),
  ],
  edges: [
    edge('holds', ['持有', 'held', 'policyholder'], 'Customer', 'Policy'),
    edge('insures', ['被保险人', 'insured person'], 'Policy', 'Customer'),
    edge('has beneficiary', ['受益人', 'beneficiary'], 'Policy', 'Customer'),
    edge('owns', ['车主', 'owner'], 'Customer', 'Vehicle'),
    edge('sold', ['卖', '销售'], 'Agent', 'Policy'),
    edge('supervises', ['主管'], 'Agent', 'Agent'),
    edge('reports to', ['supervised by'], 'Product', 'Product'),
    edge('referred', ['推荐'], 'Customer', 'Customer'),
    edge('paid for', ['支付'], 'Payment', 'Policy'),
    edge('certified for', [], 'Agent', 'Product'),
    edge('belongs to', [], 'Policy', 'Product'),
  ],
  toOne: { outgoing: ['paid for', 'belongs to'], incoming: ['holds', 'sold', 'owns', 'supervises', 'referred'] },
  names: { Customer: ['高静', '马磊'], Agent: ['张涛', 'Frank Evans'], Policy: ['PL7'], Product: ['Alpha'] },
  values: {
    Customer: { gender: ['female'], city: ['北京', 'London'] },
    Agent: { gender: ['female'] },
    Vehicle: { color: ['white', '白色'], brand: ['BMW'] },
    Payment: { method: ['Alipay', '微信'] },
  },
}); // prettier-ignore

describe('questions about an insurance company', () => {
  const held = 'MATCH (t:Policy)<-[r1:holds]-(n1:Customer)';
  it.each([
    ['policies held by vip customers', `${held} WHERE n1.vip = $p1`],
    ['policies held by vip female customers', `${held} WHERE n1.vip = $p1 AND n1.gender = $p2`],
    ['policies sold by licensed agents', 'MATCH (t:Policy)<-[r1:sold]-(n1:Agent) WHERE n1.licensed = $p1'],
    ['北京的VIP', 'MATCH (t:Customer) WHERE t.city = $p1 AND t.vip = $p2'],
    ['没有邮箱的VIP客户', 'MATCH (t:Customer) WHERE t.vip = $p1 AND t.email IS NULL'],
    ['products certified for by licensed agents', 'MATCH (t:Product)<-[r1:`certified for`]-(n1:Agent) WHERE n1.licensed = $p1'],
  ])('%s: takes a boolean beside a noun for a limit', async (question, cypher) => {
    expect(await ask(question)).toContain(`${cypher} RETURN DISTINCT t ORDER BY t.name`);
  });

  it.each([
    ['张涛的主管是谁？', '(t:Agent)-[r1:supervises]->(n1:Agent)'],
    ['谁是张涛的主管', '(t:Agent)-[r1:supervises]->(n1:Agent)'],
    ['主管是张涛的代理人', '(t:Agent)<-[r1:supervises]-(n1:Agent)'],
    ['张涛主管哪些代理人', '(t:Agent)<-[r1:supervises]-(n1:Agent)'],
    ['张涛是Frank Evans的主管吗？', '(t:Agent)<-[r1:supervises]-(n1:Agent)'],
    ['没有主管的代理人有哪些？', 'NOT EXISTS { MATCH (t:Agent)<-[:supervises]-(n1:Agent) }'],
    ['没有被推荐的客户有多少', 'NOT EXISTS { MATCH (t:Customer)<-[:referred]-(n1:Customer) }'],
    ['customers that were never referred', 'NOT EXISTS { MATCH (t:Customer)<-[:referred]-(n1:Customer) }'],
    ['Customers not referred', 'NOT EXISTS { MATCH (t:Customer)<-[:referred]-(n1:Customer) }'],
    ['高静是谁推荐的？', '(t:Customer)-[r1:referred]->(n1:Customer)'],
    ['高静是马磊推荐的吗？', '(t:Customer)-[r1:referred]->(n1:Customer)'],
    ['By whom was 高静 referred?', '(t:Customer)-[r1:referred]->(n1:Customer)'],
    ['Which products are supervised by Alpha?', '(t:Product)-[r1:`reports to`]->(n1:Product)'],
    ['Which product supervises Alpha?', '(t:Product)<-[r1:`reports to`]-(n1:Product)'],
  ])('%s: tells who does it from whom it is done to', async (question, pattern) => {
    expect(await ask(question)).toContain(pattern);
  });

  it.each([
    ['beneficiaries in London', 'MATCH (t:Customer)<-[r1:`has beneficiary`]-(n1:Policy) WHERE t.city = $p1'],
    ['female beneficiaries', 'MATCH (t:Customer)<-[r1:`has beneficiary`]-(n1:Policy) WHERE t.gender = $p1'],
    ['insured persons from 北京', 'MATCH (t:Customer)<-[r1:insures]-(n1:Policy) WHERE t.city = $p1'],
    ['owners of white cars', 'MATCH (t:Customer)-[r1:owns]->(n1:Vehicle) WHERE n1.color = $p1'],
    ['白色汽车的车主', 'MATCH (t:Customer)-[r1:owns]->(n1:Vehicle) WHERE n1.color = $p1'],
    ['female car owners', 'MATCH (t:Customer)-[r1:owns]->(n1:Vehicle) WHERE t.gender = $p1'],
    ['Which customers hold the most policies?', 'MATCH (t:Customer)-[r1:holds]->(n1:Policy) RETURN t, count'],
  ])('%s: asks for those whom the relation names', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ['Alipay支付的缴费有多少笔', 'MATCH (t:Payment)-[r1:`paid for`]->(n1:Policy) WHERE t.method = $p1'],
    ['payments paid by Alipay', 'WHERE t.method = $p1'],
    ['overdue payments for PL7', 'MATCH (t:Payment)-[r1:`paid for`]->(n1:Policy) WHERE'],
    ['高静持有的保单的被保险人有哪些', '(t:Customer)<-[r1:insures]-(n1:Policy)<-[r2:holds]-(n2:Customer) WHERE n2.number = $p1 RETURN'],
    ['张涛没有卖过哪些保单', 'MATCH (t:Policy)<-[r1:sold]-(n1:Agent) WHERE NOT (n1.number = $p1)'],
    ['customers holding between 4 and 5 policies', 'WHERE n >= $p1 AND n <= $p2 RETURN t, n'],
  ])('%s: limits what it says, and nothing else', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ["Isn't 张涛 licensed?", /without a negation/],
    ['What share of policies are overdue?', /share cannot be computed/],
    ['Whose policy is PL7?', /which property "whose" asks for/],
    ['expired policies', /unknown|only belongs to the date/],
    ['customers with policies over 20000', /the number of "policies" is compared or what they cost/],
    ['Show policies and their customers', /side by side/],
  ])('%s: is refused and not answered as another question', async (question, reason) => {
    expect(await ask(question)).toMatch(reason);
  });

  it.each([
    '所有缴费都逾期的保单', '缴费全部逾期的保单', '持有所有保单的客户', '持有过每张保单的客户', 'Policies whose payments are all overdue',
    'Customers who hold all policies', 'Policies where every payment is overdue', 'Agents certified for with all products', 'Products with all agents',
  ])('%s: is not answered for any of them', async question => {
    expect(await ask(question)).toMatch(/about all of them|with all of them/);
  }); // prettier-ignore

  it.each(['List all customers', '所有客户', '全部逾期的缴费', '客户都有哪些？', 'VIP客户持有的所有保单', '张涛卖的所有保单'])(
    '%s: says only how far the list goes',
    async question => {
      expect(await ask(question)).toMatch(/^MATCH/);
    },
  );
});
