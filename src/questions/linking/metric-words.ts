import { type Mention, type MetricWord } from './meaning.js';

interface Rule {
  pattern: RegExp;
  read: (groups: (string | undefined)[]) => MetricWord[];
}

const scales: Record<string, number> = {
  千: 1e3, 万: 1e4, 十万: 1e5, 百万: 1e6, 千万: 1e7, 亿: 1e8, k: 1e3, thousand: 1e3, m: 1e6, million: 1e6, bn: 1e9, billion: 1e9,
}; // prettier-ignore
const amount =
  '([$¥€£])?\\s?(?<!\\d[.,]?)(\\d{1,3}(?:,\\d{3}){1,5}(?:\\.\\d{1,15})?|\\d{1,15}(?:\\.\\d{1,15})?)(?![,.]*\\d)\\s?(十万|百万|千万|[千万亿]|k\\b|m\\b|thousand|million|bn\\b|billion)?(?![%％千百十万亿])' +
  '(?:\\s?(元|块钱?|美元|美金|欧元|人民币|英镑|日元|港[元币]|(?:usd|cny|rmb|eur|gbp|jpy|hkd|yuan|dollars?|euros?|yen)\\b)|[件个单次])?(?![0-9a-z])';

const always =
  (word: MetricWord): Rule['read'] =>
  () => [word];
const bound =
  (operator: '>' | '<' | '>=' | '<='): Rule['read'] =>
  groups => {
    const word = readBound(operator, groups);
    return word ? [word] : [];
  };
const after = (words: string): RegExp => new RegExp(`(?:${words})\\s*${amount}`, 'g');

const rules: Rule[] = [
  {
    pattern: after('大于|高于|超过|超出|多于|突破|>|\\b(?:over|above|greater than|more than|higher than|exceed(?:s|ed|ing)?)'),
    read: bound('>'),
  },
  { pattern: after('小于|低于|少于|不足|不到|<|\\b(?:under|below|less than|lower than)'), read: bound('<') },
  { pattern: after('大于等于|至少|不低于|不少于|不小于|达到|>=|≥|\\b(?:at least|no less than|not less than)'), read: bound('>=') },
  { pattern: after('小于等于|至多|不超过|不高于|不大于|不多于|<=|≤|\\b(?:at most|no more than|not more than|up to)'), read: bound('<=') },
  { pattern: new RegExp(`${amount}(?:及?以上)`, 'g'), read: bound('>=') },
  { pattern: new RegExp(`${amount}(?:及?以下)`, 'g'), read: bound('<=') },
  {
    pattern: new RegExp(`(?:介于|在|\\bbetween\\s)\\s*${amount}\\s*(?:到|至|和|与|-|~|and|to)\\s*${amount}(?:之间)?`, 'g'),
    read: groups => {
      const both = [readBound('>=', withScale(groups)), readBound('<=', groups.slice(4))].filter(word => word !== null);
      return both.length === 2 ? both : [];
    },
  },
  {
    pattern: /占比|(?:所占|占)(?:全部|整体|总体|总)?的?(?:比例|比重|份额|百分比)?|的?(?:比例|比重|份额|百分比|百分之(?:多少|几))/g,
    read: always({ kind: 'share' }),
  },
  { pattern: /\b(?:(?:the|a)\s+)?(?:share|percentage|percent|proportion)(?:\s+of)?\b/g, read: always({ kind: 'share' }) },
  { pattern: /\b(?:account(?:s|ed)? for|com(?:e|es|ing) from|contribute[sd]?|of (?:the )?total|total)\b/g, read: always({ kind: 'link' }) },
  { pattern: /同比(?:去年)?|\b(?:year[\s-](?:over|on)[\s-]year|yoy)\b/g, read: always({ kind: 'growth', since: 'year' }) },
  {
    pattern:
      /环比|比上期|\b(?:(?:month[\s-](?:over|on)[\s-]month|quarter[\s-](?:over|on)[\s-]quarter|mom|qoq)|period[\s-]over[\s-]period)\b/g,
    read: always({ kind: 'growth', since: 'period' }),
  },
  {
    pattern: /(?:增长|增加|上升|上涨|下降|下跌|减少|变化|变动|增幅|涨幅|增速|跌幅)(?:了|率|幅度)?(?:多少|几)?/g,
    read: always({ kind: 'growth', since: null }),
  },
  {
    pattern: /\b(?:growth(?: rate)?|grow(?:n|s)?|grew|increased?|decreased?|declined?|dropped|changed?|rise|risen|rose|fell)\b/g,
    read: always({ kind: 'growth', since: null }),
  },
  { pattern: /的?同期|\b(?:the )?same period(?: of| in)?\b/g, read: always({ kind: 'samePeriod' }) },
  {
    pattern: /相?比较?(?![例重率])|相较于?|较(?![多少高低])|对比|\b(?:compared (?:with|to)|relative to|against|versus|vs)\b\.?/g,
    read: always({ kind: 'link' }),
  },
  { pattern: /更?[多高大](?:一些|些)?(?=呢?[\s?？。!！]*$)/g, read: always({ kind: 'more', descending: true }) },
  { pattern: /更?[少低小](?:一些|些)?(?=呢?[\s?？。!！]*$)/g, read: always({ kind: 'more', descending: false }) },
  { pattern: /更[多高大]|\b(?:more|higher|greater|larger|bigger)(?! than\b)/g, read: always({ kind: 'more', descending: true }) },
  { pattern: /更[少低小]|\b(?:less|lower|smaller)(?! than\b)/g, read: always({ kind: 'more', descending: false }) },
];

/** Finds the words of metrics in normalised text. A bound with a scale (万, million) is read with its scale or not at all. */
export function findMetricWords(text: string): Mention[] {
  return rules.flatMap(({ pattern, read }) =>
    [...text.matchAll(pattern)].flatMap(match => {
      const words = read(match.slice(1));
      if (words.length === 0) return [];
      const meanings = words.map(word => ({ as: 'measure' as const, word }));
      return [{ text: match[0], start: match.index, end: match.index + match[0].length, meanings }];
    }),
  );
}

/** The lower bound of a range with the scale of the upper one: `between 1 and 2 million`, but not 5000到1万. */
function withScale([sign, low, own, unit, , high, shared]: (string | undefined)[]): (string | undefined)[] {
  const isShared = own === undefined && unit === undefined && Number(low?.replaceAll(',', '')) <= Number(high?.replaceAll(',', ''));
  return [sign, low, isShared ? shared : own, unit];
}

function readBound(
  operator: '>' | '<' | '>=' | '<=',
  [sign, digits, scale, unit]: (string | undefined)[],
): Extract<MetricWord, { kind: 'bound' }> | null {
  const number = (digits ?? '').replaceAll(',', '');
  const value = Number(number) * (scale === undefined ? 1 : (scales[scale] ?? NaN));
  // The product of a decimal and its scale is exact to 15 digits only, so round it.
  const exact = scale === undefined ? number : String(Number(value.toPrecision(15)));
  if (number.replace('.', '').length > 15 || !/^\d+(?:\.\d+)?$/.test(exact)) return null;
  return { kind: 'bound', operator, value: exact, unit: sign ?? unit ?? null };
}
