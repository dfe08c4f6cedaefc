const zero = 48;

/** The text without the zeros at its start. A loop is used: a regular expression for zeros at the end takes quadratic time. */
export function trimZerosStart(text: string): string {
  let from = 0;
  while (text.charCodeAt(from) === zero) from++;
  return text.slice(from);
}

/** The text without the zeros at its end. */
export function trimZerosEnd(text: string): string {
  return trimEndOf(text, '0');
}

/** The text without all repetitions of `character` at its end. */
export function trimEndOf(text: string, character: string): string {
  let to = text.length;
  while (to > 0 && text[to - 1] === character) to--;
  return text.slice(0, to);
}

/** A decimal number without the zeros at the end of its fraction, and without the decimal point if no digit follows the point. */
export function trimDecimals(text: string): string {
  const short = trimZerosEnd(text);
  return short.endsWith('.') ? short.slice(0, -1) : short;
}

/** The digits of a plain decimal from the first to the last one that is not zero. */
export function significantDigits(decimal: string): string {
  return trimZerosEnd(trimZerosStart(decimal.replace(/[-.]/g, '')));
}
