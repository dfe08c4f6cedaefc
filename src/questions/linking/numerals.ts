const zhDigits = '零一二三四五六七八九';
const enNumbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

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
