import { CypherWriter, quoteName } from './cypher-writer.js';
import { type Hop } from './schema-paths.js';

const toOrder: Hop = { type: '下单', direction: 'out', from: '客户', to: '订单' };
const toSupplier: Hop = { type: '供应', direction: 'in', from: '产品', to: '供应商' };

describe('CypherWriter', () => {
  it('matches only the target when no path is added', () => {
    expect(new CypherWriter('客户').text('RETURN t')).toBe('MATCH (t:客户) RETURN t');
  });

  it('gives each path a MATCH of its own, and every node and edge a variable', () => {
    const writer = new CypherWriter('客户');
    expect([writer.addPath([toOrder, { ...toSupplier, from: '订单' }]), writer.addPath([toOrder])]).toEqual(['n2', 'n3']);
    expect(writer.text('RETURN t')).toBe(
      'MATCH (t:客户)-[r1:下单]->(n1:订单)<-[r2:供应]-(n2:供应商) MATCH (t:客户)-[r3:下单]->(n3:订单) RETURN t',
    );
  });

  it('holds values as parameters and joins conditions by AND', () => {
    const writer = new CypherWriter('客户');
    writer.where(`t.a = ${writer.parameter("' OR true //")}`);
    writer.where(`t.b = ${writer.parameter(2)}`);
    expect(writer.text('RETURN t')).toBe('MATCH (t:客户) WHERE t.a = $p1 AND t.b = $p2 RETURN t');
    expect(writer.parameters).toEqual({ p1: "' OR true //", p2: 2 });
  });

  it('knows the labels it passes and the edges it follows', () => {
    const writer = new CypherWriter('客户');
    writer.addPath([toOrder]);
    expect([writer.passes('订单'), writer.passes('产品'), writer.follows('下单'), writer.follows('供应')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([writer.variableOf('客户'), writer.variableOf('订单'), writer.variableOf('产品')]).toEqual(['t', 'n1', null]);
  });
});

describe('quoteName', () => {
  it.each([
    ['单价', '单价'],
    ['unit_price', 'unit_price'],
    ['unit price', '`unit price`'],
    ['2024', '`2024`'],
    ['Order', '`Order`'],
    ['a`b', '`a``b`'],
  ])('writes %s as %s', (name, quoted) => {
    expect(quoteName(name)).toBe(quoted);
  });
});
