import { SearchIndexBuilder } from './search-index-builder.js';
import { SearchIndex } from './search-index.js';

async function indexOf(
  nodes: { label?: string; labels?: string[]; key?: string; display: string; texts?: string[] }[],
): Promise<SearchIndex> {
  const builder = new SearchIndexBuilder();
  nodes.forEach((node, i) =>
    builder.add({
      id: i + 1,
      labels: [node.label ?? '产品', ...(node.labels ?? [])],
      key: node.key ?? `k${i + 1}`,
      display: node.display,
      texts: node.texts ?? [],
    }),
  );
  return new SearchIndex(await builder.build());
}
const names = async (displays: string[], index: Promise<SearchIndex>, text: string, limit = 10): Promise<string[]> =>
  (await (await index).search({ text, limit, offset: 0 })).hits.map(hit => displays[hit.id - 1] ?? '');

describe('SearchIndex', () => {
  const displays = ['朝阳区', '朝阳街道', '东朝阳镇', '海淀区', '朝阳', '阳朝乡'];
  const chinese = indexOf(displays.map(display => ({ display })));

  it('finds every name that contains the asked characters side by side, the exact one first', async () => {
    expect(await names(displays, chinese, '朝阳')).toEqual(['朝阳', '朝阳区', '朝阳街道', '东朝阳镇']);
  });

  it('finds a single Chinese character', async () => {
    expect(await names(displays, chinese, '淀')).toEqual(['海淀区']);
  });

  const products = ["Chef Anton's Cajun Seasoning", 'Königlich Bier', 'Chai', 'Chang', '华为 Mate 60 手机', 'Blauer See Delikatessen'];
  const mixed = indexOf(products.map((display, i) => ({ display, key: `P-${100 + i}` })));

  it.each([
    ['chai', 'Chai'],
    ['CHAI', 'Chai'],
    ['koniglich', 'Königlich Bier'],
    ['Königlich', 'Königlich Bier'],
    ['seasonning', "Chef Anton's Cajun Seasoning"],
    ['delikatesen', 'Blauer See Delikatessen'],
    ['delik', 'Blauer See Delikatessen'],
    ['华为手机', '华为 Mate 60 手机'],
    ['ｍａｔｅ', '华为 Mate 60 手机'],
    ['P-103', 'Chang'],
  ])('finds %s as %s', async (asked, expected) => {
    expect((await names(products, mixed, asked))[0]).toBe(expected);
  });

  it('says which spelling it corrected', async () => {
    expect((await (await mixed).search({ text: 'delikatesen', limit: 1, offset: 0 })).corrections).toEqual([
      { from: 'delikatesen', to: 'delikatessen' },
    ]);
  });

  it('finds nothing for a text that no node carries', async () => {
    expect(await (await mixed).search({ text: 'zzzzqqqq', limit: 5, offset: 0 })).toEqual({
      hits: [],
      total: 0,
      corrections: [],
      unread: 0,
    });
  });

  it('reports how many words it has left out', async () => {
    const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ');
    for (const [count, unread] of [
      [64, 0],
      [65, 1],
      [100, 36],
    ] as const)
      expect((await (await mixed).search({ text: words(count), limit: 1, offset: 0 })).unread).toBe(unread);
  });

  it('carries nothing over from one search to the next', async () => {
    const first = await (await mixed).search({ text: 'chef anton', limit: 5, offset: 0 });
    await (await mixed).search({ text: '华为', limit: 5, offset: 0 });
    expect(await (await mixed).search({ text: 'chef anton', limit: 5, offset: 0 })).toEqual(first);
  });

  it('finds codes by their beginning, the whole code first', async () => {
    const codes = ['11', '1101', '110101', '110105', '120101'];
    const index = indexOf(codes.map(key => ({ key, display: `区 ${key}` })));
    expect((await (await index).search({ text: '1101', limit: 9, offset: 0 })).hits.map(hit => codes[hit.id - 1])).toEqual([
      '1101',
      '110101',
      '110105',
    ]);
  });

  it('prefers the label that the query names and lists its nodes when nothing else is asked', async () => {
    const index = indexOf([
      { label: '供应商', display: '华为' },
      { label: '客户', display: '华为' },
      { label: '客户', labels: ['重点'], display: '中兴' },
    ]);
    const labelNames = new Map([['客户', '客户'], ['customer', '客户'], ['重点', '重点']]); // prettier-ignore
    expect((await (await index).search({ text: '客户 华为', limit: 5, offset: 0, labelNames })).hits.map(hit => hit.id)).toEqual([2, 1]);
    expect((await (await index).search({ text: 'Customer', limit: 5, offset: 0, labelNames })).hits.map(hit => hit.id)).toEqual([2, 3]);
    expect((await (await index).search({ text: '重点', limit: 5, offset: 0, labelNames })).hits).toMatchObject([{ id: 3, label: '客户' }]);
  });

  it('pages without gap or repetition over a large result', async () => {
    const many = indexOf(Array.from({ length: 5000 }, (_, i) => ({ display: `公司 ${i % 97} 号 ${'长'.repeat(i % 5)}` })));
    const page = async (number: number) =>
      (await (await many).search({ text: '公司', limit: 50, offset: number * 50 })).hits.map(hit => hit.id);
    const pages = (await Promise.all(Array.from({ length: 10 }, (_, number) => page(number)))).flat();
    expect(new Set(pages).size).toBe(500);
    expect(pages).toEqual((await (await many).search({ text: '公司', limit: 500, offset: 0 })).hits.map(hit => hit.id));
  });

  it('puts a display before others although it contains the name of its label', async () => {
    const displays = ['223 of 22 Order', 'Order 223 of 22', 'Order 223 of 221', '223 of 22'];
    const index = await indexOf(displays.map(display => ({ label: 'Order', display })));
    const labelNames = new Map([['order', 'Order']]);
    const { hits } = await index.search({ text: 'Order 223 of 22', limit: 4, offset: 0, labelNames });
    expect(hits.map(({ id, exact }) => [displays[id - 1], exact])).toEqual([
      ['Order 223 of 22', true],
      ['223 of 22', true],
      ['223 of 22 Order', false],
      ['Order 223 of 221', false],
    ]);
  });

  it('finds names by their sound behind names that are written so', async () => {
    const displays = ['北京', 'Beijing Duck', '背景', '南京'];
    const index = indexOf(displays.map(display => ({ display })));
    expect(await names(displays, index, 'beijing')).toEqual(['Beijing Duck', '北京', '背景']);
    expect(await names(displays, index, 'bj')).toEqual(['北京', '背景']);
  });

  it('takes traditional characters for simplified ones, on both sides', async () => {
    const displays = ['臺灣銀行', '台湾银行', '台北银行'];
    const index = indexOf(displays.map(display => ({ display })));
    for (const text of ['台湾银行', '臺灣銀行'])
      expect((await names(displays, index, text)).slice(0, 2).sort()).toEqual(['台湾银行', '臺灣銀行']);
  });

  it('finds other forms of an English word', async () => {
    const displays = ['The Company of Wolves', 'Old Movie', 'Companion'];
    const index = indexOf(displays.map(display => ({ display })));
    expect((await names(displays, index, 'companies'))[0]).toBe('The Company of Wolves');
    expect(await names(displays, index, 'movies')).toEqual(['Old Movie']);
  });

  it('finds a part in the middle of a word', async () => {
    expect(await names(products, mixed, 'ikates')).toEqual(['Blauer See Delikatessen']);
  });

  it('finds only nodes with one of the labels that are asked for, and those that are wanted', async () => {
    const index = await indexOf([
      { label: '供应商', display: '华为' },
      { label: '客户', display: '华为' },
      { label: '客户', labels: ['重点'], display: '华为技术' },
    ]);
    const search = { text: '华为', limit: 5, offset: 0 };
    expect((await index.search({ ...search, labels: new Set(['客户']) })).hits.map(({ id }) => id)).toEqual([2, 3]);
    expect(await index.search({ ...search, labels: new Set(['重点']) })).toMatchObject({ total: 1, hits: [{ id: 3 }] });
    expect(await index.search({ ...search, isWanted: id => id !== 2 })).toMatchObject({ total: 2, hits: [{ id: 1 }, { id: 3 }] });
  });

  it('looks up whole names, by display or key, whatever their case and punctuation', async () => {
    expect((await mixed).findByName('königlich  BIER', 5)).toEqual([{ id: 2, label: '产品', by: 'display' }]);
    expect((await mixed).findByName('p 103', 5)).toEqual([{ id: 4, label: '产品', by: 'key' }]);
    expect((await mixed).findByName('bier', 5)).toEqual([]);
  });
});
