import { loans } from '../../../test/support/loan-world.js';

const { ask } = loans;

describe('numbers with a unit', () => {
  it.each([
    ['重量大于100公斤的文物', 't.weight_kg > $p1'],
    ['重量大于100千克的文物有多少', 't.weight_kg > $p1'],
    ['重量100公斤以上的文物', 't.weight_kg >= $p1'],
    ['artifacts with weight over 100 kg', 't.weight_kg > $p1'],
    ['页数超过20页的论文', 't.pages > $p1'],
    ['papers with more than 20 pages', 't.pages > $p1'],
    ['重量大于100的文物', 't.weight_kg > $p1'],
    ['估价超过8000元的文物', 't.value > $p1'],
    ['估价超过¥8000的文物', 't.value > $p1'],
    ['artifacts with value over 8000 yuan', 't.value > $p1'],
    ['重量为5公斤的文物', 't.weight_kg = $p1'],
    ['artifacts whose weight is 5 kg', 't.weight_kg = $p1'],
    ['重量在5到10公斤之间的文物', 't.weight_kg >= $p1 AND t.weight_kg <= $p2'],
    ['artifacts with weight between 5 kg and 10 kg', 't.weight_kg >= $p1 AND t.weight_kg <= $p2'],
    ['artifacts with weight between 5 and 10', 't.weight_kg >= $p1 AND t.weight_kg <= $p2'],
    ['保额超过5的文物', 't.insured_meur > $p1'],
  ])('%s: compares in the unit that the property tells', async (question, condition) => {
    expect(await ask(question)).toContain(condition);
  });

  it.each([
    ['重量超过0.1吨的文物', 'refused: "重量" is in kg and cannot be compared in "吨"; give the number in kg'],
    ['重量低于5000克的文物有多少', 'refused: "重量" is in kg and cannot be compared in "克"; give the number in kg'],
    ['重量100克以上的文物', 'refused: "重量" is in kg and cannot be compared in "克"; give the number in kg'],
    ['artifacts with weight over 0.1 tonnes', 'refused: "weight" is in kg and cannot be compared in "tonnes"; give the number in kg'],
    [
      '面积大于1000平方米的博物馆',
      'refused: The name of "面积" does not tell its unit, so it cannot be compared in "平方米"; leave out "平方米" to compare the stored numbers',
    ],
    [
      '面积超过5公里的博物馆',
      'refused: The name of "面积" does not tell its unit, so it cannot be compared in "公里"; leave out "公里" to compare the stored numbers',
    ],
    [
      '保额超过500万的文物',
      'refused: The numbers of "保额" are in "meur"; give the number in it, without a unit or a word such as "million"',
    ],
    [
      '保额超过5欧元的文物',
      'refused: The numbers of "保额" are in "meur"; give the number in it, without a unit or a word such as "million"',
    ],
    [
      'artifacts with 保额 above 5 million',
      'refused: The numbers of "保额" are in "meur"; give the number in it, without a unit or a word such as "million"',
    ],
    ['重量在5到10吨之间的文物', 'refused: "重量" is in kg and cannot be compared in "吨"; give the number in kg'],
    [
      'artifacts with weight between 5 and 10 tonnes',
      'refused: "weight" is in kg and cannot be compared in "tonnes"; give the number in kg',
    ],
    [
      'artifacts with weight between 5 kg and 10 tonnes',
      'refused: "weight" is in kg and cannot be compared in "kg/tonnes"; give the number in kg',
    ],
    ['重量为5吨的文物', 'refused: "重量" is in kg and cannot be compared in "吨"; give the number in kg'],
    ['artifacts whose weight is 5 tonnes', 'refused: "weight" is in kg and cannot be compared in "tonnes"; give the number in kg'],
    [
      '估价超过$8000的文物',
      'refused: The name of "估价" does not tell its unit, so it cannot be compared in "$"; leave out "$" to compare the stored numbers',
    ],
    [
      'artifacts with value over €500',
      'refused: The name of "value" does not tell its unit, so it cannot be compared in "€"; leave out "€" to compare the stored numbers',
    ],
    [
      'artifacts with value between £500 and £800',
      'refused: The name of "value" does not tell its unit, so it cannot be compared in "£"; leave out "£" to compare the stored numbers',
    ],
    ['artifacts with weight over $100', 'refused: "weight" is in kg and cannot be compared in "$"; give the number in kg'],
    ['文物超过3吨的博物馆', 'refused: "文物" is compared by number, not in "吨"; name a property, or leave out "吨"'],
  ])('%s: is refused by the unit', async (question, refused) => {
    expect(await ask(question)).toBe(refused);
  });
});

describe('degrees', () => {
  it.each(['How public is Harbor Museum?', 'Harbor Museum有多公立'])('%s: is refused for a property that is no amount', async question => {
    expect(await ask(question)).toMatch(/^(?:refused: "public" is not an amount|unknown: 多)/);
  });

  it.each(['Is Harbor Museum public?', 'How many museums are public?', 'Harbor Museum是公立的吗'])('%s: is answered', async question => {
    expect(await ask(question)).toMatch(/^MATCH/);
  });
});
