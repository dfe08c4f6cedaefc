/** V8 copies shorter pieces. */
const shortestSlice = 13;
/** A shorter text may be kept whole. */
const longWhole = 1_000;

/**
 * A piece of a text, so that the text can be freed. V8 keeps a slice as a pointer into the whole text: 20 characters of a megabyte would
 * hold the megabyte. A slice of a joined text is of the joined text, which is just as short as the piece.
 */
export function ownPiece(piece: string, whole: string): string {
  const isCopied = piece.length < shortestSlice || whole.length <= longWhole || piece.length > whole.length / 2;
  return isCopied ? piece : ` ${piece}`.slice(1);
}
