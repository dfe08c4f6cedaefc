/** English words without content of their own: the usual list of stop words, and words with which questions begin. */
const englishWords =
  'a an the this that these those such here there i me my mine we us our you your he him his she her it its they them their one ones ' +
  'am is are was were be been being do does did done doing has have had having can could will would shall should might must s t re ve ll d m ' +
  'of in on at to for from with by as into onto upon within under through during between among across along per via towards ' +
  'and or nor but so then because while though although also too else either whether each every any all some both everything anything ' +
  'what which who whom whose when where why how much many few more less please show list give tell find get name know see want need like let ' +
  'us out up down off again now just very really already ever well value values number exactly actually currently';

/** Verbs of general use. Such a verb alone names neither a relation nor a node. The answer passes over it with a note. */
const lightVerbs =
  'make makes made come comes came go goes went fall falls fell happen happens happened involve involves involved deal deals concern concerns ' +
  'list listed lists call called calls refer referred consider considered think live lives lived living locate located based related associated connected linked ' +
  'applicable use uses used own owns owned generate generated earn earned achieve achieved work works worked share shares shared collaborate collaborated cooperate cooperated ' +
  'buy buys bought purchase purchases purchased sell sells sold provide provides provided exist exists available given about regarding';

/** Adjectives and nouns that are too vague to limit an answer. The answer passes over them with a note. */
const vagueWords =
  'primary different various particular specific other others another corresponding respective ' +
  'following same together fellow common alongside whole entire total overall thing things stuff sort information details data kind kinds time times';

/** Chinese words and phrases of questions that are not looked up. They are cut out of text without spaces. */
const chineseWords = [
  ...'请问 请 帮我 告诉我 我想知道 我想了解 想知道 想了解 列出 列举 显示 查询 查找 统计 查一下 看看 给出 所有的 所有 全部 一共 总共 分别 都有 都是 都 当前 那么 让我们 让我 叫什么 叫啥 共计 那边 这边 名录 名单 列表 清单 有何 是多少 多少 是什么 有什么 哪些 哪个 哪里 什么 怎么样 怎么 如何 以及 还有 其中 目前 现在 之间'.split(
    ' ',
  ),
  ...'同时 下面 上面 里面 以下 以上 另外 另 还 呀 嘛 吧 请 想 要 能 会 可以 就 都 只是 一下 一些 有些 有关于 关于 通过 属于 曾经 曾 已经 已 正在 分布 当中 当 或者 和 与 及 的 了 呢 吗 吧 啊 是 有 在 里 中 内 上 下 过 被 由 从 到 对 类 既 但 为 于 把 将 给 个 家 位 名 条 件 款 种 区 我 你 他 其 那 这 年 月 日 号 共 等 所 也 或 并 且 得 地 着 来自'.split(
    ' ',
  ),
];

/** Words that compare or choose. They do not name a node, but change the answer, so they are never passed over. */
const weightyWords =
  'more less fewer than greater better worse higher lower larger smaller bigger longer shorter earlier later older newer if before after ' +
  'first last latest earliest recent recently new old next previous similar still yet again always sometimes often rarely usually mostly ' +
  'famous known popular certain even once few many several half exactly just one';
const weighty = new Set([
  ...weightyWords.split(' '),
  ...'比多少高低大小更较快慢早晚新旧远近长短只最超足达零一二两三四五六七八九十百千万亿',
]);

const chineseLight =
  '看 住 居住 购买 买 买过 卖 卖过 销售 订购 采购 提供 生产 相关 关联 有关 涉及 使用 拥有 下 来 做 不同 其他 其它 同样 相同 共同 一起 合作'.split(
    ' ',
  );
const light = new Set([...lightVerbs.split(' '), ...vagueWords.split(' '), ...chineseLight]);

/** Single Chinese characters that limit nothing: determiners, prepositions, measure words and sounds. */
const particles = new Set(
  '该此本我们咱俺您它她这那些种类总求列说问查找看算共既且还便均皆曾并亦即啥现留填向跟替往叫哦哈呐咯呗嗯噢啦哇诶欸哟呵哎唉嘞喽哩帮谢值量次只台辆艘架支张头笔份套批座间项',
);

/**
 * Whether an unknown word makes the service refuse the question. Every unknown word does, except the words in `light` and `particles`: an
 * answer that ignored a name or a condition would answer another question.
 */
export function carriesMeaning(word: string): boolean {
  return !light.has(word) && !particles.has(word);
}

/** Whether a character limits nothing: 该, 向, 咱. */
export function isParticle(character: string): boolean {
  return particles.has(character);
}

/** Whether a word compares or chooses: `famous`, `recent`. */
export function isWeightyWord(word: string): boolean {
  return weighty.has(word);
}

/** Whether a word is too common to name a node by itself. */
export function isCommonWord(word: string): boolean {
  return light.has(word) || weighty.has(word) || isStopWord(word);
}

const english = new Set(englishWords.split(' '));
const chinese = new RegExp([...chineseWords].sort((a, b) => b.length - a.length).join('|'), 'g');
const chineseSet = new Set(chineseWords);
const longestChinese = Math.max(...chineseWords.map(({ length }) => length));

/**
 * Whether a stretch consists of stop words only. It stops at the first other character, because linking checks 80 stretches at each place.
 */
export function isStopWord(word: string): boolean {
  if (english.has(word)) return true;
  for (let at = 0; at < word.length;) {
    let length = Math.min(longestChinese, word.length - at);
    while (length > 0 && !chineseSet.has(word.slice(at, at + length))) length--;
    if (length === 0) return false;
    at += length;
  }
  return true;
}

const placeVerbs = new Set('live lives lived living based'.split(' '));

/** Whether a verb only introduces a place: `live` in `customers who live in Germany`, though a value may be spelt like the verb. */
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
