const zhDigits = '零一二三四五六七八九';
const enNumbers =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );

/** Chinese measure words, each with the characters that must not follow it, because both form another word: 部 with 门 in 部门. */
const measureWords: Record<string, string> = {
  个: '', 家: '庭具属长电乡族', 位: '置点', 名: '称字单额', 条: '目款码', 种: '类子植', 款: '项式', 件: '', 首: '都席', 张: '', 篇: '', 辆: '', 笔: '记试',
  次: '品', 份: '额', 瓶: '', 箱: '子', 套: '餐房装', 项: '目', 部: '门分件', 台: '风湾', 座: '位', 本: '科月年周', 支: '付出行部', 场: '地所馆景合', 只: '有是要能读',
  艘: '', 架: '构', 间: '隔', 栋: '', 幢: '', 匹: '配', 棵: '', 册: '子', 届: '', 轮: '胎船次', 集: '团合群', 版: '本权块', 站: '点台', 队: '伍员长',
  批: '次发号', 例: '外会如', 颗: '', 枚: '', 粒: '', 户: '型主口籍', 所: '有属在', 门: '店诊票户类', 节: '目点日', 班: '级次车主组', 趟: '', 封: '', 堂: '', 起: '点始源',
}; // prettier-ignore

/** The source of a pattern for Chinese measure words, which stand between a number and what it counts. */
export const measureWord = `(?:${Object.entries(measureWords)
  .map(([word, others]) => (others === '' ? word : `${word}(?![${others}])`))
  .join('|')})`;

/** Whether properties of a type are numbers. */
export function isNumeric(type: string): boolean {
  return /^(?:int|bigint|float|decimal(?:\(.*\))?)$/.test(type);
}

/** The source of a pattern for small whole numbers in questions: 12, 十二, twelve. */
export const numeralPattern = `(?:\\d{1,4}|[一二两三四五六七八九十百]{1,4}|${enNumbers.slice(1).join('|')})`;

/** The number that a text matching {@link numeralPattern} stands for; null for other texts. */
export function readNumeral(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text);
  const english = enNumbers.indexOf(text.toLowerCase());
  if (english !== -1) return english;
  if (!/^[零一二两三四五六七八九十百]+$/.test(text)) return null;
  let total = 0;
  let digit = 0;
  for (const character of text.replaceAll('两', '二')) {
    if (character === '百' || character === '十') {
      total += (digit || 1) * (character === '百' ? 100 : 10);
      digit = 0;
    } else {
      digit = zhDigits.indexOf(character);
    }
  }
  return total + digit;
}

/** Source of a lookahead that refuses a number if the amount continues behind the match: `20 万`, `三成`, `十几`, `5 million`. */
const goesOn =
  '(?!(?<=千)[克米瓦卡帕伏赫焦字吨])(?!(?!千[克米瓦]|分钟)[零一二两三四五六七八九十百千万亿几多余分成倍打]|[0-9a-z_]|[.,]\\d|\\s*(?!千[克米瓦])[千万亿百十兆打%％]|[\\s-]+(?:hundred|thousand|million|billion|dozen|percent|k|m|bn)\\b)';

/** The source of a pattern, with one group, for an amount in a comparison: 12.5, $15,000, 20k, 三百, two. */
export const amountPattern = `(?:[$€£¥]\\s?)?((?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?(?:\\s*(?:[百千]?万|[千亿])|\\s+(?:thousand|million|billion)\\b|k\\b)?|[零一二两三四五六七八九十百千万亿]{1,40}|(?:${enNumbers.slice(1).join('|')}))${goesOn}`;

const scales: Record<string, number> = {
  k: 1e3,
  千: 1e3,
  万: 1e4,
  百万: 1e6,
  千万: 1e7,
  亿: 1e8,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
};

/** The scale of an amount in digits, such as 10,000 of `2万`; 1 without one. */
export function scaleOf(amount: string): number {
  return scales[/^[\d,.]+\s*(\D+)$/.exec(amount)?.[1] ?? ''] ?? 1;
}

/** The value of an {@link amountPattern}; null if the value is uncertain: 一百五 is not 105, and 三五 means three to five. */
export function readAmount(text: string): number | null {
  const scaled = /^(\d+(?:\.\d+)?)\s*(\D*)$/.exec(text.replaceAll(',', ''));
  // Rounded to 15 digits, because a product of floats may have more digits than its factors: 1.1 × 10,000.
  const scale = scales[scaled?.[2] ?? ''];
  if (scaled) return scale === undefined ? Number(scaled[1]) : Number((Number(scaled[1]) * scale).toPrecision(15));
  if (!/^[零一二两三四五六七八九十百千万亿]+$/.test(text)) return readNumeral(text);
  if (/^[百千万亿]|[一二两三四五六七八九]{2}|[百千万亿][一二两三四五六七八九]$/.test(text)) return null;
  let [total, section, digit, lastUnit] = [0, 0, 0, Infinity];
  for (const character of text.replaceAll('两', '二')) {
    const unit = { 十: 10, 百: 100, 千: 1000 }[character];
    if (unit !== undefined) {
      if (unit >= lastUnit) return null;
      section += (digit || 1) * unit;
      [digit, lastUnit] = [0, unit];
    } else if (character === '万' || character === '亿') {
      if (character === '亿') total = (total + section + digit) * 1e8;
      else total += (section + digit) * 1e4;
      [section, digit, lastUnit] = [0, 0, Infinity];
    } else {
      digit = zhDigits.indexOf(character);
    }
  }
  const value = total + section + digit;
  return Number.isSafeInteger(value) ? value : null;
}
