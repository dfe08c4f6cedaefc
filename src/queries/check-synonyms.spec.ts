import { type SynonymKind } from '../questions/vocabulary.js';
import { checkSynonyms } from './check-synonyms.js';

const names = [
  { kind: 'label' as const, name: '客户', aliases: ['Customer'] },
  { kind: 'label' as const, name: '地区', aliases: ['Region'] },
  { kind: 'property' as const, name: '单价', aliases: [] },
  { kind: 'metric' as const, name: '销售额', aliases: ['revenue'] },
  { kind: 'dimension' as const, name: '地区', aliases: ['region'] },
];

const check = async (kind: SynonymKind, name: string, synonym: string, allow = false) => {
  const problems = await checkSynonyms(
    [{ kind, name, synonym, at: ['body'] }],
    names,
    [{ kind: 'label', name: '客户', synonym: '买家' }],
    allow,
  );
  return problems.map(({ type, text }) => `${type} ${text.en}`);
};

describe('checkSynonyms', () => {
  it.each([
    ['property', '单价', '价格'],
    ['label', '客户', '买家'],
    ['name', 'Volkswagen', '大众'],
    ['label', '地区', '大区'],
    ['label', '客户', 'customers'],
    ['label', '客户', '单据7'],
    ['name', 'Volkswagen', 'golf 7.5'],
  ] as const)('accepts %s %s: %s', async (kind, name, synonym) => {
    expect(await check(kind, name, synonym)).toEqual([]);
  });

  it.each([
    ['property', '单格', '价格', 'unknown_name', "nearest is '单价'"],
    ['metric', '单价', '价格', 'unknown_name', 'no metric'],
    ['property', '单价', '客户', 'lexicon_clash', "label '客户'"],
    ['property', '单价', 'REVENUE', 'lexicon_clash', "metric '销售额'"],
    ['property', '单价', '买家', 'lexicon_clash', "label '客户'"],
    ['metric', '销售额', '最多', 'question_word', '最多'],
    ['metric', '销售额', 'which', 'question_word', 'which'],
    ['label', '客户', '的', 'question_word', '的'],
    ['label', '客户', 'not in', 'question_word', "'not'"],
    ['name', 'Volkswagen', 'at least', 'question_word', "'at least'"],
    ['name', 'Volkswagen', '价格是7', 'question_word', "'是7'"],
    ['name', 'Volkswagen', 'price over 7', 'question_word', "'over 7'"],
  ] as const)('refuses %s %s: %s as %s', async (kind, name, synonym, type, words) => {
    expect(await check(kind, name, synonym)).toEqual([expect.stringMatching(new RegExp(`^${type} .*${words}`))]);
  });

  it('lets a clash through on request, but no word of questions', async () => {
    expect(await check('property', '单价', '客户', true)).toEqual([]);
    expect(await check('property', '单价', '最多', true)).toHaveLength(1);
  });

  it('passes over synonyms that the graph already has', async () => {
    const known = { kind: 'metric' as const, name: '销售额', synonym: '最多' };
    expect(await checkSynonyms([{ ...known, at: ['body'] }], names, [known], false)).toEqual([]);
    expect(await checkSynonyms([{ ...known, kind: 'name', at: ['body'] }], names, [known], true)).toHaveLength(1);
  });

  it('refuses a synonym that is long in its normal form, in which U+FDFA has eighteen characters', async () => {
    expect(await check('name', 'Volkswagen', 'x' + '\uFDFA'.repeat(8))).toEqual([expect.stringMatching(/^too_long .*145 characters/)]);
    expect(await check('name', 'Volkswagen', 'x' + '\uFDFA'.repeat(7))).toEqual([]);
  });

  it('finds clashes within one request', async () => {
    const both = ['客户', '地区'].map(name => ({ kind: 'label' as const, name, synonym: '对象', at: ['body'] }));
    expect(await checkSynonyms(both, names, [], false)).toMatchObject([{ type: 'lexicon_clash' }]);
  });
});
