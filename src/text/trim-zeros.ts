const zero = 48;

/** The text without the zeros that it begins with. A regular expression for those at the end takes the square of their number. */
export function trimZerosStart(text: string): string {
  let from = 0;
  while (text.charCodeAt(from) === zero) from++;
  return text.slice(from);
}

/** The text without the zeros that it ends with. */
export function trimZerosEnd(text: string): string {
  let to = text.length;
  while (to > 0 && text.charCodeAt(to - 1) === zero) to--;
  return text.slice(0, to);
}
