const ZH_DIGITS = '零一二三四五六七八九';
const EN_NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

/** The source of a pattern for small whole numbers in questions: 12, 十二, twelve. */
export const NUMERAL = `(?:\\d{1,4}|[一二两三四五六七八九十百]{1,4}|${EN_NUMBERS.slice(1).join('|')})`;

/** The value of a {@link NUMERAL}, or null. */
export function readNumeral(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text);
  const english = EN_NUMBERS.indexOf(text.toLowerCase());
  if (english !== -1) return english;
  if (!/^[零一二两三四五六七八九十百]+$/.test(text)) return null;
  let total = 0;
  let digit = 0;
  for (const character of text.replaceAll('两', '二')) {
    if (character === '百' || character === '十') {
      total += (digit || 1) * (character === '百' ? 100 : 10);
      digit = 0;
    } else {
      digit = ZH_DIGITS.indexOf(character);
    }
  }
  return total + digit;
}
