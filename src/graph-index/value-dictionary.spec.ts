import { ValueDictionary, ValueDictionaryBuilder } from './value-dictionary.js';

async function dictionaryOf(values: [label: string, property: string, value: string][]): Promise<ValueDictionary> {
  const builder = new ValueDictionaryBuilder();
  for (const value of values) builder.add(...value);
  return new ValueDictionary(await builder.build());
}

describe('ValueDictionary', () => {
  it('finds the properties that hold a value, apart from case, marks and punctuation, each once', async () => {
    const dictionary = await dictionaryOf([
      ['客户', '国家', 'Côte d’Ivoire'],
      ['客户', '国家', 'Côte d’Ivoire'],
      ['供应商', '国家', 'Cote d-Ivoire'],
    ]);
    expect(dictionary.find('COTE D IVOIRE')).toEqual([
      { label: '客户', property: '国家', value: 'Côte d’Ivoire' },
      { label: '供应商', property: '国家', value: 'Cote d-Ivoire' },
    ]);
    expect(dictionary.find('Ivoire')).toEqual([]);
  });

  it('lists no property that has more than 2,000 values, and no value that is empty or longer than 80', async () => {
    const many = (count: number, property: string) =>
      Array.from({ length: count }, (_, i) => ['产品', property, `v${i}`] as [string, string, string]);
    const long = 'x'.repeat(81);
    const dictionary = await dictionaryOf([...many(2_000, '类别'), ...many(2_001, '名称'), ['产品', '备注', long], ['产品', '备注', '']]);
    expect(dictionary.find('v7').map(({ property }) => property)).toEqual(['类别']);
    expect([dictionary.find(long), dictionary.find('')]).toEqual([[], []]);
  });

  it('knows no value that more than a thousand properties hold, and tells what its values take', async () => {
    const builder = new ValueDictionaryBuilder();
    for (let i = 0; i < 1_001; i++) builder.add('表', `列${i}`, 'Y');
    for (let i = 0; i < 1_000; i++) builder.add('表', `列${i}`, 'N');
    for (let i = 0; i < 3_000; i++) builder.add('表', '名称', `n${i}`);
    expect(builder.bytes).toBe(2_001 * 102);
    const dictionary = new ValueDictionary(await builder.build());
    expect([dictionary.find('y').length, dictionary.find('n').length]).toEqual([0, 1_000]);
  });
});
