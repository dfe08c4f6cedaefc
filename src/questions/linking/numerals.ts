const zhDigits = '零一二三四五六七八九';
const enNumbers =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );

/** The source of a pattern for Chinese measure words, which stand between a number and what it counts. */
export const measureWord = '(?:[个家位名条种款件大首张篇辆笔次份瓶箱套]|项(?!目)|部(?![门分])|台(?!风)|座(?!位)|本(?!科))';

/** The source of a pattern for small whole numbers in questions: 12, 十二, twelve. */
export const numeralPattern = `(?:\\d{1,4}|[一二两三四五六七八九十百]{1,4}|${enNumbers.slice(1).join('|')})`;

/** The value of a {@link numeralPattern}, or null. */
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

/** What may follow no amount: it would be another one (`20 万`, `三成`, `十几`, `5 million`). */
const goesOn =
  '(?![零一二两三四五六七八九十百千万亿几多余分成倍]|[0-9a-z_]|[.,]\\d|\\s*[千万亿百十兆%％]|[\\s-]+(?:hundred|thousand|million|billion|dozen|percent|k|m|bn)\\b)';

/** The source of a pattern, with one group, for what is compared with: 12.5, 三百, two. */
export const amountPattern = `(\\d+(?:\\.\\d+)?|[零一二两三四五六七八九十百千万亿]+|(?:${enNumbers.slice(1).join('|')}))${goesOn}`;

/** The value of an {@link amountPattern}, or null if it has none for certain: 一百五 is not 105, and 三五 is three to five. */
export function readAmount(text: string): number | null {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
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
