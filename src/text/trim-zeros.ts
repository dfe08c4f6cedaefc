const zero = 48;

/** The text without the zeros that it begins with. A regular expression for those at the end takes the square of their number. */
export function trimZerosStart(text: string): string {
  let from = 0;
  while (text.charCodeAt(from) === zero) from++;
  return text.slice(from);
}

/** The text without the zeros that it ends with. */
export function trimZerosEnd(text: string): string {
  return trimEndOf(text, '0');
}

/** The text without the characters of one kind that it ends with. */
export function trimEndOf(text: string, character: string): string {
  let to = text.length;
  while (to > 0 && text[to - 1] === character) to--;
  return text.slice(0, to);
}

/** A text of a number without the zeros that end its fraction, and without its point if nothing is left behind it. */
export function trimDecimals(text: string): string {
  const short = trimZerosEnd(text);
  return short.endsWith('.') ? short.slice(0, -1) : short;
}

/** The digits of a plain decimal from the first to the last one that is not zero. */
export function significantDigits(decimal: string): string {
  return trimZerosEnd(trimZerosStart(decimal.replace(/[-.]/g, '')));
}
