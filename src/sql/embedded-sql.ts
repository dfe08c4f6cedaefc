/**
 * Converts an offset in the statement `sql` to the UTF-16 offset in `piece`, which stands in the statement between `(`, line breaks and
 * `)`. Null when the offset lies outside the piece.
 */
export function offsetInPiece(piece: string, sql: string, offset: number): number | null {
  const embedded = `(\n${piece}\n)`;
  for (let start = sql.indexOf(embedded); start >= 0; start = sql.indexOf(embedded, start + 1)) {
    const at = offset - start - 2;
    if (at >= 0 && at < piece.length) return at;
  }
  return null;
}

/** The token at an offset, for a message: a name with its qualifier, a number, a text or an operator. */
export function tokenAt(sql: string, offset: number): string {
  const token =
    /^(?:'(?:[^']|'')*'?|(?:"(?:[^"]|"")*"?|[\p{L}\p{N}_$.])+|[^\s\p{L}\p{N}_'"()]+|[\s\S])/u.exec(sql.slice(offset, offset + 300))?.[0] ??
    '';
  return [...token].slice(0, 130).join('');
}
