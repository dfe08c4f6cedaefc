import { termsOf } from '../../../test/support/question-world.js';
import { whyNegated } from './negation.js';

describe('applyNegations', () => {
  it.each([
    ['华东的客户', []],
    ['不在华东的客户', ['华东']],
    ['不在华东和华南的客户', ['华东', '华南']],
    ['在华南但不在华东的客户', ['华东']],
    ['华东以外的客户', ['华东']],
    ['华东、华南以外的客户', ['华东', '华南']],
    ['非饮料类产品', ['饮料']],
    ['customers outside 华东', ['华东']],
    ['products not supplied by Exotic', ['exotic']],
  ])('%s: excludes %j and leaves no negation over', async (question, excluded) => {
    const { entities, values, negations } = await termsOf(question);
    expect([...entities, ...values].filter(({ negated }) => negated).map(({ mention }) => mention.text)).toEqual(excluded);
    expect(negations).toEqual([]);
  });

  it.each([
    ['没有订单的客户', '没有'],
    ['customers without orders', 'without'],
    ['只在华东的客户', '只'],
    ['orders not in 2025', 'not'],
  ])('%s: excludes nothing, and %s is left over', async (question, word) => {
    const { entities, values, negations } = await termsOf(question);
    expect([...entities, ...values].some(({ negated }) => negated)).toBe(false);
    expect(negations.map(({ text }) => text)).toEqual([word]);
  });
});

describe('whyNegated', () => {
  it('names the negations that exclude nothing, in both languages', async () => {
    const reason = whyNegated(await termsOf('customers without orders'));
    expect(reason).toEqual({ zh: expect.stringContaining('“without”'), en: expect.stringContaining('"without"') });
  });

  it('is null when there are none', async () => {
    expect(whyNegated(await termsOf('不在华东的客户'))).toBeNull();
  });
});
