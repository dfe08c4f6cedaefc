import { spend } from '../syntax/effort.js';

/**
 * Compares two texts by code points, as PostgreSQL's collation C does: negative, zero or positive. JavaScript's `<` compares UTF-16 units.
 */
export function compareTexts(a: string, b: string): number {
  if (a.length === b.length) spend(a.length >> 4);
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  let i = 0;
  while (i < shared && a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  spend(i >> 2);
  return i < shared ? inCodePointOrder(a.charCodeAt(i)) - inCodePointOrder(b.charCodeAt(i)) : a.length - b.length;
}

/** The rank of a UTF-16 unit in the order of code points. Code points above 0xffff begin with a surrogate, and come after all others. */
function inCodePointOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
