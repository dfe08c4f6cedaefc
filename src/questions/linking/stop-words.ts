const englishWords =
  'a an the of is are was were be been do does did has have had in on at to for from with by and or as it its s t i me my our we us you your they them their there that this those these ' +
  'please show list give tell find get all any please how much many which what who whom whose when where can could would should will may about than then so but if each every per ' +
  'between during since made make makes come comes came located there value values number';

/** Words and phrases of questions that are not looked up. Chinese ones are cut out of runs without spaces. */
const chineseWords = [
  ...'请问 请 帮我 告诉我 列出 列举 显示 查询 查找 查一下 看看 给出 所有的 所有 全部 一共 总共 分别 都有 都是 都 是多少 多少 是什么 有什么 哪些 哪个 哪里 什么 怎么样 怎么 如何 以及 还有 其中 目前 现在 之间'.split(
    ' ',
  ),
  ...'和 与 及 的 了 呢 吗 吧 啊 是 有 在 里 中 内 上 下 过 被 由 从 到 对 类 既 但 为 于 把 将 给 个 家 位 名 条 件 款 种 区 我 你 他 其 那 这 年 月 日 号 共 等 所 也 或 并 且 得 地 着 来自'.split(
    ' ',
  ),
];

/** Verbs that name no relation of the graph alone. They are reported as not understood, but hide no name. */
const verbs = new Set(
  (
    '购买 买 买过 卖 卖过 销售 订购 采购 提供 生产 相关 关联 有关 涉及 使用 拥有 下 来 做 ' +
    'buy buys bought purchase purchases purchased order ordered sell sells sold provide provides provided related associated connected linked use uses used own owns generate generated earn earned achieve achieved'
  ).split(' '),
);

/** Tells whether a word that was not understood may be a name that limits the question. */
export function mayBeName(word: string): boolean {
  return (word.length > 1 || /\d/.test(word)) && !verbs.has(word);
}

const english = new Set(englishWords.split(' '));
const chinese = new RegExp([...chineseWords].sort((a, b) => b.length - a.length).join('|'), 'g');

export function isStopWord(word: string): boolean {
  return english.has(word) || word.replace(chinese, '') === '';
}

const placeVerbs = new Set('live lives lived living based'.split(' '));

/** Tells whether a verb only says where: `live` in `customers who live in Germany`, though a value may be spelt like it. */
export function saysOnlyWhere(text: string, start: number, end: number): boolean {
  return placeVerbs.has(text.slice(start, end)) && text.startsWith(' in ', end);
}

/** Cuts the stop words out of a stretch and returns the words that were not understood. */
export function withoutStopWords(text: string): string[] {
  return text
    .replace(chinese, ' ')
    .split(/\s+/)
    .filter(word => word !== '' && !isStopWord(word));
}
