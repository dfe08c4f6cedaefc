import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

/** A clinic. A visit has one doctor, who works in one department. */
const { ask } = aWorld({
  labels: [
    namedLabel('Patient', ['病人'], [['age', 'int', '年龄'], ['birth_date', 'date', '出生日期'], ['birth_year', 'int', '出生年份']]),
    namedLabel('Doctor', ['医生'], [['salary', 'decimal(10,2)', '工资'], ['hired_on', 'date', 'hire date', '入职日期']]),
    namedLabel('Drug', ['药品'], [['price', 'decimal(10,2)', '价格'], ['dose_mg', 'int', 'dose', '剂量'], ['category', 'string', '类别']]),
    namedLabel('Visit', ['就诊'], []),
    namedLabel('Department', ['科室'], []),
  ],
  edges: [
    edge('treated_by', ['接诊医生'], 'Visit', 'Doctor'),
    edge('visit_of', ['就诊人'], 'Visit', 'Patient'),
    edge('prescribed', ['开具'], 'Visit', 'Drug'),
    edge('works_in', ['任职于'], 'Doctor', 'Department'),
  ],
  toOne: { outgoing: ['treated_by', 'visit_of', 'works_in'], incoming: [] },
  names: { Department: ['Cardiology'] },
}); // prettier-ignore

describe('words of time and of price', () => {
  it.each([
    ['patients by age, newest first', 'newest first', 'age'],
    ['病人按年龄从旧到新', '从旧到新', '年龄'],
    ['医生按工资从早到晚', '从早到晚', '工资'],
    ['drugs sorted by category, latest first', 'latest first', 'category'],
    ['doctors by salary, cheapest first', 'cheapest first', 'salary'],
    ['doctors sorted by hire date, most expensive first', 'most expensive first', 'hire date'],
  ])('%s: do not order another column', async (question, order, property) => {
    expect(await ask(question)).toBe(`refused: "${order}" does not order "${property}"; say "from high to low" or "from low to high"`);
  });

  it.each([
    ['patients by birth date, oldest first', 'birth_date'],
    ['patients by birth date, newest first', 'birth_date IS NULL, birth_date DESC'],
    ['patients by birth year, oldest first', 'birth_year'],
    ['病人按出生日期从早到晚', 'birth_date'],
    ['病人按出生年份从新到旧', 'birth_year IS NULL, birth_year DESC'],
    ['patients by age, largest first', 'age IS NULL, age DESC'],
    ['patients sorted by age, oldest first', 'age IS NULL, age DESC'],
    ['patients by age, old first', 'age IS NULL, age DESC'],
    ['病人按年龄从大到小', 'age IS NULL, age DESC'],
    ['drugs by price, cheapest first', 'price'],
    ['drugs by price, most expensive first', 'price IS NULL, price DESC'],
    ['价格由低至高的药品', 'price'],
    ['药品按价格由高至低', 'price IS NULL, price DESC'],
  ])('%s: order a column of their kind by %s', async (question, order) => {
    expect(await ask(question)).toContain(` ORDER BY ${order}, t.name`);
  });
});

describe('a second key', () => {
  it.each([
    'drugs sorted by price and dose',
    'drugs sorted by price, dose',
    'drugs sorted by price then category',
    'drugs by price and category',
    'drugs in descending order of price and dose',
    '价格和剂量从高到低的药品',
    'doctors sorted by salary and department',
    '医生按工资和科室排序',
    '按价格和剂量排序的药品',
    'drugs sorted by price, then by dose',
  ])('%s: is not left out', async question => {
    expect(await ask(question)).toMatch(/^refused: (?:A list is sorted by one property|It is not clear by what)/);
  });

  it.each([
    ['drugs sorted by price with their dose', 't.price AS price, t.dose_mg AS dose_mg ORDER BY price, t.name'],
    ['list drugs and their dose sorted by price', 't.dose_mg AS dose_mg, t.price AS price ORDER BY price, t.name'],
    ['按价格降序列出药品的剂量', 't.price AS price, t.dose_mg AS dose_mg ORDER BY price IS NULL, price DESC, t.name'],
    ['doctors in Cardiology sorted by salary', 't.salary AS salary ORDER BY salary, t.name'],
  ])('%s: has one key', async (question, returned) => {
    expect(await ask(question)).toContain(returned);
  });

  it('is not the property beside "sorted"', async () => {
    expect(await ask('drugs with price and dose sorted by price')).toMatch(/^refused: It is not clear by what "sorted" sorts/);
  });
});

describe('the direction of a ranking', () => {
  it.each([
    ['rank doctors by salary', 'salary IS NULL, salary DESC'],
    ['doctors ranked by salary', 'salary IS NULL, salary DESC'],
    ['rank doctors by salary in ascending order', 'salary'],
    ['sort doctors by salary', 'salary'],
    ['按工资排序的医生', 'salary'],
  ])('%s: is %s', async (question, order) => {
    expect(await ask(question)).toContain(` ORDER BY ${order}, t.name`);
  });
});

describe('counts in an order', () => {
  it.each([
    'number of visits by doctor in descending order',
    'number of visits by doctor, highest first',
    '各医生的就诊数从高到低',
    '各医生的就诊数降序',
  ])('%s: begin with the highest', async question => {
    expect(await ask(question)).toContain('RETURN t, count(DISTINCT n1) AS n ORDER BY n DESC, t.name');
  });

  it.each([
    ['number of visits by doctor in ascending order', '"in ascending order"'],
    ['number of visits by doctor, newest first', '"newest first"'],
    ['number of visits by doctor in descending order of salary', '"in descending order", "salary"'],
    ['number of visits in descending order by doctor', '"in descending order"'],
    ['各医生的就诊数从低到高', '"从低到高"'],
    ['各医生的就诊数按医生降序', '"降序", "按"'],
  ])('%s: have no other order', async (question, words) => {
    expect(await ask(question)).toBe(`refused: ${words} cannot be answered together with the rest of the question; ask apart`);
  });
});

describe('the number of other things as a key', () => {
  it.each(['医生按就诊数从多到少', '医生按就诊数量降序', '科室按医生数排序'])('%s: is not a group', async question => {
    expect(await ask(question)).toMatch(/^refused: It is not clear how "按(?:就诊|医生)数量?" orders the answer/);
  });

  it.each(['doctors by visits in descending order', 'departments by doctors, largest first'])('%s: is not a group', async question => {
    expect(await ask(question)).toMatch(/^refused: ".*" cannot be answered together with the rest of the question; ask apart/);
  });

  it.each(['visits by doctor, largest first', 'visits per doctor in descending order', '按医生统计就诊数，从多到少'])(
    '%s: has a group',
    async question => {
      expect(await ask(question)).toMatch(/^MATCH \(t:Doctor\) OPTIONAL MATCH .* RETURN t, count\(DISTINCT n1\) AS n ORDER BY n DESC/);
    },
  );
});

describe('"order" beside a label of this name', () => {
  const shop = aWorld({
    labels: [
      namedLabel('Product', ['产品'], [['price', 'decimal(10,2)', '价格']]),
      namedLabel('Order', ['订单'], [['freight', 'decimal(10,2)', '运费']]),
      namedLabel('Supplier', ['供应商'], []),
      namedLabel('Customer', ['客户'], []),
    ],
    edges: [
      edge('ordered', ['订购'], 'Customer', 'Product'),
      edge('contains', ['包含'], 'Order', 'Product'),
      edge('supplied_by', ['供应'], 'Product', 'Supplier'),
    ],
    toOne: { outgoing: ['supplied_by'], incoming: [] },
    names: { Supplier: ['Exotic'], Order: ['10248'], Customer: ['Alfreds'], Product: [] },
  }); // prettier-ignore

  it.each([
    ['products in descending price order', 'price IS NULL, price DESC'],
    ['order products by price descending', 'price IS NULL, price DESC'],
    ['Order the products by price', 'price'],
    ['products in order of price', 'price'],
    ['products ordered by price', 'price'],
  ])('%s: sorts', async (question, order) => {
    expect(await shop.ask(question)).toBe(`MATCH (t:Product) RETURN DISTINCT t, t.price AS price ORDER BY ${order}, t.name`);
  });

  it.each(['products of Exotic in descending price order', '产品按价格从高到低，供应商是Exotic'])(
    '%s: sorts what is limited',
    async question => {
      expect(await shop.ask(question)).toBe(
        'MATCH (t:Product)-[r1:supplied_by]->(n1:Supplier) WHERE n1.number = $p1 RETURN DISTINCT t, t.price AS price ORDER BY price IS NULL, price DESC, t.name',
      );
    },
  );

  it.each([
    ['orders ordered by freight', 'MATCH (t:`Order`) RETURN DISTINCT t, t.freight AS freight ORDER BY freight, t.name'],
    ['products ordered by Alfreds', 'MATCH (t:Product)<-[r1:ordered]-(n1:Customer)'],
    ['products in order 10248', 'MATCH (t:Product)<-[r1:`contains`]-(n1:`Order`)'],
    ['order 10248', 'MATCH (t:`Order`) WHERE t.number = $p1'],
  ])('%s: keeps the label', async (question, cypher) => {
    expect(await shop.ask(question)).toContain(cypher);
  });
});

describe('a span of numbers before its unit', () => {
  it.each([
    ['价格5到10元的药品', 't.price >= $p1 AND t.price <= $p2'],
    ['价格5-10元的药品', 't.price >= $p1 AND t.price <= $p2'],
    ['年龄在20和30岁之间的病人', 't.age >= $p1 AND t.age <= $p2'],
    ['年龄20到30岁的病人', 't.age >= $p1 AND t.age <= $p2'],
  ])('%s: bounds the property', async (question, condition) => {
    expect(await ask(question)).toContain(` WHERE ${condition} RETURN`);
  });

  it.each([
    ['5到10元的药品', 'refused: It is not clear what "5到10" compares'],
    ['年龄5到10元的病人', 'refused: "年龄" is in year and cannot be compared in "元"; give the number in year'],
    ['价格10到5元的药品', 'unknown: '],
    ['价格5到10的药品', 'unknown: '],
  ])('%s: is not guessed', async (question, reason) => {
    expect(await ask(question)).toContain(reason);
  });
});

describe('what stands behind the key', () => {
  it.each(['doctors sorted by salary and works in Cardiology', 'doctors by salary, works in Cardiology'])(
    '%s: a relation with a name is no key',
    async question => {
      expect(await ask(question)).toContain('ORDER BY salary');
    },
  );

  it('is not ranked by letters from the last', async () => {
    expect(await ask('rank drugs by category')).toContain('ORDER BY category, t.name');
  });
});
