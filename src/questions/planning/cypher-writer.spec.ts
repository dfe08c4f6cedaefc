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

  it('counts what meets all conditions but those on a date that is missing', () => {
    const ofOrder = { variable: 'n1', owner: 'node', ownerName: '订单', property: '下单日期' } as const;
    const writer = new CypherWriter('客户');
    writer.addPath([toOrder]);
    expect(writer.undated()).toBeNull();
    writer.where('t.国家 = $p1');
    writer.whereDated('n1.下单日期 IS NOT NULL', ofOrder, 'period');
    expect(writer.undated()).toEqual({
      cypher: 'MATCH (t:客户)-[r1:下单]->(n1:订单) WHERE t.国家 = $p1 AND n1.下单日期 IS NULL RETURN count(DISTINCT n1) AS n',
      owner: 'node',
      ownerName: '订单',
      property: '下单日期',
    });
    writer.whereDated('n1.下单日期 >= $p2', ofOrder, 'limit');
    expect(writer.undated()?.cypher).toContain(' WHERE t.国家 = $p1 AND (n1.下单日期 >= $p2) IS NULL RETURN');
    writer.whereDated('t.生日 >= $p3', { variable: 't', owner: 'node', ownerName: '客户', property: '生日' }, 'limit');
    expect(writer.undated()).toBeNull();
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
