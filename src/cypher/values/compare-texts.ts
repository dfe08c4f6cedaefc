/** Negative, zero or positive by code point, as PostgreSQL's collation C. JavaScript's `<` goes by UTF-16 unit. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return inCodePointOrder(x) - inCodePointOrder(y);
  }
  return a.length - b.length;
}

/** Code points above 0xffff begin with a surrogate, and come after all others. */
function inCodePointOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
