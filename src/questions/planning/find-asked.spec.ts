import { linked } from '../../../test/support/question-world.js';
import { languageOf } from '../../text/language.js';
import { readTerms } from '../linking/read-terms.js';
import { findAsked } from './find-asked.js';
import { schemaWords } from './schema-word.js';

const asked = async (question: string) => {
  const found = await linked(question);
  const { text, whichs, counts, entities } = readTerms(found);
  const named = entities.map(({ mention }) => mention);
  const { word, type } = findAsked(text, [...whichs, ...counts], schemaWords(text, found.mentions), named, languageOf(question));
  return [word?.mention.text ?? null, type];
};

describe('findAsked', () => {
  it.each([
    ['Which products does Exotic supply?', 'products', 'what'],
    ['Which supplier supplies Chai?', 'supplier', 'what'],
    ['what are the unit prices of Chai', 'unit prices', 'what'],
    ['Who are the suppliers of Chai', 'suppliers', 'who'],
    ['Who supplied Chai', null, 'who'],
    ['When did Alfreds place orders', null, 'when'],
    ['what did Exotic supply', null, 'what'],
    ['how many products does Exotic supply', 'products', 'what'],
    ['products supplied by Exotic', 'products', null],
    ['the customers whose orders contain Chai', 'customers', null],
    ['哪些产品由Exotic供应', '产品', 'what'],
    ['Exotic供应的产品有哪些', '产品', 'what'],
    ['订单最多的客户是谁', '客户', null],
    ['谁供应了Chai', null, 'who'],
    ['有多少位于华东的客户', '客户', 'what'],
    ['Exotic供应的产品', '产品', null],
  ])('%s: asks for %s, and the question word for %s', async (question, word, type) => {
    expect(await asked(question)).toEqual([word, type]);
  });
});
