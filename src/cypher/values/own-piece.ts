/** Minimum characters of a piece that V8 keeps as a pointer into the whole text. V8 copies shorter pieces. */
const shortestSlice = 13;

/**
 * Returns a piece of a text as a string of its own, so that the whole text can be freed. V8 keeps a slice as a pointer into the whole
 * text: 20 characters of a megabyte would hold the megabyte. `join` writes a new string, unlike `+`.
 */
export function ownPiece(piece: string, whole: string): string {
  if (piece.length < shortestSlice || piece.length === whole.length) return piece;
  return [piece.slice(0, 1), piece.slice(1)].join('');
}
