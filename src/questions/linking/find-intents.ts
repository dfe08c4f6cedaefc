import { type Comparison, type Intent, type Mention, type Period } from './meaning.js';
import { amountPattern, measureWord, numeralPattern, readAmount, readNumeral, scaleOf } from './numerals.js';
import { unitPattern } from './units.js';

/** Source of a pattern for a count. The number must not be followed by a digit or by a sign that multiplies or divides it: 万, %. */
const countPattern = `(${numeralPattern})(?![\\d%零一二两三四五六七八九十百千万亿分]|[.,]\\d)`;
/** Decimal digits that a JavaScript number holds exactly. */
const mostDigits = 15;
/** Lookbehind for words that rank: `the least` ranks, but the same word in `at least two` bounds a number. */
const notAt = '(?<!\\bat\\s+(?:the\\s+)?(?:very\\s+)?)';
const notAfterNumber = '(?<![\\d.零一二两三四五六七八九十百千万亿分第])';

/** Source of a lookahead for the end of a value. Other text behind a number changes it to a bound or a count: `4+`, `5 and up`, `10前`. */
const endOfValue =
  `(?=(?:(?:\\s|(?![a-z]))${unitPattern}|[岁人分]|${measureWord})?\\s*(?:$|[的吗且并?？。，,、]|` +
  `(?:and|who|with|that|which|in|from|for)\\b(?!\\s+(?:up|over|above|more|below|under|less)\\b)))`;

/** Source of a pattern for an amount with a unit that may follow it. `5到10月` and `2019到2020年` are times. */
const unitAmount = `${amountPattern}(?:\\s?(?![月日周]|(?<=\\d{4})年)${unitPattern})?`;

interface Rule {
  pattern: RegExp;
  read: (groups: (string | undefined)[]) => Intent | Intent[] | null;
}

const compare =
  (operator: Comparison) =>
  (groups: (string | undefined)[]): Intent | null => {
    const value = readAmount(groups[1] ?? '');
    const digits = (groups[1] ?? '').replace(/^[0.]+|\./g, '').length;
    return value !== null && (digits <= mostDigits || Number.isSafeInteger(value)) ? { kind: 'compare', operator, value } : null;
  };
const top =
  (descending: boolean, more: { by?: 'date' | 'price'; ofTwo?: true } = {}): Rule['read'] =>
  groups => {
    const count = groups.slice(1).find(group => group !== undefined);
    return { kind: 'top', descending, count: count === undefined ? null : readNumeral(count), ...more };
  };
const between: Rule['read'] = groups => {
  const [least, most] = [groups[1] ?? '', groups[2] ?? ''];
  const [written, high] = [readAmount(least), readAmount(most)];
  if (written === null || high === null) return null;
  // 1到2万 means 10,000 to 20,000, and 5000到1万 5,000 to 10,000. A unit behind the first number, as in 1元到2万元, ends that number.
  const [whole = ''] = groups;
  const isBare = /^[\d,.]+$/.test(least) && /^\s*(?:[到至和与~-]|and\b)/.test(whole.slice(whole.indexOf(least) + least.length));
  const shared = isBare ? written * scaleOf(most) : written;
  const low = shared < high ? shared : written;
  return low <= high ? { kind: 'between', low, high } : null;
};
const grain =
  (value: Period): Rule['read'] =>
  () => ({ kind: 'grain', grain: value });
const is =
  (intent: Intent): Rule['read'] =>
  () =>
    intent;

/** A number that is a value only right behind a numeric property. */
const bareValue: Rule['read'] = groups => {
  const intent = compare('=')(groups);
  return intent?.kind === 'compare' ? { ...intent, isBare: true } : null;
};

const order = (descending: boolean | null): Rule['read'] => is({ kind: 'order', descending });

/** Sources of patterns for the words at the two ends of an order. */
const high = { zh: '[高大多晚新]', en: 'high|larg|big|lat|new|great|most expensive' };
const low = { zh: '[低小少早旧]', en: 'low|small|earli|old|cheap' };

/**
 * The pattern for an order with a direction: 降序, 从高到低排序, `in descending order of`, `from high to low`, `largest first`.
 * @param named the names of the direction: `descending`
 */
function ordering(words: string, from: typeof high, to: typeof high, named: string): RegExp {
  const [first, last] = [`(?:the )?(?:${from.en})(?:e?st)?`, `(?:the )?(?:${to.en})(?:e?st)?`];
  const english = `(?:in )?(?:the )?(?:${named})(?: order)?|from ${first} to ${last}|${first} first`;
  return new RegExp(`(?:${words}|[从由]${from.zh}[到至]${to.zh}(?:的?顺序)?)(?:排[序列]?)?|\\b(?:${english})\\b`, 'g');
}

const number = (groups: (string | undefined)[]): Intent => ({ kind: 'number', value: readNumeral(groups[1] ?? '') ?? 0 });

const negation = (excludes: boolean): Rule['read'] => is({ kind: 'negation', excludes });

const periodNouns: [Period, string, string][] = [
  ['day', '[天日]', 'day'],
  ['week', '(?:周|星期)', 'week'],
  ['month', '月份?', 'month'],
  ['quarter', '季度', 'quarter'],
  ['year', '年份?', 'year'],
];

/** Words of questions that name nothing in the graph. A longer match wins over a shorter one. */
const rules: Rule[] = [
  { pattern: new RegExp(`(?:大于|高于|超过|超出|多于|贵于|>)\\s*${amountPattern}次?`, 'g'), read: compare('>') },
  { pattern: new RegExp(`(?:小于|低于|少于|不足|不到|<)\\s*${amountPattern}次?`, 'g'), read: compare('<') },
  { pattern: new RegExp(`(?:大于等于|至少有?|达到|不低于|不少于|不小于|>=|≥)\\s*${amountPattern}次?`, 'g'), read: compare('>=') },
  { pattern: new RegExp(`(?:小于等于|至多有?|不超过|不高于|不大于|不多于|<=|≤)\\s*${amountPattern}次?`, 'g'), read: compare('<=') },
  {
    pattern: new RegExp(`(?:(?<!约)等于|恰好[是为有]?|正好[是为有]?|(?<![!<>=~]\\s*)=)\\s*${amountPattern}(?!\\s*[年月日号季周])次?`, 'g'),
    read: compare('='),
  },
  { pattern: new RegExp(`\\b(?:(?:is |are )?exactly|equals?(?: to)?|(?:is|are) equal to)\\s+${amountPattern}`, 'g'), read: compare('=') },
  {
    pattern: new RegExp(`(?:[为是]|\\b(?:is|are|was|were|of)\\s)\\s*${amountPattern}` + endOfValue, 'g'),
    read: bareValue,
  },
  // `with id 99`, 编号99的: such a number is a value only right behind a numeric property.
  { pattern: new RegExp(`(?<=[a-z]\\s|\\p{Script=Han}\\s?)(\\d{1,15}(?:\\.\\d+)?)(?![.,]?\\d)${endOfValue}`, 'gu'), read: bareValue },
  // Zero after 是 or `is` is always a value. Other numbers after these words may be names.
  {
    pattern: /(?:[为是]|\b(?:is|are|was|were)\s)\s*(?:0(?![\d%％a-z]|[.,]\d|.{0,2}以[上下])|零(?=$|[的且,，。?？\s])|zero\b)/g,
    read: is({ kind: 'compare', operator: '=', value: 0 }),
  },
  {
    pattern: new RegExp(`${notAfterNumber}${amountPattern}\\s*(?:${measureWord}|[岁元人天]|\\s?${unitPattern})?(?:及|或)?以上`, 'g'),
    read: compare('>='),
  },
  {
    pattern: new RegExp(`${notAfterNumber}${amountPattern}\\s*(?:${measureWord}|[岁元人天]|\\s?${unitPattern})?(?:及|或)?以下`, 'g'),
    read: compare('<='),
  },
  {
    pattern: new RegExp(`(?:(?:在|介于)\\s*|(?<![-−]\\s?))${unitAmount}\\s*(?:到|至|和|与|-|~)\\s*${unitAmount}\\s*之间`, 'g'),
    read: between,
  },
  // 5到10元的, `价格5到10元，`: only a unit behind both numbers tells that they are not a time, an order or names.
  {
    pattern: new RegExp(
      `(?<![-−]\\s?)${notAfterNumber}${unitAmount}\\s*(?:到|至|-|~)\\s*${amountPattern}(?=\\s?(?![月日天周年])${unitPattern}(?:$|[的且并或和与\\s,，、;；。?？]))`,
      'g',
    ),
    read: between,
  },
  { pattern: new RegExp(`\\bbetween\\s+${unitAmount}\\s+and\\s+${amountPattern}`, 'g'), read: between },
  { pattern: new RegExp(`\\b(?:over|above|greater than|more than|higher than|exceeding)\\s+${amountPattern}`, 'g'), read: compare('>') },
  { pattern: new RegExp(`\\b(?:under|below|less than|lower than|fewer than)\\s+${amountPattern}`, 'g'), read: compare('<') },
  { pattern: new RegExp(`\\b(?:at least|(?:no|not) (?:less|fewer|lower) than)\\s+${amountPattern}`, 'g'), read: compare('>=') },
  { pattern: new RegExp(`\\b(?:at most|(?:no|not) (?:more|higher|greater) than)\\s+${amountPattern}`, 'g'), read: compare('<=') },
  {
    pattern: new RegExp(`(?<![\\w.-])${amountPattern}\\s+or\\s+(?:more|over|above|higher|greater)\\b(?! than)`, 'g'),
    read: compare('>='),
  },
  {
    pattern: new RegExp(`(?<![\\w.-])${amountPattern}\\s+or\\s+(?:fewer|less|under|below|lower)\\b(?! than)`, 'g'),
    read: compare('<='),
  },
  { pattern: new RegExp(`(?:最高|最多|最大|最好)的?(?:前?${countPattern}${measureWord}?)?`, 'g'), read: top(true) },
  { pattern: new RegExp(`(?:最低|最少|最小|最差)的?(?:前?${countPattern}${measureWord}?)?`, 'g'), read: top(false) },
  { pattern: new RegExp(`最贵的?(?:前?${countPattern}${measureWord}?)?`, 'g'), read: top(true, { by: 'price' }) },
  { pattern: new RegExp(`最便宜的?(?:前?${countPattern}${measureWord}?)?`, 'g'), read: top(false, { by: 'price' }) },
  {
    pattern: new RegExp(`(?:最近|最新|最晚|最后|上一?次)的?(?:一?${measureWord})?(?:前?${countPattern}${measureWord}?)?`, 'g'),
    read: top(true, { by: 'date' }),
  },
  {
    pattern: new RegExp(`(?:最早|最先)的?(?:一?${measureWord})?(?:前?${countPattern}${measureWord}?)?|第一${measureWord}`, 'g'),
    read: top(false, { by: 'date' }),
  },
  { pattern: /更?贵(?=\s*吗?\s*[?？。]?$)|更贵|\b(?:more expensive|costs? more)\b/g, read: top(true, { by: 'price', ofTwo: true }) },
  { pattern: /更?便宜(?=\s*吗?\s*[?？。]?$)|更便宜|\b(?:cheaper|costs? less)\b/g, read: top(false, { by: 'price', ofTwo: true }) },
  {
    pattern: /更[多高大]|(?<!多)[多高](?=还是|\s*吗?\s*[?？。]?$)|\b(?:more|higher|larger|bigger)\b(?! (?:expensive|than))/g,
    read: top(true, { ofTwo: true }),
  },
  {
    pattern: /更[少低小]|(?<!多)[少低](?=还是|\s*吗?\s*[?？。]?$)|\b(?:fewer|less|lower|smaller)\b(?! (?:expensive|than))/g,
    read: top(false, { ofTwo: true }),
  },
  {
    pattern: new RegExp(
      `\\b(?:the )?(?:top )?(?:(?:${numeralPattern}) )?(?:latest|newest|youngest|most recent(?:ly)?|last)(?:\\s+${countPattern}\\b)?`,
      'g',
    ),
    read: top(true, { by: 'date' }),
  },
  { pattern: new RegExp(`\\b(?:the )?(?:earliest|oldest|eldest|first)(?:\\s+${countPattern}\\b)?`, 'g'), read: top(false, { by: 'date' }) },
  { pattern: ordering('降序|倒序|逆序', high, low, 'descending|decreasing|desc'), read: order(true) },
  { pattern: ordering('升序|正序', low, high, 'ascending|increasing|asc'), read: order(false) },
  {
    pattern:
      /排序|排列(?!组合)|排名(?=[\s?？。]*$)|\b(?:sorted|ordered|ranked|arranged)(?= (?:by|in|from|(?:de|a)scending)\b)|(?<=^\s*(?:please )?|,\s*)(?:sort|rank|order|arrange)(?=\s.*\bby\b)/g,
    read: order(null),
  },
  { pattern: /比(?![例如较重值赛])|\bthan\b/g, read: is({ kind: 'than' }) },
  {
    // `five products with the highest price`
    pattern: new RegExp(
      `\\b(${numeralPattern})(?=\\s+[a-z]+(?:\\s+[a-z]+)?\\s+(?:with|having|(?:(?:that|who|which)\\s+)?ha(?:ve|d))\\s+the\\s+[a-z]+)`,
      'g',
    ),
    read: number,
  },
  {
    // `which 3 customers placed the most orders`
    pattern: new RegExp(
      `(?<=\\b(?:which|what)\\s+)(${numeralPattern})(?=\\s+[a-z]+(?:\\s+[a-z]+){1,3}\\s+the\\s+(?:most|fewest|least)\\s+(?!expensive|recent)[a-z]+)`,
      'g',
    ),
    read: number,
  },
  {
    // `哪三个客户下单最多`
    pattern: new RegExp(`哪(${numeralPattern})${measureWord}(?=.{1,30}最[多少高低大小好差]\\s*[?？。]?$)`, 'g'),
    read: groups => [{ kind: 'which' }, number(groups)],
  },
  { pattern: /[吗么](?=\s*[?？。]?$)|^\s*是否|是不是/g, read: is({ kind: 'whether' }) },
  { pattern: /^\s*(?:is|are|was|were|do|does|did|has|have|had)\b/g, read: is({ kind: 'whether' }) },
  { pattern: new RegExp(`(?:排名)?前${countPattern}${measureWord}?的?`, 'g'), read: top(true) },
  { pattern: new RegExp(`${notAt}\\b(?:the )?(?:top|best|highest|largest|biggest)(?:\\s+${countPattern}\\b)?`, 'g'), read: top(true) },
  {
    pattern: new RegExp(`\\b(?:the )?(?:top )?(?:(${numeralPattern})\\s+)?most expensive(?:\\s+${countPattern}\\b)?`, 'g'),
    read: top(true, { by: 'price' }),
  },
  {
    pattern: new RegExp(`\\b(?:the )?(?:top )?(?:(${numeralPattern})\\s+)?(?:cheapest|least expensive)(?:\\s+${countPattern}\\b)?`, 'g'),
    read: top(false, { by: 'price' }),
  },
  {
    pattern: new RegExp(`\\b(?:the )?(?:top )?(?:(${numeralPattern})\\s+)(?:best|highest|largest|biggest|most)\\b(?! expensive)`, 'g'),
    read: top(true),
  },
  { pattern: new RegExp(`${notAt}\\b(?:the )?most\\b(?! (?:expensive|recent|of the)\\b)`, 'g'), read: top(true) },
  {
    pattern: new RegExp(`${notAt}\\b(?:the )?(?:bottom|lowest|least(?! expensive)|smallest|fewest|worst)(?:\\s+${countPattern}\\b)?`, 'g'),
    read: top(false),
  },
  { pattern: new RegExp(`\\b(?:the )?(?:top )?(?:(${numeralPattern})\\s+)(?:lowest|smallest|worst)\\b`, 'g'), read: top(false) },
  { pattern: /每一?天|每日|按天(?!气)|按日|哪(?:一|几|些)?天|\bdaily\b/g, read: grain('day') },
  { pattern: /每个?星期|每周(?!边)|按周(?!边)|按星期|各周(?!边)|哪(?:一|几)?周|哪一?个?星期|\bweekly\b/g, read: grain('week') },
  { pattern: /(?:每一?个?|按|各个?)月份?(?![薪租供饼])|哪(?:一?个?|几个|些)月份?|月度|趋势|\bmonthly\b|\btrend\b/g, read: grain('month') },
  { pattern: /每一?个?季度|按季(?!节)度?|各个?季(?!节)度?|哪(?:一?个?|几个|些)季度|\bquarterly\b/g, read: grain('quarter') },
  { pattern: /(?:每一?|按|各)年(?![龄级代薪])度?|哪(?:一|几|些)?年(?!级)|\b(?:yearly|annual|annually)\b/g, read: grain('year') },
  {
    pattern:
      /(?<![每哪一本上下这])(?:周|星期|礼拜)几(?![个次家位名条单笔])|\b(?:by|per|each|every|which|what) (?:weekdays?|days? of the week)\b/g,
    read: grain('weekday'),
  },
  ...periodNouns.map(([period, chinese, english]) => ({
    pattern: new RegExp(
      // `订单最多的3个月`, `the months with the most orders`, `top 3 months`
      `(?<=最[多少高低]的(?:前?${numeralPattern}个?)?)${chinese}(?=$|[是为?？])|\\b(?:(?:grouped )?by|per|each|every|which|what) ${english}s?\\b|` +
        `\\b(?:the )?${english}s?(?= (?:with|that had) the (?:most|fewest|highest|lowest)\\b)|(?<=\\btop (?:${numeralPattern} )?)${english}s?\\b`,
      'g',
    ),
    read: grain(period),
  })),
  {
    pattern: new RegExp(
      `(?:一共|总共|共)?(?:有)?多少${measureWord}?|(?:一共|总共|共)?(?:有)?几${measureWord}|总数|个数|人数|数目|数量|数(?![据字码学])`,
      'g',
    ),
    read: is({ kind: 'count' }),
  },
  { pattern: /\bhow many\b|\b(?:the )?(?:total )?number of\b|\bcount(?: of)?\b/g, read: is({ kind: 'count' }) },
  { pattern: /平均|\b(?:average|mean|avg)\b/g, read: is({ kind: 'aggregate', function: 'avg' }) },
  {
    pattern: /中位[数值]|众数|方差|标准差|[百四]?分位[数值]?|\b(?:medians?|percentiles?|variance|standard deviation)\b/g,
    read: is({ kind: 'statistic' }),
  },
  // `总运费`, but not `总共`, `总经理`, `总订单数`
  {
    pattern: /总(?=\p{Script=Han}{2})(?![共是会体部裁理监统结经店行局院校公数署台站编]|\p{Script=Han}{1,4}数)/gu,
    read: is({ kind: 'aggregate', function: 'sum' }),
  },
  { pattern: /总和|合计|总计|\b(?:sum|total)(?: of)?\b/g, read: is({ kind: 'aggregate', function: 'sum' }) },
  {
    pattern: new RegExp(
      `每一?${measureWord}?|各自|各(?:类(?![别型目])|${measureWord})?|按照?|分别|不同|\\b(?:by|per|for each|each|for every|every|grouped by|respective(?:ly)?)\\b`,
      'g',
    ),
    read: is({ kind: 'group' }),
  },
  {
    pattern: new RegExp(
      `哪(?:些|[几一两三四五六七八九十]+${measureWord}?|${measureWord})|什么时候|什么|谁|何时|哪里|哪儿|何地|` +
        '\\b(?:which|what|who|whom|whose|when|where)\\b',
      'g',
    ),
    read: is({ kind: 'which' }),
  },
  { pattern: /有没有|能不能|会不会|是否/g, read: is({ kind: 'which' }) },
  {
    pattern:
      /并?不是|不在|不属于|不来自|不包括|不包含|并非|不|非(?![常洲])|除了|除去|排除|除(?![夕法尘])|以外|之外|除外|外(?=[的,，、各每有还都共所]|$)/g,
    read: negation(true),
  },
  // Before a boolean property whose name begins with 在 or 有: 不在役, 没有冷库.
  { pattern: /[不没](?=[在有])/g, read: negation(true) },
  {
    pattern:
      /没有?(?:人(?=\p{Script=Han})(?![的员物民口才数气工们脉参质事生群类力士像体]))?|无人(?=\p{Script=Han})(?![的员物机驾商区岛])|[无未](?![线锡来])|只有?(?!读)|仅仅?有?|唯一|从不|从未|不存在|缺[少乏]?/gu,
    read: negation(false),
  },
  {
    pattern: /\b(?:not|cannot|non|except(?: for)?|excluding|excludes?|other than|apart from|outside(?: of)?)\b|\b[a-z]+n['’]t\b/g,
    read: negation(true),
  },
  {
    // `all books but Dune`. Linking drops the word where it joins conditions.
    pattern: /\bbut(?= (?:those|the ones?)\b)|(?<=\b(?:all|every|everything|everyone|everybody|any)\b[^,.?]{0,40} )but(?= )/g,
    read: negation(true),
  },
  {
    pattern: /\bno\b(?!\.?\s*\d)|\b(?:none|never|neither|nor|nobody|nothing|without|lack(?:s|ing)?|only|unless|instead of|rather than)\b/g,
    read: negation(false),
  },
];

/** Finds question words in normalised text. */
export function findIntents(text: string): Mention[] {
  return rules.flatMap(({ pattern, read }) =>
    [...text.matchAll(pattern)].flatMap(match => {
      const meanings = [read(match) ?? []].flat().map(intent => ({ as: 'intent' as const, intent }));
      return meanings.length > 0 ? [{ text: match[0], start: match.index, end: match.index + match[0].length, meanings }] : [];
    }),
  );
}

const wordsInRules = new Set(rules.flatMap(({ pattern }) => pattern.source.replace(/\\[a-z]/g, ' ').match(/[a-z]{2,}/g) ?? []));
/** Cached results of `isAskingWord` by word. Computing all words of the rules at load would take 0.25 s in each process and thread. */
const isAskingByWord = new Map<string, boolean>();

/** Whether an English word alone is a question word of the rules: `not`, `most`, `average`. */
export function isAskingWord(word: string): boolean {
  if (!wordsInRules.has(word)) return false;
  let isAsking = isAskingByWord.get(word);
  if (isAsking === undefined) {
    isAsking = findIntents(word).some(({ text }) => text === word);
    isAskingByWord.set(word, isAsking);
  }
  return isAsking;
}
